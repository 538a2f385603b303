#include <string.h>

#include "sim/scenario/validate.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

/* All mistakes of a file are reported at once, and consequences of another mistake are not
 * reported. Each row lists all problems of a changed small scenario. */

/* "file:line:column: message" of every problem, a line each. */
static const char *lines_of(const Problems *problems)
{
    Text text = {0};
    for (int32_t i = 0; i < problems->kept; i++)
        text_printf(&text, "%s:%d:%d: %s\n", problems->items[i].at.source,
                    (int)problems->items[i].at.line, (int)problems->items[i].at.column,
                    problems->items[i].message);
    const char *lines = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return lines;
}

static const char *validated(const char *path)
{
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    validate_file(arena, memory_files_source(&files), path, (ScenarioOverrides){0}, &problems,
                  &warnings, NULL);
    return lines_of(&problems);
}

typedef struct {
    const char *path, *old, *new;
} Change;

enum { CHANGES_MAX = 6 };

START_TEST(all_mistakes_are_reported_at_once_without_their_consequences)
{
    static const struct {
        Change changes[CHANGES_MAX];
        const char *lines;
    } rows[] = {
        {{{"job.json", "\"nodeCount\": 2", "\"nodeCount\": \"4\""},
          {"job.json", "\"commandLineArgs\": \"--out $AZ_BATCHAI_OUTPUT_MODEL\"",
           "\"processCount\": 99"},
          {"job.json", "ROOT/data/train.py", "ROOT/nowhere/train.py"},
          {"job.json", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_OUTPUT_X/logs"},
          {"job.json", "\"relativeMountPath\": \"data\"}",
           "\"relativeMountPath\": \"data\"}, {\"azureFileUrl\": "
           "\"https://acc.file.core.windows.net/data\", \"relativeMountPath\": \"data\"}"},
          {"job.json", "\"nodeCount\"", "\"schedulingPriority\": \"urgent\", \"nodeCount\""}},
         "job.json:2:25: unknown schedulingPriority \"urgent\"\n"
         "job.json:2:48: nodeCount is \"4\", expected an integer\n"
         "job.json:5:21: processCount is 99, at most 8 fit: 4 on each node\n"
         "job.json:11:115: relativeMountPath \"data\" is taken by another mount\n"
         "job.json:6:26: unknown output directory id \"X\"\n"
         "job.json:4:29: $AZ_BATCHAI_JOB_MOUNT_ROOT/nowhere/train.py is not under a mount\n"},
        // Uses of the refused mount, or of the directory on it, are not reported.
        {{{"job.json", "\"relativeMountPath\": \"data\"", "\"relativeMountPath\": 1"},
          {"job.json", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_INPUT_X/logs"}},
         "job.json:11:26: relativeMountPath is 1, expected a string\n"
         "job.json:6:26: unknown input directory id \"X\"\n"},
        {{{"job.json", "https://<", "http://<"},
          {"job.json", "\"nodeCount\": 2", "\"nodeCount\": 101"}},
         "job.json:2:16: nodeCount is 101, but a cluster has at most 100\n"
         "job.json:10:21: azureFileUrl \"http://acc.file.core.windows.net/data\" does not name a "
         "share\n"},
        {{{"job.json", "\"id\": \"MODEL\"", "\"id\": 5"},
          {"job.json", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_INPUT_X/logs"}},
         "job.json:7:32: id is 5, expected a string\n"
         "job.json:6:26: unknown input directory id \"X\"\n"},
        {{{"job.json", "ROOT/data/logs", "ROOT/data/$AZ_BATCHAI_OUTPUT_X"},
          {"job.json", "\"id\": \"MODEL\"", "\"id\": 5"}},
         "job.json:7:32: id is 5, expected a string\n"},
        {{{"job.json", "\"outputDirectories\": [{", "\"outputDirectories\": {\"x\": [{"},
          {"job.json", "\"models\"}]", "\"models\"}]}"}},
         "job.json:7:24: outputDirectories is an object, expected an array of objects\n"},
        {{{"job.json", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data\", \"pathSuffix",
           "$AZ_BATCHAI_JOB_MOUNT_ROOT/dta\", \"pathSuffix"}},
         "job.json:8:19: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta is not under a mount\n"},
        // Without a known toolkit, or with one of unknown shape, the paths are still checked.
        {{{"job.json", "\"horovodSettings\": {",
           "\"horovodSettings\": 3, \"secrets\": [], \"x\": {"},
          {"job.json", "ROOT/data/logs", "ROOT/dta/logs"}},
         "job.json:3:40: unknown key \"x\" in this Job\n"
         "job.json:3:22: this HorovodSettings is 3, expected an object\n"
         "job.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n"},
        {{{"job.json",
           "\"containerSettings\": {\"imageSourceRegistry\": {\"image\": "
           "\"tensorflow/tensorflow:1.8.0-gpu\"}}",
           "\"containerSettings\": {\"imageSourceRegistry\": 1}, \"jobPreparation\": {}"}},
         "job.json:12:48: this ImageSourceRegistry is a number, expected an object\n"
         "job.json:12:70: this JobPreparation needs \"commandLine\", which is missing\n"},
        // The valid sizes of the cluster are unknown; the job is still checked.
        {{{"cluster.json", "\"STANDARD_NC6\"", "6"},
          {"cluster.json", "\"targetNodeCount\": 2", "\"targetNodeCount\": \"2\""},
          {"job.json", "\"nodeCount\": 2", "\"nodeCount\": 200"},
          {"job.json", "ROOT/data/logs", "ROOT/dta/logs"}},
         "cluster.json:2:13: vmSize is 6, expected a string\n"
         "cluster.json:3:51: targetNodeCount is \"2\", expected an integer\n"
         "job.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n"},
        {{{"cluster.json", "\"STANDARD_NC6\"", "\"STANDARD_NC7\", \"nodeSetup\": 1"},
          {"job.json", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_MOUNT_ROOT/x"},
          {"job.json", "\"nodeCount\": 2", "\"nodeCount\": 101"}},
         "cluster.json:2:42: this NodeSetup is a number, expected an object\n"
         "cluster.json:2:13: unknown VM size \"STANDARD_NC7\"\n"
         "job.json:2:16: nodeCount is 101, but a cluster has at most 100\n"},
        // An invalid or missing file does not hide mistakes in the other files.
        {{{"job.json", "\"nodeCount\": 2,", "\"nodeCount\": 2"},
          {"cluster.json", "\"targetNodeCount\": 2", "\"targetNodeCount\": 101"},
          {"scenario.json", "\"after\": \"job train", "\"after\": \"job tarin"}},
         "job.json:3:3: expected ',' or '}' after a member, found '\"'\n"
         "cluster.json:3:51: cluster \"gpu\": 101 nodes, but a cluster has at most 100\n"
         "scenario.json:14:15: unknown job \"tarin\"\n"},
        {{{"scenario.json", "\"cluster.json\"", "\"clutser.json\""},
          {"job.json", "ROOT/data/logs", "ROOT/dta/logs"},
          {"job.json", "\"nodeCount\": 2", "\"nodeCount\": 200"}},
         "scenario.json:12:55: there is no file \"clutser.json\"\n"
         "job.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n"},
        {{{"scenario.json", "azure-2018", "azure-2019"},
          {"cluster.json", "\"targetNodeCount\": 2", "\"targetNodeCount\": \"2\""},
          {"job.json", "ROOT/data/logs", "ROOT/dta/logs"}},
         "scenario.json:3:15: there is no catalogue \"catalog/azure-2019.json\"\n"
         "cluster.json:3:51: targetNodeCount is \"2\", expected an integer\n"
         "job.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n"},
        // In the scenario itself.
        {{{"scenario.json", "\"do\": \"cluster.create\"", "\"do\": \"cluster.creat\""},
          {"scenario.json", "\"trainyard\": 1", "\"trainyard\": 1, \"seed\": \"7\""},
          {"scenario.json", "\"epochs\": \"ceil(4/ranks)\"", "\"epochs\": true"},
          {"scenario.json", "\"model\": \"keras_cifar10_cnn\"", "\"model\": \"keras_cifar10\""},
          {"job.json", "ROOT/data/logs", "ROOT/dta/logs"}},
         "scenario.json:2:27: seed is \"7\", expected an integer\n"
         "scenario.json:12:12: unknown do \"cluster.creat\"\n"
         "scenario.json:6:49: unknown model \"keras_cifar10\"\n"
         "scenario.json:9:37: epochs is neither an integer nor an expression\n"
         "job.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n"},
        {{{"scenario.json", "\"account\": \"acc\"", "\"account\": 5"},
          {"scenario.json", "{\"bytes\": \"1kB\"}", "{\"bytes\": \"1 cup\"}"}},
         "scenario.json:4:27: account is 5, expected a string\n"
         "scenario.json:5:54: size \"1 cup\": unknown unit \" cup\"\n"},
        {{{"scenario.json", "\"name\": \"gpu\"", "\"name\": 1"},
          {"scenario.json", "{\"job\": \"train\", \"state\"", "{\"job\": 1, \"state\""}},
         "scenario.json:12:38: name is 1, expected a string\n"
         "scenario.json:16:22: job is 1, expected a string\n"},
        // How long a program with a problem runs on low-priority nodes is unknown.
        {{{"cluster.json", "\"STANDARD_NC6\"", "\"STANDARD_NC6\", \"vmPriority\": \"lowpriority\""},
          {"scenario.json", "\"model\": \"keras_cifar10_cnn\"", "\"model\": \"keras_cifar10\""}},
         "scenario.json:6:49: unknown model \"keras_cifar10\"\n"},
        {{{"cluster.json", "\"STANDARD_NC6\"", "\"STANDARD_NC6\", \"vmPriority\": \"lowpriority\""},
          {"scenario.json", "\"model\": \"keras_cifar10_cnn\"",
           "\"model\": \"keras_cifar10_cnn\", \"duration\": -5"}},
         "scenario.json:6:16: a program has several of \"model\", \"transformer\", \"duration\" "
         "and \"script\", "
         "expected one\n"
         "scenario.json:6:82: expected a string with a unit or an object of quantiles, found a "
         "number\n"},
        {{{"scenario.json", "\"match\": \"*/train.py\"", "\"match\": null"},
          {"scenario.json", "/model.h5", "/{epoch}/model.h5"},
          {"scenario.json", "OUTPUT_MODEL", "OUTPUT_MODELS"}},
         "scenario.json:6:16: this program needs \"match\", which is missing\n"},
        {{{"scenario.json", "OUTPUT_MODEL", "OUTPUT_MODELS"},
          {"scenario.json", "\"data_set\": \"cifar10\"", "\"data_set\": \"cifar\""}},
         "scenario.json:7:17: unknown data_set \"cifar\"\n"
         "scenario.json:10:22: unknown output directory id \"MODELS\"\n"},
        {{{"scenario.json", "\"config\": \"job.json\"", "\"config\": null"}},
         "scenario.json:13:5: job.create needs \"config\", which is missing\n"},
        {{{"scenario.json", "\"name\": \"train\", \"cluster\": \"gpu\"",
           "\"at\": 5, \"name\": \"tr/ain\""},
          {"scenario.json", "\"job train completed + 1m\"", "5"},
          {"job.json", "ROOT/data/logs", "ROOT/dta/logs"}},
         "scenario.json:13:32: at is 5, expected a duration such as \"90s\"\n"
         "scenario.json:14:15: after is 5, expected a string\n"
         "scenario.json:13:43: name \"tr/ain\" has a '/'\n"
         "scenario.json:13:5: job \"tr/ain\" has no cluster to run on\n"
         "job.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        for (const Change *c = rows[i].changes; c < rows[i].changes + CHANGES_MAX && c->path; c++)
            change_file(c->path, c->old, c->new);
        const char *lines = validated("scenario.json");
        ck_assert_msg(strcmp(lines, rows[i].lines) == 0, "row %zu gives\n%sexpected\n%s", i, lines,
                      rows[i].lines);
    }
}
END_TEST

START_TEST(a_separate_file_is_checked_as_far_as_possible)
{
    static const struct {
        Change change;
        const char *lines;
    } rows[] = {
        {{"job.json", "\"nodeCount\": 2", "\"nodeCount\": \"2\", \"schedulingPriority\": 1"},
         "job.json:2:43: schedulingPriority is 1, expected a word\n"
         "job.json:2:16: nodeCount is \"2\", expected an integer\n"},
        {{"job.json", "\"commandLineArgs\"", "\"processCount\": 9, \"commandLineArgs\""},
         "job.json:5:21: processCount is 9, at most 8 fit: 4 on each node\n"},
        {{"job.json", "\"relativeMountPath\": \"data\"",
          "\"accountName\": \"other\", \"relativeMountPath\": \"data\""},
         ""},
        {{"cluster.json", "\"vmSize\": \"STANDARD_NC6\"", "\"vmSize\": [], \"vmPriority\": \"x\""},
         "cluster.json:2:13: vmSize is an array, expected a string\n"
         "cluster.json:2:31: unknown vmPriority \"x\"\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        change_file(rows[i].change.path, rows[i].change.old, rows[i].change.new);
        ck_assert_str_eq(validated(rows[i].change.path), rows[i].lines);
    }
}
END_TEST

START_TEST(equal_mistakes_in_two_files_are_two_mistakes)
{
    change_file(
        "scenario.json", "    {\"after\"",
        "    {\"do\": \"job.create\", \"name\": \"again\", \"cluster\": \"gpu\", \"config\": "
        "\"job.json\"},\n"
        "    {\"do\": \"job.create\", \"name\": \"other\", \"cluster\": \"gpu\", \"config\": "
        "\"other.json\"},\n    {\"after\"");
    change_file("job.json", "ROOT/data/logs", "ROOT/dta/logs");
    const char *job = with_change(arena, small_job_text, "ROOT/data/logs", "ROOT/dta/logs");
    memory_files_set(&files, "other.json", job, strlen(job));
    ck_assert_str_eq(validated("scenario.json"),
                     "job.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n"
                     "other.json:6:26: $AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount\n");
}
END_TEST

START_TEST(problems_that_are_not_kept_are_counted)
{
    // 150 unknown keys in the scenario: 100 are kept.
    Text keys = {0};
    for (int32_t i = 0; i < 150; i++)
        text_printf(&keys, "\"unknown%d\": 0, ", (int)i);
    change_file("scenario.json", "\"trainyard\"",
                arena_printf(arena, "%s\"trainyard\"", text_string(&keys)));
    text_free(&keys);
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    validate_file(arena, memory_files_source(&files), "scenario.json", (ScenarioOverrides){0},
                  &problems, &warnings, NULL);
    ck_assert_int_eq(problems.kept, PROBLEMS_KEPT);
    ck_assert_int_eq(problems.count, 150);
}
END_TEST

START_TEST(the_first_account_replaces_the_placeholder)
{
    static const struct {
        const char *storage, *account; /* the account that owns the share of job.json; NULL: none */
    } rows[] = {
        {"{\"account\": \"acc\", \"shares\": [{\"name\": \"data\"}]}, {\"account\": \"zzz\"}",
         "acc"},
        {"", "made"},
        {"{\"account\": \"acc\"}", NULL}, // made/data is there, acc/data is not
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        change_file("scenario.json",
                    "{\"account\": \"acc\", \"shares\": [\n"
                    "    {\"name\": \"data\", \"files\": {\"train.py\": {\"bytes\": \"1kB\"}}}]}",
                    rows[i].storage);
        change_file("scenario.json", "\"commands\": [",
                    "\"commands\": ["
                    "{\"do\": \"storage.create\", \"name\": \"made\"},"
                    "{\"do\": \"storage.create\", \"name\": \"later\"},"
                    "{\"do\": \"share.create\", \"name\": \"made/data\", \"tier\": \"standard\"},");
        Problems problems = problems_create(arena);
        const ScenarioFile *file = scenario_read(
            arena, memory_files_source(&files), "scenario.json", (ScenarioOverrides){0}, &problems);
        ck_assert_msg((file != NULL) == (rows[i].account != NULL), "row %zu:\n%s", i,
                      lines_of(&problems));
        if (file == NULL) {
            ck_assert_str_eq(lines_of(&problems),
                             "job.json:10:21: unknown file share \"acc/data\"\n");
            continue;
        }
        for (int32_t j = 0; j < file->scenario.command_count; j++)
            if (file->scenario.commands[j].kind == COMMAND_JOB_CREATE)
                ck_assert_str_eq(file->scenario.commands[j].as.job_create.spec->std_out_err.share,
                                 arena_printf(arena, "%s/data", rows[i].account));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("all_problems");
    TCase *tests = tcase_create("all_problems");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, all_mistakes_are_reported_at_once_without_their_consequences);
    tcase_add_test(tests, a_separate_file_is_checked_as_far_as_possible);
    tcase_add_test(tests, equal_mistakes_in_two_files_are_two_mistakes);
    tcase_add_test(tests, problems_that_are_not_kept_are_counted);
    tcase_add_test(tests, the_first_account_replaces_the_placeholder);
    suite_add_tcase(suite, tests);
    return suite;
}
