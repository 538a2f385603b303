/* "groups", "failures" and "faults" of a scenario, as changes of the small scenario of
 * tests/support/memory_files.h. */
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;

static char failures_catalog[1 << 16];

static void set_up(void)
{
    arena = arena_create();
    files = small_scenario(arena);
    FILE *file = fopen(TRAINYARD_SOURCE_DIR "/scenarios/catalog/failures.json", "rb");
    ck_assert(file != NULL);
    size_t length = fread(failures_catalog, 1, sizeof failures_catalog, file);
    fclose(file);
    ck_assert(length > 0 && length < sizeof failures_catalog);
    memory_files_set(&files, "catalog/failures.json", failures_catalog, length);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* The small scenario with `members` before its commands, and the catalogue of failures. */
static ScenarioFile *read_endless(const char *members, Problems *problems)
{
    const char *text = with_change(arena, small_scenario_text, "\"catalog/azure-2018.json\"]",
                                   "\"catalog/azure-2018.json\", \"catalog/failures.json\"]");
    text = with_change(arena, text, "  \"commands\": [",
                       arena_printf(arena, "  %s,\n  \"commands\": [", members));
    memory_files_set(&files, "scenario.json", text, strlen(text));
    *problems = problems_create(arena);
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.explains = true}, problems);
}

/* The same, stopped after 30 days. */
static ScenarioFile *read_with(const char *members, Problems *problems)
{
    return read_endless(arena_printf(arena, "\"until\": \"30d\", %s", members), problems);
}

static const Scenario *sound(const char *members)
{
    Problems problems;
    const ScenarioFile *file = read_with(members, &problems);
    ck_assert_msg(file != NULL, "%s\n  %s (%s)", members,
                  problems.count > 0 ? problems.items[0].message : "",
                  problems.count > 0 ? problems.items[0].hint : "");
    return &file->scenario;
}

#define GROUPS                                                                                     \
    "\"groups\": [{\"name\": \"rack1\", \"cluster\": \"gpu\", \"nodes\": \"1-4, 9\"}, {\"name\": " \
    "\"zone\", \"clusters\": [\"gpu\"]}, {\"name\": \"all\", \"cluster\": \"gpu\"}]"

START_TEST(without_settings_nothing_fails)
{
    const Scenario *scenario = sound("\"seed\": 1");
    ck_assert_int_eq(scenario->failures.rate_ppm, PPM);
    ck_assert(scenario->failures.nodes == NULL && scenario->failures.preemption == NULL);
    ck_assert_int_eq(scenario->failures.group_count, 0);
    ck_assert_int_eq(scenario->failures.allocation_ppm, 0);
    ck_assert_int_eq(scenario->failures.repair_crews, 0);
    ck_assert_int_eq(scenario->failures.slow_node_ppm, 0);
}
END_TEST

START_TEST(preemption_by_family_has_the_models_of_the_catalogue)
{
    const Scenario *scenario = sound("\"failures\": {\"preemption\": \"by-family\"}");
    const Failures *failures = &scenario->failures;
    ck_assert_ptr_null(failures->preemption);
    ck_assert_int_eq(failures->preemption_count, 4);
    ck_assert_str_eq(failures->preemptions[0].family, "NC");
    ck_assert_str_eq(failures->preemptions[0].model->name, "gce-preemptible-k80");
    ck_assert_str_eq(failures->preemptions[3].family, "*");
}
END_TEST

/* The published figures, as the notes of the catalogue state them. */
START_TEST(the_mean_time_between_failures_follows_from_the_published_counts)
{
    static const struct {
        const char *model;
        double hours;
    } rows[] = {
        {"llama3-2024", 2048.0 * 54 * 24 / 419}, {"meta-rsc1", 1000 * 24 / 6.50},
        {"meta-rsc2", 1000 * 24 / 2.34},         {"alibaba-aegis-a100", 400 * 24},
        {"alibaba-aegis-h100", 200 * 24},        {"kepler-titan", 18688 * 33},
        {"kepler-titan-defect", 18688 * 7.7},    {"blue-waters-gpu-node", 63598},
        {"gce-preemptible-k80", 19.46},          {"gce-preemptible-p100", 21.01},
        {"gce-preemptible-v100", 22.82},         {"aws-spot-k80", 1375.0 / 178},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Scenario *scenario =
            sound(arena_printf(arena, "\"failures\": {\"nodes\": \"%s\"}", rows[i].model));
        const double mean_h =
            (double)distribution_mean(scenario->failures.nodes->between) / (double)NS_PER_HOUR;
        ck_assert_msg(mean_h > rows[i].hours - 0.06 && mean_h < rows[i].hours + 0.06, "%s: %f h",
                      rows[i].model, mean_h);
    }
}
END_TEST

START_TEST(failures_are_bound_with_their_models_and_chances)
{
    const Scenario *scenario = sound(
        GROUPS ", \"failures\": {\"scale\": \"0.5\", \"nodes\": \"Meta-RSC1\", \"preemption\": "
               "\"aws-spot-k80\", \"groups\": [{\"group\": \"zone\", \"model\": \"rack-lanl\"}], "
               "\"allocation\": \"1%\", \"preparation\": \"2%\", \"setup\": \"0.3\", \"mount\": "
               "\"4%\", \"container\": \"5%\", \"file_server\": \"100%\", \"slow_nodes\": "
               "\"0.5%\", \"slow_node_speed\": \"90%\", \"crews\": 3, \"detected\": \"40%\", "
               "\"warning\": \"2h\"}");
    ck_assert_int_eq(scenario->failures.detected_ppm, 400000);
    ck_assert_int_eq(scenario->failures.warning_ns, 2 * NS_PER_HOUR);
    ck_assert_int_eq(scenario->failures.repair_crews, 3);
    const Failures *failures = &scenario->failures;
    ck_assert_int_eq(failures->rate_ppm, PPM / 2);
    ck_assert_str_eq(failures->nodes->name, "meta-rsc1");
    ck_assert_str_eq(failures->preemption->name, "aws-spot-k80");
    ck_assert_int_eq(failures->group_count, 1);
    ck_assert_str_eq(failures->groups[0]->name, "zone");
    ck_assert_str_eq(failures->group_models[0]->name, "rack-lanl");
    ck_assert_int_eq(failures->groups[0]->member_count, 1);
    ck_assert_str_eq(failures->groups[0]->members[0].cluster, "gpu");
    ck_assert_int_eq(failures->groups[0]->members[0].first, 1);
    ck_assert_int_eq(failures->groups[0]->members[0].last, INT32_MAX);
    ck_assert_int_eq(failures->allocation_ppm, 10000);
    ck_assert_int_eq(failures->preparation_ppm, 20000);
    ck_assert_int_eq(failures->setup_ppm, 300000);
    ck_assert_int_eq(failures->mount_ppm, 40000);
    ck_assert_int_eq(failures->container_ppm, 50000);
    ck_assert_int_eq(failures->file_server_ppm, PPM);
    ck_assert_int_eq(failures->slow_node_ppm, 5000);
    ck_assert_int_eq(failures->slow_node_speed_ppm, 900000);
}
END_TEST

START_TEST(one_line_scales_all_failures_or_switches_them_off)
{
    ck_assert_int_eq(sound("\"failures\": {\"scale\": 0}")->failures.rate_ppm, 0);
    ck_assert_int_eq(sound("\"failures\": {\"scale\": 2.5}")->failures.rate_ppm, 2500000);
    ck_assert_int_eq(sound("\"failures\": {\"scale\": \"1000\"}")->failures.rate_ppm, 1000 * PPM);
    ck_assert_int_eq(sound("\"failures\": {\"scale\": \"10%\"}")->failures.rate_ppm, PPM / 10);
}
END_TEST

static const Command *fault_of(const char *members)
{
    const Scenario *scenario = sound(members);
    return &scenario->commands[scenario->command_count - 1];
}

START_TEST(faults_follow_the_commands)
{
    const Command *crash = fault_of(
        "\"faults\": [{\"do\": \"node.crash\", \"cluster\": \"gpu\", \"node\": 2, \"after\": "
        "\"job train epoch 2 + 12m\", \"recovery\": \"reboot\", \"duration\": \"1h\", "
        "\"reason\": \"power supply\"}]");
    ck_assert_int_eq(crash->kind, COMMAND_NODE_CRASH);
    ck_assert_str_eq(crash->path.group, "batchai");
    ck_assert_str_eq(crash->path.workspace, "workspace");
    ck_assert(crash->path.experiment == NULL);
    ck_assert_str_eq(crash->path.name, "gpu");
    ck_assert_int_eq(crash->trigger.moment, MOMENT_JOB_EPOCH);
    ck_assert_int_eq(crash->trigger.ordinal, 2);
    ck_assert_int_eq(crash->trigger.delay_ns, 12 * NS_PER_MIN);
    ck_assert_int_eq(crash->as.fault.node, 2);
    ck_assert(!crash->as.fault.is_of_job);
    ck_assert_int_eq(crash->as.fault.recovery, RECOVERY_REBOOT);
    ck_assert_int_eq(crash->as.fault.duration_ns, NS_PER_HOUR);
    ck_assert_str_eq(crash->as.fault.reason, "power supply");
    ck_assert(strstr(crash->source, "scenario.json:") != NULL);
}
END_TEST

START_TEST(every_kind_of_fault_is_read)
{
    const Command *fault = fault_of("\"faults\": [{\"do\": \"node.preempt\", \"job\": \"train\", "
                                    "\"when\": \"job train running for 10m\"}]");
    ck_assert_int_eq(fault->kind, COMMAND_NODE_PREEMPT);
    ck_assert(fault->as.fault.is_of_job);
    ck_assert_int_eq(fault->as.fault.node, 0);
    ck_assert_str_eq(fault->path.experiment, "experiment");
    ck_assert_int_eq(fault->trigger.moment, MOMENT_CONDITION);
    ck_assert_int_eq(fault->trigger.condition->quantity, QUANTITY_JOB_IS_RUNNING);
    ck_assert_int_eq(fault->trigger.condition->for_ns, 10 * NS_PER_MIN);
    fault =
        fault_of("\"faults\": [{\"do\": \"node.slow\", \"cluster\": \"gpu\", \"speed\": \"40%\", "
                 "\"at\": \"5m\"}]");
    ck_assert_int_eq(fault->as.fault.speed_ppm, 400000);
    ck_assert_int_eq(fault->trigger.moment, MOMENT_AT);
    ck_assert_int_eq(fault->trigger.delay_ns, 5 * NS_PER_MIN);
    fault =
        fault_of(GROUPS ", \"faults\": [{\"do\": \"group.crash\", \"group\": \"rack1\", \"at\": "
                        "\"5m\"}]");
    ck_assert_int_eq(fault->kind, COMMAND_GROUP_CRASH);
    ck_assert_str_eq(fault->path.name, "rack1");
    ck_assert_int_eq(fault->as.fault.recovery, RECOVERY_STAYS);
    const NodeGroup *group = fault->as.fault.group;
    ck_assert_int_eq(group->member_count, 2);
    ck_assert_int_eq(group->members[0].last, 4);
    ck_assert_int_eq(group->members[1].first, 9);
    ck_assert_int_eq(group->members[1].last, 9);
    fault = fault_of("\"faults\": [{\"do\": \"region.outage\", \"at\": \"5m\"}]");
    ck_assert_str_eq(fault->path.name, "eastus");
    ck_assert_int_eq(fault->as.fault.duration_ns, INT64_MAX);
    fault =
        fault_of("\"faults\": [{\"do\": \"allocation.fail\", \"cluster\": \"gpu\", \"count\": 3, "
                 "\"at\": \"0s\"}]");
    ck_assert_int_eq(fault->as.fault.count, 3);
    fault = fault_of("\"faults\": [{\"do\": \"share.slow\", \"share\": \"acc/data\", \"speed\": "
                     "\"0%\", \"duration\": \"10m\", \"at\": \"0s\"}]");
    ck_assert_str_eq(fault->path.name, "acc/data");
    ck_assert_int_eq(fault->as.fault.speed_ppm, 0);
    fault = fault_of("\"faults\": [{\"do\": \"job.exit\", \"job\": \"train\", \"exit_code\": 137, "
                     "\"after\": \"job train started + 1m\"}]");
    ck_assert_int_eq(fault->as.fault.exit_code, 137);
    fault = fault_of("\"faults\": [{\"do\": \"quota.change\", \"family\": \"NC\", \"vcpus\": 12, "
                     "\"priority\": \"lowpriority\", \"at\": \"0s\"}]");
    ck_assert_str_eq(fault->path.name, "NC");
    ck_assert_int_eq(fault->as.fault.vcpus, 12);
    ck_assert(fault->as.fault.is_low_priority);
    fault = fault_of("\"faults\": [{\"do\": \"seed.change\", \"seed\": 7, \"at\": \"1h\"}]");
    ck_assert_str_eq(fault->path.name, "7");
    ck_assert_uint_eq(fault->as.fault.seed, 7);
    fault = fault_of("\"faults\": [{\"do\": \"policy.change\", \"policy\": \"srtf\", \"after\": "
                     "\"job train started + 1m\"}]");
    ck_assert_str_eq(fault->path.name, "srtf");
    ck_assert_int_eq(fault->as.fault.policy, POLICY_SRTF);
    fault_of("\"faults\": [{\"do\": \"container.fail\", \"job\": \"train\", \"at\": \"0s\"}]");
    fault_of("\"faults\": [{\"do\": \"preparation.fail\", \"cluster\": \"gpu\", \"at\": \"0s\"}]");
    fault_of("\"faults\": [{\"do\": \"node.reboot\", \"cluster\": \"gpu\", \"at\": \"0s\"}]");
    fault_of(GROUPS
             ", \"faults\": [{\"do\": \"group.preempt\", \"group\": \"all\", \"at\": \"5m\"}]");
}
END_TEST

#define FAULT(text) "\"faults\": [{" text "}]"
#define CRASH(text) FAULT("\"do\": \"node.crash\", \"at\": \"1m\", " text)

START_TEST(invalid_failures_and_faults_are_refused)
{
    static const struct {
        const char *members, *message, *hint;
    } rows[] = {
        {"\"failures\": {\"scale\": -1}", "scale is not a factor", "0 switches"},
        {"\"failures\": {\"scale\": \"1001\"}", "scale is not a factor from 0 to 1000", ""},
        {"\"failures\": {\"scale\": \"much\"}", "scale is not a factor", ""},
        {"\"failures\": {\"scale\": true}", "scale is not a factor", ""},
        {"\"failures\": {\"nodes\": \"meta-rsc3\"}", "unknown failure model \"meta-rsc3\"",
         "did you mean \"meta-rsc1\"?"},
        {"\"failures\": {\"preemption\": \"x\"}", "unknown failure model \"x\"", "llama3-2024"},
        {"\"failures\": {\"mount\": \"101%\"}", "mount is 101%, expected 0% to 100%", ""},
        {"\"failures\": {\"mount\": \"often\"}", "\"often\" is not a ratio", ""},
        {"\"failures\": {\"mount\": 0.1}", "mount is 0.1, expected a string", ""},
        {"\"failures\": {\"slow_nodes\": \"1%\"}", "needs \"slow_node_speed\"", ""},
        {"\"failures\": {\"slow_nodes\": \"1%\", \"slow_node_speed\": \"0%\"}",
         "slow_node_speed is 0%, expected more than 0% and at most 1000%", ""},
        {"\"failures\": {\"nodes\": \"meta-rsc1\", \"detected\": \"50%\"}",
         "\"detected\" needs \"warning\", which is missing", ""},
        {"\"failures\": {\"nodes\": \"meta-rsc1\", \"detected\": \"1%\", \"warning\": \"0s\"}",
         "warning is 0; a health check finds signs some time before the failure", ""},
        {"\"failures\": {\"detected\": \"50%\", \"warning\": \"1h\"}",
         "\"detected\" needs \"nodes\", the model of the failures", "not of groups"},
        {"\"failures\": {\"node\": \"meta-rsc1\"}", "unknown key \"node\"", "nodes"},
        {"\"failures\": {\"groups\": [{\"group\": \"r\", \"model\": \"rack-lanl\"}]}",
         "unknown group \"r\"", "no \"groups\""},
        {GROUPS ", \"failures\": {\"groups\": [{\"group\": \"rack2\", \"model\": \"rack-lanl\"}]}",
         "unknown group \"rack2\"", "did you mean \"rack1\"?"},
        {GROUPS ", \"failures\": {\"groups\": [{\"group\": \"all\", \"model\": \"rack-lanl\"}, "
                "{\"group\": \"all\", \"model\": \"meta-rsc1\"}]}",
         "group \"all\" has two failure models", ""},
        {"\"groups\": [{\"name\": \"r\"}]", "either \"cluster\" or \"clusters\"", ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"clusters\": [\"gpu\"]}]",
         "either \"cluster\" or \"clusters\"", ""},
        {"\"groups\": [{\"name\": \"r\", \"clusters\": [\"gpu\"], \"nodes\": \"1\"}]",
         "\"nodes\" needs \"cluster\"", ""},
        {"\"groups\": [{\"name\": \"r\", \"clusters\": []}]", "not a list of names", ""},
        {"\"groups\": [{\"name\": \"r\", \"clusters\": [1]}]", "is not a name", ""},
        {"\"groups\": [{\"name\": \"r\", \"clusters\": [\"gpu\", \"gpu\"]}]", "listed twice", ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gqu\"}]", "unknown cluster \"gqu\"",
         "did you mean \"gpu\"?"},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"nodes\": \"0\"}]", "not 0", ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"nodes\": \"4-1\"}]", "not 4-1",
         ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"nodes\": \"1-\"}]", "not 1-", ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"nodes\": \"\"}]", "places", ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"nodes\": \"1-3,\"}]", "places",
         ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"nodes\": "
         "\"11111111111111111111111\"}]",
         "places", ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\", \"nodes\": \"1-3, 2\"}]",
         "listed twice in cluster gpu", ""},
        {"\"groups\": [{\"name\": \"r\", \"cluster\": \"gpu\"}, {\"name\": \"r\", \"cluster\": "
         "\"gpu\"}]",
         "two groups \"r\"", ""},
        {FAULT("\"do\": \"node.burn\", \"at\": \"1m\""), "unknown do \"node.burn\"", "node.crash"},
        {FAULT("\"do\": \"job.create\", \"at\": \"1m\""), "unknown do", ""},
        {FAULT("\"do\": \"node.crash\", \"cluster\": \"gpu\""), "one of them", ""},
        {CRASH("\"cluster\": \"gpu\", \"after\": \"job train started\""), "one of them", ""},
        {FAULT("\"do\": \"node.crash\", \"cluster\": \"gpu\", \"after\": \"job train started\", "
               "\"when\": \"job train running\""),
         "one of them", ""},
        {FAULT("\"do\": \"node.crash\", \"cluster\": \"gpu\", \"after\": \"job trai started\""),
         "unknown job \"trai\"", "did you mean \"train\"?"},
        {FAULT("\"do\": \"node.crash\", \"cluster\": \"gpu\", \"when\": \"cluster cpu idle > 1\""),
         "unknown cluster \"cpu\"", "did you mean \"gpu\"?"},
        {FAULT("\"do\": \"node.crash\", \"cluster\": \"gpu\", \"when\": \"share acc/x transfers > "
               "1\""),
         "unknown share \"acc/x\"", ""},
        {FAULT("\"do\": \"node.crash\", \"cluster\": \"gpu\", \"when\": \"cluster gpu idle\""),
         "needs a number to compare with", ""},
        {CRASH("\"job\": \"train\", \"cluster\": \"gpu\""), "one of them", ""},
        {CRASH("\"node\": 1"), "one of them", ""},
        {CRASH("\"cluster\": \"cpu\""), "unknown cluster \"cpu\"", "did you mean \"gpu\"?"},
        {CRASH("\"job\": \"x\""), "unknown job \"x\"", ""},
        {CRASH("\"cluster\": \"gpu\", \"node\": 0"), "node is 0, expected 1", ""},
        {CRASH("\"cluster\": \"gpu\", \"speed\": \"50%\""), "node.crash takes no \"speed\"", ""},
        {FAULT("\"do\": \"job.exit\", \"job\": \"train\", \"exit_code\": 1, \"at\": \"1m\", "
               "\"zzzzzz\": 1"),
         "unknown key \"zzzzzz\" in this fault",
         "known: do, at, every, after, when, job, exit_code"},
        {FAULT("\"do\": \"job.exit\", \"job\": \"train\", \"exit_code\": 1, \"at\": \"1m\", "
               "\"sped\": 1"),
         "unknown key \"sped\" in this fault", "known: do, at, every, after, when, job, exit_code"},
        {FAULT("\"do\": \"job.exti\", \"job\": \"train\", \"zzzzzz\": 1"),
         "unknown key \"zzzzzz\" in this fault", "share, group, node"}, // of all kinds
        {CRASH("\"cluster\": \"gpu\", \"recovery\": \"repair\""), "unknown recovery", "reboot"},
        {CRASH("\"cluster\": \"gpu\", \"recovery\": \"reboot\""), "needs \"duration\"", ""},
        {CRASH("\"cluster\": \"gpu\", \"duration\": \"1h\""), "is not repaired", "\"reboot\""},
        {FAULT("\"do\": \"node.slow\", \"cluster\": \"gpu\", \"at\": \"1m\""),
         "node.slow needs \"speed\"", ""},
        {FAULT("\"do\": \"node.slow\", \"cluster\": \"gpu\", \"speed\": \"0%\", \"at\": \"1m\""),
         "speed is 0%, expected more than 0%", ""},
        {FAULT("\"do\": \"share.slow\", \"share\": \"acc/data\", \"speed\": \"101%\", \"at\": "
               "\"1m\""),
         "speed is 101%, expected 0% to 100%", ""},
        {FAULT("\"do\": \"quota.change\", \"family\": \"XX\", \"vcpus\": 1, \"at\": \"1m\""),
         "unknown quota \"XX\"", ""},
        {FAULT("\"do\": \"quota.change\", \"family\": \"NC\", \"at\": \"1m\""), "vcpus", ""},
        {FAULT("\"do\": \"queue.change\", \"cluster\": \"gpu\", \"queue\": \"q\", \"gpus\": 1, "
               "\"at\": \"1m\""),
         "queue.change needs a cluster that has queues", ""},
        {FAULT("\"do\": \"seed.change\", \"at\": \"1m\""), "seed.change needs \"seed\"", ""},
        {FAULT("\"do\": \"seed.change\", \"seed\": -1, \"at\": \"1m\""), "seed is -1", ""},
        {FAULT("\"do\": \"policy.change\", \"at\": \"1m\""), "policy.change needs \"policy\"", ""},
        {FAULT("\"do\": \"policy.change\", \"policy\": \"sjf\", \"at\": \"1m\""),
         "unknown policy \"sjf\"", "srtf"},
        {FAULT("\"do\": \"share.slow\", \"share\": \"acc/dta\", \"speed\": \"1%\", \"at\": \"1m\""),
         "unknown share \"acc/dta\"", "did you mean \"acc/data\"?"},
        {FAULT("\"do\": \"group.crash\", \"at\": \"1m\""), "group.crash needs \"group\"", ""},
        {FAULT("\"do\": \"group.crash\", \"group\": \"r\", \"at\": \"1m\""), "unknown group", ""},
        {FAULT("\"do\": \"job.exit\", \"job\": \"train\", \"at\": \"1m\""), "needs \"exit_code\"",
         ""},
        {FAULT("\"do\": \"job.exit\", \"job\": \"train\", \"exit_code\": 256, \"at\": \"1m\""),
         "exit_code is 256, expected 0 to 255", ""},
        {FAULT("\"do\": \"region.outage\", \"cluster\": \"gpu\", \"at\": \"1m\""),
         "region.outage takes no \"cluster\"", ""},
        {"\"faults\": {}", "faults is an object", ""},
        {"\"faults\": [1]", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        bool is_found = false;
        ck_assert_msg(read_with(rows[i].members, &problems) == NULL, "%s", rows[i].members);
        for (int32_t j = 0; j < problems.kept && !is_found; j++)
            is_found = strstr(problems.items[j].message, rows[i].message) != NULL &&
                       strstr(problems.items[j].hint, rows[i].hint) != NULL &&
                       problems.items[j].at.line > 0;
        ck_assert_msg(is_found, "%s\n  %d problems, first %s (%s)", rows[i].members,
                      (int)problems.count, problems.items[0].message, problems.items[0].hint);
    }
}
END_TEST

#define GROUP_MODELS "{\"groups\": [{\"group\": \"all\", \"model\": \"rack-lanl\"}]}"

START_TEST(failures_without_an_end_are_refused)
{
    static const struct {
        const char *members;
        const char *at; /* the value that never ends; NULL: there is none */
    } rows[] = {
        {"\"failures\": {\"nodes\": \"meta-rsc1\"}", "\"meta-rsc1\""},
        {"\"failures\": {\"preemption\": \"aws-spot-k80\"}", "\"aws-spot-k80\""},
        {GROUPS ", \"failures\": " GROUP_MODELS, GROUP_MODELS},
        {"\"failures\": {\"scale\": \"0.001\", \"nodes\": \"meta-rsc1\"}", "\"meta-rsc1\""},
        {"\"failures\": {\"scale\": 0, \"nodes\": \"meta-rsc1\"}", NULL},
        {"\"failures\": {\"mount\": \"50%\", \"allocation\": \"50%\"}", NULL},
        {"\"failures\": {\"groups\": []}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        bool is_read = read_endless(rows[i].members, &problems) != NULL;
        ck_assert_msg(is_read == (rows[i].at == NULL), "%s", rows[i].members);
        ck_assert_int_eq(problems.count, !is_read);
        if (is_read)
            continue;
        int64_t column = strstr(rows[i].members, rows[i].at) - rows[i].members + 3; // after "  "
        ck_assert_str_eq(problems.items[0].message,
                         "failures never stop, and the scenario does not say when the run ends");
        ck_assert(strstr(problems.items[0].hint, "\"until\"") != NULL);
        ck_assert_int_eq(problems.items[0].at.column, column);
    }
}
END_TEST

START_TEST(a_fault_is_not_allowed_as_a_command)
{
    Problems problems = problems_create(arena);
    const char *text = with_change(arena, small_scenario_text, "\"do\": \"cluster.delete\"",
                                   "\"do\": \"region.outage\"");
    memory_files_set(&files, "scenario.json", text, strlen(text));
    ck_assert(scenario_read(arena, memory_files_source(&files), "scenario.json",
                            (ScenarioOverrides){0}, &problems) == NULL);
    ck_assert(strstr(problems.items[0].message, "unknown do \"region.outage\"") != NULL);
}
END_TEST

START_TEST(unknown_models_get_a_hint_to_their_catalogue)
{
    Problems problems = problems_create(arena);
    const char *text =
        with_change(arena, small_scenario_text, "  \"commands\": [",
                    "  \"until\": \"30d\", \"failures\": {\"nodes\": \"meta-rsc1\"}, "
                    "\"commands\": [");
    memory_files_set(&files, "scenario.json", text, strlen(text));
    ck_assert(scenario_read(arena, memory_files_source(&files), "scenario.json",
                            (ScenarioOverrides){0}, &problems) == NULL);
    ck_assert_int_eq(problems.count, 1);
    ck_assert(strstr(problems.items[0].hint, "catalog/failures.json") != NULL);
}
END_TEST

START_TEST(every_effective_value_is_explained)
{
    Problems problems;
    const ScenarioFile *file = read_with(
        GROUPS
        ", \"failures\": {\"nodes\": \"META-rsc1\", \"mount\": \"1%\"}, \"faults\": [{\"do\": "
        "\"node.crash\", \"cluster\": \"gpu\", \"when\": \"cluster gpu idle >= 2\"}]",
        &problems);
    ck_assert(file != NULL);
    Text text = {0};
    explanation_print(&text, &file->explanation);
    static const char *const lines[] = {
        "failures scale = 1  # default",
        "failures mount = 1%  # scenario.json:",
        "failures setup = 0%  # default",
        "faults[0] recovery = stays  # default",
        "node.crash gpu = when cluster gpu idle >= 2",
        "groups[0] nodes = 1-4, 9",
        "failure_models/meta-rsc1/between = {\"exponential\":\"3692.3h\"}  # catalog/",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        ck_assert_msg(strstr(text_string(&text), lines[i]) != NULL, "%s is not in\n%s", lines[i],
                      text_string(&text));
    ck_assert(strstr(text_string(&text), "failure_models/meta-rsc2") == NULL);
    text_free(&text);
}
END_TEST

START_TEST(api_faults_are_checked_and_have_no_effect_in_a_run)
{
    static const struct {
        const char *rule, *problem; /* NULL: none */
    } rows[] = {
        {"{\"do\": \"api.error\", \"status\": 429, \"retry_after\": \"2s\"}", NULL},
        {"{\"do\": \"api.reset\", \"path\": \"*/jobs/*\", \"chance\": \"12.5%\"}", NULL},
        {"{\"do\": \"api.error\", \"status\": 200}", "status is 200, expected 400 to 599"},
        {"{\"do\": \"api.slow\", \"rate\": \"0B/s\"}", "rate is 0"},
        {"{\"do\": \"api.error\", \"chance\": \"often\"}", "\"often\" is not a chance"},
        {"{\"do\": \"node.crash\"}", "unknown do \"node.crash\""},
        {"{\"do\": \"api.error\", \"at\": \"5m\"}", "unknown key \"at\" in this api_fault"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Problems problems;
        const ScenarioFile *file =
            read_with(arena_printf(arena, "\"api_faults\": [%s]", rows[i].rule), &problems);
        if (rows[i].problem) {
            ck_assert_ptr_null(file);
            ck_assert_int_eq(problems.count, 1);
            ck_assert_str_eq(problems.items[0].message, rows[i].problem);
            ck_assert_int_gt(problems.items[0].at.column, 0);
        } else {
            ck_assert_ptr_nonnull(file);
            ck_assert_int_eq(file->warnings.count, 1);
            ck_assert_ptr_nonnull(strstr(file->warnings.items[0].message, "a run has none"));
        }
    }
}
END_TEST

/* The memory of reading the small scenario with so many more jobs, and faults of the last one. */
static size_t bytes_of(int32_t jobs, int32_t count)
{
    Text commands = {0}, faults = {0};
    for (int32_t i = 1; i <= jobs; i++)
        text_printf(
            &commands,
            "{\"at\": \"1h\", \"do\": \"job.create\", \"name\": \"j%d\", \"cluster\": \"gpu\", "
            "\"config\": \"job.json\"},\n",
            (int)i);
    for (int32_t i = 0; i < count; i++)
        text_printf(
            &faults,
            "%s{\"do\": \"job.exit\", \"job\": \"workspace/experiment/J%d\", \"at\": \"2h\", "
            "\"exit_code\": 1}",
            i > 0 ? ", " : "", (int)jobs);
    const char *text = with_change(arena, small_scenario_text, "  \"commands\": [",
                                   arena_printf(arena, "  \"faults\": [%s],\n  \"commands\": [%s",
                                                text_string(&faults), text_string(&commands)));
    text_free(&commands);
    text_free(&faults);
    memory_files_set(&files, "scenario.json", text, strlen(text));
    Problems problems = problems_create(arena);
    const size_t before = arena_bytes(arena);
    const ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                             (ScenarioOverrides){0}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return arena_bytes(arena) - before;
}

/* Names are looked up: no list of all jobs is made for each fault. */
START_TEST(a_fault_costs_the_same_among_any_number_of_jobs)
{
    enum { COUNT = 500, BYTES_OF_A_FAULT = 4096 };
    const size_t one = bytes_of(COUNT, 1), many = bytes_of(COUNT, COUNT);
    ck_assert_uint_le(many - one, (size_t)COUNT * BYTES_OF_A_FAULT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("failures_read");
    TCase *tests = tcase_create("failures_read");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, without_settings_nothing_fails);
    tcase_add_test(tests, preemption_by_family_has_the_models_of_the_catalogue);
    tcase_add_test(tests, the_mean_time_between_failures_follows_from_the_published_counts);
    tcase_add_test(tests, failures_are_bound_with_their_models_and_chances);
    tcase_add_test(tests, one_line_scales_all_failures_or_switches_them_off);
    tcase_add_test(tests, faults_follow_the_commands);
    tcase_add_test(tests, every_kind_of_fault_is_read);
    tcase_add_test(tests, invalid_failures_and_faults_are_refused);
    tcase_add_test(tests, failures_without_an_end_are_refused);
    tcase_add_test(tests, a_fault_is_not_allowed_as_a_command);
    tcase_add_test(tests, unknown_models_get_a_hint_to_their_catalogue);
    tcase_add_test(tests, every_effective_value_is_explained);
    tcase_add_test(tests, api_faults_are_checked_and_have_no_effect_in_a_run);
    tcase_add_test(tests, a_fault_costs_the_same_among_any_number_of_jobs);
    suite_add_tcase(suite, tests);
    return suite;
}
