#include "sim/output/trace/tsv.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/output/trace/tsv_columns.h"

enum { PIECE_BYTES = 1 << 16 };

const char trace_level_none[] = "none";

static const char *const level_names[] = {"jobs", "epochs", "steps"};
_Static_assert(sizeof level_names / sizeof level_names[0] == TRACE_LEVEL_STEPS + 1,
               "one name per level");

const char *trace_level_name(TraceLevel level)
{
    return level_names[level];
}

void trace_tsv_print_columns(Text *out)
{
#define X(column, name, meaning) text_add(out, TSV_##column == 0 ? name : "\t" name);
    TSV_COLUMNS(X)
#undef X
    text_add(out, "\n");
}

/* `escape_space`: in the header, where spaces separate fields. */
static void print_name(Text *out, const char *name, bool escape_space)
{
    if (strcmp(name, "-") == 0) {
        text_add(out, "\\-");
        return;
    }
    const char *const special = escape_space ? "\t\n\\ " : "\t\n\\";
    for (;;) {
        const size_t plain = strcspn(name, special);
        text_append(out, name, plain);
        name += plain;
        if (*name == '\0')
            return;
        text_add(out, *name == '\t'   ? "\\t"
                      : *name == '\n' ? "\\n"
                      : *name == ' '  ? "\\s"
                                      : "\\\\");
        name++;
    }
}

void trace_tsv_print_header(Text *out, const TraceHeader *header)
{
    char start[CIVIL_TEXT];
    iso_time_print(header->start_unix_ms, start);
    text_printf(out, "#trainyard-trace 2 level=%s scenario=",
                header->is_empty ? trace_level_none : trace_level_name(header->level));
    print_name(out, header->scenario, true);
    text_printf(out, " seed=%" PRIu64 " start=%s\n", header->seed, start);
    for (uint32_t i = 0; i < header->given_count; i++) {
        text_add(out, "#");
        print_name(out, header->given[i], false);
        text_add(out, "\n");
    }
    trace_tsv_print_columns(out);
}

/* A tab and the name, or "-". */
static void print_cell(Text *out, const char *name)
{
    text_add(out, "\t");
    if (name != NULL)
        print_name(out, name, false);
    else
        text_add(out, "-");
}

static void print_values(Text *out, const TraceRecord *record)
{
    const TraceValue *values = trace_kind_values(record->kind);
    text_add(out, "\t");
    if (values[0].name == NULL)
        text_add(out, "-");
    for (int32_t i = 0; values[i].name != NULL; i++)
        text_printf(out, "%s%s=%" PRId64, i > 0 ? " " : "", values[i].name, record->in_order[i]);
}

void trace_tsv_print_row(Text *out, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    text_printf(out, "%" PRId64 "\t%" PRId64 "\t%s", record->at_ns, record->since_ns,
                trace_kind_name(record->kind));
    print_cell(out, row->cluster);
    print_cell(out, row->node);
    print_cell(out, row->job);
    print_cell(out, row->share);
    if (row->share != NULL || record->bytes != 0)
        text_printf(out, "\t%" PRId64, record->bytes);
    else
        text_add(out, "\t-");
    print_cell(out, record->name);
    print_values(out, record);
    print_cell(out, record->cause != CAUSE_NONE ? trace_cause_name(record->cause) : NULL);
    text_add(out, "\n");
}

struct TraceTsvWriter {
    FILE *stream;
    TraceLevel level;
    Text piece; /* not written to the stream yet */
};

TraceTsvWriter *trace_tsv_writer_create(Arena *arena, FILE *stream, const TraceHeader *header)
{
    TraceTsvWriter *writer = ARENA_NEW(arena, TraceTsvWriter);
    *writer = (TraceTsvWriter){.stream = stream, .level = header->level};
    trace_tsv_print_header(&writer->piece, header);
    return writer;
}

static void write_piece(TraceTsvWriter *writer)
{
    // A short write sets the stream's error flag, which its owner checks once, at the end.
    (void)fwrite(text_string(&writer->piece), 1, writer->piece.length, writer->stream);
    text_clear(&writer->piece);
}

static void write_row(void *listener, const TraceRow *row)
{
    TraceTsvWriter *writer = listener;
    trace_tsv_print_row(&writer->piece, row);
    if (writer->piece.length >= PIECE_BYTES)
        write_piece(writer);
}

TraceListener trace_tsv_writer_listener(TraceTsvWriter *writer)
{
    return (TraceListener){.listener = writer, .level = writer->level, .row = write_row};
}

void trace_tsv_writer_finish(TraceTsvWriter *writer)
{
    write_piece(writer);
    text_free(&writer->piece);
}
