/* Private to sim/study/import: any table with a header line; --columns says what its columns mean:
 *
 *     --columns "submit=created,run=elapsed:min,gpus=num_gpus,queue=partition"
 *
 * Each item is TARGET=COLUMN or TARGET=COLUMN:UNIT. */
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/capped.h"
#include "sim/base/wide.h"
#include "sim/study/import/format.h"

/* X(TARGET, name, KIND) */
#define TARGETS(X)                                                                                 \
    X(JOB, "job", TEXT)                                                                            \
    X(SUBMIT, "submit", TIME)                                                                      \
    X(START, "start", TIME)                                                                        \
    X(END, "end", TIME)                                                                            \
    X(RUN, "run", TIME)                                                                            \
    X(WAIT, "wait", TIME)                                                                          \
    X(REQUESTED, "requested", TIME)                                                                \
    X(GPUS, "gpus", NUMBER)                                                                        \
    X(GPUS_PER_NODE_MAX, "gpus_per_node_max", NUMBER)                                              \
    X(NODES, "nodes", NUMBER)                                                                      \
    X(CPUS, "cpus", NUMBER)                                                                        \
    X(MEMORY, "memory", BYTES)                                                                     \
    X(PRIORITY, "priority", NUMBER)                                                                \
    X(GPU_TYPE, "gpu_type", TEXT)                                                                  \
    X(SPEEDS, "speeds", TEXT)                                                                      \
    X(QUEUE, "queue", TEXT)                                                                        \
    X(USER, "user", TEXT)                                                                          \
    X(STATE, "state", TEXT)

typedef enum {
#define X(name, text, kind) TARGET_##name,
    TARGETS(X)
#undef X
        TARGET_COUNT
} Target;

static const char *const target_names[] = {
#define X(name, text, kind) text,
    TARGETS(X)
#undef X
};

typedef enum { KIND_TEXT, KIND_TIME, KIND_NUMBER, KIND_BYTES } Kind;

static const Kind target_kinds[] = {
#define X(name, text, kind) KIND_##kind,
    TARGETS(X)
#undef X
};

/* Units: of times in ns, of memory in bytes, of numbers (percent of a GPU, thousandths) in parts of
 * one. "time" is a date. */
typedef struct {
    const char *name;
    Kind kind;
    int64_t numerator, denominator;
} Unit;

static const Unit units[] = {{"s", KIND_TIME, NS_PER_S, 1},     {"ms", KIND_TIME, NS_PER_MS, 1},
                             {"us", KIND_TIME, NS_PER_US, 1},   {"ns", KIND_TIME, 1, 1},
                             {"min", KIND_TIME, NS_PER_MIN, 1}, {"h", KIND_TIME, NS_PER_HOUR, 1},
                             {"d", KIND_TIME, NS_PER_DAY, 1},   {"time", KIND_TIME, 0, 1},
                             {"B", KIND_BYTES, 1, 1},           {"KiB", KIND_BYTES, 1 << 10, 1},
                             {"MiB", KIND_BYTES, 1 << 20, 1},   {"GiB", KIND_BYTES, 1 << 30, 1},
                             {"MB", KIND_BYTES, 1000000, 1},    {"GB", KIND_BYTES, 1000000000, 1},
                             {"one", KIND_NUMBER, 1, 1},        {"percent", KIND_NUMBER, 1, 100},
                             {"milli", KIND_NUMBER, 1, 1000}};

/* Units that a cell may end with if --columns states none, as in tables of Kubernetes. */
static const Unit suffixes[] = {{"Ki", KIND_BYTES, 1 << 10, 1},
                                {"Mi", KIND_BYTES, 1 << 20, 1},
                                {"Gi", KIND_BYTES, 1 << 30, 1},
                                {"Ti", KIND_BYTES, INT64_C(1) << 40, 1},
                                {"m", KIND_NUMBER, 1, 1000}};

typedef struct {
    ImportLog *log;
    WantedColumn columns[TARGET_COUNT]; /* of the targets below, in the order of --columns */
    Target targets[TARGET_COUNT];
    const Unit *units[TARGET_COUNT];
    int32_t count;
} Mapping;

/* --- The option --- */

static bool fail(ImportLog *log, const char *format, const char *text, const char *hint)
{
    Status *status =
        problems_add(log->problems, STATUS_BAD_INPUT, place_in("--columns", 0, 0), format, text);
    return status_hint(status, "%s", hint);
}

static int32_t target_of(const char *name)
{
    for (int32_t i = 0; i < TARGET_COUNT; i++)
        if (strcmp(target_names[i], name) == 0)
            return i;
    return -1;
}

static const Unit *unit_of(const char *name, Kind kind)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].kind == kind && (name == NULL || strcmp(units[i].name, name) == 0))
            return &units[i];
    return NULL;
}

/* Reads one item of --columns. */
static bool add_item(Mapping *mapping, Cell item)
{
    ImportLog *log = mapping->log;
    char *text = arena_strndup(log->arena, item.text, (size_t)item.length);
    char *sign = strchr(text, '=');
    if (sign == NULL || sign[1] == '\0')
        return fail(log, "\"%s\": expected TARGET=COLUMN", text, "as in run=elapsed:min");
    *sign = '\0';
    char *column = sign + 1, *colon = strrchr(column, ':');
    const int32_t target = target_of(text);
    if (target < 0)
        return fail(log, "unknown target \"%s\"", text,
                    "targets are job, submit, start, end, run, wait, requested, gpus, "
                    "gpus_per_node_max, nodes, cpus, memory, priority, gpu_type, speeds, queue, "
                    "user and state");
    const Unit *unit = unit_of(colon != NULL ? colon + 1 : NULL, target_kinds[target]);
    if (colon != NULL && (unit == NULL || target_kinds[target] == KIND_TEXT))
        return fail(log, "unknown unit in \"%s\"", column,
                    "units of times are s, ms, us, ns, min, h, d and time (a date); of memory B, "
                    "KiB, MiB, GiB, MB and GB; of numbers percent and milli");
    for (int32_t i = 0; i < mapping->count; i++)
        if (mapping->targets[i] == (Target)target)
            return fail(log, "\"%s\" is given twice", text, "each target has one column");
    if (colon != NULL)
        *colon = '\0';
    mapping->columns[mapping->count] = (WantedColumn){column, true};
    mapping->targets[mapping->count] = (Target)target;
    mapping->units[mapping->count++] = unit;
    return true;
}

static bool has(const Mapping *mapping, Target target)
{
    for (int32_t i = 0; i < mapping->count; i++)
        if (mapping->targets[i] == target)
            return true;
    return false;
}

static bool read_mapping(ImportLog *log, Mapping *mapping)
{
    const char *text = log->options->columns;
    *mapping = (Mapping){.log = log};
    if (text == NULL)
        return fail(log, "the format csv needs it%s", "",
                    "as in --columns \"submit=created,run=elapsed:min,gpus=num_gpus\"");
    const LineCursor line = {.line = text, .line_end = text + strlen(text)};
    Cell items[CELLS_MAX];
    const int32_t count = cells_cut(&line, ',', items, CELLS_MAX);
    for (int32_t i = 0; i < count && i < CELLS_MAX; i++)
        if (!add_item(mapping, items[i]))
            return false;
    const bool has_run =
        has(mapping, TARGET_RUN) || (has(mapping, TARGET_START) && has(mapping, TARGET_END));
    if (has(mapping, TARGET_SUBMIT) && has_run && has(mapping, TARGET_GPUS))
        return true;
    return fail(log, "\"%s\" is not enough", text,
                "needed are submit, gpus, and either run or start and end");
}

/* --- Rows --- */

/* `value` units, in the counted unit, rounded up. */
static int64_t in_unit(int64_t nano, const Unit *unit)
{
    const int64_t scale = 1000000000;
    const WideUnsigned divisor = (WideUnsigned)scale * (WideUnsigned)unit->denominator;
    const WideUnsigned value =
        ((WideUnsigned)nano * (WideUnsigned)unit->numerator + divisor - 1) / divisor;
    return value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

/* The unit of the cell, whose suffix is cut off. */
static const Unit *unit_of_cell(const Mapping *mapping, int32_t index, Cell *cell)
{
    const Unit *unit = mapping->units[index];
    for (size_t i = 0; unit == unit_of(NULL, unit->kind) && i < sizeof suffixes / sizeof *suffixes;
         i++) {
        const int32_t length = (int32_t)strlen(suffixes[i].name);
        if (suffixes[i].kind != unit->kind || cell->length <= length ||
            memcmp(cell->text + cell->length - length, suffixes[i].name, (size_t)length) != 0)
            continue;
        cell->length -= length;
        return &suffixes[i];
    }
    return unit;
}

/* Also for dates in an order that is not read, such as 10/7/2017 and 7.10.2017. */
static bool looks_like_date(Cell cell)
{
    enum { BEGIN = 8 };
    int32_t dots = 0;
    bool has_sign = false;
    for (int32_t i = 1; i < BEGIN && i < cell.length; i++) {
        has_sign |= cell.text[i] == '-' || cell.text[i] == '/';
        dots += cell.text[i] == '.';
    }
    return cell.length >= BEGIN && cell.text[0] != '-' && (has_sign || dots > 1);
}

/* A number with its unit; a time whose unit is "time", or not stated and not a number, is a date.
 */
static bool read_number(Mapping *mapping, Cell cell, int32_t index, int64_t not_before_ns,
                        int64_t *value)
{
    ImportLog *log = mapping->log;
    const char *column = mapping->columns[index].name;
    const Unit *unit = unit_of_cell(mapping, index, &cell);
    if (unit->kind == KIND_TIME && (unit->numerator == 0 || looks_like_date(cell))) {
        log->has_calendar = log->has_dates = true;
        return import_stamp(log, cell, column, not_before_ns, value);
    }
    if (!import_number(log, cell, column, 9, INT64_MAX - 1, value))
        return false;
    *value = *value < 0 ? JOB_LIST_UNKNOWN : in_unit(*value, unit);
    return true;
}

static bool is_part(const Mapping *mapping, int32_t index, Cell cell)
{
    const Unit *unit = unit_of_cell(mapping, index, &cell);
    int64_t nano;
    const int64_t scale = 1000000000;
    return cell_scaled(cell, 9, &nano) == CELL_READ && nano % (scale * unit->denominator) != 0;
}

typedef struct {
    int64_t number[TARGET_COUNT];
    Cell text[TARGET_COUNT];
} Values;

static bool read_values(Mapping *mapping, const Cell *cells, Values *values)
{
    for (int32_t i = 0; i < TARGET_COUNT; i++) {
        values->number[i] = JOB_LIST_UNKNOWN;
        values->text[i] = (Cell){0};
    }
    for (int32_t i = 0; i < mapping->count; i++) {
        const Target target = mapping->targets[i];
        const int64_t before_ns = target == TARGET_END     ? values->number[TARGET_START]
                                  : target == TARGET_START ? values->number[TARGET_SUBMIT]
                                                           : 0;
        values->text[target] = cells[i];
        if (target_kinds[target] != KIND_TEXT &&
            !read_number(mapping, cells[i], i, before_ns, &values->number[target]))
            return false;
        if (target == TARGET_GPUS && is_part(mapping, i, cells[i]))
            import_count(mapping->log, RULE_GPU_PART);
    }
    return true;
}

static int32_t narrow(int64_t value)
{
    return value > 1000000000 ? 1000000000 : (int32_t)value;
}

static void set_numbers(const Values *values, ImportJob *job)
{
    job->gpus = narrow(values->number[TARGET_GPUS]);
    job->gpus_per_node_max = narrow(values->number[TARGET_GPUS_PER_NODE_MAX]);
    job->nodes = narrow(values->number[TARGET_NODES]);
    job->cpus = narrow(values->number[TARGET_CPUS]);
    job->priority = narrow(values->number[TARGET_PRIORITY]);
    job->memory_bytes = values->number[TARGET_MEMORY];
    job->requested_ns = values->number[TARGET_REQUESTED];
    if (job->nodes == 0)
        job->nodes = JOB_LIST_UNKNOWN;
    if (job->gpus_per_node_max == 0)
        job->gpus_per_node_max = JOB_LIST_UNKNOWN;
}

/* A run time that the log states counts; otherwise it is end - start. A job without a start began
 * after its wait. */
static bool set_times(const Mapping *mapping, const Values *values, ImportJob *job)
{
    ImportLog *log = mapping->log;
    const int64_t submit_ns = values->number[TARGET_SUBMIT], run_ns = values->number[TARGET_RUN];
    const int64_t wait_ns = values->number[TARGET_WAIT];
    const ImportStage stage = import_stage(values->text[TARGET_STATE]);
    const bool states_run = run_ns >= 0 && stage != STAGE_WAITS;
    ImportTimes times = {submit_ns, values->number[TARGET_START], values->number[TARGET_END]};
    const bool has_start = times.start_ns >= 0;
    if (stage == STAGE_RUNS)
        times.end_ns = JOB_LIST_UNKNOWN; // when it is expected to end
    if (!has_start && submit_ns >= 0 && (states_run || wait_ns >= 0))
        times.start_ns = capped_sum(submit_ns, wait_ns < 0 ? 0 : wait_ns);
    if (states_run)
        times.end_ns = capped_sum(times.start_ns < 0 ? 0 : times.start_ns, run_ns);
    else if (times.start_ns < 0 && stage != STAGE_WAITS && has(mapping, TARGET_RUN)) {
        import_count(log, RULE_NO_RUN);
        return false;
    }
    if (!import_times(log, job, times, stage))
        return false;
    job->wait_ns = has_start ? job->wait_ns : wait_ns;
    return true;
}

static void add_row(void *parser, const Cell *cells)
{
    Mapping *mapping = parser;
    ImportLog *log = mapping->log;
    Values values;
    ImportJob job = import_job(log);
    if (!read_values(mapping, cells, &values) || !set_times(mapping, &values, &job))
        return;
    set_numbers(&values, &job);
    if (job.gpus < 0) {
        import_count(log, RULE_NO_SIZE);
        return;
    }
    job.queue = import_queue(log, values.text[TARGET_QUEUE]);
    job.user = import_word(log, &log->users, values.text[TARGET_USER]);
    job.gpu_type = import_word(log, &log->gpu_types, values.text[TARGET_GPU_TYPE]);
    job.speeds = import_word(log, &log->speed_words, values.text[TARGET_SPEEDS]);
    const Cell state = values.text[TARGET_STATE];
    job.state = import_word(log, &log->states, state);
    // Without a column of states all jobs that have ended count as completed.
    static const char *const good[] = {"completed", "succeeded", "success", "done", "pass", "ok"};
    job.is_completed = !job.is_open && state.length == 0 && !has(mapping, TARGET_STATE);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        job.is_completed |= (size_t)state.length == strlen(good[i]) &&
                            ascii_same_start(good[i], state.text, strlen(good[i]));
    import_add(log, has(mapping, TARGET_JOB) ? &values.text[TARGET_JOB] : NULL, job);
}

void format_csv_read(ImportLog *log, const ImportFile *files, int32_t file_count)
{
    Mapping mapping;
    if (!read_mapping(log, &mapping))
        return;
    for (int32_t i = 0; i < file_count; i++)
        import_read_table(log, files[i], log->options->separator, mapping.columns, mapping.count,
                          &mapping, add_row);
}
