/* Private to sim/study/import: `sacct -P` with its header line. Fields: sacct(1). */
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/capped.h"
#include "sim/study/import/format_tables.h"
#include "sim/study/import/stamp.h"

enum {
    JOB_ID,
    SUBMIT,
    START,
    END,
    ELAPSED,
    ELAPSED_RAW,
    ALLOC_TRES,
    REQ_TRES,
    ALLOC_NODES,
    N_NODES,
    N_CPUS,
    STATE,
    USER,
    ACCOUNT,
    PARTITION,
    PRIORITY,
    TIMELIMIT,
    TIMELIMIT_RAW
};

const WantedColumn slurm_columns[] = {
    {"JobID", true},       {"Submit", true},       {"Start", true},      {"End", true},
    {"Elapsed", false},    {"ElapsedRaw", false},  {"AllocTRES", false}, {"ReqTRES", false},
    {"AllocNodes", false}, {"NNodes", false},      {"NCPUS", false},     {"State", true},
    {"User", false},       {"Account", false},     {"Partition", false}, {"Priority", false},
    {"Timelimit", false},  {"TimelimitRaw", false}};

static bool has(Cell cell, char c)
{
    return cell.length > 0 && memchr(cell.text, c, (size_t)cell.length) != NULL;
}

/* The first word: "CANCELLED by 1000" is "CANCELLED", and "COMPLETED+" lost its end. */
static Cell first_word(Cell cell)
{
    int32_t length = 0;
    while (length < cell.length && (ascii_is_letter(cell.text[length]) || cell.text[length] == '_'))
        length++;
    return (Cell){.text = cell.text, .length = length};
}

/* --- Trackable resources: "billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=64G,node=1" --- */

typedef struct {
    int64_t gpus;       /* of gres/gpu, or the sum of its types */
    int64_t gpus_typed; /* sum of gres/gpu:TYPE */
    int64_t cpus, nodes, memory_bytes;
    Cell gpu_type;
} Tres;

static bool starts_with(Cell cell, const char *word)
{
    return (size_t)cell.length >= strlen(word) && memcmp(cell.text, word, strlen(word)) == 0;
}

/* Thousandths of a number that may have decimals. */
static bool number_read(Cell cell, int64_t *milli)
{
    const CellOutcome outcome = cell_scaled(cell, 3, milli);
    return outcome == CELL_READ || outcome == CELL_TOO_FINE;
}

/* "64G", "512000M", "3.5T": powers of 1024; without a letter megabytes. */
static int64_t memory_of(Cell value)
{
    static const char units[] = "KMGT";
    const char *unit = value.length > 0 ? strchr(units, value.text[value.length - 1]) : NULL;
    const int32_t shift = unit != NULL && *unit != '\0' ? 10 * (int32_t)(unit - units + 1) : 20;
    int64_t number;
    if (unit != NULL && *unit != '\0')
        value.length--;
    if (!number_read(value, &number) || number < 0)
        return JOB_LIST_UNKNOWN;
    return capped_proportion(number, INT64_C(1) << shift, 1000);
}

static void add_resource(Tres *tres, Cell name, Cell value)
{
    static const char gpu[] = "gres/gpu";
    int64_t number = 0;
    if (cell_is(name, "mem")) {
        tres->memory_bytes = memory_of(value);
        return;
    }
    if (cell_scaled(value, 0, &number) != CELL_READ || number < 0 || number > INT32_MAX)
        return;
    if (cell_is(name, "cpu"))
        tres->cpus = number;
    else if (cell_is(name, "node"))
        tres->nodes = number;
    else if (cell_is(name, gpu))
        tres->gpus = number;
    else if (starts_with(name, "gres/gpu:")) {
        tres->gpus_typed += number;
        tres->gpu_type = (Cell){.text = name.text + strlen(gpu) + 1,
                                .length = name.length - (int32_t)strlen(gpu) - 1};
    }
}

static Tres tres_of(Cell cell)
{
    Tres tres = {.gpus = -1, .cpus = -1, .nodes = -1, .memory_bytes = -1};
    LineCursor line = {.line = cell.text, .line_end = cell.text + cell.length};
    Cell parts[CELLS_MAX];
    const int32_t count = cells_cut(&line, ',', parts, CELLS_MAX);
    for (int32_t i = 0; i < count && i < CELLS_MAX; i++) {
        const char *sign =
            parts[i].length > 0 ? memchr(parts[i].text, '=', (size_t)parts[i].length) : NULL;
        if (sign == NULL)
            continue;
        const int32_t length = (int32_t)(sign - parts[i].text);
        add_resource(&tres, (Cell){.text = parts[i].text, .length = length},
                     (Cell){.text = sign + 1, .length = parts[i].length - length - 1});
    }
    if (tres.gpus < tres.gpus_typed)
        tres.gpus = tres.gpus_typed;
    return tres;
}

/* The resources that the job got, or else those that it asked for. A list of resources without GPUs
 * means none. */
static bool read_size(ImportLog *log, const Cell *cells, ImportJob *job)
{
    const Cell list = cells[ALLOC_TRES].length > 0 ? cells[ALLOC_TRES] : cells[REQ_TRES];
    const Tres tres = tres_of(list);
    const Cell nodes = cells[ALLOC_NODES].length > 0 ? cells[ALLOC_NODES] : cells[N_NODES];
    if (!import_count_of(log, nodes, "AllocNodes", &job->nodes) ||
        !import_count_of(log, cells[N_CPUS], "NCPUS", &job->cpus))
        return false;
    job->gpus = (int32_t)(tres.gpus < 0 ? 0 : tres.gpus);
    job->gpu_type = import_word(log, &log->gpu_types, tres.gpu_type);
    job->memory_bytes = tres.memory_bytes;
    if (job->cpus <= 0)
        job->cpus = (int32_t)tres.cpus;
    if (job->nodes <= 0)
        job->nodes = tres.nodes > 0 ? (int32_t)tres.nodes : JOB_LIST_UNKNOWN;
    return true;
}

/* --- Times --- */

/* TimelimitRaw is in minutes; Timelimit may also be a word such as UNLIMITED. */
static bool read_limit(ImportLog *log, const Cell *cells, ImportJob *job)
{
    const int64_t minutes_max = 1000000000;
    int64_t minutes;
    if (ascii_is_digit(cells[TIMELIMIT_RAW].length > 0 ? cells[TIMELIMIT_RAW].text[0] : ' ')) {
        if (!import_number(log, cells[TIMELIMIT_RAW], "TimelimitRaw", 0, minutes_max, &minutes))
            return false;
        job->requested_ns = minutes >= 0 ? capped_product(minutes, NS_PER_MIN) : minutes;
        if (job->requested_ns == INT64_MAX)
            job->requested_ns = JOB_LIST_UNKNOWN;
        return true;
    }
    const Cell limit = cells[TIMELIMIT];
    if (limit.length == 0 || !ascii_is_digit(limit.text[0]))
        return true;
    return elapsed_read(limit, &job->requested_ns) ||
           import_bad(log, limit, "Timelimit", "days-hours:minutes:seconds");
}

/* The elapsed time that the log states, without the time that the job was suspended. */
static bool read_elapsed(ImportLog *log, const Cell *cells, int64_t *ns)
{
    *ns = JOB_LIST_UNKNOWN;
    if (cells[ELAPSED_RAW].length > 0)
        return import_seconds(log, cells[ELAPSED_RAW], "ElapsedRaw", ns);
    return stamp_is_none(cells[ELAPSED]) || elapsed_read(cells[ELAPSED], ns) ||
           import_bad(log, cells[ELAPSED], "Elapsed", "days-hours:minutes:seconds");
}

static bool read_times(ImportLog *log, const Cell *cells, ImportTimes *times)
{
    return import_stamp(log, cells[SUBMIT], "Submit", 0, &times->submit_ns) &&
           import_stamp(log, cells[START], "Start", times->submit_ns, &times->start_ns) &&
           import_stamp(log, cells[END], "End", times->start_ns, &times->end_ns);
}

/* --- Rows --- */

static bool read_job(ImportLog *log, const Cell *cells, ImportJob *job)
{
    ImportTimes times;
    int64_t elapsed_ns;
    if (!read_times(log, cells, &times) || !read_elapsed(log, cells, &elapsed_ns) ||
        !read_size(log, cells, job) || !read_limit(log, cells, job) ||
        !import_count_of(log, cells[PRIORITY], "Priority", &job->priority))
        return false;
    const Cell state = first_word(cells[STATE]);
    const ImportStage stage = import_stage(state);
    if (stage == STAGE_RUNS && times.start_ns >= 0 && elapsed_ns >= 0)
        import_see(log, capped_sum(times.start_ns, elapsed_ns)); // when sacct was run
    if (!import_times(log, job, times, stage))
        return false;
    // Cancelled before it started: sacct then writes the time of the cancellation as start and end.
    if (elapsed_ns == 0 && job->run_ns == 0 && cell_is(state, "CANCELLED")) {
        import_count(log, RULE_NO_START);
        return false;
    }
    if (elapsed_ns >= 0 && job->open_ns < 0 && elapsed_ns != job->run_ns) {
        // Without the time that the job was suspended; exact where the clocks changed, too.
        import_count(log, RULE_SUSPENDED);
        job->run_ns = elapsed_ns;
    }
    job->state = import_word(log, &log->states, state);
    job->is_completed = cell_is(state, "COMPLETED");
    return true;
}

void slurm_add(ImportLog *log, const Cell *cells)
{
    ImportJob job = import_job(log);
    log->limits_bind = true;
    if (has(cells[JOB_ID], '.')) { // "123.batch", "123.0"
        import_count(log, RULE_STEP);
        return;
    }
    if (!log->options->has_zone)
        import_note(log,
                    "The log states no time zone: its times were read as UTC; see --timezone.");
    if (!read_job(log, cells, &job))
        return;
    const Cell user = cells[USER].length > 0 ? cells[USER] : cells[ACCOUNT];
    job.user = import_word(log, &log->users, user);
    job.queue = import_queue(log, cells[PARTITION]);
    if (job.requested_ns >= 0 && job.run_ns > job.requested_ns)
        import_count(log, RULE_RAN_LONGER);
    import_add(log, &cells[JOB_ID], job);
}
