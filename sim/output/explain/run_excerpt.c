#include "sim/output/explain/run_excerpt.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/output/summary/names.h"

enum { ROWS_BEFORE = 6, ROWS_AFTER = 3 };

struct RunExcerpt {
    ExcerptFocus focus;
    TraceRow before[ROWS_BEFORE]; /* row n is at n % ROWS_BEFORE */
    int64_t before_count;
    TraceRow after[ROWS_AFTER];
    int32_t after_count;
};

RunExcerpt *run_excerpt_create(Arena *run, ExcerptFocus focus)
{
    RunExcerpt *excerpt = ARENA_NEW(run, RunExcerpt);
    *excerpt = (RunExcerpt){.focus = focus};
    return excerpt;
}

static bool fits(const char *wanted, const char *name)
{
    return wanted == NULL || (name != NULL && ascii_same(wanted, name));
}

static const char *short_or_null(const char *path)
{
    return path != NULL ? summary_short_name(path) : NULL;
}

static void add_word(Text *line, const char *word)
{
    if (word != NULL)
        text_printf(line, " %s", word);
}

/* Adds "was=5 ...": all values that are not 0. */
static void add_values(Text *line, const TraceRecord *record)
{
    const TraceValue *values = trace_kind_values(record->kind);
    for (int32_t i = 0; values[i].name != NULL; i++)
        if (record->in_order[i] != 0)
            text_printf(line, " %s=%" PRId64, values[i].name, record->in_order[i]);
}

static const char *row_words(Arena *arena, const TraceRow *row)
{
    Text line = {0};
    seconds_print(&line, row->record.at_ns);
    text_printf(&line, " s  %s ", trace_kind_name(row->record.kind));
    add_word(&line, short_or_null(row->cluster));
    add_word(&line, row->node);
    add_word(&line, short_or_null(row->job));
    add_word(&line, row->share);
    add_word(&line, row->record.name);
    add_values(&line, &row->record);
    if (row->record.cause != CAUSE_NONE)
        text_printf(&line, " cause=%s", trace_cause_name(row->record.cause));
    return text_move(arena, &line);
}

static void keep_row(void *listener, const TraceRow *row)
{
    RunExcerpt *excerpt = listener;
    const ExcerptFocus *focus = &excerpt->focus;
    bool is_before = row->record.at_ns <= focus->at_ns;
    if ((!is_before && excerpt->after_count == ROWS_AFTER) ||
        !fits(focus->cluster, short_or_null(row->cluster)) ||
        !fits(focus->job, short_or_null(row->job)) || !fits(focus->share, row->share))
        return;
    if (is_before)
        excerpt->before[excerpt->before_count++ % ROWS_BEFORE] = *row;
    else
        excerpt->after[excerpt->after_count++] = *row;
}

TraceListener run_excerpt_listener(RunExcerpt *excerpt)
{
    return (TraceListener){.listener = excerpt, .level = TRACE_LEVEL_JOBS, .row = keep_row};
}

const char *const *run_excerpt_lines(const RunExcerpt *excerpt, Arena *arena, int32_t *count)
{
    const char **lines = ARENA_ARRAY(arena, const char *, ROWS_BEFORE + ROWS_AFTER);
    int64_t first = excerpt->before_count > ROWS_BEFORE ? excerpt->before_count - ROWS_BEFORE : 0;
    *count = 0;
    for (int64_t i = first; i < excerpt->before_count; i++)
        lines[(*count)++] = row_words(arena, &excerpt->before[i % ROWS_BEFORE]);
    for (int32_t i = 0; i < excerpt->after_count; i++)
        lines[(*count)++] = row_words(arena, &excerpt->after[i]);
    return lines;
}
