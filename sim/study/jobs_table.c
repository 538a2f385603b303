#include "sim/study/jobs_table.h"

#include "sim/formats/csv.h"
#include "sim/json/decimal.h"
#include "sim/study/single_run.h"

typedef struct {
    const StudyFindings *findings;
    ByteSink out;
    Text beginning; /* the fields of the present run: point, factors, seed */
    Text row;
} Writer;

/* How runs are repeated. */
typedef struct {
    FileSource files;
    const char *version;
    bool (*is_stopped)(void *context);
    void *context;
    Problems *problems;
} Repeat;

static void flush(Writer *writer)
{
    csv_end(&writer->row);
    writer->out.write(writer->out.to, text_string(&writer->row), writer->row.length);
    text_clear(&writer->row);
}

static void add_seconds(Writer *writer, int64_t ns)
{
    if (ns == SUMMARY_NEVER) {
        csv_unknown(&writer->row);
        return;
    }
    Text seconds = {0};
    decimal_print(&seconds, ns, DECIMALS_S);
    csv_text(&writer->row, text_string(&seconds));
    text_free(&seconds);
}

/* After the point and its factors. */
static const struct {
    const char *name, *meaning;
} columns[] = {
    {"seed", "of the run"},
    {"workload", "empty: the job is of a command"},
    {"job", "its name, in a workload its number from 1"},
    {"slots", "its GPUs, or nodes without any"},
    {"submitted_s", "the time of its submission"},
    {"queue_s", "its time in the queue, as in summary.json"},
    {"run_s", "its run time, as in summary.json"},
    {"turnaround_s", "from submission to end"},
    {"state", "succeeded, failed or unfinished"},
    {"waiting", "1: it still waits, and queue_s and turnaround_s are lower bounds"},
};

static void add_heading(Writer *writer)
{
    const Study *study = writer->findings->study;
    csv_text(&writer->row, "point");
    for (int32_t f = 0; f < study->factor_count; f++)
        csv_text(&writer->row, study->factors[f]->name);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        csv_text(&writer->row, columns[i].name);
    flush(writer);
}

static void begin_run(Writer *writer, int32_t point, uint64_t seed)
{
    const Study *study = writer->findings->study;
    text_clear(&writer->beginning);
    csv_integer(&writer->beginning, point);
    for (int32_t f = 0; f < study->factor_count; f++)
        csv_text(&writer->beginning, point_level(study, point, f)->label);
    csv_integer(&writer->beginning, (int64_t)seed);
}

/* The beginning of a row: the run, the workload ("": none). */
static void begin_row(Writer *writer, const char *workload)
{
    text_add(&writer->row, text_string(&writer->beginning));
    if (workload[0] != '\0')
        csv_text(&writer->row, workload);
    else
        csv_unknown(&writer->row);
}

/* --- Jobs --- */

static void add_workload_jobs(Writer *writer, const SummaryWorkload *workload)
{
    static const char *const states[] = {[OUTCOME_NONE] = "unfinished",
                                         [OUTCOME_SUCCEEDED] = "succeeded",
                                         [OUTCOME_FAILED] = "failed",
                                         [OUTCOME_REJECTED] = "rejected"};
    const SummarySpread *spread = &workload->all.queue;
    for (uint32_t i = 0; i < spread->job_count; i++) {
        const JobTimes *job = &spread->jobs[i];
        begin_row(writer, workload->name);
        csv_integer(&writer->row, (int64_t)i + 1);
        csv_integer(&writer->row, job->size);
        add_seconds(writer, job->submitted_ns);
        for (int kind = 0; kind < JOB_TIME_COUNT; kind++)
            add_seconds(writer, job->ns[kind]);
        csv_text(&writer->row, states[job->outcome]);
        csv_integer(&writer->row, job->is_waiting);
        flush(writer);
    }
}

static void add_command_job(Writer *writer, const SummaryJob *job)
{
    const bool has_ended = job->ended_ns != SUMMARY_NEVER;
    begin_row(writer, "");
    csv_text(&writer->row, job->name);
    csv_integer(&writer->row, job->nodes);
    add_seconds(writer, job->submitted_ns);
    add_seconds(writer, job->queue_ns);
    add_seconds(writer, job->run_ns);
    add_seconds(writer, has_ended ? job->ended_ns - job->submitted_ns : SUMMARY_NEVER);
    csv_text(&writer->row, job->state);
    csv_integer(&writer->row, job->started_ns == SUMMARY_NEVER);
    flush(writer);
}

static void add_run(Writer *writer, const Summary *summary)
{
    for (uint32_t i = 0; i < summary->job_count; i++)
        add_command_job(writer, &summary->jobs[i]);
    for (uint32_t i = 0; i < summary->workload_count; i++)
        add_workload_jobs(writer, &summary->workloads[i]);
}

/* Rows of some replications of a point. */
static bool add_runs(Writer *writer, const JobsOfRuns *runs, const Repeat *repeat)
{
    const StudyFindings *findings = writer->findings;
    Arena *arena = arena_create();
    const PointScenario *scenario =
        point_scenario_read(arena, findings->study, repeat->files, runs->point, repeat->problems);
    bool is_whole = scenario != NULL;
    for (int32_t r = runs->first; is_whole && r < runs->first + runs->count; r++) {
        const ArenaMark mark = arena_mark(arena);
        const uint64_t seed = study_seed(findings->study, runs->point, r);
        SteadyPlan plan;
        const bool has_plan = results_plan(findings->results, runs->point, r, &plan);
        begin_run(writer, runs->point, seed);
        add_run(writer, single_run_summary(arena, scenario, has_plan ? &plan : NULL, seed,
                                           repeat->version));
        arena_rewind(arena, mark);
        is_whole = repeat->is_stopped == NULL || !repeat->is_stopped(repeat->context);
    }
    arena_destroy(arena);
    return is_whole;
}

bool jobs_table(const StudyFindings *findings, const JobsOfRuns *only, FileSource files,
                const char *version, ByteSink out, bool (*is_stopped)(void *context), void *context,
                Problems *problems)
{
    Writer writer = {.findings = findings, .out = out};
    const Repeat repeat = {files, version, is_stopped, context, problems};
    bool is_whole = true;
    add_heading(&writer);
    if (only != NULL)
        is_whole = add_runs(&writer, only, &repeat);
    for (int32_t point = 0; only == NULL && is_whole && point < findings->study->point_count;
         point++)
        is_whole = add_runs(&writer, &(JobsOfRuns){point, 0, findings->used[point]}, &repeat);
    text_free(&writer.beginning);
    text_free(&writer.row);
    return is_whole;
}

void jobs_table_reference(Text *out)
{
    text_add(
        out,
        "\njobs.csv (`sweep --jobs`) and winner-jobs.csv of a plan have a row a job: `point`, the "
        "factors, and\n\n| column | meaning |\n| --- | --- |\n");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        text_printf(out, "| `%s` | %s |\n", columns[i].name, columns[i].meaning);
}
