#include "sim/study/import/import_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/units.h"
#include "sim/base/utf8.h"
#include "sim/study/import/stamp.h"

enum { COUNT_MAX = 1000000000 };

ImportLog import_log_create(Arena *arena, const ImportOptions *options, Problems *problems)
{
    return (ImportLog){.arena = arena,
                       .options = options,
                       .problems = problems,
                       .zone = options->zone,
                       .end_ns = JOB_LIST_UNKNOWN,
                       .names = word_table_create(arena),
                       .queues = word_table_create(arena),
                       .users = word_table_create(arena),
                       .gpu_types = word_table_create(arena),
                       .speed_words = word_table_create(arena),
                       .states = word_table_create(arena)};
}

void import_log_free(ImportLog *log)
{
    text_free(&log->notes);
}

ImportJob import_job(const ImportLog *log)
{
    const int32_t unknown = JOB_LIST_UNKNOWN;
    return (ImportJob){.submit_ns = unknown,
                       .run_ns = unknown,
                       .wait_ns = unknown,
                       .requested_ns = unknown,
                       .think_ns = unknown,
                       .memory_bytes = unknown,
                       .open_ns = unknown,
                       .after = unknown,
                       .gpus = unknown,
                       .gpus_per_node_max = unknown,
                       .nodes = unknown,
                       .cpus = unknown,
                       .priority = unknown,
                       .queue = unknown,
                       .user = unknown,
                       .gpu_type = unknown,
                       .speeds = unknown,
                       .state = unknown,
                       .line = log->lines.line_number};
}

/* --- Counts and problems --- */

void import_count_at(ImportLog *log, ImportRule rule, Place at)
{
    if (log->counts[rule].count++ == 0)
        log->counts[rule].first = at;
}

void import_count(ImportLog *log, ImportRule rule)
{
    import_count_at(log, rule, place_in(log->lines.source, log->lines.line_number, 1));
}

void import_note(ImportLog *log, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *sentence = arena_alloc(log->arena, size);
    vsnprintf(sentence, size, format, again);
    va_end(again);
    va_end(arguments);
    if (strstr(text_string(&log->notes), sentence) == NULL)
        text_printf(&log->notes, "%s\n", sentence);
}

/* Counts a row that cannot be read, or adds a problem: "SUBJECT, expected EXPECTED". */
static bool refuse(ImportLog *log, Place at, const char *subject, const char *expected,
                   const char *hint)
{
    if (log->options->skips_malformed)
        import_count(log, RULE_MALFORMED);
    else
        status_hint(
            problems_add(log->problems, STATUS_BAD_INPUT, at, "%s, expected %s", subject, expected),
            "%s", hint);
    return false;
}

static const char to_skip[] = "--skip-malformed drops and counts rows that cannot be read";

/* As in "2,5". */
static bool has_decimal_comma(Cell cell)
{
    int32_t commas = 0;
    for (int32_t i = 0; i < cell.length; i++)
        if (cell.text[i] == ',')
            commas++;
        else if (!ascii_is_digit(cell.text[i]))
            return false;
    return commas == 1;
}

static bool refuse_cell(ImportLog *log, Cell cell, const char *column, const char *expected,
                        const char *hint)
{
    Arena *scratch = arena_create();
    const char *subject =
        arena_printf(scratch, "%s is \"%.*s\"", column, (int)cell_shown(cell), cell.text);
    refuse(log, cell_place(&log->lines, cell.text), subject, expected, hint);
    arena_destroy(scratch);
    return false;
}

bool import_bad(ImportLog *log, Cell cell, const char *column, const char *expected)
{
    return refuse_cell(log, cell, column, expected,
                       has_decimal_comma(cell) ? "decimals follow a point, as in 2.5" : to_skip);
}

bool import_bad_line(ImportLog *log, int32_t count, const char *expected)
{
    char subject[64];
    snprintf(subject, sizeof subject, "the line has %" PRId32 " cell%s", count, plural(count));
    return refuse(log, cell_place(&log->lines, log->lines.line), subject, expected, to_skip);
}

/* --- Cells --- */

bool import_number(ImportLog *log, Cell cell, const char *column, int32_t decimals, int64_t most,
                   int64_t *value)
{
    *value = JOB_LIST_UNKNOWN;
    const CellOutcome outcome = cell_scaled(cell, decimals, value);
    const bool is_read = outcome == CELL_READ || outcome == CELL_TOO_FINE;
    if (is_read && *value >= 0 && *value <= most)
        return true;
    *value = JOB_LIST_UNKNOWN;
    return (cell.length < 8 && stamp_is_none(cell)) ||
           import_bad(log, cell, column, "a number from 0");
}

bool import_count_of(ImportLog *log, Cell cell, const char *column, int32_t *value)
{
    int64_t number;
    if (!import_number(log, cell, column, 0, COUNT_MAX, &number))
        return false;
    *value = (int32_t)number;
    return true;
}

bool import_seconds(ImportLog *log, Cell cell, const char *column, int64_t *ns)
{
    return import_number(log, cell, column, 9, INT64_MAX / 4, ns);
}

/* Dates that programs write for one that is not set. */
static bool is_unset_date(Cell cell)
{
    static const char *const dates[] = {"0000-00-00", "0001-01-01", "1970-01-01", "9999-12-31"};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        if ((size_t)cell.length >= strlen(dates[i]) &&
            memcmp(cell.text, dates[i], strlen(dates[i])) == 0)
            return true;
    return false;
}

bool import_stamp(ImportLog *log, Cell cell, const char *column, int64_t not_before_ns, int64_t *ns)
{
    LocalKind kind;
    *ns = JOB_LIST_UNKNOWN;
    if ((cell.length < 8 && stamp_is_none(cell)) || is_unset_date(cell))
        return true;
    if (!stamp_read(cell, &log->zone, not_before_ns, ns, &kind))
        return refuse_cell(log, cell, column, "a time such as \"2017-10-07 01:11:39\"",
                           "a time may end with an offset such as +02:00, otherwise it is in the "
                           "zone of --timezone; --skip-malformed drops rows that cannot be read");
    if (kind == LOCAL_TWICE)
        import_count(log, RULE_REPEATED_HOUR);
    if (kind == LOCAL_SKIPPED)
        import_count(log, RULE_SKIPPED_HOUR);
    return true;
}

/* The text without doubled quotes, and with '_' for bytes that are not text. */
static Cell text_of(ImportLog *log, Cell cell)
{
    if (!cell.has_quotes && utf8_is_name(cell.text, (size_t)cell.length))
        return cell;
    char *copy = arena_alloc(log->arena, (size_t)cell.length);
    Cell text = cell_unquoted(cell, copy);
    if (utf8_is_name(text.text, (size_t)text.length))
        return text;
    import_count(log, RULE_TEXT);
    for (int32_t i = 0; i < text.length; i++) {
        const unsigned char byte = (unsigned char)text.text[i];
        copy[i] = byte > ' ' && byte < 0x7f ? (char)byte : '_';
    }
    return (Cell){.text = copy, .length = text.length};
}

int32_t import_word(ImportLog *log, WordTable *words, Cell cell)
{
    if (cell.length == 0)
        return JOB_LIST_UNKNOWN;
    const Cell text = text_of(log, cell);
    return (int32_t)word_table_add(words, text.text, (size_t)text.length);
}

static bool is_name_character(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '_';
}

int32_t import_queue(ImportLog *log, Cell cell)
{
    bool is_name = true;
    for (int32_t i = 0; i < cell.length; i++)
        is_name &= is_name_character(cell.text[i]);
    if (is_name)
        return import_word(log, &log->queues, cell);
    char *name = arena_strndup(log->arena, cell.text, (size_t)cell.length);
    for (int32_t i = 0; i < cell.length; i++)
        if (!is_name_character(name[i]))
            name[i] = '_';
    import_count(log, RULE_QUEUE);
    return import_word(log, &log->queues, (Cell){.text = name, .length = cell.length});
}

/* --- Jobs --- */

/* A name that no job has yet: copies of "x" become "x#2", "x#3". */
static const char *unique_name(ImportLog *log, Cell cell)
{
    const Cell text = text_of(log, cell);
    const uint32_t first = word_table_add(&log->names, text.text, (size_t)text.length);
    for (uint32_t number = first;;) {
        log->uses = array_room(log->arena, log->uses, log->names.count, &log->uses_capacity,
                               sizeof *log->uses);
        if (log->uses[number]++ == 0)
            return log->names.texts[number];
        if (number == first)
            import_count(log, RULE_NAME);
        const uint32_t copy = number == first ? log->uses[first] : ++log->uses[first];
        const char *name = arena_printf(log->arena, "%.*s#%" PRIu32, text.length, text.text, copy);
        number = word_table_add(&log->names, name, strlen(name));
    }
}

/* Returns the job that an earlier row describes, such as one of last month's file. Returns NULL for
 * a new job, and notes it as the latest with its name. */
static ImportJob *same_job(ImportLog *log, Cell name, ImportJob *job)
{
    const uint32_t word = word_table_add(&log->names, name.text, (size_t)name.length);
    log->latest = array_room(log->arena, log->latest, log->names.count, &log->latest_capacity,
                             sizeof *log->latest);
    for (uint32_t i = log->latest[word]; i > 0; i = log->jobs[i - 1].same_name)
        if (log->jobs[i - 1].submit_ns == job->submit_ns &&
            log->jobs[i - 1].wait_ns == job->wait_ns)
            return &log->jobs[i - 1];
    job->same_name = log->latest[word];
    log->latest[word] = log->count + 1;
    return NULL;
}

void import_add(ImportLog *log, const Cell *name, ImportJob job)
{
    static const char unnamed[] = "unnamed";
    const Cell empty = {.text = unnamed, .length = sizeof unnamed - 1};
    const bool is_id = name != NULL && name->length > 0 && log->names_are_ids;
    ImportJob *same = is_id ? same_job(log, text_of(log, *name), &job) : NULL;
    if (same != NULL) {
        import_count(log, RULE_SAME_JOB);
        if (same->is_open && !job.is_open) {
            job.name = same->name;
            job.same_name = same->same_name;
            *same = job;
        }
        return;
    }
    if (name != NULL)
        job.name = unique_name(log, name->length > 0 ? *name : empty);
    log->jobs =
        array_room(log->arena, log->jobs, log->count + 1, &log->capacity, sizeof *log->jobs);
    log->jobs[log->count++] = job;
}

void import_see(ImportLog *log, int64_t ns)
{
    if (ns <= log->end_ns)
        return;
    log->end_ns = ns;
    log->end_at = place_in(log->lines.source, log->lines.line_number, 1);
}

/* The rule that drops a job with these times; RULE_COUNT: none. */
static ImportRule rule_of_times(ImportTimes times, ImportStage stage)
{
    const bool has_end = times.end_ns >= 0;
    return times.submit_ns < 0                        ? RULE_NO_SUBMIT
           : stage == STAGE_WAITS && !has_end         ? RULE_WAITING
           : times.start_ns < 0                       ? RULE_NO_START
           : stage == STAGE_ENDED && !has_end         ? RULE_NO_RUN
           : has_end && times.end_ns < times.start_ns ? RULE_BACKWARDS
                                                      : RULE_COUNT;
}

bool import_times(ImportLog *log, ImportJob *job, ImportTimes times, ImportStage stage)
{
    const ImportRule rule = rule_of_times(times, stage);
    import_see(log, times.submit_ns);
    if (rule != RULE_WAITING) // its start is an estimate
        import_see(log, times.start_ns);
    import_see(log, times.end_ns);
    if (rule != RULE_COUNT) {
        import_count(log, rule);
        return false;
    }
    const bool has_end = times.end_ns >= 0;
    job->submit_ns = times.submit_ns;
    job->is_open = !has_end || stage == STAGE_RUNS;
    job->open_ns = has_end ? JOB_LIST_UNKNOWN : times.start_ns;
    job->run_ns = has_end ? times.end_ns - times.start_ns : 0;
    job->wait_ns = times.start_ns - times.submit_ns;
    if (job->wait_ns < 0) {
        import_count(log, RULE_EARLY_START);
        job->wait_ns = JOB_LIST_UNKNOWN;
    }
    return true;
}

static bool differs(int64_t stated_ns, int64_t computed_ns)
{
    const int64_t tolerance_ns = NS_PER_S;
    return stated_ns >= 0 && computed_ns >= 0 &&
           (stated_ns > computed_ns + tolerance_ns || stated_ns < computed_ns - tolerance_ns);
}

void import_check_stated(ImportLog *log, const ImportJob *job, int64_t run_ns, int64_t wait_ns)
{
    if (differs(run_ns, job->run_ns))
        import_count(log, RULE_DURATION);
    if (differs(wait_ns, job->wait_ns))
        import_count(log, RULE_WAIT);
}
