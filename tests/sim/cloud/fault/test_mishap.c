/* Random failures, by examples on paper from plain_service (tests/support/worlds.h: nodes come at
 * 100 s, a replacement 70 s after it is asked for, prepared 130 s later; a silent node is noticed
 * after 60 s; 30 s notice), and by properties over seeds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static FailureModel *model_of(Distribution between, int64_t repair_s, NodeRecovery recovery)
{
    FailureModel *model = ARENA_NEW(arena, FailureModel);
    *model = (FailureModel){.name = "model",
                            .between = between,
                            .repair = {.quantiles = constant(arena, repair_s * NS_PER_S)},
                            .recovery = recovery,
                            .reason = "GPU memory error"};
    return model;
}

static Distribution every(int64_t seconds)
{
    return (Distribution){.quantiles = constant(arena, seconds * NS_PER_S)};
}

static Distribution exponential(int64_t mean_s)
{
    return (Distribution){.kind = DISTRIBUTION_EXPONENTIAL, .scale = mean_s * NS_PER_S};
}

static ClusterSpec *spec_of(int32_t nodes, bool is_low_priority)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *plain_cluster(arena, nodes);
    spec->is_low_priority = is_low_priority;
    return spec;
}

static Scenario *scenario_until(int64_t until_s, uint64_t seed)
{
    Scenario *scenario = scenario_of(&list, seed);
    scenario->until_ns = until_s * NS_PER_S;
    scenario->failures.rate_ppm = PPM;
    return scenario;
}

static World *run(const Scenario *scenario)
{
    recording = recording_create(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    return world;
}

static int64_t at_s(TraceKind kind, const char *name, int32_t n)
{
    const TraceRecord *record = recording_find(&recording, kind, name, n);
    ck_assert_msg(record != NULL, "no record %d of %s %s", n, trace_kind_name(kind),
                  name ? name : "");
    return record->at_ns / NS_PER_S;
}

START_TEST(a_repaired_node_fails_again)
{
    // Allocated at 100 s, silent at 1100, noticed at 1160, repaired 500 s after the failure; the
    // next failure is 1000 s after the repair.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    Scenario *scenario = scenario_until(4000, 1);
    scenario->failures.nodes = model_of(every(1000), 500, RECOVERY_REBOOT);
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 1160);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 1), 1600);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "idle", 1), 1730);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 1), 2660);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 3100);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 2);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_STATE, "unusable", 0)->cause,
                     CAUSE_CRASH);
}
END_TEST

/* Three nodes fall silent at 1100 s and are noticed at 1160 s. */
static Scenario *three_failures(int32_t crews, NodeRecovery recovery)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    Scenario *scenario = scenario_until(3000, 1);
    scenario->failures.nodes = model_of(every(1000), 500, recovery);
    scenario->failures.repair_crews = crews;
    return scenario;
}

/* --- Health checks --- */

/* Nodes that fail at 1100 s and are repaired for 500 s; signs of all failures are found at 800 s.
 */
static Scenario *with_signs(int32_t nodes)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, nodes));
    Scenario *scenario = scenario_until(2250, 1);
    scenario->failures.nodes = model_of(every(1000), 500, RECOVERY_REBOOT);
    scenario->failures.detected_ppm = PPM;
    scenario->failures.warning_ns = 300 * NS_PER_S;
    return scenario;
}

static Scenario *with_signs_and_job(int64_t run_s)
{
    commands_create_job(&list, "j", 300 * NS_PER_S, "c",
                        plain_job(arena, 1, plain_fixed_program(arena, run_s * NS_PER_S, 0)));
    return with_signs(1);
}

START_TEST(a_free_node_is_repaired_before_it_fails)
{
    run(with_signs(1));
    const TraceRecord *unusable = recording_find(&recording, TRACE_NODE_STATE, "unusable", 0);
    ck_assert_int_eq(unusable->at_ns, 800 * NS_PER_S);
    ck_assert_int_eq(unusable->cause, CAUSE_HEALTH_CHECK);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "idle", 1), 1430);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_ERROR, NULL), 0);
    ck_assert(strstr(recording_get(&recording, TRACE_NODE_DRAINED, 0)->name, "GPU memory error") !=
              NULL);
    ck_assert_int_eq(at_s(TRACE_NODE_DRAINED, NULL, 1), 2000); // of the failure at 2300 s
}
END_TEST

START_TEST(a_job_that_ends_before_the_failure_loses_nothing)
{
    run(with_signs_and_job(600));
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "running"), 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STALLED, NULL), 0);
    const int64_t ended_s = at_s(TRACE_JOB_STATE, "succeeded", 0);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), ended_s);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 1), ended_s + 500);
}
END_TEST

START_TEST(a_job_that_runs_longer_is_lost_as_without_a_check)
{
    run(with_signs_and_job(2000));
    ck_assert_int_eq(at_s(TRACE_NODE_DRAINED, NULL, 0), 800);
    ck_assert_int_eq(at_s(TRACE_NODE_RESUMED, NULL, 0), 1100); // it has failed
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 1160);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_STATE, "unusable", 0)->cause,
                     CAUSE_CRASH);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 1), 1600);
}
END_TEST

START_TEST(a_new_node_may_show_signs_at_once)
{
    Scenario *scenario = with_signs(1);
    scenario->failures.warning_ns = 5000 * NS_PER_S;
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 100);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 1), 600);
}
END_TEST

START_TEST(the_stated_share_of_failures_is_detected_and_a_larger_one_includes_it)
{
    static bool is_detected[100];
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 100));
    for (int32_t share = 1; share <= 3; share += 2) {
        Scenario *scenario = scenario_until(1500, 7);
        scenario->failures.nodes = model_of(every(1000), 5000, RECOVERY_REBOOT);
        scenario->failures.detected_ppm = share * PPM / 4;
        scenario->failures.warning_ns = 300 * NS_PER_S;
        run(scenario);
        const int32_t count = recording_count(&recording, TRACE_NODE_DRAINED, NULL);
        ck_assert_int_ge(count, 25 * share - 13); // three standard deviations of 4.3
        ck_assert_int_le(count, 25 * share + 13);
        bool is_now[100] = {false};
        for (int32_t i = 0; i < count; i++)
            is_now[recording_get(&recording, TRACE_NODE_DRAINED, i)->node.index] = true;
        for (int32_t node = 0; node < 100; node++)
            ck_assert(is_now[node] || !is_detected[node] || share == 1);
        memcpy(is_detected, is_now, sizeof is_now);
        ck_assert_int_eq(recording_count(&recording, TRACE_NODE_ERROR, NULL), 100 - count);
    }
}
END_TEST

START_TEST(one_crew_repairs_one_node_after_another)
{
    // The first repair counts from the failure: 1600 s. The others begin when the crew is free.
    run(three_failures(1, RECOVERY_REBOOT));
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 1600);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 4), 2100);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 5), 2600);
    for (int32_t n = 0; n < 3; n++) // failures at one time: in the order of the nodes
        ck_assert_uint_eq(
            recording_find(&recording, TRACE_NODE_STATE, "preparing", 3 + n)->node.index,
            (uint32_t)n);
    // The second waits from the notice of its failure, as the first does not.
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_REPAIR, "waiting"), 2);
    ck_assert_int_eq(
        recording_find(&recording, TRACE_NODE_REPAIR, "waiting", 1)->node_repair.waiting, 2);
    const TraceRecord *begun = recording_find(&recording, TRACE_NODE_REPAIR, "begun", 0);
    ck_assert_int_eq(begun->at_ns, 1600 * NS_PER_S);
    ck_assert_int_eq(begun->since_ns,
                     recording_find(&recording, TRACE_NODE_REPAIR, "waiting", 0)->at_ns);
    ck_assert_int_eq(begun->node_repair.crews, 1);
}
END_TEST

START_TEST(two_crews_repair_two_nodes_at_once)
{
    run(three_failures(2, RECOVERY_REBOOT));
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 1600);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 4), 1600);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 5), 2100);
}
END_TEST

START_TEST(as_many_crews_as_nodes_are_the_same_as_no_limit)
{
    run(three_failures(3, RECOVERY_REBOOT));
    uint64_t limited = recording_hash(&recording);
    list = commands_begin(arena);
    run(three_failures(0, RECOVERY_REBOOT));
    ck_assert_uint_eq(recording_hash(&recording), limited);
}
END_TEST

START_TEST(replacements_need_a_crew_too)
{
    run(three_failures(1, RECOVERY_REPLACE));
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 0), 1600);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 1), 2100);
}
END_TEST

START_TEST(a_node_that_leaves_frees_its_crew)
{
    // The node of c is in repair and the node of d waits. c shrinks at 1300 s, and its node leaves
    // at 1303 s: then the repair of the other one begins.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_cluster(&list, "d", 0, plain_cluster(arena, 1));
    commands_resize(&list, "c", 1300 * NS_PER_S, 0);
    Scenario *scenario = scenario_until(3000, 1);
    scenario->failures.nodes = model_of(every(1000), 500, RECOVERY_REBOOT);
    scenario->failures.repair_crews = 1;
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 0), 1303);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 1803);
}
END_TEST

START_TEST(a_node_that_leaves_no_longer_waits)
{
    // The unusable nodes with the highest places go, and these wait.
    Scenario *scenario = three_failures(1, RECOVERY_REBOOT);
    commands_resize(&list, "c", 1300 * NS_PER_S, 1);
    scenario->commands = list.items;
    scenario->command_count = list.count;
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 1600);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "preparing"), 4);
}
END_TEST

START_TEST(a_node_that_stays_broken_fails_once)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    Scenario *scenario = scenario_until(100000, 1);
    scenario->failures.nodes = model_of(every(1000), 0, RECOVERY_STAYS);
    run(scenario);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "preparing"), 1);
}
END_TEST

START_TEST(a_low_priority_node_is_preempted_at_the_end_of_its_lifetime_and_replaced)
{
    // The node lives from 100 s to 3700 s, then gets its notice. Its replacement is allocated 70 s
    // after it is gone.
    commands_create_cluster(&list, "c", 0, spec_of(1, true));
    commands_create_cluster(&list, "d", 0, spec_of(1, false));
    Scenario *scenario = scenario_until(8000, 1);
    scenario->failures.preemption = model_of(every(3600), 0, RECOVERY_REPLACE);
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_NOTICE, NULL, 0), 3700);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 0), 3730);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 3800);
    ck_assert_int_eq(at_s(TRACE_NODE_NOTICE, NULL, 1), 7400);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_NOTICE, NULL), 2);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_NOTICE, NULL, 1)->cause,
                     CAUSE_PREEMPTION);
}
END_TEST

START_TEST(the_lifetime_of_a_low_priority_node_follows_its_family)
{
    commands_create_cluster(&list, "c", 0, spec_of(1, true));
    const char *family = spec_of(1, true)->vm_size->family;
    const FailureModel *hourly = model_of(every(3600), 0, RECOVERY_REPLACE);
    const FailureModel *daily = model_of(every(86400), 0, RECOVERY_REPLACE);
    const Preemption listed[] = {{"*", daily}, {family, hourly}};
    Scenario *scenario = scenario_until(8000, 1);
    scenario->failures.preemptions = listed;
    scenario->failures.preemption_count = 2;
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_NOTICE, NULL, 0), 3700);
    const Preemption others[] = {{"another", daily}, {"*", hourly}};
    scenario->failures.preemptions = others;
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_NOTICE, NULL, 0), 3700);
    scenario->failures.preemption_count = 1;
    run(scenario);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_NOTICE, NULL), 0);
}
END_TEST

START_TEST(a_repair_does_not_restart_the_lifetime_of_a_low_priority_node)
{
    // Failed at 1100 s and back at 1600 s; its lifetime still counts from 100 s.
    commands_create_cluster(&list, "c", 0, spec_of(1, true));
    Scenario *scenario = scenario_until(4000, 1);
    scenario->failures.nodes = model_of(every(1000), 500, RECOVERY_REBOOT);
    scenario->failures.preemption = model_of(every(2000), 0, RECOVERY_REPLACE);
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_NOTICE, NULL, 0), 2100);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 0), 2130);
}
END_TEST

static void add_group(Scenario *scenario, const FailureModel *model, GroupMember member)
{
    GroupMember *members = ARENA_NEW(arena, GroupMember);
    NodeGroup *group = ARENA_NEW(arena, NodeGroup);
    const NodeGroup **groups = ARENA_NEW(arena, const NodeGroup *);
    const FailureModel **models = ARENA_NEW(arena, const FailureModel *);
    *members = member;
    *group = (NodeGroup){.name = "rack1", .member_count = 1, .members = members};
    groups[0] = group;
    models[0] = model;
    scenario->failures.group_count = 1;
    scenario->failures.groups = groups;
    scenario->failures.group_models = models;
}

START_TEST(the_nodes_of_a_group_fall_silent_together_and_again_after_their_repair)
{
    // Places 2 and 3 of four at 1000 s; repaired at 1500; then again at 2500 s (and a nanosecond).
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    Scenario *scenario = scenario_until(3000, 1);
    add_group(scenario, model_of(every(1000), 500, RECOVERY_REBOOT), (GroupMember){"C", 2, 3});
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_GROUP_STRUCK, "rack1", 0), 1000);
    ck_assert_int_eq(recording_find(&recording, TRACE_GROUP_STRUCK, NULL, 0)->group_struck.nodes,
                     2);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 1060);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 1), 1060);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_STATE, "unusable", 0)->node.index, 1);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_STATE, "unusable", 1)->node.index, 2);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_STATE, "unusable", 1)->cause,
                     CAUSE_GROUP);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 4), 1500);
    ck_assert_int_eq(at_s(TRACE_GROUP_STRUCK, "rack1", 1), 2500);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 4);
}
END_TEST

START_TEST(a_failure_of_a_group_without_nodes_has_no_effect)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    Scenario *scenario = scenario_until(20000, 1);
    add_group(scenario, model_of(every(1000), 500, RECOVERY_REBOOT), (GroupMember){"c", 3, 9});
    run(scenario);
    ck_assert_int_eq(recording_count(&recording, TRACE_GROUP_STRUCK, NULL), 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 0);
}
END_TEST

START_TEST(rates_divide_times_and_multiply_chances)
{
    // At twice the rate a node is silent after 500 s instead of 1000; the repair takes as long as
    // before.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    Scenario *scenario = scenario_until(2000, 1);
    scenario->failures.nodes = model_of(every(1000), 500, RECOVERY_REBOOT);
    scenario->failures.rate_ppm = 2 * PPM;
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 660);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 1), 1100);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 1), 1660);
    scenario->failures.rate_ppm = PPM / 4;
    scenario->until_ns = 5000 * NS_PER_S;
    run(scenario);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 4160);
}
END_TEST

START_TEST(rate_0_causes_no_failure_and_no_event)
{
    commands_create_cluster(&list, "c", 0, spec_of(20, true));
    Scenario *scenario = scenario_until(NS_PER_DAY / NS_PER_S, 1);
    int64_t events = world_events(run(scenario));
    uint64_t told = recording_hash(&recording);
    scenario->failures.nodes = model_of(exponential(1000), 500, RECOVERY_REBOOT);
    scenario->failures.preemption = model_of(exponential(1000), 500, RECOVERY_REBOOT);
    scenario->failures.slow_node_ppm = PPM;
    add_group(scenario, scenario->failures.nodes, (GroupMember){"c", 1, 9});
    scenario->failures.rate_ppm = 0;
    ck_assert_int_eq(world_events(run(scenario)), events);
    ck_assert_uint_eq(recording_hash(&recording), told);
    scenario->failures.rate_ppm = PPM;
    ck_assert_int_gt(world_events(run(scenario)), events);
}
END_TEST

START_TEST(chances_have_their_frequency_and_a_larger_chance_includes_a_smaller_one)
{
    enum { DRAWS = 20000 };
    Scenario *scenario = scenario_until(1, 7);
    World *world = run(scenario);
    static const int64_t chances_ppm[] = {0, 1000, 250000, 900000, PPM};
    int32_t before = 0;
    for (size_t c = 0; c < 5; c++) {
        int32_t struck = 0;
        for (uint64_t i = 0; i < DRAWS; i++) {
            bool strikes = engine_strikes(world->engine, chances_ppm[c],
                                          world->scenario->failures.rate_ppm, RNG_CHANCE, 5, i);
            struck += strikes;
            ck_assert(strikes || c == 0 ||
                      !engine_strikes(world->engine, chances_ppm[c - 1],
                                      world->scenario->failures.rate_ppm, RNG_CHANCE, 5, i));
        }
        double p = (double)chances_ppm[c] / (double)PPM;
        ck_assert(fabs(struck - DRAWS * p) <= 4 * sqrt(DRAWS * p * (1 - p)));
        ck_assert_int_ge(struck, before);
        before = struck;
    }
    // Doubled rates double chances, up to certainty.
    scenario->failures.rate_ppm = 2 * PPM;
    for (uint64_t i = 0; i < DRAWS; i++)
        ck_assert(
            engine_strikes(world->engine, PPM / 2, scenario->failures.rate_ppm, RNG_CHANCE, 5, i));
    scenario->failures.rate_ppm = 0;
    ck_assert(!engine_strikes(world->engine, PPM, scenario->failures.rate_ppm, RNG_CHANCE, 5, 0));
}
END_TEST

START_TEST(the_stated_fraction_of_nodes_is_slow_from_the_beginning)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 100));
    Scenario *scenario = scenario_until(200, 3);
    scenario->failures.slow_node_ppm = 300000;
    scenario->failures.slow_node_speed_ppm = 900000;
    World *world = run(scenario);
    // 30 of 100, give or take four times sqrt(100 x 0.3 x 0.7).
    int32_t slow = recording_count(&recording, TRACE_NODE_SPEED, NULL);
    ck_assert_int_le(abs(slow - 30), 18);
    for (uint32_t n = 0; n < world_node_count(world); n++) {
        int64_t speed_ppm = world_node(world, (NodeId){n})->speed_ppm;
        ck_assert(speed_ppm == PPM || speed_ppm == 900000);
        slow -= speed_ppm != PPM;
    }
    ck_assert_int_eq(slow, 0);
}
END_TEST

/* --- Properties --- */

enum { WATCHED = 4, FAILURES_KEPT = 8 };

/* The first failures of nodes 1, 2, ... of cluster "c". */
typedef struct {
    int64_t at_ns[WATCHED][FAILURES_KEPT];
    int32_t slow;
} Weather;

static Weather weather_of(const World *world)
{
    Weather weather = {0};
    int32_t count[WATCHED] = {0};
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind != TRACE_NODE_STATE && record->kind != TRACE_NODE_SPEED)
            continue;
        const Node *node = world_node(world, record->node);
        bool is_watched = same_name(world_cluster(world, node->cluster)->path.name, "c") &&
                          node->number <= WATCHED;
        if (is_watched && record->kind == TRACE_NODE_SPEED)
            weather.slow |= 1 << node->number;
        int32_t n = is_watched ? node->number - 1 : 0;
        if (is_watched && record->kind == TRACE_NODE_STATE && same_name(record->name, "unusable") &&
            count[n] < FAILURES_KEPT)
            weather.at_ns[n][count[n]++] = record->at_ns;
    }
    return weather;
}

static Weather weather_with(uint64_t seed, int32_t nodes, int32_t others, int32_t jobs)
{
    list = commands_begin(arena);
    if (others > 0)
        commands_create_cluster(&list, "b", 0, plain_cluster(arena, others));
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, nodes));
    for (int32_t j = 0; j < jobs; j++)
        commands_create_job(&list, arena_printf(arena, "j%d", (int)j), j * NS_PER_HOUR, "c",
                            plain_job(arena, 2, plain_fixed_program(arena, 2 * NS_PER_HOUR, 0)));
    Scenario *scenario = scenario_until(10 * 24 * 3600, seed);
    FailureModel *model = model_of((Distribution){.kind = DISTRIBUTION_WEIBULL,
                                                  .scale = 20 * NS_PER_HOUR,
                                                  .shape_ppm = 750000},
                                   0, RECOVERY_REBOOT);
    model->repair = (Distribution){
        .kind = DISTRIBUTION_LOGNORMAL, .scale = 54 * NS_PER_MIN, .shape_ppm = 1940000};
    scenario->failures.nodes = model;
    scenario->failures.slow_node_ppm = 300000;
    scenario->failures.slow_node_speed_ppm = 500000;
    return weather_of(run(scenario));
}

START_TEST(an_additional_node_or_job_changes_no_other_failure)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        Weather alone = weather_with(seed, WATCHED, 0, 0);
        const Weather others[] = {
            weather_with(seed, WATCHED + 1, 0, 0), weather_with(seed, WATCHED + 30, 0, 0),
            weather_with(seed, WATCHED, 3, 0), weather_with(seed, WATCHED, 0, 5)};
        ck_assert(alone.at_ns[0][0] != alone.at_ns[1][0]);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            for (int32_t n = 0; n < WATCHED; n++)
                for (int32_t f = 0; f < FAILURES_KEPT; f++)
                    ck_assert_msg(alone.at_ns[n][f] == others[i].at_ns[n][f],
                                  "seed %d, world %zu: failure %d of node %d moved", (int)seed, i,
                                  f + 1, n + 1);
            ck_assert_int_eq(alone.slow, others[i].slow);
        }
    }
}
END_TEST

START_TEST(node_availability_matches_renewal_theory)
{
    // 100 nodes, 1000 h up and 100 h down on average, for 10,000 h. The mean number of renewals is
    // t / m + (s^2 - m^2) / (2 m^2) with m = 1100 and s = 1000, or 9.00 for each node, the variance
    // t s^2 / m^3, or 7.5.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 100));
    Scenario *scenario = scenario_until(10000 * 3600, 11);
    scenario->failures.nodes = model_of(exponential(1000 * 3600), 100 * 3600, RECOVERY_REBOOT);
    run(scenario);
    int32_t failures = recording_count(&recording, TRACE_NODE_STATE, "unusable");
    double expected = 100 * (10000.0 / 1100 - 0.0868);
    ck_assert_msg(fabs(failures - expected) < 3 * sqrt(100 * 7.5), "%d failures, expected %g",
                  failures, expected);
}
END_TEST

/* Cluster and job names of random_scenario, and some that do not exist. */
static void add_random_faults(Scenario *scenario, uint64_t seed)
{
    enum { FAULTS = 25, FAULT_COUNT = COMMAND_KIND_COUNT - COMMAND_NODE_CRASH };
    static const char *const clusters[] = {"c1", "c2", "c3", "none"};
    static const char *const jobs[] = {"j0", "j1", "j2", "j3", "j4", "none"};
    Command *commands = ARENA_ARRAY(arena, Command, scenario->command_count + FAULTS);
    for (int32_t i = 0; i < scenario->command_count; i++)
        commands[i] = scenario->commands[i];
    for (uint64_t i = 0; i < FAULTS; i++) {
        uint64_t word = rng_word(seed, RNG_IDENTITY, 77, i);
        CommandKind kind = (CommandKind)(COMMAND_NODE_CRASH + (int)(word % FAULT_COUNT));
        if (kind == COMMAND_QUOTA_CHANGE)
            kind = COMMAND_SEED_CHANGE; // the scenario has no quota
        bool is_of_job = kind == COMMAND_CONTAINER_FAIL || kind == COMMAND_JOB_EXIT ||
                         (kind <= COMMAND_NODE_SLOW && word >> 8 & 1);
        Command *command = &commands[scenario->command_count++];
        *command = (Command){
            .kind = kind,
            .trigger = {.moment = MOMENT_AT, .delay_ns = (int64_t)(word >> 16) % (5 * NS_PER_HOUR)},
            .path = {.group = "g",
                     .workspace = "w",
                     .experiment = is_of_job ? "e" : NULL,
                     .name = is_of_job ? jobs[word % 6] : clusters[word % 4]},
            .as.fault = {.is_of_job = is_of_job,
                         .node = (int32_t)(word >> 9 & 3),
                         .group = scenario->failures.groups[0],
                         .recovery = (NodeRecovery)(word >> 12 & 1 ? 1 + (word >> 13 & 1) : 0),
                         .duration_ns = (int64_t)(word >> 20) % NS_PER_HOUR,
                         .speed_ppm = kind == COMMAND_NODE_SLOW ? PPM / 3 : 0,
                         .count = 1,
                         .seed = word >> 40,
                         .policy = (int32_t)(word >> 24 & 0xff) % POLICY_COUNT,
                         .queue = "none",
                         .exit_code = 9}};
        if (kind == COMMAND_SHARE_SLOW)
            command->path = (ResourcePath){.name = "a/s"};
    }
    scenario->commands = commands;
}

static Scenario *stormy_scenario(uint64_t seed)
{
    Scenario *scenario = random_scenario(arena, seed);
    scenario->failures.rate_ppm = PPM;
    scenario->failures.nodes = model_of(exponential(3 * 3600), 900, (NodeRecovery)(seed % 3));
    scenario->failures.preemption = model_of(exponential(2 * 3600), 0, RECOVERY_REPLACE);
    scenario->failures.allocation_ppm = scenario->failures.preparation_ppm = 50000;
    scenario->failures.setup_ppm = scenario->failures.mount_ppm = 50000;
    scenario->failures.container_ppm = scenario->failures.slow_node_ppm = 50000;
    scenario->failures.slow_node_speed_ppm = 500000;
    add_group(scenario, model_of(exponential(2 * 3600), 600, RECOVERY_REBOOT),
              (GroupMember){"c1", 1, 2});
    add_random_faults(scenario, seed);
    scenario->until_ns = 2 * NS_PER_DAY;
    return scenario;
}

/* --- Another seed --- */

enum { CHANGE_S = 20000 };

/* A cluster of many nodes that fail by `between`, until the nodes' first failures are over. The
 * seed changes to `second` at CHANGE_S; 0: it does not change. */
static void run_with_change(Distribution between, uint64_t second, int32_t nodes)
{
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, nodes));
    if (second > 0)
        commands_add(&list, COMMAND_SEED_CHANGE, "seed", CHANGE_S * NS_PER_S)->as.fault.seed =
            second;
    Scenario *scenario = scenario_until(10 * CHANGE_S, 1);
    scenario->failures.nodes = model_of(between, 0, RECOVERY_STAYS);
    run(scenario);
}

/* The records up to `until_s`, and those after it, without the last one. */
static uint64_t hash_of_records(int64_t from_s, int64_t until_s)
{
    uint64_t hash = HASH_START;
    for (int32_t i = 0; i < recording.count - 1; i++) {
        const TraceRecord *record = &recording.items[i];
        const int64_t facts[] = {record->at_ns, record->kind, record->node.index,
                                 record->cluster.index};
        if (record->kind != TRACE_COMMAND_APPLIED && record->at_ns > from_s * NS_PER_S &&
            record->at_ns <= until_s * NS_PER_S)
            hash = bytes_hash(hash, facts, sizeof facts);
    }
    return hash;
}

START_TEST(another_seed_changes_the_future_and_not_the_past)
{
    uint64_t past[4], future[4];
    for (uint64_t second = 0; second < 4; second++) { // 1 is the seed itself
        run_with_change(exponential(CHANGE_S), second, 20);
        past[second] = hash_of_records(-1, CHANGE_S);
        future[second] = hash_of_records(CHANGE_S, 10 * CHANGE_S);
    }
    for (int second = 1; second < 4; second++)
        ck_assert_uint_eq(past[second], past[0]);
    ck_assert_uint_eq(future[1], future[0]);
    ck_assert_uint_ne(future[2], future[0]);
    ck_assert_uint_ne(future[3], future[0]);
    ck_assert_uint_ne(future[2], future[3]);
}
END_TEST

START_TEST(times_that_are_certain_stay_as_they_were)
{
    run_with_change(every(CHANGE_S + 500), 0, 4);
    const uint64_t before = hash_of_records(-1, 10 * CHANGE_S);
    run_with_change(every(CHANGE_S + 500), 9, 4);
    ck_assert_uint_eq(hash_of_records(-1, 10 * CHANGE_S), before);
}
END_TEST

/* A group that fails within 2000 s of its repair, or never. The seed changes at 2500 s to `second`;
 * 0: it does not. Returns the failures. */
static int32_t group_failures_with_change(uint64_t seed, uint64_t second)
{
    // A rate of a millionth: 2 ms are 2000 s, and 10^13 ns are more than time has.
    static const QuantileKnot knots[] = {
        {0, 0}, {500000, 2 * NS_PER_MS}, {500001, 10000 * NS_PER_S}, {PPM, 10000 * NS_PER_S}};
    const Distribution between = {.quantiles = {.count = 4, .knots = knots}};
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    if (second > 0)
        commands_add(&list, COMMAND_SEED_CHANGE, "seed", 2500 * NS_PER_S)->as.fault.seed = second;
    Scenario *scenario = scenario_until(5000, seed);
    scenario->failures.rate_ppm = 1;
    add_group(scenario, model_of(between, 0, RECOVERY_REBOOT), (GroupMember){"c", 1, 2});
    run(scenario);
    return recording_count(&recording, TRACE_GROUP_STRUCK, NULL);
}

/* The time since the repair counts, not that since the start. */
START_TEST(a_group_that_would_not_have_failed_again_may_do_so_with_another_seed)
{
    int32_t groups = 0, again = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        if (group_failures_with_change(seed, 0) != 1)
            continue;
        groups++;
        again += group_failures_with_change(seed, seed + 1000) > 1;
    }
    ck_assert_int_gt(groups, 8);
    ck_assert_int_gt(again, 0);
    ck_assert_int_lt(again, groups);
}
END_TEST

/* Counts the silent nodes that the service notices in (from_s, until_s]. */
static int32_t failures_in(int64_t from_s, int64_t until_s)
{
    int32_t count = 0;
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        count += record->kind == TRACE_NODE_STATE && record->name != NULL &&
                 strcmp(record->name, "unusable") == 0 && record->at_ns > from_s * NS_PER_S &&
                 record->at_ns <= until_s * NS_PER_S;
    }
    return count;
}

START_TEST(failures_that_have_not_happened_keep_their_distribution)
{
    // Weibull with k = 3 ages: S(t) = exp(-(t / s)^3). The nodes are allocated at 100 s, and each
    // failure is noticed 60 s late. The part 1 - S(b) / S(a) of those alive at age a fails by b.
    const double scale_s = 1.5 * CHANGE_S, a = CHANGE_S - 100.0, b = 1.3 * CHANGE_S - 100.0;
    const Distribution aging = {
        .kind = DISTRIBUTION_WEIBULL, .scale = (int64_t)scale_s * NS_PER_S, .shape_ppm = 3 * PPM};
    const double part = 1 - exp(pow(a / scale_s, 3) - pow(b / scale_s, 3));
    double alive = 0, failed = 0;
    for (uint64_t second = 2; second <= 21; second++) {
        enum { NODES = 100 };
        run_with_change(aging, second, NODES);
        ck_assert_int_ge(recording_count(&recording, TRACE_NODE_STATE, "idle"), NODES);
        alive += NODES - failures_in(0, CHANGE_S + 60);
        failed += failures_in(CHANGE_S + 60, (int64_t)(1.3 * CHANGE_S) + 60);
    }
    ck_assert_msg(fabs(failed - alive * part) < 4 * sqrt(alive * part * (1 - part)),
                  "%g of %g fail, expected %g", failed, alive, alive * part);
}
END_TEST

START_TEST(every_invariant_holds_under_any_failures_and_runs_are_repeatable)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const Scenario *scenario = stormy_scenario(seed);
        run(scenario);
        uint64_t hash = recording_hash(&recording);
        run(scenario);
        ck_assert_msg(recording_hash(&recording) == hash, "seed %d differs from itself", (int)seed);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mishap");
    TCase *examples = tcase_create("examples");
    tcase_add_checked_fixture(examples, begin, end);
    tcase_add_test(examples, a_repaired_node_fails_again);
    tcase_add_test(examples, a_free_node_is_repaired_before_it_fails);
    tcase_add_test(examples, a_job_that_ends_before_the_failure_loses_nothing);
    tcase_add_test(examples, a_job_that_runs_longer_is_lost_as_without_a_check);
    tcase_add_test(examples, a_new_node_may_show_signs_at_once);
    tcase_add_test(examples, the_stated_share_of_failures_is_detected_and_a_larger_one_includes_it);
    tcase_add_test(examples, one_crew_repairs_one_node_after_another);
    tcase_add_test(examples, two_crews_repair_two_nodes_at_once);
    tcase_add_test(examples, as_many_crews_as_nodes_are_the_same_as_no_limit);
    tcase_add_test(examples, replacements_need_a_crew_too);
    tcase_add_test(examples, a_node_that_leaves_frees_its_crew);
    tcase_add_test(examples, a_node_that_leaves_no_longer_waits);
    tcase_add_test(examples, a_node_that_stays_broken_fails_once);
    tcase_add_test(examples,
                   a_low_priority_node_is_preempted_at_the_end_of_its_lifetime_and_replaced);
    tcase_add_test(examples, the_lifetime_of_a_low_priority_node_follows_its_family);
    tcase_add_test(examples, a_repair_does_not_restart_the_lifetime_of_a_low_priority_node);
    tcase_add_test(examples,
                   the_nodes_of_a_group_fall_silent_together_and_again_after_their_repair);
    tcase_add_test(examples, a_failure_of_a_group_without_nodes_has_no_effect);
    tcase_add_test(examples, rates_divide_times_and_multiply_chances);
    tcase_add_test(examples, rate_0_causes_no_failure_and_no_event);
    tcase_add_test(examples,
                   chances_have_their_frequency_and_a_larger_chance_includes_a_smaller_one);
    tcase_add_test(examples, the_stated_fraction_of_nodes_is_slow_from_the_beginning);
    suite_add_tcase(suite, examples);
    TCase *properties = tcase_create("properties");
    tcase_add_checked_fixture(properties, begin, end);
    tcase_add_test(properties, an_additional_node_or_job_changes_no_other_failure);
    tcase_add_test(properties, node_availability_matches_renewal_theory);
    tcase_add_test(properties, another_seed_changes_the_future_and_not_the_past);
    tcase_add_test(properties,
                   a_group_that_would_not_have_failed_again_may_do_so_with_another_seed);
    tcase_add_test(properties, times_that_are_certain_stay_as_they_were);
    tcase_add_test(properties, failures_that_have_not_happened_keep_their_distribution);
    tcase_add_test(properties, every_invariant_holds_under_any_failures_and_runs_are_repeatable);
    suite_add_tcase(suite, properties);
    return suite;
}
