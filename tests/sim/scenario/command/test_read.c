/* sim/scenario/command/read.h: single commands, read like those of a scenario file. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/config/secrets.h"
#include "sim/scenario/read.h"
#include "sim/scenario/whole.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;
static const ScenarioFile *base;

static const ScenarioFile *read_base(const char *text)
{
    Problems problems = problems_create(arena);
    memory_files_set(&files, "scenario.json", text, strlen(text));
    const ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                             (ScenarioOverrides){0}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file;
}

static void set_up(void)
{
    arena = arena_create();
    files = small_scenario(arena);
    base = read_base(small_scenario_text);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static Json *parse(const char *text)
{
    Problems problems = problems_create(arena);
    Json *tree = json_parse(arena, "entry", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(tree != NULL, "%s", text);
    return tree;
}

/* Reads and accepts a command. */
static const Command *take(const char *text)
{
    Problems problems = problems_create(arena);
    const Command *command = command_read(base->reader, arena, parse(text), &problems, NULL);
    ck_assert_msg(command != NULL, "%s: %s", text,
                  problems.count > 0 ? problems.items[0].message : "");
    command_accept(base->reader, arena, command);
    return command;
}

static void refused(const char *text, const char *problem)
{
    Problems problems = problems_create(arena);
    ck_assert_ptr_null(command_read(base->reader, arena, parse(text), &problems, NULL));
    ck_assert_msg(strstr(problems.items[0].message, problem) != NULL, "%s: %s", text,
                  problems.items[0].message);
}

#define CLUSTER(name, size, nodes)                                                                 \
    "{\"at\": \"1h\", \"do\": \"cluster.create\", \"name\": \"" name                               \
    "\", \"config\": {\"properties\": {\"vmSize\": \"" size                                        \
    "\", \"scaleSettings\": {\"manual\": {\"targetNodeCount\": " nodes "}}}}}"
#define JOB(name, cluster)                                                                         \
    "{\"at\": \"2h\", \"do\": \"job.create\", \"name\": \"" name "\", \"cluster\": \"" cluster     \
    "\", \"config\": {\"properties\": {\"nodeCount\": 1, \"horovodSettings\": "                    \
    "{\"pythonScriptFilePath\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/train.py\"}, "                   \
    "\"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data\", \"outputDirectories\": "        \
    "[{\"id\": \"MODEL\", \"pathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data\"}], "                 \
    "\"mountVolumes\": {\"azureFileShares\": [{\"azureFileUrl\": "                                 \
    "\"https://<AZURE_BATCHAI_STORAGE_ACCOUNT>.file.core.windows.net/data\", "                     \
    "\"relativeMountPath\": \"data\"}]}}}}"

START_TEST(a_command_can_refer_to_resources_created_before_it)
{
    refused(JOB("j", "mine"), "unknown cluster");
    const Command *cluster = take(CLUSTER("mine", "STANDARD_NC6", "1"));
    ck_assert_int_eq(cluster->trigger.delay_ns, NS_PER_HOUR);
    ck_assert_str_eq(cluster->path.workspace, "workspace"); // the scenario's
    const Command *job = take(JOB("j", "MINE"));            // names ignore letter case
    ck_assert_str_eq(job->as.job_create.spec->mounts[0], "acc/data");
    ck_assert_str_eq(job->as.job_create.spec->program->network->name, "keras_cifar10_cnn");
    // A cluster of the file, one created since, and none.
    ck_assert_ptr_nonnull(take(JOB("k", "gpu")));
    ck_assert_str_eq(
        take("{\"at\": \"3h\", \"do\": \"job.exit\", \"job\": \"j\", \"exit_code\": 1}")
            ->path.experiment,
        "experiment");
    refused("{\"at\": \"3h\", \"do\": \"job.exit\", \"job\": \"none\", \"exit_code\": 1}", "none");
}
END_TEST

START_TEST(the_newest_of_two_clusters_with_the_same_name_counts)
{
    take(CLUSTER("c", "STANDARD_NC6", "1"));
    // Four processes fit on one NC24 and not on an NC6: one GPU each.
    take("{\"at\": \"1h\", \"do\": \"cluster.delete\", \"name\": \"c\"}");
    const Command *second = take(CLUSTER("c", "STANDARD_NC24", "1"));
    ck_assert_str_eq(second->as.cluster_create->vm_size->name, "Standard_NC24");
    Problems problems = problems_create(arena);
    Json *job = parse(JOB("j", "c"));
    Json *settings = json_find(job, "/config/properties/horovodSettings");
    json_put_integer(arena, settings, "processCount", 4);
    const Command *command = command_read(base->reader, arena, job, &problems, NULL);
    ck_assert_ptr_nonnull(command);
    ck_assert_int_eq(command->as.job_create.spec->processes, 4);
}
END_TEST

START_TEST(shares_and_servers_created_later_can_be_mounted)
{
    static const char mount[] =
        "{\"at\": \"2h\", \"do\": \"cluster.create\", \"name\": \"m\", \"config\": "
        "{\"properties\": "
        "{\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 1}}, "
        "\"nodeSetup\": {\"mountVolumes\": {\"azureFileShares\": [{\"azureFileUrl\": "
        "\"https://new.file.core.windows.net/s\", \"relativeMountPath\": \"x\"}], \"fileServers\": "
        "[{\"fileServer\": {\"id\": \"/a/fileservers/nfs\"}, \"relativeMountPath\": \"y\"}]}}}}}";
    refused(mount, "unknown file server");
    take("{\"at\": \"1h\", \"do\": \"storage.create\", \"name\": \"new\"}");
    const Command *share = take(
        "{\"at\": \"1h\", \"do\": \"share.create\", \"name\": \"new/s\", \"tier\": \"premium\"}");
    ck_assert_str_eq(share->as.share_create.tier->name, "premium");
    take("{\"at\": \"1h\", \"do\": \"fileserver.create\", \"name\": \"nfs\", \"vm_size\": "
         "\"STANDARD_NC6\"}");
    const ClusterSpec *spec = take(mount)->as.cluster_create;
    ck_assert_int_eq(spec->mount_count, 2);
    ck_assert_str_eq(spec->mounts[0], "new/s");
    ck_assert_str_eq(spec->mounts[1], "fileserver/nfs");
}
END_TEST

START_TEST(a_missing_share_can_be_mounted_but_not_deleted)
{
    const ClusterSpec *spec =
        take("{\"at\": \"2h\", \"do\": \"cluster.create\", \"name\": \"m\", \"config\": "
             "{\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": {\"manual\": "
             "{\"targetNodeCount\": 1}}, \"nodeSetup\": {\"mountVolumes\": {\"azureFileShares\": "
             "[{\"azureFileUrl\": \"https://new.file.core.windows.net/s\", "
             "\"relativeMountPath\": \"x\"}], \"azureBlobFileSystems\": [{\"accountName\": "
             "\"new\", \"containerName\": \"b\", \"relativeMountPath\": \"y\"}]}}}}}")
            ->as.cluster_create;
    ck_assert_int_eq(spec->mount_count, 2);
    ck_assert_str_eq(spec->mounts[0], "new/s");
    ck_assert_str_eq(spec->mounts[1], "new/blob:b");
    refused("{\"at\": \"2h\", \"do\": \"share.delete\", \"name\": \"new/s\"}",
            "unknown share \"new/s\"");
}
END_TEST

START_TEST(problems_match_those_of_a_scenario_file)
{
    refused(CLUSTER("c", "STANDARD_NC7", "1"), "unknown VM size \"STANDARD_NC7\"");
    refused(CLUSTER("c d", "STANDARD_NC6", "1"), "has a ' '");
    refused("{\"at\": \"1h\", \"do\": \"cluster.resize\", \"name\": \"gpu\"}", "target");
    refused("{\"do\": \"group.create\", \"name\": \"g\"}", "needs \"at\"");
    refused("{\"at\": \"1h\", \"do\": \"node.slow\", \"cluster\": \"gpu\"}", "speed");
    refused("{\"at\": \"1h\", \"do\": \"node.reboot\", \"when\": \"cluster gpu idle > 0\", "
            "\"cluster\": \"gpu\"}",
            "cannot have");
    refused("[]", "");
}
END_TEST

START_TEST(a_session_follows_all_other_commands)
{
    static const char session[] =
        "\"session\": [{\"at\": \"5h\", \"do\": \"group.create\", \"name\": \"g\"},"
        "{\"at\": \"6h\", \"do\": \"node.reboot\", \"cluster\": \"gpu\"},"
        "{\"at\": \"5h1ns\", \"do\": \"workspace.create\", \"name\": \"w\", \"resource_group\": "
        "\"g\"}],\n  \"expect\"";
    int32_t before = base->scenario.command_count;
    const ScenarioFile *file =
        read_base(with_change(arena, small_scenario_text, "\"expect\"", session));
    const Command *commands = file->scenario.commands;
    ck_assert_int_eq(file->scenario.command_count, before + 3);
    for (int32_t i = 0; i < before; i++)
        ck_assert_int_eq(commands[i].kind, base->scenario.commands[i].kind);
    ck_assert_int_eq(commands[before].kind, COMMAND_GROUP_CREATE);
    ck_assert_int_eq(commands[before + 1].kind, COMMAND_NODE_REBOOT);
    ck_assert_int_eq(commands[before + 2].trigger.delay_ns, 5 * NS_PER_HOUR + 1);
}
END_TEST

START_TEST(a_whole_scenario_needs_no_other_file)
{
    const char *text =
        with_change(arena, small_scenario_text, "{\"bytes\": \"1kB\"}", "\"local.py\"");
    memory_files_set(&files, "local.py", "print()", 7);
    const ScenarioFile *file = read_base(text);
    Text whole = {0};
    json_print(&whole, scenario_whole(arena, file), JSON_INDENTED);
    MemoryFiles alone = {0};
    memory_files_set(&alone, "other.json", whole.data, whole.length);
    Problems problems = problems_create(arena);
    const ScenarioFile *again = scenario_read(arena, memory_files_source(&alone), "other.json",
                                              (ScenarioOverrides){0}, &problems);
    ck_assert_msg(again != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_int_eq(again->scenario.command_count, file->scenario.command_count);
    for (int32_t i = 0; i < again->scenario.command_count; i++)
        if (again->scenario.commands[i].kind == COMMAND_FILE_UPLOAD) {
            ck_assert_int_eq(again->scenario.commands[i].as.file_upload.bytes, 7);
            ck_assert_ptr_null(again->scenario.commands[i].as.file_upload.local_path);
        }
    text_free(&whole);
}
END_TEST

START_TEST(secrets_are_left_out_everywhere)
{
    static const char text[] =
        "{\"credentials\":{\"accountKey\":\"S\",\"accountKeySecretReference\":{\"secretUrl\":\"u\"}"
        "},"
        "\"list\":[{\"CREDENTIALS\":{\"AccountKey\":\"S\",\"username\":\"me\",\"password\":\"S\"}}]"
        ","
        "\"secrets\":[{\"name\":\"a\",\"value\":\"S\"}],"
        "\"environmentVariables\":[{\"name\":\"a\",\"value\":\"v\"}],"
        "\"userAccountSettings\":{\"adminUserName\":\"u\",\"adminUserPassword\":\"S\"},"
        "\"appInsightsReference\":{\"component\":{\"id\":\"i\"},\"instrumentationKey\":\"S\"},"
        "\"password\":\"no member of anything\"}";
    static const char expected[] =
        "{\"credentials\":{\"accountKeySecretReference\":{\"secretUrl\":\"u\"}},"
        "\"list\":[{\"CREDENTIALS\":{\"username\":\"me\"}}],"
        "\"secrets\":[{\"name\":\"a\"}],"
        "\"environmentVariables\":[{\"name\":\"a\",\"value\":\"v\"}],"
        "\"userAccountSettings\":{\"adminUserName\":\"u\"},"
        "\"appInsightsReference\":{\"component\":{\"id\":\"i\"}},"
        "\"password\":\"no member of anything\"}";
    Text printed = {0};
    json_print(&printed, without_secrets(arena, parse(text)), JSON_COMPACT);
    ck_assert_str_eq(printed.data, expected);
    text_free(&printed);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("command_read");
    TCase *tests = tcase_create("command_read");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_command_can_refer_to_resources_created_before_it);
    tcase_add_test(tests, the_newest_of_two_clusters_with_the_same_name_counts);
    tcase_add_test(tests, shares_and_servers_created_later_can_be_mounted);
    tcase_add_test(tests, problems_match_those_of_a_scenario_file);
    tcase_add_test(tests, a_session_follows_all_other_commands);
    tcase_add_test(tests, a_whole_scenario_needs_no_other_file);
    tcase_add_test(tests, secrets_are_left_out_everywhere);
    tcase_add_test(tests, a_missing_share_can_be_mounted_but_not_deleted);
    suite_add_tcase(suite, tests);
    return suite;
}
