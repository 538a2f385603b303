/* Private to sim/study/import: rows of the tables with a header line whose columns have one
 * meaning each: philly-csv, helios, acme, pai-2023, sia, tiresias. Layouts: the README of each
 * trace. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/capped.h"
#include "sim/study/import/format_tables.h"

enum { MILLI = 1000 };

static bool word_is(Cell cell, const char *word)
{
    return strlen(word) == (size_t)cell.length && ascii_same_start(word, cell.text, strlen(word));
}

static int64_t per_thousand_up(int64_t milli)
{
    return milli / MILLI + (milli % MILLI > 0);
}

/* --- philly-csv --- */

const WantedColumn philly_csv_columns[] = {
    {"timestamp", true}, {"duration", true}, {"num_gpus", true}, {"cluster", false}};

/* The timestamp is that of the submission, and the duration is the sum of all attempts. */
void philly_csv_add(ImportLog *log, const Cell *cells)
{
    ImportJob job = import_job(log);
    if (!import_stamp(log, cells[0], "timestamp", 0, &job.submit_ns) ||
        !import_seconds(log, cells[1], "duration", &job.run_ns) ||
        !import_count_of(log, cells[2], "num_gpus", &job.gpus))
        return;
    job.queue = import_queue(log, cells[3]);
    job.is_completed = true;
    import_add(log, NULL, job);
}

/* --- helios, acme --- */

enum {
    SLURM_LIKE_NAME,
    USER,
    QUEUE,
    GPUS,
    CPUS,
    NODES,
    STATE,
    SUBMIT,
    START,
    END,
    RUN,
    WAIT,
    MEMORY
};

const WantedColumn helios_columns[] = {
    {"job_id", true},     {"user", true},      {"vc", true},        {"gpu_num", true},
    {"cpu_num", false},   {"node_num", false}, {"state", true},     {"submit_time", true},
    {"start_time", true}, {"end_time", true},  {"duration", false}, {"queue", false}};

const WantedColumn acme_columns[] = {
    {"job_id", true},         {"user", true},      {"type", true},      {"gpu_num", true},
    {"cpu_num", false},       {"node_num", false}, {"state", true},     {"submit_time", true},
    {"start_time", true},     {"end_time", true},  {"duration", false}, {"queue", false},
    {"mem_per_pod_GB", false}};

static bool read_times(ImportLog *log, const Cell *cells, ImportTimes *times)
{
    return import_stamp(log, cells[SUBMIT], "submit_time", 0, &times->submit_ns) &&
           import_stamp(log, cells[START], "start_time", times->submit_ns, &times->start_ns) &&
           import_stamp(log, cells[END], "end_time", times->start_ns, &times->end_ns);
}

/* The stored duration and wait are recomputed: in Acme's Kalos "duration" is end - submission. */
void helios_add(ImportLog *log, const Cell *cells)
{
    ImportJob job = import_job(log);
    ImportTimes times;
    int64_t run_ns, wait_ns;
    if (!read_times(log, cells, &times) ||
        !import_count_of(log, cells[GPUS], "gpu_num", &job.gpus) ||
        !import_count_of(log, cells[CPUS], "cpu_num", &job.cpus) ||
        !import_count_of(log, cells[NODES], "node_num", &job.nodes) ||
        !import_seconds(log, cells[RUN], "duration", &run_ns) ||
        !import_seconds(log, cells[WAIT], "queue", &wait_ns))
        return;
    if (!import_times(log, &job, times, import_stage(cells[STATE])))
        return;
    import_check_stated(log, &job, job.is_open ? JOB_LIST_UNKNOWN : run_ns, wait_ns);
    job.user = import_word(log, &log->users, cells[USER]);
    job.queue = import_queue(log, cells[QUEUE]);
    job.state = import_word(log, &log->states, cells[STATE]);
    job.is_completed = word_is(cells[STATE], "COMPLETED");
    if (job.nodes == 0)
        job.nodes = JOB_LIST_UNKNOWN;
    import_add(log, &cells[SLURM_LIKE_NAME], job);
}

/* Kalos has the memory of each pod, and a pod is a node. GB are powers of 1000. */
void acme_add(ImportLog *log, const Cell *cells)
{
    const int64_t gb = 1000000000;
    int64_t memory_gb;
    const uint32_t before = log->count;
    if (!import_number(log, cells[MEMORY], "mem_per_pod_GB", 0, 1000000, &memory_gb))
        return;
    helios_add(log, cells);
    if (log->count > before && memory_gb > 0 && log->jobs[before].nodes > 0)
        log->jobs[before].memory_bytes = capped_product(memory_gb * gb, log->jobs[before].nodes);
}

/* --- pai-2023 --- */

enum {
    POD,
    CPU_MILLI,
    MEMORY_MIB,
    NUM_GPU,
    GPU_MILLI,
    GPU_SPEC,
    QOS,
    PHASE,
    CREATED,
    DELETED,
    SCHEDULED
};

const WantedColumn pai2023_columns[] = {
    {"name", true},          {"cpu_milli", true},     {"memory_mib", true},    {"num_gpu", true},
    {"gpu_milli", true},     {"gpu_spec", true},      {"qos", true},           {"pod_phase", true},
    {"creation_time", true}, {"deletion_time", true}, {"scheduled_time", true}};

/* The first of "V100M16|V100M32". */
static Cell first_of(ImportLog *log, Cell spec)
{
    const char *bar = spec.length > 0 ? memchr(spec.text, '|', (size_t)spec.length) : NULL;
    if (bar == NULL)
        return spec;
    import_count(log, RULE_SEVERAL_TYPES);
    return (Cell){.text = spec.text, .length = (int32_t)(bar - spec.text)};
}

static bool read_pod_size(ImportLog *log, const Cell *cells, ImportJob *job)
{
    int64_t cpu_milli, memory_mib;
    int32_t gpu_milli;
    if (!import_number(log, cells[CPU_MILLI], "cpu_milli", 0, INT32_MAX, &cpu_milli) ||
        !import_number(log, cells[MEMORY_MIB], "memory_mib", 0, INT32_MAX, &memory_mib) ||
        !import_count_of(log, cells[NUM_GPU], "num_gpu", &job->gpus) ||
        !import_count_of(log, cells[GPU_MILLI], "gpu_milli", &gpu_milli))
        return false;
    if (job->gpus == 1 && gpu_milli > 0 && gpu_milli < MILLI)
        import_count(log, RULE_GPU_PART);
    if (cpu_milli >= 0) {
        job->cpus = (int32_t)per_thousand_up(cpu_milli);
        if (cpu_milli % MILLI > 0)
            import_count(log, RULE_CPU_PART);
    }
    if (memory_mib >= 0)
        job->memory_bytes = memory_mib << 20;
    return true;
}

void pai2023_add(ImportLog *log, const Cell *cells)
{
    ImportJob job = import_job(log);
    ImportTimes times;
    if (!read_pod_size(log, cells, &job) ||
        !import_seconds(log, cells[CREATED], "creation_time", &times.submit_ns) ||
        !import_seconds(log, cells[SCHEDULED], "scheduled_time", &times.start_ns) ||
        !import_seconds(log, cells[DELETED], "deletion_time", &times.end_ns) ||
        !import_times(log, &job, times, import_stage(cells[PHASE])))
        return;
    job.nodes = 1; // a pod is on one node
    job.gpu_type = import_word(log, &log->gpu_types, first_of(log, cells[GPU_SPEC]));
    job.queue = import_queue(log, cells[QOS]);
    job.state = import_word(log, &log->states, cells[PHASE]);
    job.is_completed = word_is(cells[PHASE], "Succeeded");
    import_add(log, &cells[POD], job);
}

/* --- sia --- */

const WantedColumn sia_columns[] = {
    {"name", true}, {"time", true}, {"application", true}, {"num_replicas", true}};

/* The run time that --run-time gives for an application; 0: none. */
static int64_t run_time_of(const ImportOptions *options, Cell application)
{
    for (int32_t i = 0; i < options->run_time_count; i++)
        if (cell_is(application, options->run_times[i].from))
            return options->run_time_ns[i];
    return 0;
}

/* These workloads state no run time: the applications' profiles have it. */
void sia_add(ImportLog *log, const Cell *cells)
{
    ImportJob job = import_job(log);
    if (!import_seconds(log, cells[1], "time", &job.submit_ns) ||
        !import_count_of(log, cells[3], "num_replicas", &job.gpus))
        return;
    job.run_ns = run_time_of(log->options, cells[2]);
    if (job.run_ns == 0) {
        import_bad(log, cells[2], "application",
                   "an application with a --run-time, as in --run-time cifar10=30m");
        return;
    }
    job.user = import_word(log, &log->users, cells[2]);
    job.is_completed = true;
    import_note(log, "The log has no users: the user of a job is its application.");
    import_note(log, "The log has no run times: they are those of --run-time, for any number of "
                     "GPUs.");
    import_add(log, &cells[0], job);
}

/* --- tiresias --- */

const WantedColumn tiresias_columns[] = {
    {"job_id", true}, {"num_gpu", true}, {"submit_time", true}, {"duration", true}};

void tiresias_add(ImportLog *log, const Cell *cells)
{
    ImportJob job = import_job(log);
    if (!import_count_of(log, cells[1], "num_gpu", &job.gpus) ||
        !import_seconds(log, cells[2], "submit_time", &job.submit_ns) ||
        !import_seconds(log, cells[3], "duration", &job.run_ns))
        return;
    job.is_completed = true;
    import_add(log, &cells[0], job);
}
