/* Private to sim/study/import: the Standard Workload Format, version 2.2, of the Parallel Workloads
 * Archive: lines of 18 numbers, -1 for unknown, and a header in lines that begin with ';'. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/capped.h"
#include "sim/study/import/format.h"

enum {
    JOB,
    SUBMIT,
    WAIT,
    RUN,
    ALLOCATED,
    CPU_TIME,
    MEMORY,
    REQUESTED,
    REQUESTED_TIME,
    REQUESTED_MEMORY,
    STATUS,
    USER,
    GROUP,
    EXECUTABLE,
    QUEUE,
    PARTITION,
    AFTER,
    THINK,
    FIELD_COUNT
};

enum {
    STATUS_FAILED = 0,
    STATUS_DONE = 1,
    STATUS_PART_FIRST = 2,
    STATUS_PART_DONE = 3,
    STATUS_PART_LAST = 4,
    STATUS_CANCELLED = 5
};

static const char *const field_names[FIELD_COUNT] = {
    "job number",    "submit time",   "wait time",  "run time",       "allocated processors",
    "mean CPU time", "memory",        "processors", "requested time", "requested memory",
    "status",        "user",          "group",      "executable",     "queue",
    "partition",     "preceding job", "think time"};

/* The jobs so far, by the text of their number. */
typedef struct {
    uint32_t job; /* its index in the log */
    bool is_part; /* it began with a row of status 2 to 4 */
} Numbered;

typedef struct {
    ImportLog *log;
    int64_t start_ns; /* UnixStartTime */
    WordTable numbers;
    Numbered *jobs; /* of each number */
    uint32_t capacity;
} Swf;

/* --- Header --- */

/* The value of "; Name: value" if the comment of the current line is called `name`. */
static bool header_value(const ImportLog *log, const char *name, Cell *value)
{
    const char *c = log->lines.line + 1, *end = log->lines.line_end;
    while (c < end && (*c == ' ' || *c == '\t' || *c == ';'))
        c++;
    const size_t length = strlen(name);
    if ((size_t)(end - c) <= length || !ascii_same_start(name, c, length) || c[length] != ':')
        return false;
    c += length + 1;
    while (c < end && (*c == ' ' || *c == '\t'))
        c++;
    while (end > c && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *value = (Cell){.text = c, .length = (int32_t)(end - c)};
    return true;
}

static void read_header_line(void *parser)
{
    Swf *swf = parser;
    ImportLog *log = swf->log;
    Cell value;
    int64_t seconds;
    if (header_value(log, "UnixStartTime", &value)) {
        if (cell_scaled(value, 0, &seconds) == CELL_READ && seconds >= 0 &&
            seconds < INT64_C(9000000000)) {
            swf->start_ns = seconds * NS_PER_S;
            log->has_calendar = log->has_dates = seconds > 0;
        } else {
            import_bad(log, value, "UnixStartTime", "seconds since 1970");
        }
    } else if (header_value(log, "TimeZoneString", &value)) {
        char name[64] = "";
        if (value.length < (int32_t)sizeof name) {
            memcpy(name, value.text, (size_t)value.length);
            if (!log->options->has_zone && !zone_find(log->arena, name, &log->zone))
                import_note(log, "The zone %s of the header is not known here: hours are in UTC.",
                            name);
        }
    } else if (header_value(log, "MaxProcs", &value)) {
        import_note(log, "The cluster of the log has %.*s processors (MaxProcs).",
                    cell_shown(value), value.text);
    } else if (header_value(log, "MaxNodes", &value)) {
        import_note(log, "The cluster of the log has %.*s nodes (MaxNodes).", cell_shown(value),
                    value.text);
    }
}

/* --- Rows --- */

typedef struct {
    int64_t field[FIELD_COUNT]; /* JOB_LIST_UNKNOWN for -1; times in ns */
} Row;

static bool is_time(int32_t field)
{
    return field == SUBMIT || field == WAIT || field == RUN || field == REQUESTED_TIME ||
           field == THINK;
}

/* Numbers below 0 are unknown; decimals occur where the standard has none. */
static bool read_row(ImportLog *log, const Cell *cells, Row *row)
{
    for (int32_t i = 0; i < FIELD_COUNT; i++) {
        int64_t value = JOB_LIST_UNKNOWN;
        row->field[i] = JOB_LIST_UNKNOWN;
        if (i == CPU_TIME || i == REQUESTED_MEMORY)
            continue;
        const CellOutcome outcome = cell_scaled(cells[i], is_time(i) ? 9 : 0, &value);
        if (outcome != CELL_READ && outcome != CELL_TOO_FINE)
            return import_bad(log, cells[i], field_names[i], "a number");
        if (value > INT64_MAX / 4)
            return import_bad(log, cells[i], field_names[i], "a smaller number");
        row->field[i] = value < 0 ? JOB_LIST_UNKNOWN : value;
    }
    return true;
}

static int32_t processors_of(ImportLog *log, const Row *row)
{
    const int64_t asked = row->field[REQUESTED], got = row->field[ALLOCATED];
    if (asked > 0 && got > 0 && asked != got)
        import_count(log, RULE_SIZE_DIFFERS);
    const int64_t processors = asked > 0 ? asked : got;
    return processors > 0 && processors <= 100000000 ? (int32_t)processors : 0;
}

/* Processors become GPUs one for one, or whole nodes of that many. */
static void set_size(ImportLog *log, int32_t processors, ImportJob *job)
{
    const int32_t per_node = log->options->processors_per_node;
    job->cpus = job->gpus = processors;
    if (per_node == 0) {
        import_count(log, RULE_AS_GPUS);
        return;
    }
    job->nodes = processors / per_node + (processors % per_node > 0);
    job->gpus = (int32_t)capped_product(job->nodes, per_node);
    job->gpus_per_node_max = per_node;
    if (job->gpus != processors)
        import_count(log, RULE_WHOLE_NODES);
}

static int32_t number_word(ImportLog *log, WordTable *words, const char *prefix, int64_t number)
{
    if (number < 0)
        return JOB_LIST_UNKNOWN;
    const char *text = arena_printf(log->arena, "%s%" PRId64, prefix, number);
    return (int32_t)word_table_add(words, text, strlen(text));
}

/* Begin of the log plus the submission; some logs write absolute times in spite of the standard. */
static int64_t submit_of(const Swf *swf, const Row *row)
{
    ImportLog *log = swf->log;
    const int64_t absolute_least_ns = 300000000 * NS_PER_S; // 1979, or a log of 9 years
    if (row->field[SUBMIT] < 0 || row->field[SUBMIT] >= absolute_least_ns) {
        if (row->field[SUBMIT] >= 0)
            log->has_calendar = log->has_dates = true;
        return row->field[SUBMIT];
    }
    return capped_sum(swf->start_ns, row->field[SUBMIT]);
}

/* The job that the log calls as `cell`, NULL if the log has no such job. */
static const Numbered *job_numbered(const Swf *swf, Cell cell)
{
    uint32_t number;
    return word_table_find(&swf->numbers, cell.text, (size_t)cell.length, &number)
               ? &swf->jobs[number]
               : NULL;
}

static bool is_part(const Row *row)
{
    return row->field[STATUS] >= STATUS_PART_FIRST && row->field[STATUS] <= STATUS_PART_LAST;
}

/* A row with status 2 to 4 is a part of a job between two checkpoints. If the row of the whole job
 * came before, the part is dropped; otherwise the parts are joined. True when the row is done
 * with. */
static bool joins_job(const Swf *swf, const Cell *cells, const Row *row)
{
    const Numbered *whole = job_numbered(swf, cells[JOB]);
    if (!is_part(row) || whole == NULL)
        return false;
    import_count(swf->log, whole->is_part ? RULE_JOINED : RULE_PART);
    if (!whole->is_part)
        return true;
    ImportJob *job = &swf->log->jobs[whole->job];
    job->run_ns = capped_sum(job->run_ns, row->field[RUN] > 0 ? row->field[RUN] : 0);
    job->is_completed = row->field[STATUS] == STATUS_PART_DONE;
    return true;
}

static bool is_dropped(ImportLog *log, const Row *row, int32_t processors)
{
    const bool never_ran = row->field[STATUS] == STATUS_CANCELLED && row->field[RUN] <= 0;
    const ImportRule rule = row->field[SUBMIT] < 0 ? RULE_NO_SUBMIT
                            : never_ran            ? RULE_NO_START
                            : row->field[RUN] < 0  ? RULE_NO_RUN
                            : processors == 0      ? RULE_NO_SIZE
                                                   : RULE_COUNT;
    if (rule != RULE_COUNT)
        import_count(log, rule);
    return rule != RULE_COUNT;
}

static void set_owner(ImportLog *log, const Row *row, ImportJob *job)
{
    static const char *const states[] = {"failed", "completed", "part",
                                         "part",   "part",      "cancelled"};
    const int64_t status = row->field[STATUS];
    job->user = number_word(log, &log->users, "u", row->field[USER]);
    job->queue = number_word(log, &log->queues, "q", row->field[QUEUE]);
    if (status >= 0 && status <= STATUS_CANCELLED)
        job->state = (int32_t)word_table_add(&log->states, states[status], strlen(states[status]));
    job->is_completed = status == STATUS_DONE || status == STATUS_PART_DONE;
}

static void set_times(const Swf *swf, const Cell *cells, const Row *row, ImportJob *job)
{
    ImportLog *log = swf->log;
    job->submit_ns = submit_of(swf, row);
    job->run_ns = row->field[RUN];
    job->wait_ns = row->field[WAIT];
    job->requested_ns =
        row->field[REQUESTED_TIME] > 0 ? row->field[REQUESTED_TIME] : JOB_LIST_UNKNOWN;
    if (job->requested_ns >= 0 && job->run_ns > job->requested_ns)
        import_count(log, RULE_RAN_LONGER);
    const Numbered *leader = row->field[AFTER] > 0 ? job_numbered(swf, cells[AFTER]) : NULL;
    job->after = leader != NULL ? (int64_t)leader->job : JOB_LIST_UNKNOWN;
    if (row->field[AFTER] > 0 && leader == NULL)
        import_count(log, RULE_NO_LEADER);
    job->think_ns = job->after >= 0 ? row->field[THINK] : JOB_LIST_UNKNOWN;
}

static void remember(Swf *swf, Cell number, bool begins_with_part)
{
    const uint32_t known = swf->numbers.count;
    const uint32_t index = word_table_add(&swf->numbers, number.text, (size_t)number.length);
    swf->jobs = array_room(swf->log->arena, swf->jobs, swf->numbers.count, &swf->capacity,
                           sizeof *swf->jobs);
    if (index == known)
        swf->jobs[index] = (Numbered){swf->log->count, begins_with_part};
}

static void add_row(void *parser, const Cell *cells, int32_t count)
{
    Swf *swf = parser;
    ImportLog *log = swf->log;
    Row row;
    if (count < FIELD_COUNT) {
        import_bad_line(log, count, "18 numbers");
        return;
    }
    if (count > FIELD_COUNT)
        import_count(log, RULE_EXTRA_FIELDS);
    if (!read_row(log, cells, &row) || joins_job(swf, cells, &row))
        return;
    const int32_t processors = processors_of(log, &row);
    if (is_dropped(log, &row, processors))
        return;
    ImportJob job = import_job(log);
    set_size(log, processors, &job);
    set_owner(log, &row, &job);
    set_times(swf, cells, &row, &job);
    if (row.field[MEMORY] >= 0) // KB of each processor
        job.memory_bytes = capped_product(capped_product(row.field[MEMORY], 1024), processors);
    remember(swf, cells[JOB], is_part(&row));
    import_add(log, &cells[JOB], job);
}

void format_swf_read(ImportLog *log, const ImportFile *files, int32_t file_count)
{
    log->has_calendar = log->has_dates = false; // until the header says otherwise
    for (int32_t i = 0; i < file_count; i++) {
        Swf swf = {.log = log, .numbers = word_table_create(log->arena)};
        const PlainTable table = {.separator = ' ',
                                  .comment = ';',
                                  .parser = &swf,
                                  .add_row = add_row,
                                  .add_comment = read_header_line};
        import_read_plain(&table, log, files[i]);
    }
}
