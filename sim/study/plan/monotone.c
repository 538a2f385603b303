#include "sim/study/plan/monotone.h"

#include <string.h>

#include "sim/base/name_table.h"
#include "sim/study/point_scenario.h"

/* --- The goal --- */

static bool has_part(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

/* Whether more nodes help every constraint, and the objective rises at most in proportion. */
static bool is_goal_ordered(const Study *study)
{
    const Goal *goal = study->goal;
    const char *objective = study->metrics[goal->metric].name;
    bool is_ordered = !goal->is_maximised &&
                      (begins_with(objective, "cost_usd") || has_part(objective, ".cost_usd") ||
                       has_part(objective, ".nodes_max"));
    for (int32_t i = 0; i < goal->constraint_count; i++) {
        const GoalConstraint *constraint = &goal->constraints[i];
        const char *name = study->metrics[constraint->metric].name;
        is_ordered &= constraint->side == LIMIT_AT_LEAST ? has_part(name, "waited_within(")
                                                         : has_part(name, "queue_s.");
    }
    const Horizon *horizon = &study->horizon;
    const bool is_open = horizon->kind == HORIZON_STEADY && (horizon->warm_up_ns == HORIZON_AUTO ||
                                                             horizon->length_ns == HORIZON_AUTO);
    return is_ordered && goal->constraint_count > 0 && goal->budget_runs == 0 && !is_open;
}

/* --- A scenario --- */

/* Commands that change neither nodes nor jobs. */
static bool is_of_surroundings(CommandKind kind)
{
    return kind == COMMAND_GROUP_CREATE || kind == COMMAND_WORKSPACE_CREATE ||
           kind == COMMAND_EXPERIMENT_CREATE || kind == COMMAND_STORAGE_CREATE ||
           kind == COMMAND_SHARE_CREATE;
}

/* The only cluster of the scenario; NULL if there are others, or commands that may change it. */
static const ClusterSpec *only_cluster(const Scenario *scenario)
{
    const ClusterSpec *found = NULL;
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        if (is_of_surroundings(command->kind))
            continue;
        if (found != NULL || command->kind != COMMAND_CLUSTER_CREATE)
            return NULL;
        found = command->as.cluster_create;
    }
    return found;
}

static bool are_jobs_ordered(const Workload *workload)
{
    bool is_ordered = workload->list == NULL && workload->spec_count > 0;
    for (int32_t i = 0; is_ordered && i < workload->spec_count; i++) {
        const JobSpec *spec = workload->specs[i];
        is_ordered = spec->asks_for == REQUEST_NODES && spec->nodes == 1 &&
                     spec->priority == PRIORITY_NORMAL && spec->program->kind == PROGRAM_FIXED &&
                     !spec->has_preparation && spec->image == NULL;
    }
    return is_ordered;
}

/* The nodes of a scenario for which the theorem holds; 0: it does not. */
static int32_t ordered_nodes(const Scenario *scenario)
{
    const ClusterSpec *cluster = only_cluster(scenario);
    if (cluster == NULL || cluster->is_automatic || cluster->is_low_priority ||
        cluster->queue_count > 0 || cluster->maintenance_count > 0 ||
        cluster->setup_command != NULL || scenario->energy.cycle_hours > 0 ||
        scenario->policy != POLICY_SERVICE || scenario->has_queue_limit ||
        scenario->failures.nodes != NULL || scenario->failures.group_count > 0 ||
        scenario->workload_count == 0)
        return 0;
    for (int32_t i = 0; i < scenario->workload_count; i++)
        if (!are_jobs_ordered(&scenario->workloads[i]))
            return 0;
    return cluster->target_nodes;
}

/* A hash of all of a scenario but its parameters, whose uses have their values, its description and
 * its number of nodes. */
static uint64_t tree_hash(uint64_t hash, const Json *value, bool is_root)
{
    const int32_t facts[] = {(int32_t)value->kind, value->count, value->boolean};
    hash = bytes_hash(hash, facts, sizeof facts);
    if (value->text != NULL)
        hash = bytes_hash(hash, value->text, strlen(value->text) + 1);
    if (value->kind == JSON_NUMBER)
        hash = bytes_hash(hash, &value->number, sizeof value->number);
    for (const Json *child = value->first; child != NULL; child = child->next) {
        if (child->key != NULL && (strcmp(child->key, "targetNodeCount") == 0 ||
                                   (is_root && (strcmp(child->key, "parameters") == 0 ||
                                                strcmp(child->key, "description") == 0))))
            continue;
        if (child->key != NULL)
            hash = bytes_hash(hash, child->key, strlen(child->key) + 1);
        hash = tree_hash(hash, child, false);
    }
    return hash;
}

/* --- Candidates --- */

typedef struct {
    int32_t nodes;  /* 0: the theorem does not hold */
    uint64_t class; /* of scenarios that are equal but for the nodes */
} Rung;

static Rung rung_of(const PlanGrid *grid, FileSource files, int32_t candidate)
{
    Rung rung = {.class = HASH_START};
    for (int32_t w = 0; w < grid->weather_count; w++) {
        Arena *scratch = arena_create();
        Problems unused = problems_create(scratch);
        const PointScenario *scenario = point_scenario_read(
            scratch, grid->study, files, plan_point(grid, candidate, w), &unused);
        const int32_t nodes = scenario != NULL ? ordered_nodes(&scenario->file->scenario) : 0;
        rung.nodes = w == 0 || nodes == rung.nodes ? nodes : 0;
        if (rung.nodes > 0)
            rung.class = tree_hash(rung.class, scenario->file->root, true);
        arena_destroy(scratch);
        if (rung.nodes == 0)
            break;
    }
    return rung;
}

/* Numbers the class of `first`, unless it is too small, and returns whether it did. */
static bool number_class(const PlanGrid *grid, const Rung *rungs, int32_t first, int32_t number,
                         int32_t *ladder)
{
    int32_t count = 0;
    for (int32_t c = first; c < grid->candidate_count; c++)
        count += rungs[c].nodes > 0 && rungs[c].class == rungs[first].class;
    for (int32_t c = first; c < grid->candidate_count && count >= LADDER_LEAST; c++)
        for (int32_t w = 0; w < grid->weather_count; w++)
            if (rungs[c].nodes > 0 && rungs[c].class == rungs[first].class)
                ladder[plan_point(grid, c, w)] = number;
    return count >= LADDER_LEAST;
}

int32_t monotone_ladders_find(Arena *arena, const PlanGrid *grid, FileSource files,
                              const int32_t **ladder_out, const int32_t **nodes_out)
{
    const int32_t points = grid->study->point_count;
    int32_t *ladder = ARENA_ARRAY(arena, int32_t, points),
            *nodes = ARENA_ARRAY(arena, int32_t, points);
    Rung *rungs = ARENA_ARRAY(arena, Rung, grid->candidate_count);
    int32_t count = 0;
    *ladder_out = ladder;
    *nodes_out = nodes;
    for (int32_t point = 0; point < points; point++)
        ladder[point] = -1;
    if (grid->candidate_count < LADDER_LEAST || !is_goal_ordered(grid->study))
        return 0;
    for (int32_t c = 0; c < grid->candidate_count; c++) {
        rungs[c] = rung_of(grid, files, c);
        for (int32_t w = 0; w < grid->weather_count; w++)
            nodes[plan_point(grid, c, w)] = rungs[c].nodes;
    }
    for (int32_t c = 0; c < grid->candidate_count; c++)
        if (rungs[c].nodes > 0 && ladder[plan_point(grid, c, 0)] < 0)
            count += number_class(grid, rungs, c, count, ladder);
    return count;
}
