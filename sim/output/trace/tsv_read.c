/* Private to sim/output/trace: reads trace.tsv (tsv.h). */
#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/civil_time.h"
#include "sim/base/name_table.h"
#include "sim/base/piece.h"
#include "sim/output/trace/tsv.h"
#include "sim/output/trace/tsv_columns.h"

static const char magic[] = "#trainyard-trace 2 ";
static const char former_magic[] = "#trainyard-trace 1 ";

/* Names seen so far, numbered in order of appearance. */
typedef struct {
    NameTable *ids;
    const char **names;
    uint32_t count;
    uint32_t capacity;
} Names;

typedef struct {
    Arena *arena;
    const char *source;
    Problems *problems;
    TraceLevel level;
    Names clusters, nodes, jobs, shares, words;
    Text name;           /* the name that is being decoded */
    int64_t previous_ns; /* time of the last valid line */
} Reader;

static bool bad(const Reader *reader, Piece piece, const char *expected)
{
    problems_add(reader->problems, STATUS_BAD_INPUT, piece.at, "\"%.*s\": expected %s",
                 piece_shown_length(piece), piece.text, expected);
    return false;
}

static bool integer_read(const Reader *reader, Piece piece, int64_t *value)
{
    Piece digits = piece;
    const bool is_negative = piece_skip(&digits, "-");
    uint64_t magnitude;
    if (!piece_digits(digits, INT64_MAX, &magnitude) || (is_negative && magnitude == 0))
        return bad(reader, piece, "a whole number");
    *value = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* --- Names --- */

static Names names_create(Arena *arena)
{
    return (Names){.ids = name_table_create(arena)};
}

static uint32_t names_add(Arena *arena, Names *names, const char *name)
{
    const uint32_t id = names->count++;
    names->names =
        array_room(arena, names->names, names->count, &names->capacity, sizeof *names->names);
    names->names[id] = arena_strdup(arena, name);
    name_table_set(names->ids, name, id);
    return id;
}

static uint32_t names_id(Arena *arena, Names *names, const char *name)
{
    uint32_t id;
    return name_table_find(names->ids, name, &id) ? id : names_add(arena, names, name);
}

/* Decodes escapes into reader->name. */
static bool name_read(Reader *reader, Piece piece)
{
    text_clear(&reader->name);
    for (size_t i = 0; i < piece.length; i++) {
        char letter = piece.text[i];
        if (letter == '\\') {
            static const char codes[] = "tn\\-s", letters[] = "\t\n\\- ";
            const char *code = i + 1 < piece.length ? strchr(codes, piece.text[i + 1]) : NULL;
            if (code == NULL)
                return bad(reader, piece, "\\t, \\n, \\\\, \\s or \\- after a backslash");
            letter = letters[code - codes];
            i++;
        }
        text_append(&reader->name, &letter, 1);
    }
    return true;
}

/* A cell of a name column. "-": `*id` stays ID_NONE and `*name` NULL. */
static bool cell_read(Reader *reader, Piece piece, Names *names, bool is_new, uint32_t *id,
                      const char **name)
{
    *id = ID_NONE;
    *name = NULL;
    if (piece_is(piece, "-"))
        return true;
    if (!name_read(reader, piece))
        return false;
    const char *text = text_string(&reader->name);
    *id = is_new ? names_add(reader->arena, names, text) : names_id(reader->arena, names, text);
    *name = names->names[*id];
    return true;
}

/* --- Lines --- */

static bool kind_read(const Reader *reader, Piece piece, TraceKind *kind)
{
    const char *names[TRACE_KIND_COUNT];
    for (int i = 0; i < TRACE_KIND_COUNT; i++) {
        names[i] = trace_kind_name((TraceKind)i);
        if (!piece_is(piece, names[i]))
            continue;
        *kind = (TraceKind)i;
        if (trace_kind_level(*kind) <= reader->level)
            return true;
        return bad(reader, piece, "only records of the level in the first line");
    }
    Status *problem =
        problems_add(reader->problems, STATUS_BAD_INPUT, piece.at,
                     "\"%.*s\" is not a kind of record", piece_shown_length(piece), piece.text);
    return piece_hint_nearest(piece, names, TRACE_KIND_COUNT, problem);
}

static bool values_read(const Reader *reader, Piece piece, TraceRecord *record)
{
    const TraceValue *values = trace_kind_values(record->kind);
    if (values[0].name == NULL)
        return piece_is(piece, "-") || bad(reader, piece, "- for a record without values");
    Piece rest = piece, value;
    for (int32_t i = 0; values[i].name != NULL; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s=", values[i].name);
        if (!piece_cut(&rest, ' ', &value) || !piece_skip(&value, key)) {
            char expected[80];
            snprintf(expected, sizeof expected, "%sINTEGER at value %" PRId32, key, i + 1);
            return bad(reader, piece, expected);
        }
        if (!integer_read(reader, value, &record->in_order[i]))
            return false;
        if (record->in_order[i] < (values[i].can_be_missing ? -1 : 0))
            return bad(reader, value, "a number not below 0");
    }
    return rest.text == NULL || bad(reader, rest, "no more values");
}

static bool cause_read(const Reader *reader, Piece piece, TraceCause *cause)
{
    *cause = CAUSE_NONE;
    if (piece_is(piece, "-"))
        return true;
    const char *names[CAUSE_COUNT - 1];
    for (int i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++) {
        names[i - 1] = trace_cause_name((TraceCause)i);
        if (!piece_is(piece, names[i - 1]))
            continue;
        *cause = (TraceCause)i;
        return true;
    }
    Status *problem =
        problems_add(reader->problems, STATUS_BAD_INPUT, piece.at, "\"%.*s\" is not a cause",
                     piece_shown_length(piece), piece.text);
    return piece_hint_nearest(piece, names, CAUSE_COUNT - 1, problem);
}

static bool times_read(Reader *reader, const Piece *fields, TraceRecord *record)
{
    if (!integer_read(reader, fields[TSV_AT], &record->at_ns) ||
        !integer_read(reader, fields[TSV_SINCE], &record->since_ns))
        return false;
    if (record->since_ns < 0 || record->since_ns > record->at_ns)
        return bad(reader, fields[TSV_SINCE], "a time from 0 to at_ns");
    if (record->at_ns < reader->previous_ns)
        return bad(reader, fields[TSV_AT], "a time not before the line above");
    reader->previous_ns = record->at_ns;
    return true;
}

static bool bytes_read(const Reader *reader, Piece piece, int64_t *bytes)
{
    if (piece_is(piece, "-"))
        return true;
    return integer_read(reader, piece, bytes) &&
           (*bytes >= 0 || bad(reader, piece, "a number of bytes"));
}

/* Whether the record begins the life of a cluster or job, whose name may have belonged to
 * another one before. */
static bool begins(TraceKind kind, TraceKind provisioning, Piece name)
{
    return kind == provisioning && piece_is(name, "creating");
}

static bool names_read(Reader *reader, const Piece *fields, TraceRow *row)
{
    TraceRecord *record = &row->record;
    uint32_t word;
    const Piece name = fields[TSV_NAME];
    return cell_read(reader, fields[TSV_CLUSTER], &reader->clusters,
                     begins(record->kind, TRACE_CLUSTER_PROVISIONING, name), &record->cluster.index,
                     &row->cluster) &&
           cell_read(reader, fields[TSV_NODE], &reader->nodes, false, &record->node.index,
                     &row->node) &&
           cell_read(reader, fields[TSV_JOB], &reader->jobs,
                     begins(record->kind, TRACE_JOB_PROVISIONING, name), &record->job.index,
                     &row->job) &&
           cell_read(reader, fields[TSV_SHARE], &reader->shares, false, &record->share.index,
                     &row->share) &&
           cell_read(reader, name, &reader->words, false, &word, &record->name);
}

static bool is_complete(const Reader *reader, Piece line, const TraceRow *row)
{
    const char *column = trace_record_lacks(&row->record);
    if (column != NULL)
        problems_add(reader->problems, STATUS_BAD_INPUT, line.at, "a %s record without a %s",
                     trace_kind_name(row->record.kind), column);
    return column == NULL;
}

static bool row_read(Reader *reader, Piece line, TraceRow *row)
{
    Piece fields[TSV_COLUMN_COUNT], rest = line;
    int32_t count = 0;
    while (count < TSV_COLUMN_COUNT && piece_cut(&rest, '\t', &fields[count]))
        count++;
    if (count < TSV_COLUMN_COUNT || rest.text != NULL) {
        problems_add(reader->problems, STATUS_BAD_INPUT, line.at,
                     "expected eleven columns separated by tabs, found %s",
                     rest.text != NULL ? "more" : "fewer");
        return false;
    }
    *row = (TraceRow){0};
    // The kind comes first: the other columns depend on it.
    return kind_read(reader, fields[TSV_RECORD], &row->record.kind) &&
           times_read(reader, fields, &row->record) && names_read(reader, fields, row) &&
           bytes_read(reader, fields[TSV_BYTES], &row->record.bytes) &&
           values_read(reader, fields[TSV_VALUES], &row->record) &&
           cause_read(reader, fields[TSV_CAUSE], &row->record.cause) &&
           is_complete(reader, line, row);
}

/* --- The file --- */

static bool level_read(const Reader *reader, Piece piece, TraceHeader *header)
{
    header->is_empty = piece_is(piece, trace_level_none);
    header->level = TRACE_LEVEL_JOBS;
    if (header->is_empty)
        return true;
    for (int i = 0; i <= TRACE_LEVEL_STEPS; i++) {
        header->level = (TraceLevel)i;
        if (piece_is(piece, trace_level_name(header->level)))
            return true;
    }
    return bad(reader, piece, "none, jobs, epochs or steps");
}

/* The next "key=value " of the first line. */
static bool setting_cut(const Reader *reader, Piece *rest, const char *key, Piece *value)
{
    const Piece line = *rest;
    if (piece_cut(rest, ' ', value) && piece_skip(value, key))
        return true;
    char expected[40];
    snprintf(expected, sizeof expected, "%s... here", key);
    return bad(reader, line.text != NULL ? line : *value, expected);
}

/* Version 1 lacks causes, so it must not be read as if it were complete. */
static bool refuse_former(const Reader *reader, Piece line)
{
    Status *problem = problems_add(reader->problems, STATUS_BAD_INPUT, line.at,
                                   "this trace is of format 1, expected format 2 with causes");
    status_hint(problem, "run its scenario again: the same seed gives the same run");
    return false;
}

static bool header_read(Reader *reader, Piece line, TraceHeader *header)
{
    Piece rest = line, value;
    if (piece_skip(&rest, former_magic))
        return refuse_former(reader, line);
    if (!piece_skip(&rest, magic))
        return bad(reader, line, "\"#trainyard-trace 2 ...\" as the first line of a trace");
    if (!setting_cut(reader, &rest, "level=", &value) || !level_read(reader, value, header) ||
        !setting_cut(reader, &rest, "scenario=", &value) || !name_read(reader, value))
        return false;
    header->scenario = arena_strdup(reader->arena, text_string(&reader->name));
    if (!setting_cut(reader, &rest, "seed=", &value))
        return false;
    if (!piece_digits(value, UINT64_MAX, &header->seed))
        return bad(reader, value, "a seed of 0 to 18446744073709551615");
    if (!setting_cut(reader, &rest, "start=", &value))
        return false;
    Status status = {0};
    const char *start = arena_strndup(reader->arena, value.text, value.length);
    if (!iso_time_parse(start, value.at, &header->start_unix_ms, &status)) {
        problems_add_status(reader->problems, &status);
        return false;
    }
    return rest.text == NULL || bad(reader, rest, "nothing after start");
}

/* Cuts a line with its LF off `rest`. */
static bool line_cut(const Reader *reader, Piece *rest, Piece *line)
{
    bool is_whole;
    if (!piece_cut_line(rest, line, &is_whole))
        return false;
    return is_whole || bad(reader, *line, "a line end: the file is cut off here");
}

static bool names_columns(Piece line)
{
    Text columns = {0};
    trace_tsv_print_columns(&columns);
    const bool is_same =
        line.length + 1 == columns.length && memcmp(line.text, columns.data, line.length) == 0;
    text_free(&columns);
    return is_same;
}

/* Reads the inputs of the run and cuts off the line after them. */
static bool given_read(Reader *reader, Piece *rest, Piece *line, TraceHeader *header)
{
    const char **given = NULL;
    uint32_t capacity = 0;
    header->given_count = 0;
    while (line_cut(reader, rest, line)) {
        header->given = given;
        if (!piece_skip(line, "#"))
            return true;
        if (!name_read(reader, *line))
            return false;
        given = array_room(reader->arena, given, header->given_count + 1, &capacity, sizeof *given);
        given[header->given_count++] = arena_strdup(reader->arena, text_string(&reader->name));
    }
    return false;
}

static void read_all(Reader *reader, Piece rest, TraceHeader *header, TraceListener listener)
{
    Piece line;
    if (rest.length == 0) {
        problems_add(reader->problems, STATUS_BAD_INPUT, place_in(reader->source, 0, 0),
                     "the file is empty, expected a trace");
        return;
    }
    if (memchr(rest.text, '\0', rest.length) != NULL) {
        problems_add(reader->problems, STATUS_BAD_INPUT, place_in(reader->source, 0, 0),
                     "a NUL byte: this is not a trace");
        return;
    }
    if (!line_cut(reader, &rest, &line) || !header_read(reader, line, header))
        return;
    reader->level = header->level;
    const Place below = {.source = reader->source, .line = 2, .column = 1};
    line.at = below; // of the line that is missing if the file ends here
    if (!given_read(reader, &rest, &line, header) || !names_columns(line)) {
        problems_add(reader->problems, STATUS_BAD_INPUT, line.at,
                     "expected the names of the eleven columns after the lines with '#'");
        return;
    }
    TraceRow row;
    if (header->is_empty && rest.length > 0)
        problems_add(reader->problems, STATUS_BAD_INPUT, rest.at,
                     "the first line of the trace says level=none, but it has records");
    while (line_cut(reader, &rest, &line))
        if (row_read(reader, line, &row) && trace_kind_level(row.record.kind) <= listener.level)
            listener.row(listener.listener, &row);
}

bool trace_tsv_read(Arena *arena, const char *source, const char *text, size_t length,
                    TraceHeader *header, TraceListener listener, Problems *problems)
{
    Reader reader = {.arena = arena,
                     .source = source,
                     .problems = problems,
                     .clusters = names_create(arena),
                     .nodes = names_create(arena),
                     .jobs = names_create(arena),
                     .shares = names_create(arena),
                     .words = names_create(arena)};
    const int32_t before = problems->count;
    read_all(&reader, piece_of(source, text, length), header, listener);
    text_free(&reader.name);
    return problems->count == before;
}
