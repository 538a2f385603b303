/* Requests for GPUs, and workloads of traces, in scenario files. */
#include "sim/scenario/command/trace_read.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/validate.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;

static const char log_text[] = "job,submit_s,run_s,gpus,queue\n"
                               "a,0,100,1,gpu\n"
                               "b,5,0,2,gpu\n"
                               "c,5,7.5,9,gpu\n";

static void set_up(void)
{
    arena = arena_create();
    files = small_scenario(arena);
    memory_files_set(&files, "log.csv", log_text, strlen(log_text));
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* The small scenario with one workload, whose cluster "gpu" has nodes of one GPU. */
static const ScenarioFile *read_with(const char *workload, const char *set, Problems *problems)
{
    const char *text = with_change(
        arena, small_scenario_text, "\"commands\"",
        arena_printf(arena, "\"workloads\": [{\"name\": \"load\", %s}], \"commands\"", workload));
    memory_files_set(&files, "scenario.json", text, strlen(text));
    *problems = problems_create(arena);
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.count = set != NULL, .items = &set}, problems);
}

static const ScenarioFile *sound(const char *workload, const char *set)
{
    Problems problems;
    const ScenarioFile *file = read_with(workload, set, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file;
}

static const JobSpec *last_job(const ScenarioFile *file)
{
    const Command *command = &file->scenario.commands[file->scenario.command_count - 2];
    ck_assert_int_eq(command->kind, COMMAND_JOB_CREATE);
    return command->as.job_create.spec;
}

#define RANDOM "\"cluster\": \"gpu\", \"config\": \"job.json\", \"rate\": \"12/h\", \"jobs\": 50"
#define TRACE "\"trace\": \"log.csv\", \"cluster\": \"gpu\""

START_TEST(a_job_asks_for_whole_nodes_unless_it_says_otherwise)
{
    const JobSpec *spec = last_job(sound(RANDOM, NULL));
    ck_assert_int_eq(spec->asks_for, REQUEST_NODES);
    ck_assert_int_eq(spec->nodes, 2);
    ck_assert_int_eq(spec->gpus, 0);
}
END_TEST

START_TEST(a_command_asks_for_gpus_in_total_or_on_each_node)
{
    // The nodes have one GPU each, so two GPUs are on two nodes, with a rank on each.
    const JobSpec *total = last_job(sound(RANDOM, "/commands/1/gpus=2"));
    ck_assert_int_eq(total->asks_for, REQUEST_GPUS);
    ck_assert_int_eq(total->gpus, 2);
    ck_assert_int_eq(total->nodes, 2);
    ck_assert_int_eq(total->processes, 2);
    const JobSpec *each = last_job(sound(RANDOM, "/commands/1/gpus_per_node=1"));
    ck_assert_int_eq(each->asks_for, REQUEST_GPUS_PER_NODE);
    ck_assert_int_eq(each->gpus, 1);
    ck_assert_int_eq(each->nodes, 2);
}
END_TEST

START_TEST(a_workload_asks_for_one_number_of_gpus_or_for_several_with_shares)
{
    const Workload *one = &sound(RANDOM ", \"gpus\": 1", NULL)->scenario.workloads[0];
    ck_assert_int_eq(one->spec_count, 1);
    ck_assert_int_eq(one->specs[0]->asks_for, REQUEST_GPUS);
    ck_assert_int_eq(one->specs[0]->gpus, 1);
    const Workload *two =
        &sound(RANDOM ", \"gpus\": {\"1\": \"75%\", \"2\": \"25%\"}", NULL)->scenario.workloads[0];
    ck_assert_int_eq(two->spec_count, 2);
    ck_assert_int_eq(two->specs[1]->gpus, 2);
    ck_assert_int_eq(two->probability_ppm[0], 750000);
}
END_TEST

START_TEST(the_rows_of_a_trace_are_the_jobs_of_the_workload)
{
    const Scenario *scenario =
        &sound(TRACE ", \"begin\": \"1h\", \"stop_at_requested\": true", NULL)->scenario;
    const Workload *load = &scenario->workloads[0];
    ck_assert_int_eq(scenario->placement, PLACEMENT_CONSOLIDATE);
    ck_assert(!scenario->refuses_wide_jobs);
    ck_assert_int_eq(load->list->count, 3);
    ck_assert_int_eq(load->list->run_ns[2], 7500 * NS_PER_MS);
    ck_assert_int_eq(load->list->gpus[1], 2);
    ck_assert_str_eq(load->cluster.name, "gpu");
    ck_assert_ptr_null(load->cluster_of_row);
    ck_assert_int_eq(load->begin_ns, NS_PER_HOUR);
    ck_assert(load->stops_at_requested);
    ck_assert_int_eq(load->specs[0]->mount_count, 0);
}
END_TEST

START_TEST(each_queue_of_a_trace_runs_on_the_cluster_of_its_name)
{
    const Workload *load = &sound("\"trace\": \"log.csv\", \"cluster\": {\"queue\": \"*\"}", NULL)
                                ->scenario.workloads[0];
    ck_assert_int_eq(load->cluster_count, 1);
    ck_assert_ptr_eq(load->cluster_of_row, load->list->queue);
    ck_assert_str_eq(load->clusters[0].name, "gpu");
    ck_assert_str_eq(load->clusters[0].workspace, "workspace");
}
END_TEST

START_TEST(each_kind_of_gpu_of_a_trace_runs_on_the_cluster_of_its_name)
{
    static const char typed[] = "job,submit_s,run_s,gpus,gpu_type\na,0,1,1,gpu\nb,1,1,1,gpu\n";
    memory_files_set(&files, "log.csv", typed, strlen(typed));
    const Workload *load =
        &sound("\"trace\": \"log.csv\", \"cluster\": {\"gpu_type\": \"*\"}", NULL)
             ->scenario.workloads[0];
    ck_assert_int_eq(load->cluster_count, 1);
    ck_assert_ptr_eq(load->cluster_of_row, load->list->gpu_type);
    ck_assert_str_eq(load->clusters[0].name, "gpu");
}
END_TEST

START_TEST(a_word_without_a_cluster_and_a_row_without_a_word_are_refused)
{
    static const char typed[] = "job,submit_s,run_s,gpus,gpu_type\na,0,1,1,gpu\nb,1,1,1,V100\n";
    static const char gap[] = "job,submit_s,run_s,gpus,gpu_type\na,0,1,1,gpu\nb,1,1,1,\n";
    static const char load[] = "\"trace\": \"log.csv\", \"cluster\": {\"gpu_type\": \"*\"}";
    Problems problems;
    memory_files_set(&files, "log.csv", typed, strlen(typed));
    ck_assert_ptr_null(read_with(load, NULL, &problems));
    ck_assert_str_eq(problems.items[0].message, "unknown cluster \"V100\"");
    ck_assert_str_eq(problems.items[0].at.source, "scenario.json");
    ck_assert_int_gt(problems.items[0].at.line, 0);
    memory_files_set(&files, "log.csv", gap, strlen(gap));
    ck_assert_ptr_null(read_with(load, NULL, &problems));
    ck_assert_str_eq(problems.items[0].message,
                     "row 2 of \"log.csv\" has no kind of GPU, and its cluster is not known");
    memory_files_set(&files, "log.csv", log_text, strlen(log_text));
    ck_assert_ptr_null(read_with(load, NULL, &problems));
    ck_assert_str_eq(problems.items[0].message,
                     "row 1 of \"log.csv\" has no kind of GPU, and its cluster is not known");
}
END_TEST

START_TEST(columns_without_effect_are_a_warning)
{
    static const char text[] = "job,submit_s,run_s,gpus,cpus,memory_bytes,gpu_type\n"
                               "a,0,1,1,4,1000,P100\nb,1,1,1,4,1000,V100\n";
    memory_files_set(&files, "log.csv", text, strlen(text));
    const ScenarioFile *file = sound(TRACE, NULL);
    ck_assert_int_eq(file->warnings.count, 0); // a run does not repeat them
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    validate_file(arena, memory_files_source(&files), "scenario.json", (ScenarioOverrides){0},
                  &problems, &warnings, NULL);
    ck_assert_int_eq(problems.count, 0);
    ck_assert_int_eq(warnings.count, 2);
    ck_assert_str_eq(warnings.items[0].message,
                     "\"log.csv\" states cpus and memory_bytes, which have no effect");
    ck_assert_str_eq(warnings.items[1].message,
                     "\"log.csv\" states 2 kinds of GPUs, which have no effect");
    ck_assert_int_gt(warnings.items[0].at.line, 0);
}
END_TEST

START_TEST(jobs_wider_than_their_cluster_are_a_warning)
{
    const ScenarioFile *file = sound(TRACE, NULL);
    ck_assert_int_eq(file->warnings.count, 1);
    ck_assert_str_eq(file->warnings.items[0].message,
                     "1 of 3 jobs need more GPUs than their cluster ever has: they wait for ever, "
                     "and may block their queue. The first one is in row 3 and asks for 9");
    file = sound(RANDOM, "/commands/1/gpus=3");
    ck_assert_str_eq(file->warnings.items[0].message,
                     "the job needs 3 GPUs on 3 nodes, but cluster \"gpu\" never has more than 2 "
                     "nodes of 1 GPUs: the job waits for ever");
    file = sound(RANDOM, "/commands/1/gpus_per_node=2");
    ck_assert_str_eq(file->warnings.items[0].message,
                     "the job needs 2 GPUs on a node, but Standard_NC6 has 1: the job waits for "
                     "ever");
}
END_TEST

START_TEST(a_mistake_is_reported_with_its_position)
{
    static const struct {
        const char *workload, *set, *message;
    } rows[] = {
        {TRACE ", \"rate\": \"1/h\"", NULL, "a workload has \"trace\" or \"rate\", not both"},
        {TRACE ", \"config\": {}", NULL, "a workload has \"trace\" or \"config\", not both"},
        {TRACE ", \"gpus\": 2", NULL, "a workload has \"trace\" or \"gpus\", not both"},
        {"\"trace\": \"log.csv\"", NULL, "workload \"load\" has no cluster to run on"},
        {"\"trace\": \"log.csv\", \"cluster\": \"cpu\"", NULL, "unknown cluster \"cpu\""},
        {"\"trace\": \"log.csv\", \"cluster\": {\"queue\": \"a\"}", NULL,
         "this does not name a cluster"},
        {"\"cluster\": \"gpu\", \"config\": \"job.json\", \"jobs\": 5", NULL,
         "this workload does not say how many jobs arrive"},
        {"\"cluster\": \"gpu\", \"rate\": \"1/h\", \"jobs\": 5", NULL, "\"config\" is missing"},
        {"\"cluster\": {\"queue\": \"*\"}, \"config\": \"job.json\", \"rate\": \"1/h\", "
         "\"jobs\": 5",
         NULL, "only a workload with a \"trace\" has jobs of several clusters"},
        {RANDOM ", \"stop_at_requested\": true", NULL,
         "\"stop_at_requested\" is for a workload with a \"trace\""},
        {RANDOM ", \"resample\": \"7d\"", NULL, "\"resample\" is for a workload with a \"trace\""},
        {RANDOM ", \"load\": 2", NULL, "\"load\" is for a workload with a \"trace\""},
        {RANDOM ", \"checkpoint\": {\"every\": \"1h\", \"takes\": \"1m\"}", NULL,
         "\"checkpoint\" is for a workload with a \"trace\""},
        {TRACE ", \"checkpoint\": {\"every\": \"1h\"}", NULL,
         "the checkpoint of a program that only takes time needs \"takes\", which is missing"},
        {TRACE ", \"checkpoint\": {\"takes\": \"1m\"}", NULL,
         "the checkpoint of a program that only takes time needs \"every\", which is missing"},
        {TRACE ", \"checkpoint\": {\"every\": 3, \"takes\": \"1m\"}", NULL,
         "every of this checkpoint is not a time above 0"},
        {TRACE ", \"checkpoint\": {\"every\": \"0s\", \"takes\": \"1m\"}", NULL,
         "every of this checkpoint is not a time above 0"},
        {TRACE ", \"checkpoint\": {\"every\": \"1h\", \"takes\": \"1m\", \"jobs\": \"101%\"}", NULL,
         "\"101%\" of the jobs, expected 0% to 100%"},
        {TRACE ", \"checkpoint\": {\"every\": \"1h\", \"takes\": \"1m\", \"bytes\": \"1GB\"}", NULL,
         "\"bytes\" is for checkpoints of trainings; those of a program that only takes time have "
         "\"takes\""},
        {TRACE, "/programs/0/checkpoint={\"every\": 2, \"takes\": \"1m\"}",
         "\"takes\" is for checkpoints of programs that only take time; a training's take the time "
         "of its bytes"},
        {TRACE, "/programs/0/checkpoint={\"every\": 2, \"bytes\": \"1MB\"}",
         "the checkpoint of a training needs \"path\", which is missing"},
        {TRACE, "/programs/0/checkpoint={\"every\": \"1x\", \"bytes\": \"1MB\", \"path\": \"x\"}",
         "every \"1x\" is not a number of epochs above 0, a number of steps such as \"500 steps\", "
         "or a time such as \"30m\""},
        {TRACE ", \"load\": 2", NULL, "\"load\" needs \"resample\""},
        {TRACE ", \"resample\": \"2s\", \"load\": 0", NULL,
         "load is not a number from 0.01 to 100 with at most six decimals"},
        {TRACE ", \"resample\": \"2s\", \"load\": \"2\"", NULL,
         "load is not a number from 0.01 to 100 with at most six decimals"},
        {TRACE ", \"resample\": \"4s\"", NULL,
         "the number of pieces of this length in the list is 1, expected 2 to 1000000"},
        {TRACE ", \"resample\": \"1ns\"", NULL,
         "the number of pieces of this length in the list is 5000000000, expected 2 to 1000000"},
        {RANDOM ", \"gpus\": 1, \"nodes\": {\"1\": \"100%\"}", NULL,
         "a workload has \"nodes\" or \"gpus\", not both"},
        {RANDOM ", \"gpus\": {\"1\": \"75%\"}", NULL,
         "the shares of \"gpus\" add up to 75.0000 %, expected 100 %"},
        {RANDOM ", \"gpus\": {\"x\": \"100%\"}", NULL, "\"x\" is not a number of GPUs"},
        {RANDOM,
         "/commands/1={\"do\": \"job.create\", \"name\": \"train\", \"cluster\": \"gpu\", "
         "\"config\": \"job.json\", \"gpus\": 1, \"gpus_per_node\": 1}",
         "a job asks for \"gpus\" in total or \"gpus_per_node\", not both"},
        {RANDOM, "/placement=anywhere", NULL},
        {RANDOM, "/wide_jobs=block", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        bool has_message = rows[i].message == NULL;
        ck_assert_msg(read_with(rows[i].workload, rows[i].set, &problems) == NULL, "row %d",
                      (int)i);
        for (int32_t p = 0; p < problems.count && !has_message; p++)
            has_message = strcmp(problems.items[p].message, rows[i].message) == 0;
        ck_assert_msg(has_message, "row %d: %s", (int)i, problems.items[0].message);
        ck_assert_msg(problems.items[0].at.source != NULL, "row %d", (int)i);
    }
}
END_TEST

START_TEST(jobs_of_a_trace_and_programs_that_take_time_have_checkpoints)
{
    const Program *of_trace =
        sound(TRACE ", \"checkpoint\": {\"every\": \"1h\", \"takes\": \"1m\", \"restart\": "
                    "\"5m\", \"jobs\": \"12.5%\"}",
              NULL)
            ->scenario.workloads[0]
            .specs[0]
            ->program;
    ck_assert_int_eq(of_trace->work.every_ns, NS_PER_HOUR);
    ck_assert_int_eq(of_trace->work.takes_ns, 60 * NS_PER_S);
    ck_assert_int_eq(of_trace->work.restart_ns, 300 * NS_PER_S);
    ck_assert_int_eq(of_trace->work.jobs_ppm, 125000);
    ck_assert(!of_trace->saves_on_notice);
    const Program *of_command =
        last_job(sound(TRACE, "/programs/0={\"match\": \"*\", \"duration\": \"8h\", "
                              "\"checkpoint\": {\"takes\": \"1m\", \"on_notice\": true}}"))
            ->program;
    ck_assert_int_eq(of_command->work.every_ns, 0);
    ck_assert_int_eq(of_command->work.jobs_ppm, PPM);
    ck_assert(of_command->saves_on_notice);
    ck_assert(!program_saves_work(
        sound(TRACE ", \"checkpoint\": {\"every\": \"1h\", \"takes\": \"1m\", \"jobs\": \"0%\"}",
              NULL)
            ->scenario.workloads[0]
            .specs[0]
            ->program));
}
END_TEST

START_TEST(a_trace_is_drawn_anew_for_each_seed)
{
    const Workload *load =
        &sound(TRACE ", \"resample\": \"2s\", \"load\": 1.3", NULL)->scenario.workloads[0];
    ck_assert_int_eq(load->resample.piece_ns, 2 * NS_PER_S);
    ck_assert_int_eq(load->resample.load_ppm, 1300000);
    const Workload *replayed = &sound(TRACE, NULL)->scenario.workloads[0];
    ck_assert_int_eq(replayed->resample.piece_ns, 0);
}
END_TEST

START_TEST(a_trace_with_a_mistake_is_refused_at_its_line)
{
    static const char text[] = "job,submit_s,run_s,gpus\na,0,100,1\nb,5,-1,2\n";
    Problems problems;
    memory_files_set(&files, "log.csv", text, strlen(text));
    ck_assert_ptr_null(read_with(TRACE, NULL, &problems));
    ck_assert_str_eq(problems.items[0].at.source, "log.csv");
    ck_assert_int_eq(problems.items[0].at.line, 3);
    ck_assert_ptr_null(read_with("\"trace\": \"none.csv\", \"cluster\": \"gpu\"", NULL, &problems));
    ck_assert_int_ge(problems.count, 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("trace_read");
    TCase *tests = tcase_create("trace_read");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_job_asks_for_whole_nodes_unless_it_says_otherwise);
    tcase_add_test(tests, a_command_asks_for_gpus_in_total_or_on_each_node);
    tcase_add_test(tests, a_workload_asks_for_one_number_of_gpus_or_for_several_with_shares);
    tcase_add_test(tests, the_rows_of_a_trace_are_the_jobs_of_the_workload);
    tcase_add_test(tests, each_queue_of_a_trace_runs_on_the_cluster_of_its_name);
    tcase_add_test(tests, each_kind_of_gpu_of_a_trace_runs_on_the_cluster_of_its_name);
    tcase_add_test(tests, a_word_without_a_cluster_and_a_row_without_a_word_are_refused);
    tcase_add_test(tests, columns_without_effect_are_a_warning);
    tcase_add_test(tests, jobs_wider_than_their_cluster_are_a_warning);
    tcase_add_test(tests, a_mistake_is_reported_with_its_position);
    tcase_add_test(tests, jobs_of_a_trace_and_programs_that_take_time_have_checkpoints);
    tcase_add_test(tests, a_trace_is_drawn_anew_for_each_seed);
    tcase_add_test(tests, a_trace_with_a_mistake_is_refused_at_its_line);
    suite_add_tcase(suite, tests);
    return suite;
}
