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

static void add_heading(Writer *writer)
{
    static const char *const columns[] = {"seed",        "workload", "job",   "size",
                                          "submitted_s", "queue_s",  "run_s", "turnaround_s",
                                          "state",       "waiting"};
    const Study *study = writer->findings->study;
    csv_text(&writer->row, "point");
    for (int32_t f = 0; f < study->factor_count; f++)
        csv_text(&writer->row, study->factors[f]->name);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        csv_text(&writer->row, columns[i]);
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

bool jobs_table(const StudyFindings *findings, FileSource files, const char *version, ByteSink out,
                bool (*is_stopped)(void *context), void *context, Problems *problems)
{
    const Study *study = findings->study;
    Writer writer = {.findings = findings, .out = out};
    bool is_whole = true;
    add_heading(&writer);
    for (int32_t point = 0; is_whole && point < study->point_count; point++) {
        Arena *arena = arena_create();
        const PointScenario *scenario = point_scenario_read(arena, study, files, point, problems);
        is_whole = scenario != NULL;
        for (int32_t r = 0; is_whole && r < findings->used[point]; r++) {
            const ArenaMark mark = arena_mark(arena);
            const uint64_t seed = study_seed(study, point, r);
            begin_run(&writer, point, seed);
            SteadyPlan plan;
            const bool has_plan = results_plan(findings->results, point, r, &plan);
            add_run(&writer,
                    single_run_summary(arena, scenario, has_plan ? &plan : NULL, seed, version));
            arena_rewind(arena, mark);
            is_whole = is_stopped == NULL || !is_stopped(context);
        }
        arena_destroy(arena);
    }
    text_free(&writer.beginning);
    text_free(&writer.row);
    return is_whole;
}
