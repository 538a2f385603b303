#include "sim/study/follow/follow_run.h"

#include <string.h>

#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/study/follow/follow_text.h"
#include "sim/study/point_scenario.h"
#include "sim/study/study_json.h"

typedef struct {
    Arena *arena;
    const FollowQuestion *question;
    FileSource files;
    const SweepOptions *options;
    FollowFacts facts;
    AssumptionList assumptions;
    FollowRuns *runs;
    Problems *problems;
} Follower;

static const char *folder_of(const Follower *follower, FollowKind kind)
{
    return arena_printf(follower->arena, "%s/%s", follower->options->folder, follow_folder(kind));
}

static bool fail(const Follower *follower, const Status *status)
{
    problems_add_status(follower->problems, status);
    return false;
}

/* --- Runs --- */

/* Whether the folder has a study with this identity, or none. */
static bool is_same_study(const Follower *follower, const char *folder, const Study *study)
{
    Problems none = problems_create(follower->arena);
    StudyOutcome found;
    Status status = {0};
    const Json *root = study_folder_load(follower->arena, follower->files, folder, &none);
    if (root == NULL)
        return true; // sweep_run reports a folder that is not one of a sweep
    const JournalIdentity own = study_identity(follower->arena, study, follower->options->version);
    return study_outcome_read_tree(follower->arena, root, &found, &status) &&
           strcmp(found.identity.study, own.study) == 0 &&
           strcmp(found.identity.scenario, own.scenario) == 0 &&
           strcmp(found.identity.catalogue, own.catalogue) == 0 &&
           strcmp(found.identity.policy, own.policy) == 0 &&
           strcmp(found.identity.version, own.version) == 0;
}

/* The study `root`. A plan has its answer already, so a study that cannot be made is left out, and
 * the reason is one of the facts. */
static const Study *read_study(Follower *follower, FollowKind kind, const Json *root)
{
    Problems found = problems_create(follower->arena);
    Study *study = study_read_tree(follower->arena, follower->files, FOLLOW_PATH, root, &found);
    if (study != NULL)
        study->policy = follower->question->study->policy;
    FollowFacts *facts = &follower->facts;
    if (study == NULL && facts->left_out_count < FOLLOW_KIND_COUNT)
        facts->left_out[facts->left_out_count++] =
            arena_printf(follower->arena, "%s: %s", follow_folder(kind),
                         found.kept > 0 ? found.items[0].message : "its study is not valid");
    return study;
}

/* Runs the study `root`; NULL: it does not apply. Nothing more is run after an interruption. */
static bool run_study(Follower *follower, FollowKind kind, const Json *root)
{
    Arena *arena = follower->arena;
    const char *folder = folder_of(follower, kind);
    Status status = {0};
    Sweep sweep;
    if (follower->runs->end != RUNNER_FINISHED)
        return true;
    const Study *study = root != NULL ? read_study(follower, kind, root) : NULL;
    if ((study == NULL || !is_same_study(follower, folder, study)) &&
        !folder_remove(folder, &status))
        return fail(follower, &status);
    if (study == NULL)
        return true;
    SweepOptions options = *follower->options;
    options.folder = folder;
    options.decider = NULL;
    options.shard = (Shard){0, 1};
    options.writes_jobs = false;
    options.run = sweep_on_threads;
    if (!sweep_run(arena, study, follower->files, &options, &sweep, follower->problems))
        return false;
    FollowRuns *runs = follower->runs;
    runs->end = sweep.end;
    runs->signal = sweep.signal;
    runs->run_count += sweep.findings.results->run_count - sweep.resumed_count;
    runs->took_ns += sweep.took_ns;
    return true;
}

/* --- Facts --- */

static bool add_point(Follower *follower, int32_t point)
{
    FollowFacts *facts = &follower->facts;
    for (uint32_t i = 0; i < facts->point_count; i++)
        if (facts->points[i].point == point)
            return true;
    Problems *problems = follower->problems;
    const PointScenario *scenario = point_scenario_read(follower->arena, follower->question->study,
                                                        follower->files, point, problems);
    if (scenario == NULL)
        return false;
    if (facts->point_count == 0) {
        facts->region = scenario->file->scenario.region;
        facts->closed_form =
            closed_form_of(follower->arena, &scenario->file->scenario,
                           follower->question->study->horizon.kind == HORIZON_STEADY);
    }
    facts->points[facts->point_count++] =
        follow_point_of(follower->arena, &scenario->file->scenario, point);
    return true;
}

static bool find_facts(Follower *follower)
{
    const FollowQuestion *question = follower->question;
    FollowFacts *facts = &follower->facts;
    facts->points = ARENA_ARRAY(follower->arena, FollowPoint, question->point_count + 2);
    facts->left_out = ARENA_ARRAY(follower->arena, const char *, FOLLOW_KIND_COUNT);
    facts->growth_ppm = question->growth_ppm;
    facts->has_next_best = question->next_best != NO_POINT;
    bool is_sound = add_point(follower, question->winner);
    if (facts->has_next_best)
        is_sound = is_sound && add_point(follower, question->next_best);
    for (int32_t i = 0; is_sound && i < question->point_count; i++)
        is_sound = add_point(follower, question->points[i]);
    if (question->sensitivity == SENSITIVITY_NONE)
        return is_sound;
    const int32_t chosen[] = {question->winner, question->next_best};
    is_sound = is_sound && assumptions_find(follower->arena, question->study, follower->files,
                                            chosen, 1 + facts->has_next_best,
                                            &follower->assumptions, follower->problems);
    facts->assumptions = (Assumption *)follower->assumptions.items; // both are read-only from here
    facts->assumption_count = (uint32_t)follower->assumptions.count;
    return is_sound;
}

static FollowPlan plan_of(const Follower *follower)
{
    const FollowFacts *facts = &follower->facts;
    int32_t *points = ARENA_ARRAY(follower->arena, int32_t, facts->point_count);
    for (uint32_t i = 0; i < facts->point_count; i++)
        points[i] = facts->points[i].point;
    return (FollowPlan){.study = follower->question->study,
                        .point_count = (int32_t)facts->point_count,
                        .points = points,
                        .first_seed = follower->question->first_seed,
                        .seeds = follower->question->seeds};
}

/* The winner and the larger candidates. */
static FollowPlan growth_plan(const Follower *follower, FollowPlan plan)
{
    const FollowQuestion *question = follower->question;
    const int32_t larger_count = question->growth_ppm > 0 ? question->larger_count : 0;
    int32_t *points = ARENA_ARRAY(follower->arena, int32_t, larger_count + 1);
    points[0] = question->winner;
    for (int32_t i = 0; i < larger_count; i++)
        points[1 + i] = question->larger[i];
    plan.points = points;
    plan.point_count = 1 + larger_count;
    return plan;
}

/* --- The whole --- */

static const Json *sensitivity_of(const Follower *follower, const FollowPlan *plan)
{
    switch (follower->question->sensitivity) {
    case SENSITIVITY_MORRIS:
        return follow_sensitivity(follower->arena, plan, &follower->assumptions, DESIGN_MORRIS,
                                  MORRIS_TRAJECTORIES);
    case SENSITIVITY_SOBOL:
        return follow_sensitivity(follower->arena, plan, &follower->assumptions, DESIGN_SALTELLI,
                                  SOBOL_BASE_POINTS);
    case SENSITIVITY_NONE:
    case SENSITIVITY_ONE_AT_A_TIME:
        break;
    }
    return NULL;
}

static bool run_studies(Follower *follower)
{
    Arena *arena = follower->arena;
    const FollowPlan all = plan_of(follower);
    FollowPlan few = all, chosen = all;
    // Reasons and differences of the same seeds need few runs, whatever the candidates needed.
    if (few.seeds > FOLLOW_SEEDS_MOST)
        few.seeds = FOLLOW_SEEDS_MOST;
    chosen.point_count = 1 + follower->facts.has_next_best;
    FollowPlan few_chosen = few;
    few_chosen.point_count = chosen.point_count;
    const FollowPlan growing = growth_plan(follower, few);
    const int32_t before = follower->problems->count;
    const Json *headroom = follow_headroom(arena, follower->files, &chosen,
                                           &follower->facts.no_headroom, follower->problems);
    const Json *growth = follow_growth(arena, follower->files, &growing, follower->problems);
    return follower->problems->count == before &&
           run_study(follower, FOLLOW_WHY, follow_why(arena, &few)) &&
           run_study(follower, FOLLOW_HEADROOM, headroom) &&
           run_study(follower, FOLLOW_GROWTH, growth) &&
           run_study(follower, FOLLOW_ASSUMPTIONS,
                     follow_assumptions(arena, &few_chosen, &follower->assumptions)) &&
           run_study(follower, FOLLOW_PREEMPTION,
                     follow_preemption(arena, &few_chosen, &follower->assumptions)) &&
           run_study(follower, FOLLOW_SENSITIVITY, sensitivity_of(follower, &few_chosen));
}

/* Writes the facts, and then adds the findings, which need them. */
static bool write_facts(const Follower *follower)
{
    Arena *arena = follower->arena;
    const char *folder = follower->options->folder;
    const char *path = arena_printf(arena, "%s/follow.json", folder);
    const Study *study = follower->question->study;
    FollowOutcome outcome;
    Status status = {0};
    Json *root = plain_write(arena, &follow_facts_type, &follower->facts);
    if (!json_file_write(path, root, &status))
        return fail(follower, &status);
    if (!follow_outcome_read(arena, follower->files, folder, study, &outcome, follower->problems))
        return false;
    json_set(arena, root, "findings", follow_findings_json(arena, &outcome, study));
    return json_file_write(path, root, &status) || fail(follower, &status);
}

bool follow_run(Arena *arena, const FollowQuestion *question, FileSource files,
                const SweepOptions *options, FollowRuns *runs, Problems *problems)
{
    *runs = (FollowRuns){.end = RUNNER_FINISHED};
    Follower follower = {.arena = arena,
                         .question = question,
                         .files = files,
                         .options = options,
                         .runs = runs,
                         .problems = problems};
    return find_facts(&follower) && run_studies(&follower) && write_facts(&follower);
}
