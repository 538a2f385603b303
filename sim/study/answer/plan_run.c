#include "sim/study/answer/plan_run.h"

#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/study/answer/plan_csv.h"
#include "sim/study/answer/plan_json.h"
#include "sim/study/plan/hopeless.h"
#include "sim/study/plan/monotone.h"

typedef struct {
    const PlanGrid *grid;
    Rounds *rounds;
} Decider;

static StudyWork begin(void *decider, Arena *arena, const Results *results)
{
    Decider *own = decider;
    own->rounds = rounds_create(arena, own->grid, results);
    return rounds_work(own->rounds);
}

static const int32_t *used(void *decider, Arena *arena)
{
    return rounds_used(arena, ((const Decider *)decider)->rounds);
}

static void write_bytes(void *to, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, to);
}

/* fresh.csv, as results.csv. */
static bool write_fresh(Arena *arena, const char *folder, const PlanOutcome *outcome,
                        Status *status)
{
    const PlanGrid *grid = outcome->grid;
    int32_t *counts = ARENA_ARRAY(arena, int32_t, grid->study->point_count);
    for (int32_t point = 0; point < grid->study->point_count; point++)
        counts[point] = outcome->candidates[grid->candidate_of[point]].fresh.run_count;
    FileWriter writer;
    if (!file_writer_open(&writer, arena_printf(arena, "%s/fresh.csv", folder), status))
        return false;
    runs_table(&outcome->study.findings, outcome->fresh_first, counts,
               (ByteSink){.to = writer.stream, .write = write_bytes});
    return file_writer_commit(&writer, status);
}

static bool write_files(Arena *arena, const char *folder, const PlanOutcome *outcome,
                        Status *status)
{
    FileWriter writer;
    if (!json_file_write(arena_printf(arena, "%s/plan.json", folder), plan_json(arena, outcome),
                         status) ||
        !file_writer_open(&writer, arena_printf(arena, "%s/plan.csv", folder), status))
        return false;
    plan_table(outcome, (ByteSink){.to = writer.stream, .write = write_bytes});
    return file_writer_commit(&writer, status) && write_fresh(arena, folder, outcome, status);
}

/* The candidates of the study as one that is planned: with its hopeless points, and those that a
 * theorem orders. */
static const PlanGrid *planned(Arena *arena, const Study *study, FileSource files,
                               Problems *problems)
{
    if (study->goal == NULL)
        return plan_grid_create(arena, study, problems);
    Study *own = ARENA_NEW(arena, Study);
    Goal *goal = ARENA_NEW(arena, Goal);
    *own = *study;
    *goal = *study->goal;
    own->goal = goal;
    goal->is_planned = true;
    const PlanGrid *grid = plan_grid_create(arena, own, problems);
    if (grid == NULL)
        return NULL;
    goal->hopeless_count = hopeless_points_find(arena, study, files, &goal->hopeless);
    goal->ladder_count = monotone_ladders_find(arena, grid, files, &goal->ladder, &goal->nodes);
    return grid;
}

bool plan_run(Arena *arena, const Study *study, FileSource files, const SweepOptions *options,
              PlanRun *run, Problems *problems)
{
    Decider decider = {0};
    const SweepDecider rounds = {.decider = &decider, .begin = begin, .used = used};
    SweepOptions own = *options;
    Status status = {0};
    decider.grid = options->is_forecast ? plan_grid_create(arena, study, problems)
                                        : planned(arena, study, files, problems);
    if (decider.grid == NULL)
        return false;
    if (!options->is_forecast)
        own.decider = &rounds;
    if (!sweep_run(arena, decider.grid->study, files, &own, &run->sweep, problems))
        return false;
    if (options->is_forecast)
        return true;
    const StudyOutcome outcome = sweep_outcome(&run->sweep);
    run->outcome = plan_outcome_of(arena, &outcome, decider.rounds);
    if (options->folder == NULL || write_files(arena, options->folder, &run->outcome, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}
