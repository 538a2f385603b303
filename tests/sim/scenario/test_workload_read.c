/* Workloads and policies in scenario files. */
#include "sim/scenario/command/workload_read.h"

#include <string.h>

#include "sim/base/units.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;

/* The small scenario runs one job, and these workloads are added. The config's nodeCount is 2. */
static const char workload_text[] = "\"workloads\": [{\"name\": \"load\", \"cluster\": \"gpu\", "
                                    "\"config\": \"job.json\", \"rate\": \"12/h\", \"jobs\": 50}],";

static void set_up(void)
{
    arena = arena_create();
    files = small_scenario(arena);
    const char *text = with_change(arena, small_scenario_text, "\"commands\"",
                                   arena_printf(arena, "%s \"commands\"", workload_text));
    memory_files_set(&files, "scenario.json", text, strlen(text));
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static ScenarioFile *read_with(const char *const *sets, int32_t count, Problems *problems)
{
    *problems = problems_create(arena);
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.count = count, .items = sets, .explains = true},
                         problems);
}

static const Workload *sound(const char *const *sets, int32_t count)
{
    Problems problems;
    const ScenarioFile *file = read_with(sets, count, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_int_eq(file->scenario.workload_count, 1);
    return &file->scenario.workloads[0];
}

START_TEST(a_workload_has_the_defaults_of_the_format)
{
    const Workload *load = sound(NULL, 0);
    ck_assert_str_eq(load->name, "load");
    ck_assert_str_eq(load->path.group, "batchai");
    ck_assert_str_eq(load->path.workspace, "workspace");
    ck_assert_str_eq(load->path.experiment, "experiment");
    ck_assert_ptr_null(load->path.name);
    ck_assert_str_eq(load->cluster.name, "gpu");
    ck_assert_ptr_null(load->cluster.experiment);
    ck_assert_int_eq(load->arrivals, ARRIVALS_POISSON);
    ck_assert_int_eq(load->rate.micro, 12 * PPM);
    ck_assert_int_eq(load->rate.period_ns, NS_PER_HOUR);
    ck_assert_int_eq(load->jobs_max, 50);
    ck_assert_int_eq(load->begin_ns, 0);
    ck_assert_int_eq(load->end_ns, INT64_MAX);
    ck_assert_int_eq(load->spec_count, 1);
    ck_assert_int_eq(load->probability_ppm[0], PPM);
    ck_assert_int_eq(load->specs[0]->nodes, 2);
    ck_assert_int_eq(load->specs[0]->program->epochs, 2); // ceil(4 / 2 ranks)
    // Without a stated duration a job is expected to take its whole time limit.
    ck_assert_int_eq(load->specs[0]->expected_ns, load->specs[0]->max_wall_clock_ns);
}
END_TEST

START_TEST(rates_are_read_exactly)
{
    static const struct {
        const char *text;
        ArrivalRate rate;
    } rows[] = {{"100/day", {100000000, NS_PER_DAY}},    {"0.5/d", {500000, NS_PER_DAY}},
                {"1.25/h", {1250000, NS_PER_HOUR}},      {"2/min", {2000000, NS_PER_MIN}},
                {"0.001/s", {1000, NS_PER_S}},           {"200/week", {200000000, 7 * NS_PER_DAY}},
                {"200/7d", {200000000, 7 * NS_PER_DAY}}, {"30/1h30m", {30000000, 90 * NS_PER_MIN}},
                {"100/s", {100000000, NS_PER_S}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *set = arena_printf(arena, "/workloads/0/rate=%s", rows[i].text);
        const ArrivalRate rate = sound(&set, 1)->rate;
        ck_assert_msg(rate.micro == rows[i].rate.micro, "%s", rows[i].text);
        ck_assert_msg(rate.period_ns == rows[i].rate.period_ns, "%s", rows[i].text);
    }
}
END_TEST

/* The first workload with `members` instead of the fixture's rate and number of jobs; NULL if there
 * are problems. */
static const Workload *counted(const char *members, Problems *problems)
{
    const MemoryFiles kept = files;
    const char *text = with_change(arena, small_scenario_text, "\"commands\"",
                                   arena_printf(arena, "%s \"commands\"", workload_text));
    text = with_change(arena, text, "\"rate\": \"12/h\", \"jobs\": 50", members);
    memory_files_set(&files, "scenario.json", text, strlen(text));
    const ScenarioFile *file = read_with(NULL, 0, problems);
    files = kept;
    return file != NULL ? &file->scenario.workloads[0] : NULL;
}

START_TEST(a_count_in_a_period_replaces_the_rate)
{
    Problems problems;
    const Workload *load = counted("\"count\": 200, \"within\": \"7d\"", &problems);
    ck_assert_int_eq(load->count, 200);
    ck_assert_int_eq(load->within_ns, 7 * NS_PER_DAY);
    ck_assert_int_eq(load->end_ns, 7 * NS_PER_DAY); // one period
    load =
        counted("\"count\": 200, \"within\": \"7d\", \"jobs\": 300, \"begin\": \"1d\"", &problems);
    ck_assert_int_eq(load->end_ns, INT64_MAX);
    load = counted("\"count\": 200, \"within\": \"7d\", \"begin\": \"1d\"", &problems);
    ck_assert_int_eq(load->end_ns, 8 * NS_PER_DAY);
    static const struct {
        const char *members, *expected;
    } rows[] = {
        {"\"jobs\": 5", "does not say how many jobs arrive"},
        {"\"jobs\": 5, \"count\": 5", "\"count\" needs \"within\""},
        {"\"jobs\": 5, \"within\": \"7d\"", "\"within\" needs \"count\""},
        {"\"rate\": \"1/h\", \"count\": 5, \"within\": \"7d\"", "here are both"},
        {"\"count\": 5, \"within\": \"0s\"", "more than 10,000,000 arrivals a day"},
        {"\"count\": 1000000, \"within\": \"1h\"", "more than 10,000,000 arrivals a day"},
        {"\"count\": 0, \"within\": \"1h\"", "count is 0, expected 1 to 1000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_ptr_null(counted(rows[i].members, &problems));
        ck_assert_msg(problems.count == 1 &&
                          strstr(problems.items[0].message, rows[i].expected) != NULL,
                      "%s: %s", rows[i].members, problems.items[0].message);
    }
}
END_TEST

START_TEST(each_number_of_nodes_has_its_own_job)
{
    static const char *const sets[] = {"/workloads/0/nodes={\"1\": \"70%\", \"2\": \"0.3\"}",
                                       "/workloads/0/expected=30m"};
    const Workload *load = sound(sets, 2);
    ck_assert_int_eq(load->spec_count, 2);
    for (int32_t i = 0; i < 2; i++) {
        ck_assert_int_eq(load->specs[i]->nodes, i + 1);
        ck_assert_int_eq(load->specs[i]->processes, i + 1);
        ck_assert_int_eq(load->specs[i]->expected_ns, 30 * NS_PER_MIN);
        ck_assert_int_eq(load->probability_ppm[i], i == 0 ? 700000 : 300000);
    }
    ck_assert_int_eq(load->specs[0]->program->epochs, 4); // ceil(4 / 1 rank)
}
END_TEST

START_TEST(arrivals_are_read_with_their_hours_or_bursts)
{
    static const char *const daily[] = {
        "/workloads/0/arrivals=diurnal", "/workloads/0/end=30d",
        "/workloads/0/hours=[0,0,0,0,0,0,0,0.25,1,1,1,1,1,1,1,1,2.5,1,1,0,0,0,0,0]"};
    const Workload *load = sound(daily, 3);
    ck_assert_int_eq(load->arrivals, ARRIVALS_DIURNAL);
    ck_assert_int_eq(load->factors[7], FACTOR_ONE / 4);
    ck_assert_int_eq(load->factors[6 * HOURS_A_DAY + 16], FACTOR_ONE * 5 / 2);
    ck_assert_int_eq(load->end_ns, 30 * NS_PER_DAY);
    ck_assert_int_eq(load->factors[HOURS_A_WEEK - 1], 0);
    ck_assert_int_eq(week_factors_cycle(load->factors), HOURS_A_DAY);
    static const char *const bursts[] = {"/workloads/0/arrivals=bursts", "/workloads/0/burst=10",
                                         "/workloads/0/begin=1h"};
    load = sound(bursts, 3);
    ck_assert_ptr_null(load->factors);
    ck_assert_int_eq(load->burst_jobs, 10);
    ck_assert_int_eq(load->begin_ns, NS_PER_HOUR);
}
END_TEST

#define EIGHT(factor)                                                                              \
    factor "," factor "," factor "," factor "," factor "," factor "," factor "," factor
#define DAY(factor) EIGHT(factor) "," EIGHT(factor) "," EIGHT(factor)
#define FIVE_DAYS(factor)                                                                          \
    DAY(factor) "," DAY(factor) "," DAY(factor) "," DAY(factor) "," DAY(factor)

START_TEST(factors_of_hours_and_of_weekdays_are_multiplied)
{
    static const char diurnal[] = "/workloads/0/arrivals=diurnal";
    static const char *const both[] = {
        diurnal, "/workloads/0/hours=[" EIGHT("0.5") "," EIGHT("2") "," EIGHT("0.000001") "]",
        "/workloads/0/weekdays=[1.5,1,1,1,1,0,0.000001]"};
    const Workload *load = sound(both, 3);
    ck_assert_int_eq(load->factors[0], FACTOR_ONE * 3 / 4);
    ck_assert_int_eq(load->factors[8], FACTOR_ONE * 3);
    ck_assert_int_eq(load->factors[HOURS_A_DAY], FACTOR_ONE / 2);
    ck_assert_int_eq(load->factors[5 * HOURS_A_DAY + 8], 0);
    ck_assert_int_eq(load->factors[HOURS_A_WEEK - 1], 1); // the smallest product
    static const char *const days[] = {diurnal, "/workloads/0/weekdays=[1,1,1,1,1,0,100]"};
    load = sound(days, 2);
    ck_assert_int_eq(load->factors[0], FACTOR_ONE);
    ck_assert_int_eq(load->factors[HOURS_A_WEEK - 1], 100 * FACTOR_ONE);
    // The hours of a whole week, in which weekends differ from the other days.
    static const char *const week[] = {
        diurnal, "/workloads/0/hours=[" FIVE_DAYS("1.2") "," DAY("0.5") "," DAY("0") "]"};
    load = sound(week, 2);
    ck_assert_int_eq(load->factors[119], FACTOR_ONE * 6 / 5);
    ck_assert_int_eq(load->factors[120], FACTOR_ONE / 2);
    ck_assert_int_eq(load->factors[144], 0);
    static const char *const equal[] = {diurnal, "/workloads/0/weekdays=[2,2,2,2,2,2,2]"};
    ck_assert_int_eq(week_factors_cycle(sound(equal, 2)->factors), HOURS_A_DAY);
}
END_TEST

START_TEST(factors_that_no_week_has_are_refused)
{
    static const struct {
        const char *members, *expected;
    } rows[] = {
        {"\"weekdays\": [1,1,1,1,1,1]", "weekdays are 7 factors in an array, the first for Monday"},
        {"\"weekdays\": 7", "weekdays are 7 factors in an array"},
        {"\"weekdays\": [1,1,1,1,1,-1,1]",
         "the factor of weekday 6 is not a number from 0 to 100 with at most six decimals"},
        {"\"weekdays\": [1,1,1,1,1,1,\"1\"]", "the factor of weekday 7 is not a number"},
        {"\"weekdays\": [100.1,1,1,1,1,1,1]", "the factor of weekday 1 is not a number"},
        {"\"weekdays\": [0.0000001,1,1,1,1,1,1]", "the factor of weekday 1 is not a number"},
        {"\"weekdays\": [0,0,0,0,0,0,0]", "all hours of the week have the factor 0"},
        {"\"hours\": [" DAY("0") "]", "all hours of the week have the factor 0"},
        {"\"hours\": [" FIVE_DAYS("0") "," DAY("1") "," DAY("1") "], \"weekdays\": [1,1,1,1,1,0,0]",
         "all hours of the week have the factor 0"},
        {"\"hours\": [1,2,3]",
         "hours are 24 factors in an array, one for each hour of the day, or 168"},
        {"\"hours\": [" FIVE_DAYS("1") "," DAY("1") "," EIGHT("1") "," EIGHT("1") "," EIGHT(
             "101") "]",
         "the factor of hour 160 is not a number"},
        {"\"jobs\": 5", "arrivals \"diurnal\" need \"hours\", which is missing"},
    };
    Problems problems;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_ptr_null(counted(
            arena_printf(arena,
                         "\"rate\": \"2/h\", \"end\": \"30d\", \"arrivals\": \"diurnal\", %s",
                         rows[i].members),
            &problems));
        ck_assert_msg(problems.count == 1 && strncmp(problems.items[0].message, rows[i].expected,
                                                     strlen(rows[i].expected)) == 0,
                      "%s: %s", rows[i].members, problems.items[0].message);
    }
    ck_assert_ptr_null(
        counted("\"rate\": \"2/h\", \"jobs\": 5, \"weekdays\": [1,1,1,1,1,1,1]", &problems));
    ck_assert_str_eq(problems.items[0].message, "\"weekdays\" is for arrivals \"diurnal\" only");
}
END_TEST

START_TEST(a_period_of_exact_counts_has_all_factors)
{
    static const char head[] = "\"count\": 5, \"arrivals\": \"diurnal\", ";
    static const struct {
        const char *members, *expected;
    } rows[] = {
        {"\"within\": \"1d\", \"hours\": [" DAY("2") "]", NULL},
        {"\"within\": \"1d\", \"weekdays\": [2,2,2,2,2,2,2]", NULL},
        {"\"within\": \"7d\", \"weekdays\": [1,1,1,1,1,0,0]", NULL},
        {"\"within\": \"23h\", \"hours\": [" DAY("2") "]",
         "\"within\" of diurnal arrivals is at least a day"},
        {"\"within\": \"167h\", \"weekdays\": [1,1,1,1,1,0,0]",
         "\"within\" of arrivals whose rate depends on the weekday is at least 7d"},
        {"\"within\": \"1d\", \"hours\": [" FIVE_DAYS("1") "," DAY("1") "," DAY("0") "]",
         "\"within\" of arrivals whose rate depends on the weekday is at least 7d"},
    };
    Problems problems;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Workload *load =
            counted(arena_printf(arena, "%s%s", head, rows[i].members), &problems);
        ck_assert_msg((load != NULL) == (rows[i].expected == NULL), "%s", rows[i].members);
        if (load == NULL)
            ck_assert_str_eq(problems.items[0].message, rows[i].expected);
    }
}
END_TEST

START_TEST(the_experiment_of_a_workload_is_created_at_the_start)
{
    static const char *const sets[] = {"/workloads/0/experiment=nightly"};
    Problems problems;
    const ScenarioFile *file = read_with(sets, 1, &problems);
    ck_assert_str_eq(file->scenario.workloads[0].path.experiment, "nightly");
    int32_t made = 0;
    for (int32_t i = 0; i < file->scenario.command_count; i++) {
        const Command *command = &file->scenario.commands[i];
        made += command->kind == COMMAND_EXPERIMENT_CREATE &&
                strcmp(command->path.name, "nightly") == 0;
    }
    ck_assert_int_eq(made, 1);
}
END_TEST

START_TEST(the_letters_of_a_clusters_name_may_have_another_case)
{
    static const char *const sets[] = {"/workloads/0/cluster=GPU"};
    ck_assert_str_eq(sound(sets, 1)->cluster.name, "GPU"); // as for jobs: the service ignores case
}
END_TEST

START_TEST(the_cluster_may_be_named_in_the_config)
{
    const char *text = with_change(arena, small_scenario_text, "\"commands\"",
                                   "\"workloads\": [{\"name\": \"load\", \"config\": \"job.json\", "
                                   "\"rate\": \"12/h\", \"jobs\": 50}], \"commands\"");
    memory_files_set(&files, "scenario.json", text, strlen(text));
    static const char *const sets[] = {
        "/workloads/0/config/properties/cluster={\"id\": \"/x/clusters/gpu\"}"};
    ck_assert_str_eq(sound(sets, 1)->cluster.name, "gpu");
    Problems problems;
    ck_assert_ptr_null(read_with(NULL, 0, &problems));
    ck_assert_str_eq(problems.items[0].message, "workload \"load\" has no cluster to run on");
}
END_TEST

START_TEST(commands_may_refer_to_future_jobs_of_a_workload)
{
    static const char *const sets[] = {
        "/commands/2/after=job load-50 completed",
        "/commands/3={\"after\": \"job load-1 started\", \"do\": \"job.terminate\", "
        "\"name\": \"load-1\"}"};
    sound(sets, 2);
    static const char *const others[] = {"load-0", "load-", "load-01", "load-1x", "load", "loa-1"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *set = arena_printf(arena, "/commands/2/after=job %s completed", others[i]);
        Problems problems;
        ck_assert_msg(read_with(&set, 1, &problems) == NULL, "%s", others[i]);
        ck_assert_ptr_nonnull(strstr(problems.items[0].message, "unknown job"));
    }
}
END_TEST

static bool says(const Problems *problems, const char *start)
{
    for (int32_t i = 0; i < problems->count; i++)
        if (strncmp(problems->items[i].message, start, strlen(start)) == 0)
            return true;
    return false;
}

START_TEST(a_mistake_is_reported_once_with_its_position)
{
    static const struct {
        const char *set, *message;
    } rows[] = {
        {"/workloads/0/rate=\"12\"", "\"12\" is not a rate"},
        {"/workloads/0/rate=1.2345678/h", "\"1.2345678/h\" is not a rate"},
        {"/workloads/0/rate=-1/h", "\"-1/h\" is not a rate"},
        {"/workloads/0/rate=0/h", "a rate of 0/h, expected more than 0 and at most 10,000,000/day"},
        {"/workloads/0/rate=200/s",
         "a rate of 200/s, expected more than 0 and at most 10,000,000/day"},
        {"/workloads/0/arrivals=diurnal", "arrivals \"diurnal\" need \"hours\", which is missing"},
        {"/workloads/0/arrivals=bursts", "arrivals \"bursts\" need \"burst\", which is missing"},
        {"/workloads/0/burst=3", "\"burst\" is for arrivals \"bursts\" only"},
        {"/workloads/0/jobs=null", "the jobs of this workload never stop arriving"},
        {"/workloads/0/end=0s", "the workload ends before it begins"},
        {"/workloads/0/cluster=gpus", "unknown cluster \"gpus\""},
        {"/workloads/0/nodes={\"1\": \"70%\", \"2\": \"25%\"}",
         "the shares of \"nodes\" add up to 95.0000 %, expected 100 %"},
        {"/workloads/0/nodes={}", "the shares of \"nodes\" add up to 0.0000 %, expected 100 %"},
        {"/workloads/0/nodes={\"0\": \"100%\"}", "\"0\" is not a number of nodes"},
        {"/workloads/0/nodes={\"1\": 100}",
         "the share of jobs with 1 nodes is not a text such as \"70%\""},
        {"/workloads/0/nodes=[1]",
         "nodes is not an object such as {\"1\": \"70%\", \"4\": \"30%\"}"},
        {"/workloads/0/name=lo ad", "name \"lo ad\" has a ' '"},
        {"/commands/1/name=load-3", "\"load-3\" is the name of a job of workload \"load\""},
        {"/policy=fifo", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        ck_assert_msg(read_with(&rows[i].set, 1, &problems) == NULL, "%s", rows[i].set);
        ck_assert_msg(rows[i].message == NULL || says(&problems, rows[i].message), "%s: %s",
                      rows[i].set, problems.items[0].message);
        ck_assert_msg(problems.items[0].at.source != NULL, "%s", problems.items[0].message);
        for (int32_t j = 1; j < problems.count; j++)
            ck_assert_msg(strcmp(problems.items[j].message, problems.items[j - 1].message) != 0,
                          "%s twice", problems.items[j].message);
    }
}
END_TEST

START_TEST(two_workloads_must_have_different_names)
{
    const char *text = with_change(
        arena, small_scenario_text, "\"commands\"",
        "\"workloads\": [{\"name\": \"load\", \"cluster\": \"gpu\", \"config\": \"job.json\", "
        "\"rate\": \"12/h\", \"jobs\": 5}, {\"name\": \"load\", \"cluster\": \"gpu\", "
        "\"config\": \"job.json\", \"rate\": \"1/h\", \"end\": \"2d\"}], \"commands\"");
    memory_files_set(&files, "scenario.json", text, strlen(text));
    Problems problems;
    ck_assert_ptr_null(read_with(NULL, 0, &problems));
    ck_assert_str_eq(problems.items[0].message, "there is a workload \"load\" already");
}
END_TEST

START_TEST(the_end_of_the_scenario_may_end_a_workload)
{
    static const char *const sets[] = {"/workloads/0/jobs=null", "/until=2d"};
    ck_assert_int_eq(sound(sets, 2)->jobs_max, INT64_MAX);
}
END_TEST

START_TEST(the_policy_and_the_expected_durations_are_read)
{
    static const char *const sets[] = {"/policy=fair-share", "/commands/1/expected=45m"};
    Problems problems;
    const ScenarioFile *file = read_with(sets, 2, &problems);
    ck_assert_int_eq(file->scenario.policy, POLICY_FAIR_SHARE);
    const Command *last = &file->scenario.commands[file->scenario.command_count - 2];
    ck_assert_int_eq(last->kind, COMMAND_JOB_CREATE);
    ck_assert_int_eq(last->as.job_create.spec->expected_ns, 45 * NS_PER_MIN);
}
END_TEST

START_TEST(the_cost_of_preemption_has_defaults_by_size)
{
    static const char *const sets[] = {"/policy=srtf", "/preemption_cost={\"to_8_gpus\": \"2m\"}"};
    for (int32_t count = 0; count <= 2; count++) {
        Problems problems;
        const Scenario *scenario = &read_with(sets, count, &problems)->scenario;
        ck_assert_int_eq(scenario->policy, count > 0 ? POLICY_SRTF : POLICY_SERVICE);
        ck_assert_int_eq(scenario->preemption_cost.one_ns, 7 * NS_PER_S);
        ck_assert_int_eq(scenario->preemption_cost.eight_ns, (count == 2 ? 120 : 30) * NS_PER_S);
        ck_assert_int_eq(scenario->preemption_cost.more_ns, 60 * NS_PER_S);
        ck_assert_int_eq(scenario->fair_share_half_life_ns, 0);
    }
}
END_TEST

START_TEST(a_half_life_is_longer_than_0)
{
    static const char *const sets[] = {"/fair_share_half_life=7d", "/fair_share_half_life=0s"};
    Problems problems;
    const ScenarioFile *file = read_with(sets, 1, &problems);
    ck_assert_int_eq(file->scenario.fair_share_half_life_ns, 7 * 24 * NS_PER_HOUR);
    ck_assert_ptr_null(read_with(sets + 1, 1, &problems));
    ck_assert_str_eq(problems.items[0].message,
                     "fair_share_half_life is 0, expected a longer time");
}
END_TEST

START_TEST(a_workload_is_explained_with_its_jobs)
{
    static const char *const sets[] = {"/workloads/0/nodes={\"1\": \"70%\", \"2\": \"30%\"}"};
    Problems problems;
    const ScenarioFile *file = read_with(sets, 1, &problems);
    bool has_rate = false, has_nodes = false;
    for (int32_t i = 0; i < file->explanation.count; i++) {
        const ExplainedValue *value = &file->explanation.values[i];
        has_rate |=
            strcmp(value->name, "workload load rate") == 0 && strcmp(value->value, "12/h") == 0;
        has_nodes |= strcmp(value->name, "job load-* of 2 nodes nodeCount") == 0 &&
                     strcmp(value->value, "2") == 0;
    }
    ck_assert(has_rate && has_nodes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("workload_read");
    TCase *tests = tcase_create("workload_read");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_workload_has_the_defaults_of_the_format);
    tcase_add_test(tests, rates_are_read_exactly);
    tcase_add_test(tests, a_count_in_a_period_replaces_the_rate);
    tcase_add_test(tests, each_number_of_nodes_has_its_own_job);
    tcase_add_test(tests, arrivals_are_read_with_their_hours_or_bursts);
    tcase_add_test(tests, factors_of_hours_and_of_weekdays_are_multiplied);
    tcase_add_test(tests, factors_that_no_week_has_are_refused);
    tcase_add_test(tests, a_period_of_exact_counts_has_all_factors);
    tcase_add_test(tests, the_experiment_of_a_workload_is_created_at_the_start);
    tcase_add_test(tests, the_letters_of_a_clusters_name_may_have_another_case);
    tcase_add_test(tests, the_cluster_may_be_named_in_the_config);
    tcase_add_test(tests, commands_may_refer_to_future_jobs_of_a_workload);
    tcase_add_test(tests, a_mistake_is_reported_once_with_its_position);
    tcase_add_test(tests, two_workloads_must_have_different_names);
    tcase_add_test(tests, the_end_of_the_scenario_may_end_a_workload);
    tcase_add_test(tests, the_policy_and_the_expected_durations_are_read);
    tcase_add_test(tests, the_cost_of_preemption_has_defaults_by_size);
    tcase_add_test(tests, a_half_life_is_longer_than_0);
    tcase_add_test(tests, a_workload_is_explained_with_its_jobs);
    suite_add_tcase(suite, tests);
    return suite;
}
