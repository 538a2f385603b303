/* The expected texts are from the CIFAR-10 tutorial and the CLI guide of the retired service
 * (azure-docs articles/batch-ai, 2018), which show the output of az. */
#include <string.h>

#include "sim/output/share/az_tables.h"
#include "tests/support/suite.h"

static const VmSize nc6 = {.name = "Standard_NC6"};
static const ClusterSpec cluster_spec = {.vm_size = &nc6};

static Cluster tutorial_cluster(void)
{
    return (Cluster){.path = {"batchai.horovod", "batchaidev", NULL, "nc6cluster"},
                     .spec = &cluster_spec,
                     .provisioning = PROVISIONING_SUCCEEDED,
                     .allocation = ALLOCATION_STEADY,
                     .node_count = {[NODE_IDLE] = 4}};
}

static const JobSpec job_spec = {.tool = "horovod"};

static Job tutorial_job(void)
{
    return (Job){.path = {"batchai.horovod", "batchaidev", "cifar", "cifar_distributed"},
                 .spec = &job_spec,
                 .request = {.kind = REQUEST_NODES, .nodes = 4},
                 .state = JOB_QUEUED,
                 .exit_code = -1};
}

START_TEST(a_cluster_is_shown_as_the_tutorial_shows_it)
{
    const Cluster cluster = tutorial_cluster();
    Text out = {0};
    az_cluster_table(&out, &cluster);
    ck_assert_str_eq(text_string(&out),
                     "Name        Resource Group    Workspace    VM Size       State      Idle"
                     "    Running    Preparing    Leaving    Unusable\n"
                     "----------  ----------------  -----------  ------------  -------  ------"
                     "  ---------  -----------  ---------  ----------\n"
                     "nc6cluster  batchai.horovod   batchaidev   STANDARD_NC6  steady        4"
                     "          0            0          0           0\n");
    text_free(&out);
}
END_TEST

START_TEST(each_count_is_in_its_column_and_a_cluster_being_deleted_is_deleting)
{
    Cluster cluster = tutorial_cluster();
    cluster.provisioning = PROVISIONING_DELETING;
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        cluster.node_count[state] = 10 + state; // preparing 10, idle 11, running 12, ...
    Text out = {0};
    az_cluster_table(&out, &cluster);
    ck_assert_ptr_nonnull(strstr(
        text_string(&out), "deleting      11         12           10         13          14\n"));
    text_free(&out);
}
END_TEST

START_TEST(an_exit_code_is_right_aligned_once_it_is_known)
{
    const Cluster cluster = tutorial_cluster();
    Job job = tutorial_job();
    Text out = {0};
    az_job_table(&out, &job, &cluster);
    ck_assert_str_eq(text_string(&out),
                     "Name               Cluster     Cluster RG       Cluster Workspace    Tool"
                     "       Nodes  State    Exit code\n"
                     "-----------------  ----------  ---------------  -------------------  -------"
                     "  -------  -------  -----------\n"
                     "cifar_distributed  nc6cluster  batchai.horovod  batchaidev           horovod"
                     "        4  queued\n");
    text_clear(&out);
    job.state = JOB_FAILED;
    job.exit_code = 127;
    az_job_table(&out, &job, &cluster);
    ck_assert_ptr_nonnull(strstr(text_string(&out), "  State      Exit code\n"));
    ck_assert_ptr_nonnull(strstr(text_string(&out), "        4  failed           127\n"));
    text_free(&out);
}
END_TEST

START_TEST(files_are_listed_as_the_tutorial_lists_them)
{
    // 2018-07-18T22:41:28Z is 1531953688 s after 1970.
    static const FileEntry files[] = {
        {"execution-tvm-676767296_1-20180718t174802z-p.log", false, 8801, 0,
         INT64_C(1531953688999)},
        {"stdout.txt", false, 2316480, 0, INT64_C(1531953992000)},
        {"models", true, 0, 0, INT64_C(1531953992000)},
    };
    Text out = {0};
    az_file_table(&out, files, 3);
    ck_assert_str_eq(text_string(&out),
                     "Name                                              Type          Size"
                     "  Modified\n"
                     "------------------------------------------------  ---------  -------"
                     "  -------------------------\n"
                     "execution-tvm-676767296_1-20180718t174802z-p.log  file          8801"
                     "  2018-07-18T22:41:28+00:00\n"
                     "stdout.txt                                        file       2316480"
                     "  2018-07-18T22:46:32+00:00\n"
                     "models                                            directory        0"
                     "  2018-07-18T22:46:32+00:00\n");
    text_free(&out);
}
END_TEST

START_TEST(a_query_prints_one_member_as_json)
{
    // The tutorial: az batchai cluster show ... --query "nodeStateCounts", with the job running on
    // four nodes.
    Cluster cluster = {.path = {.group = "rg", .workspace = "ws", .name = "gpu"},
                       .node_count = {[NODE_RUNNING] = 4}};
    Job job = {.state = JOB_RUNNING};
    Text out = {0};
    az_cluster_counts(&out, &cluster);
    ck_assert_str_eq(text_string(&out), "{\n"
                                        "  \"idleNodeCount\": 0,\n"
                                        "  \"leavingNodeCount\": 0,\n"
                                        "  \"preparingNodeCount\": 0,\n"
                                        "  \"runningNodeCount\": 4,\n"
                                        "  \"unusableNodeCount\": 0\n"
                                        "}\n");
    text_clear(&out);
    az_job_state(&out, &job);
    ck_assert_str_eq(text_string(&out), "\"running\"\n");
    text_clear(&out);
    az_cluster_show(&out, &cluster, QUERY_NODE_STATE_COUNTS);
    ck_assert_str_eq(text_string(&out), "az batchai cluster show --name gpu --workspace ws "
                                        "--resource-group rg --query \"nodeStateCounts\"");
    text_free(&out);
}
END_TEST

START_TEST(the_commands_match_the_tutorial)
{
    const Cluster cluster = tutorial_cluster();
    const Job job = tutorial_job();
    Text out = {0};
    az_cluster_show(&out, &cluster, QUERY_TABLE);
    ck_assert_str_eq(text_string(&out),
                     "az batchai cluster show --name nc6cluster --workspace "
                     "batchaidev --resource-group batchai.horovod --output table");
    text_clear(&out);
    az_job_show(&out, &job, QUERY_TABLE);
    ck_assert_str_eq(text_string(&out),
                     "az batchai job show --experiment cifar --name cifar_distributed "
                     "--resource-group batchai.horovod --workspace batchaidev --output table");
    text_clear(&out);
    az_job_file_list(&out, &job);
    ck_assert_str_eq(text_string(&out),
                     "az batchai job file list --experiment cifar --job cifar_distributed "
                     "--resource-group batchai.horovod --workspace batchaidev --output table");
    text_free(&out);
}
END_TEST

START_TEST(usages_have_the_order_of_the_service)
{
    // Names and order: an answer of the service recorded in June 2018 (northeurope); columns: the
    // table transformer of azure-cli's `batchai list-usages`.
    static const CoreQuota quotas[] = {{"total", 24, 50}, {"NC", 24, 12}, {"NCv2", 0, 0}};
    static const Scenario scenario = {
        .name = "s", .region = "eastus", .until_ns = INT64_MAX, .quota_count = 3, .quotas = quotas};
    Arena *arena = arena_create();
    const World *world = world_create(arena, &scenario, (TraceSink){0});
    Text out = {0};
    az_list_usages(&out, &scenario);
    ck_assert_str_eq(text_string(&out), "az batchai list-usages --location eastus --output table");
    text_clear(&out);
    az_usage_table(&out, world);
    ck_assert_str_eq(text_string(&out),
                     "Value                                              Usage    Limit\n"
                     "-----------------------------------------------  -------  -------\n"
                     "Clusters                                               0       -1\n"
                     "Total Cluster Dedicated Regional vCPUs                 0       24\n"
                     "Standard NC Family Cluster Dedicated vCPUs             0       24\n"
                     "Standard NCv2 Family Cluster Dedicated vCPUs           0        0\n"
                     "Total Cluster Low Priority Regional vCPUs              0       50\n"
                     "Standard NC Family Cluster Low Priority vCPUs          0       12\n"
                     "Standard NCv2 Family Cluster Low Priority vCPUs        0        0\n");
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("az_tables");
    TCase *tests = tcase_create("az_tables");
    tcase_add_test(tests, a_cluster_is_shown_as_the_tutorial_shows_it);
    tcase_add_test(tests, each_count_is_in_its_column_and_a_cluster_being_deleted_is_deleting);
    tcase_add_test(tests, an_exit_code_is_right_aligned_once_it_is_known);
    tcase_add_test(tests, files_are_listed_as_the_tutorial_lists_them);
    tcase_add_test(tests, a_query_prints_one_member_as_json);
    tcase_add_test(tests, the_commands_match_the_tutorial);
    tcase_add_test(tests, usages_have_the_order_of_the_service);
    suite_add_tcase(suite, tests);
    return suite;
}
