/* Private to sim/study/import: Alibaba's PAI trace of 2020, three tables without header lines.
 * The number of columns says which table a file is:
 *
 *     job       job_name, inst_id, user, status, start_time, end_time
 *     task      job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem,
 *               plan_gpu, gpu_type
 *     instance  job_name, task_name, inst_name, worker_name, inst_id, status, start_time, end_time,
 *               machine
 *
 * The start of a job is its submission, that of a task its launch. plan_cpu and plan_gpu are per
 * cent of a core and of a GPU for each instance, plan_mem is in GB (powers of 1000). Times are
 * seconds; hours and weekdays hold in UTC+8, dates do not. Only "Terminated" means success. */
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/capped.h"
#include "sim/study/import/format.h"
#include "sim/study/import/stamp.h"

enum { JOB_COLUMNS = 6, INSTANCE_COLUMNS = 9, TASK_COLUMNS = 10 };
enum { JOB_NAME, JOB_INST_ID, JOB_USER, JOB_STATUS, JOB_START, JOB_END };
enum {
    TASK_JOB,
    TASK_NAME,
    TASK_INSTANCES,
    TASK_STATUS,
    TASK_START,
    TASK_END,
    TASK_CPU,
    TASK_MEMORY,
    TASK_GPU,
    TASK_GPU_TYPE
};
enum { INSTANCE_JOB = 0, INSTANCE_START = 6, INSTANCE_END = 7 };

/* A job in the three tables. Times are JOB_LIST_UNKNOWN where no row has them. */
typedef struct {
    Cell name, user, status, gpu_type;
    int64_t submit_ns;
    int64_t task_start_ns, task_end_ns, instance_start_ns, instance_end_ns;
    int64_t gpu_percent, cpu_percent, memory_milli_gb; /* of all instances of all tasks */
    int64_t task_gpu_percent;                          /* of one instance of the first task */
    int64_t instances;
    int32_t tasks, line;
    bool is_unlike;    /* tasks have different sizes */
    bool has_open_end; /* a task has started and not ended */
    bool is_submitted; /* it is in the table of jobs */
} PaiJob;

typedef struct {
    ImportLog *log;
    WordTable names;
    PaiJob *jobs;
    uint32_t capacity;
    int32_t columns; /* of the current file */
} Pai;

static PaiJob *job_of(Pai *pai, Cell name)
{
    const uint32_t known = pai->names.count;
    const uint32_t index = word_table_add(&pai->names, name.text, (size_t)name.length);
    pai->jobs =
        array_room(pai->log->arena, pai->jobs, pai->names.count, &pai->capacity, sizeof *pai->jobs);
    PaiJob *job = &pai->jobs[index];
    if (index == known)
        *job = (PaiJob){.name = name,
                        .submit_ns = JOB_LIST_UNKNOWN,
                        .task_start_ns = JOB_LIST_UNKNOWN,
                        .task_end_ns = JOB_LIST_UNKNOWN,
                        .instance_start_ns = JOB_LIST_UNKNOWN,
                        .instance_end_ns = JOB_LIST_UNKNOWN,
                        .line = pai->log->lines.line_number};
    return job;
}

static void widen(int64_t start_ns, int64_t end_ns, int64_t *first_ns, int64_t *last_ns)
{
    if (start_ns >= 0 && (*first_ns < 0 || start_ns < *first_ns))
        *first_ns = start_ns;
    if (end_ns > *last_ns)
        *last_ns = end_ns;
}

static void add_job_row(Pai *pai, const Cell *cells)
{
    int64_t submit_ns;
    if (!import_seconds(pai->log, cells[JOB_START], "start_time", &submit_ns))
        return;
    PaiJob *job = job_of(pai, cells[JOB_NAME]);
    job->submit_ns = submit_ns;
    job->user = cells[JOB_USER];
    job->status = cells[JOB_STATUS];
    job->line = pai->log->lines.line_number;
    job->is_submitted = true;
}

static int64_t known(int64_t value)
{
    return value < 0 ? 0 : value;
}

static void add_task_row(Pai *pai, const Cell *cells)
{
    ImportLog *log = pai->log;
    int64_t start_ns, end_ns, cpu, memory, gpu, instances;
    const int64_t most = INT32_MAX;
    if (!import_seconds(log, cells[TASK_START], "start_time", &start_ns) ||
        !import_seconds(log, cells[TASK_END], "end_time", &end_ns) ||
        !import_number(log, cells[TASK_INSTANCES], "inst_num", 0, 1000000, &instances) ||
        !import_number(log, cells[TASK_CPU], "plan_cpu", 0, most, &cpu) ||
        !import_number(log, cells[TASK_MEMORY], "plan_mem", 3, most, &memory) ||
        !import_number(log, cells[TASK_GPU], "plan_gpu", 0, most, &gpu))
        return;
    PaiJob *job = job_of(pai, cells[TASK_JOB]);
    instances = instances < 1 ? 1 : instances;
    gpu = known(gpu);
    widen(start_ns, end_ns, &job->task_start_ns, &job->task_end_ns);
    job->has_open_end |= start_ns >= 0 && end_ns < 0;
    job->is_unlike |= job->tasks > 0 && gpu != job->task_gpu_percent;
    if (job->tasks++ == 0)
        job->task_gpu_percent = gpu;
    job->gpu_percent = capped_sum(job->gpu_percent, capped_product(gpu, instances));
    job->cpu_percent = capped_sum(job->cpu_percent, capped_product(known(cpu), instances));
    job->memory_milli_gb =
        capped_sum(job->memory_milli_gb, capped_product(known(memory), instances));
    job->instances += instances;
    if (job->gpu_type.length == 0)
        job->gpu_type = cells[TASK_GPU_TYPE];
}

static void add_instance_row(Pai *pai, const Cell *cells)
{
    int64_t start_ns, end_ns;
    if (!import_seconds(pai->log, cells[INSTANCE_START], "start_time", &start_ns) ||
        !import_seconds(pai->log, cells[INSTANCE_END], "end_time", &end_ns))
        return;
    PaiJob *job = job_of(pai, cells[INSTANCE_JOB]);
    widen(start_ns, end_ns, &job->instance_start_ns, &job->instance_end_ns);
}

static void add_row(void *parser, const Cell *cells, int32_t count)
{
    Pai *pai = parser;
    if (pai->columns == 0)
        pai->columns = count;
    if (count != pai->columns) {
        import_bad_line(pai->log, count, "as many as the first row has");
        return;
    }
    if (count == JOB_COLUMNS)
        add_job_row(pai, cells);
    else if (count == TASK_COLUMNS)
        add_task_row(pai, cells);
    else if (count == INSTANCE_COLUMNS)
        add_instance_row(pai, cells);
    else
        import_bad_line(pai->log, count, "6 of a job, 10 of a task or 9 of an instance");
}

/* --- Jobs --- */

static int32_t wholes_up(int64_t percent)
{
    const int64_t wholes = percent / 100 + (percent % 100 > 0);
    return wholes < 1000000000 ? (int32_t)wholes : 1000000000;
}

/* Times of the instances where that table is given, because they begin when the instance runs. */
static ImportTimes times_of(const PaiJob *job, ImportStage stage)
{
    const bool has_instances = job->instance_start_ns >= 0 && job->instance_end_ns >= 0;
    const bool is_open = job->has_open_end && (!has_instances || stage != STAGE_ENDED);
    const int64_t end_ns = has_instances ? job->instance_end_ns : job->task_end_ns;
    return (ImportTimes){job->submit_ns,
                         job->instance_start_ns >= 0 ? job->instance_start_ns : job->task_start_ns,
                         is_open ? JOB_LIST_UNKNOWN : end_ns};
}

static void set_size(ImportLog *log, const PaiJob *pai_job, ImportJob *job)
{
    job->gpus = wholes_up(pai_job->gpu_percent);
    job->cpus = wholes_up(pai_job->cpu_percent);
    job->memory_bytes = capped_product(pai_job->memory_milli_gb, 1000000);
    if (pai_job->gpu_percent % 100 > 0)
        import_count(log, RULE_GPU_PART);
    if (pai_job->cpu_percent % 100 > 0)
        import_count(log, RULE_CPU_PART);
    if (pai_job->is_unlike)
        import_count(log, RULE_UNLIKE);
}

static void add_job(ImportLog *log, const PaiJob *pai_job)
{
    ImportJob job = import_job(log);
    const ImportStage stage = import_stage(pai_job->status);
    log->lines.line_number = job.line = pai_job->line;
    if (!pai_job->is_submitted || pai_job->tasks == 0) {
        import_count(log, pai_job->is_submitted ? RULE_NO_SIZE : RULE_NO_SUBMIT);
        return;
    }
    set_size(log, pai_job, &job);
    if (!import_times(log, &job, times_of(pai_job, stage), stage))
        return;
    job.user = import_word(log, &log->users, pai_job->user);
    job.state = import_word(log, &log->states, pai_job->status);
    job.gpu_type = import_word(log, &log->gpu_types, pai_job->gpu_type);
    job.is_completed = cell_is(pai_job->status, "Terminated");
    import_add(log, &pai_job->name, job);
}

void format_pai2020_read(ImportLog *log, const ImportFile *files, int32_t file_count)
{
    Pai pai = {.log = log, .names = word_table_create(log->arena)};
    const PlainTable table = {.separator = ',', .parser = &pai, .add_row = add_row};
    for (int32_t i = 0; i < file_count; i++) {
        pai.columns = 0;
        import_read_plain(&table, log, files[i]);
    }
    import_note(log,
                "Dates are not true: the trace shifts them; hours and weekdays hold in UTC+8.");
    for (uint32_t i = 0; i < pai.names.count; i++)
        add_job(log, &pai.jobs[i]);
}
