#include <math.h>
#include <string.h>

#include "sim/base/units.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

static ScenarioFile *read_with(const char *const *sets, int32_t count, Problems *problems)
{
    *problems = problems_create(arena);
    ScenarioOverrides overrides = {.count = count, .items = sets, .explains = true};
    ScenarioFile *file =
        scenario_read(arena, memory_files_source(&files), "scenario.json", overrides, problems);
    ck_assert_int_eq(file == NULL, problems->count > 0); // never a part of one
    return file;
}

static ScenarioFile *sound(void)
{
    Problems problems;
    ScenarioFile *file = read_with(NULL, 0, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file;
}

static void set_text(const char *path, const char *text)
{
    memory_files_set(&files, path, text, strlen(text));
}

static bool names(const Command *command, CommandKind kind, const char *group,
                  const char *workspace, const char *experiment, const char *name)
{
#define SAME(a, b) (((a) == NULL && (b) == NULL) || ((a) && (b) && strcmp((a), (b)) == 0))
    return command->kind == kind && SAME(command->path.group, group) &&
           SAME(command->path.workspace, workspace) && SAME(command->path.experiment, experiment) &&
           SAME(command->path.name, name);
#undef SAME
}

START_TEST(commands_follow_those_that_are_added_automatically)
{
    const Scenario *scenario = &sound()->scenario;
    const Command *c = scenario->commands;
    ck_assert_int_eq(scenario->command_count, 9);
    ck_assert(names(&c[0], COMMAND_STORAGE_CREATE, NULL, NULL, NULL, "acc"));
    ck_assert(names(&c[1], COMMAND_SHARE_CREATE, NULL, NULL, NULL, "acc/data"));
    ck_assert(names(&c[2], COMMAND_FILE_UPLOAD, NULL, NULL, NULL, "acc/data"));
    ck_assert(names(&c[3], COMMAND_GROUP_CREATE, NULL, NULL, NULL, "batchai"));
    ck_assert(names(&c[4], COMMAND_WORKSPACE_CREATE, "batchai", NULL, NULL, "workspace"));
    ck_assert(names(&c[5], COMMAND_EXPERIMENT_CREATE, "batchai", "workspace", NULL, "experiment"));
    ck_assert(names(&c[6], COMMAND_CLUSTER_CREATE, "batchai", "workspace", NULL, "gpu"));
    ck_assert(names(&c[7], COMMAND_JOB_CREATE, "batchai", "workspace", "experiment", "train"));
    ck_assert(names(&c[8], COMMAND_CLUSTER_DELETE, "batchai", "workspace", NULL, "gpu"));
    ck_assert_str_eq(c[2].as.file_upload.file, "train.py");
    ck_assert_int_eq(c[2].as.file_upload.bytes, 1000);
    ck_assert_ptr_null(c[2].as.file_upload.local_path);
    ck_assert_str_eq(c[1].as.share_create.tier->name, "standard");
    ck_assert_int_eq(c[8].trigger.moment, MOMENT_JOB_COMPLETED);
    ck_assert_str_eq(c[8].trigger.subject, "train");
    ck_assert_int_eq(c[8].trigger.delay_ns, NS_PER_MIN);
    ck_assert_str_eq(c[7].as.job_create.cluster.name, "gpu");
    ck_assert_str_eq(c[6].source, "scenario.json:12:5");
}
END_TEST

START_TEST(values_left_out_have_the_defaults_of_the_format)
{
    const Scenario *scenario = &sound()->scenario;
    ck_assert_str_eq(scenario->name, "scenario");
    ck_assert_uint_eq(scenario->seed, 1);
    ck_assert_str_eq(scenario->region, "eastus");
    ck_assert_int_eq(scenario->until_ns, INT64_MAX);
    ck_assert_int_eq(scenario->fidelity, FIDELITY_STEP);
}
END_TEST

START_TEST(a_scenario_in_a_folder_has_the_name_of_the_folder)
{
    static const struct {
        const char *path, *name;
    } rows[] = {
        {"a/b/scenario.json", "b"}, {"b/scenario.json", "b"},      {"a/spot.json", "spot"},
        {"spot.json", "spot"},      {"x/spot.v2.json", "spot.v2"}, {"/scenario.json", "scenario"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *inlined =
            with_change(arena, small_scenario_text, "\"cluster.json\"", small_cluster_text);
        inlined = with_change(arena, inlined, "\"job.json\"", small_job_text);
        inlined = with_change(arena, inlined, "catalog/azure", "/catalog/azure");
        MemoryFiles own = files;
        memory_files_set_catalog(&own, arena, "/catalog/");
        memory_files_set(&own, rows[i].path, inlined, strlen(inlined));
        Problems problems = problems_create(arena);
        const ScenarioFile *file = scenario_read(arena, memory_files_source(&own), rows[i].path,
                                                 (ScenarioOverrides){0}, &problems);
        ck_assert_msg(file != NULL, "%s: %s", rows[i].path,
                      problems.count ? problems.items[0].message : "");
        ck_assert_str_eq(file->scenario.name, rows[i].name);
    }
}
END_TEST

START_TEST(catalogues_are_searched_in_the_parent_folders)
{
    static const struct {
        const char *scenario, *folder; /* of the catalogue */
    } rows[] = {
        {"s/x/scenario.json", "s/x/catalog/"}, {"s/x/scenario.json", "s/catalog/"},
        {"s/x/scenario.json", "catalog/"},     {"s/x/scenario.json", "../catalog/"},
        {"scenario.json", "../../catalog/"},   {"../x/scenario.json", "../../catalog/"},
        {"/s/x/scenario.json", "/catalog/"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        MemoryFiles own = {0};
        const char *inlined =
            with_change(arena, small_scenario_text, "\"cluster.json\"", small_cluster_text);
        inlined = with_change(arena, inlined, "\"job.json\"", small_job_text);
        memory_files_set(&own, rows[i].scenario, inlined, strlen(inlined));
        memory_files_set_catalog(&own, arena, rows[i].folder);
        Problems problems = problems_create(arena);
        ck_assert_msg(scenario_read(arena, memory_files_source(&own), rows[i].scenario,
                                    (ScenarioOverrides){0}, &problems) != NULL,
                      "%s: %s", rows[i].folder, problems.items[0].message);
    }
}
END_TEST

/* A catalogue that sets the size of an image, as a C string. */
#define IMAGE(size)                                                                                \
    "{\"catalog\": 1, \"sources\": {\"s\": {\"title\": \"me\", \"date\": \"now\"}}, \"images\": "  \
    "{\"tensorflow/tensorflow:1.8.0-gpu\": {\"compressed_size\": {\"value\": \"" size              \
    "\", \"source\": \"s\"}}}"

/* The size of the job's image if the scenario's list contains `catalog`. */
static int64_t image_size_with(const char *catalog)
{
    set_text("scenario.json",
             with_change(arena, small_scenario_text, "\"catalog/azure-2018.json\"", catalog));
    return sound()->scenario.commands[7].as.job_create.spec->image->compressed_bytes;
}

START_TEST(included_catalogues_are_read_first)
{
#define AZURE "\"catalog/azure-2018.json\", "
    set_text("one.json", IMAGE("1GB") "}");
    set_text("catalog/../one.json", IMAGE("1GB") "}");
    set_text("catalog/two.json", IMAGE("2GB") "}");
    set_text("catalog/none.json", "{\"catalog\": 1, \"include\": [\"two.json\"]}");
    set_text("catalog/own.json", IMAGE("3GB") ", \"include\": [\"two.json\"]}");
    set_text("catalog/both.json", "// comments as in any catalogue\n"
                                  "{\"catalog\": 1, \"include\": [\"two.json\", \"../one.json\"]}");
    ck_assert_int_eq(image_size_with(AZURE "\"catalog/none.json\""), 2000000000);
    ck_assert_int_eq(image_size_with(AZURE "\"catalog/own.json\""), 3000000000);
    ck_assert_int_eq(image_size_with(AZURE "\"catalog/both.json\""), 1000000000);
    // Paths in a catalogue within the scenario file are relative to the scenario file.
    ck_assert_int_eq(image_size_with(AZURE "{\"catalog\": 1, \"include\": [\"one.json\"]}"),
                     1000000000);
    ck_assert_int_eq(image_size_with(AZURE "{\"catalog\": 1, \"include\": [" IMAGE("5GB") "}]}"),
                     5000000000);
}
END_TEST

/* The list is refused before a file of it is read: reading takes time and memory for each. */
START_TEST(a_list_of_very_many_catalogues_is_refused)
{
    Text list = {0};
    Problems problems;
    for (int i = 0; i < 2000; i++)
        text_add(&list, i > 0 ? ", \"missing.json\"" : "\"missing.json\"");
    set_text("scenario.json", with_change(arena, small_scenario_text, "\"catalog/azure-2018.json\"",
                                          text_string(&list)));
    ck_assert_ptr_null(read_with(NULL, 0, &problems));
    ck_assert_int_eq(problems.count, 1);
    ck_assert_ptr_nonnull(strstr(problems.items[0].message, "2000 files"));
    text_clear(&list);
    set_text("many.json",
             "{\"catalog\": 1, \"include\": [\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]}");
    for (int i = 0; i < 10; i++)
        text_add(&list, i > 0 ? ", \"many.json\"" : "\"many.json\"");
    set_text("scenario.json", with_change(arena, small_scenario_text, "\"catalog/azure-2018.json\"",
                                          text_string(&list)));
    ck_assert_ptr_null(read_with(NULL, 0, &problems));
    ck_assert_int_eq(problems.count, 1);
    ck_assert_ptr_nonnull(strstr(problems.items[0].message, "80 files"));
    text_free(&list);
}
END_TEST

START_TEST(an_override_can_include_another_file)
{
    static const char *const sets[] = {"/catalog/0/include/-=../mine.json",
                                       "/programs/0/model=mine"};
    Problems problems;
    set_text("catalog/../mine.json",
             "{\"catalog\": 1, \"sources\": {\"s\": {\"title\": \"me\", \"date\": \"now\"}},"
             " \"networks\": {\"mine\": {\"layers\": {\"source\": \"s\", \"value\": ["
             "  \"d dense 9>10, in 9, out 10, macs 90, tensors 10 90\"]}}}}");
    const ScenarioFile *file = read_with(sets, 2, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    const Program *program = file->scenario.commands[7].as.job_create.spec->program;
    ck_assert_str_eq(program->network->name, "mine");
    ck_assert_int_eq(program->network->parameters, 100);
}
END_TEST

START_TEST(an_include_that_fails_is_one_problem)
{
    static const struct {
        const char *text; /* of a catalogue after the shipped one */
        const char *source, *message, *hint;
        int32_t line, column;
    } rows[] = {
        {"{\"catalog\": 1, \"include\": [\"nothing.json\"]}", "mine.json",
         "no file \"nothing.json\"", "next to \"mine.json\"", 1, 28},
        {"{\"catalog\": 1,\n \"include\": [\"broken.json\"]}", "broken.json", "expected", "", 1, 2},
        {"{\"catalog\": 1, \"include\": \"one.json\"}", "mine.json", "must be a list", "", 1, 27},
        {"{\"catalog\": 1, \"include\": [7]}", "mine.json",
         "an included catalogue must be an object, not a number", "", 1, 28},
        {"{\"catalog\": 1, \"include\": [\"mine.json\"]}", "mine.json",
         "an included catalogue cannot include others", "of the first catalogue", 1, 16},
        {"{\"catalog\": 1, \"include\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}", "mine.json",
         "a list of at most 16", "", 1, 27},
        {"{\"catalog\": 1, \"includes\": []}", "mine.json", "a catalogue has no \"includes\"",
         "did you mean \"include\"?", 1, 16},
    };
    set_text("scenario.json", with_change(arena, small_scenario_text, "\"catalog/azure-2018.json\"",
                                          AZURE "\"mine.json\""));
    set_text("broken.json", "{");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems;
        set_text("mine.json", rows[i].text);
        ck_assert_ptr_null(read_with(NULL, 0, &problems));
        const Status *problem = &problems.items[0];
        ck_assert_msg(problems.count == 1 && strstr(problem->message, rows[i].message) != NULL &&
                          strstr(problem->hint, rows[i].hint) != NULL,
                      "%s: got %d: %s (%s)", rows[i].text, (int)problems.count, problem->message,
                      problem->hint);
        ck_assert_msg(strcmp(problem->at.source, rows[i].source) == 0 &&
                          problem->at.line == rows[i].line && problem->at.column == rows[i].column,
                      "%s: at %s", rows[i].text, place_text(arena, problem->at));
    }
}
END_TEST

START_TEST(overrides_change_values_through_referenced_files)
{
    static const char *const sets[] = {
        "/seed=7",
        "/until=2h",
        "/commands/0/config/properties/vmSize=Standard_NC24",
        "/commands/0/config/properties/scaleSettings/manual/targetNodeCount=1",
        "/commands/1/config/properties/nodeCount=1",
        "/programs/0/epochs=3",
    };
    Problems problems;
    const ScenarioFile *file = read_with(sets, 6, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count ? problems.items[0].message : "");
    ck_assert_uint_eq(file->scenario.seed, 7);
    ck_assert_int_eq(file->scenario.until_ns, 2 * NS_PER_HOUR);
    const Command *c = file->scenario.commands;
    ck_assert_str_eq(c[6].as.cluster_create->vm_size->name, "Standard_NC24");
    ck_assert_int_eq(c[7].as.job_create.spec->nodes, 1);
    ck_assert_int_eq(c[7].as.job_create.spec->program->epochs, 3);
}
END_TEST

START_TEST(a_change_makes_the_list_or_object_that_it_is_in)
{
    static const char *const sets[] = {
        "/failures/scale=0",
        "/assume/vm_sizes~1STANDARD_NC6~1dedicated_price_per_hour=2USD",
        "/faults/-={\"at\": \"1h\", \"do\": \"node.crash\", \"cluster\": \"gpu\"}",
        "/faults/-={\"at\": \"2h\", \"do\": \"node.crash\", \"cluster\": \"gpu\"}",
    };
    static const char *const refused[] = {"/fault/-=1", "/commands/9/name=x", "/faults/0/at=1h"};
    Problems problems;
    const int32_t commands = sound()->scenario.command_count;
    const ScenarioFile *file = read_with(sets, 4, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count ? problems.items[0].message : "");
    ck_assert_int_eq(file->scenario.command_count, commands + 2);
    ck_assert_int_eq(file->scenario.failures.rate_ppm, 0);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(read_with(&refused[i], 1, &problems) == NULL, "%s", refused[i]);
    set_text("scenario.json", "[]");
    ck_assert_ptr_null(read_with(sets, 2, &problems));
}
END_TEST

static ScenarioFile *read_so(ScenarioOverrides overrides)
{
    Problems problems = problems_create(arena);
    ScenarioFile *file =
        scenario_read(arena, memory_files_source(&files), "scenario.json", overrides, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file;
}

static const JobSpec *job_of(const ScenarioFile *file)
{
    return file->scenario.commands[7].as.job_create.spec;
}

START_TEST(an_override_runs_trainings_for_real)
{
    const JobSpec *modelled = job_of(sound());
    const JobSpec *real = job_of(read_so((ScenarioOverrides){.trains_for_real = true}));
    const Program *training = real->program->training;
    ck_assert_int_eq(modelled->program->kind, PROGRAM_TRAIN);
    ck_assert_int_eq(real->program->kind, PROGRAM_REAL);
    ck_assert_int_eq(real->processes, 2); // of any toolkit
    ck_assert_int_eq(real->program->mount_count, 1);
    ck_assert_int_eq(training->kind, PROGRAM_TRAIN);
    ck_assert_str_eq(training->network->name, "keras_cifar10_cnn");
    ck_assert_int_eq(training->epochs, 2);
    ck_assert_int_eq(training->steps_per_epoch, modelled->program->steps_per_epoch);
    ck_assert_str_eq(training->model_path, modelled->program->model_path);
}
END_TEST

START_TEST(an_override_sets_the_number_of_images_of_known_networks)
{
    const char *const whole_epochs[] = {"/programs/0/steps_per_epoch=\"ceil(samples/batch)\"",
                                        "/programs/0/evaluate_samples=\"test_samples\"",
                                        "/programs/0/batch_per_rank=32"};
    ScenarioOverrides overrides = {
        .count = 3, .items = whole_epochs, .samples = {.train = 1000, .test = 200}};
    const Program *program = job_of(read_so(overrides))->program;
    ck_assert_int_eq(program->steps_per_epoch, 32); // 31.25
    ck_assert_int_eq(program->evaluate_samples, 200);
    overrides.samples = (DataSamples){0};
    program = job_of(read_so(overrides))->program;
    ck_assert_int_eq(program->steps_per_epoch, 1563);
    ck_assert_int_eq(program->evaluate_samples, 10000);
    overrides.samples = (DataSamples){.train = 1000, .test = 200};
    const char *const others[] = {whole_epochs[0], whole_epochs[1], whole_epochs[2],
                                  "/programs/0/model=tf_mnist_lenet"}; // trained on something else
    overrides.items = others;
    overrides.count = 4;
    ck_assert_int_eq(job_of(read_so(overrides))->program->steps_per_epoch, 1563);
}
END_TEST

START_TEST(a_share_that_is_created_again_has_its_new_tier)
{
    static const char *const again[] = {
        "/commands/-={\"at\": \"1h\", \"do\": \"share.delete\", \"name\": \"acc/data\"}",
        "/commands/-={\"at\": \"2h\", \"do\": \"share.create\", \"name\": \"acc/data\", "
        "\"tier\": \"premium\"}"};
    const Scenario *scenario = &read_so((ScenarioOverrides){.count = 2, .items = again})->scenario;
    const char *tiers[3];
    int32_t count = 0;
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        if (command->kind == COMMAND_SHARE_CREATE && strcmp(command->path.name, "acc/data") == 0)
            tiers[count++] = command->as.share_create.tier->name;
    }
    ck_assert_int_eq(count, 2);
    ck_assert_str_eq(tiers[0], "standard");
    ck_assert_str_eq(tiers[1], "premium");
}
END_TEST

START_TEST(each_execution_has_its_program_kind)
{
    static const struct {
        const char *word, *model;
        ProgramKind kind;
        bool is_training;
    } rows[] = {
        {"emulated", "keras_cifar10_cnn", PROGRAM_TRAIN, false},
        {"training", "keras_cifar10_cnn", PROGRAM_REAL, true},
        {"real", "keras_cifar10_cnn", PROGRAM_REAL, true},
        {"command", "keras_cifar10_cnn", PROGRAM_REAL, false},
        {"training", "tf_mnist_lenet", PROGRAM_TRAIN, false}, // not a model of the trainer
        {"real", "tf_mnist_lenet", PROGRAM_REAL, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const sets[] = {
            arena_printf(arena, "/commands/1/execution=\"%s\"", rows[i].word),
            arena_printf(arena, "/programs/0/model=\"%s\"", rows[i].model),
            // A command line that runs unchanged is one process.
            "/commands/1/config/properties/nodeCount=1"};
        const Program *program =
            job_of(read_so((ScenarioOverrides){.count = 3, .items = sets}))->program;
        ck_assert_msg(program->kind == rows[i].kind, "row %zu", i);
        ck_assert_msg((program->training != NULL) == rows[i].is_training, "row %zu", i);
    }
}
END_TEST

/* The folders of the service have rules, and a shell has other rules. */
START_TEST(command_lines_that_run_unchanged_only_get_warnings)
{
    static const char properties[] =
        "{\"customToolkitSettings\": {\"commandLine\": \"cd $AZ_BATCHAI_JOB_MOUNT_ROOT/.. && "
        "pwd\"}, "
        "\"jobPreparation\": {\"commandLine\": \"echo ${AZ_BATCHAI_MINE} "
        "$AZ_BATCHAI_JOB_MOUNT_ROOT/../x\"}, \"nodeCount\": 1, \"stdOutErrPathPrefix\": "
        "\"$AZ_BATCHAI_JOB_MOUNT_ROOT/data\", \"mountVolumes\": {\"azureFileShares\": "
        "[{\"azureFileUrl\": \"https://acc.file.core.windows.net/data\", "
        "\"relativeMountPath\": \"data\"}]}}";
    static const struct {
        const char *word;
        int32_t problems, warnings;
    } rows[] = {
        {"command", 0, 3},
        {"real", 0, 3},
        {"training", 1, 0}, // its duration is unknown
        {"emulated", 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const sets[] = {
            arena_printf(arena, "/commands/1/execution=\"%s\"", rows[i].word),
            arena_printf(arena, "/commands/1/config/properties=%s", properties)};
        Problems problems;
        const ScenarioFile *file = read_with(sets, 2, &problems);
        ck_assert_msg(problems.count == rows[i].problems, "%s: %d, %s", rows[i].word,
                      (int)problems.count, problems.count > 0 ? problems.items[0].message : "");
        if (file != NULL)
            ck_assert_int_eq(file->warnings.count, rows[i].warnings);
    }
}
END_TEST

START_TEST(reported_results_belong_to_the_session_and_make_jobs_real)
{
    const char ran[] = "[{\"do\": \"job.reached\", \"name\": \"train\", \"step\": 30, \"took\": "
                       "\"5s\", \"at\": \"10m\"},\n{\"do\": \"job.ran\", \"name\": \"train\", "
                       "\"took\": \"9s\", \"exit_code\": 0, \"epochs\": 2, \"steps\": 40, "
                       "\"val_accuracy\": 0.715, \"val_loss\": 0.812345, \"at\": \"11m\"}]";
    set_text("ran.json", ran);
    const ScenarioFile *file = read_so((ScenarioOverrides){.ran_path = "ran.json"});
    const Command *commands = file->scenario.commands;
    ck_assert_int_eq(file->scenario.command_count, 11);
    ck_assert_int_eq(job_of(file)->program->kind, PROGRAM_REAL);
    ck_assert_int_eq(commands[9].kind, COMMAND_JOB_REACHED);
    ck_assert_int_eq(commands[9].as.job_reached.step, 30);
    ck_assert_int_eq(commands[9].as.job_reached.took_ns, 5 * NS_PER_S);
    ck_assert_int_eq(commands[10].as.job_ran.training.epochs, 2);
    ck_assert_int_eq(commands[10].as.job_ran.training.steps, 40);
    ck_assert_int_eq(commands[10].as.job_ran.training.accuracy_ppm, 715000);
    ck_assert_int_eq(commands[10].as.job_ran.training.loss_micro, 812345);
    set_text("ran.json", "[{\"do\": \"job.ran\", \"name\": \"train\", \"took\": \"9s\", "
                         "\"val_accuracy\": 1.5, \"at\": \"11m\"}]");
    Problems problems = problems_create(arena);
    ck_assert_ptr_null(scenario_read(arena, memory_files_source(&files), "scenario.json",
                                     (ScenarioOverrides){.ran_path = "ran.json"}, &problems));
    ck_assert_int_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].at.source, "ran.json");
    ck_assert(strstr(problems.items[0].message, "val_accuracy is not a number from 0 to 1") !=
              NULL);
}
END_TEST

START_TEST(overrides_of_missing_values_are_refused)
{
    static const struct {
        const char *set, *message, *hint;
    } rows[] = {
        {"/seed", "needs '='", "as in"},
        {"seed=7", "not a JSON pointer", "as in"},
        {"/command/0/name=x", "no \"command\" on this path", "did you mean \"commands\"?"},
        {"/commands/9/name=x", "no item \"9\" in an array of 3", ""},
        {"/seed/x=1", "inside a number", ""},
        {"/sede=7", "unknown key \"sede\"", "did you mean \"seed\"?"},
        {"/seed=many", "seed is \"many\", expected an integer", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems;
        // The small scenario leaves its seed out; the first change puts one in.
        const char *set = rows[i].set;
        const char *sets[] = {"/seed=1", set};
        ck_assert_ptr_null(read_with(sets, 2, &problems));
        const Status *problem = &problems.items[0];
        ck_assert_msg(strstr(problem->message, rows[i].message) != NULL &&
                          strstr(problem->hint, rows[i].hint) != NULL,
                      "%s: got %s (%s)", set, problem->message, problem->hint);
    }
}
END_TEST

START_TEST(mistakes_in_a_scenario_are_named_before_anything_runs)
{
    static const struct {
        const char *old, *new; /* a change of the small scenario */
        int32_t line, column;  /* 0: somewhere */
        const char *message, *hint;
    } rows[] = {
        {"\"trainyard\": 1", "\"trainyard\": 2", 2, 16, "trainyard is 2, expected 1", ""},
        {"azure-2018", "azure-2019", 3, 15, "there is no catalogue",
         "did you mean \"catalog/azure-2018.json\""},
        {"catalog/azure-2018.json", "ours.json", 3, 15, "there is no catalogue", "folders above"},
        {"\"cluster.json\"", "\"clutser.json\"", 12, 55, "no file \"clutser.json\"", "next to"},
        {"\"after\": \"job train", "\"after\": \"job tarin", 14, 15, "unknown job \"tarin\"",
         "did you mean \"train\"?"},
        {"completed + 1m", "done", 14, 15, "is not a moment", "job NAME"},
        {"completed + 1m", "completed + soon", 14, 15, "", ""},
        {"\"after\": \"job train completed + 1m\"",
         "\"after\": \"cluster gpu steady\", \"at\": \"1s\"", 14, 15,
         "\"at\" or \"after\", not both", ""},
        {"\"do\": \"cluster.delete\", \"name\": \"gpu\"",
         "\"do\": \"cluster.delete\", \"name\": \"gqu\"", 14, 75, "unknown cluster \"gqu\"",
         "did you mean \"gpu\"?"},
        {"\"do\": \"cluster.delete\"", "\"do\": \"cluster.kill\"", 14, 49, "unknown do",
         "cluster."},
        {"\"do\": \"cluster.delete\"", "\"target\": 1, \"do\": \"cluster.delete\"", 14, 43,
         "cluster.delete takes no \"target\"", ""},
        {"\"do\": \"cluster.delete\"", "\"zzzzzz\": 1, \"do\": \"cluster.delete\"", 14, 43,
         "unknown key \"zzzzzz\" in this command",
         "known: do, at, after, name, workspace, resource_group"},
        {"\"do\": \"cluster.delete\"", "\"do\": \"cluster.resize\"", 14, 5,
         "cluster.resize needs \"target\"", ""},
        {"\"do\": \"cluster.delete\"", "\"target\": 101, \"do\": \"cluster.resize\"", 14, 53,
         "a cluster has at most 100", ""},
        {"\"do\": \"cluster.delete\"",
         "\"minimum\": 3, \"maximum\": 2, \"do\": \"cluster.autoscale\"", 14, 54,
         "minimum is 3, above maximum 2", ""},
        {"\"do\": \"cluster.delete\"",
         "\"minimum\": 0, \"maximum\": 101, \"do\": \"cluster.autoscale\"", 14, 68,
         "a cluster has at most 100", ""},
        {"\"do\": \"cluster.delete\"", "\"minimum\": 0, \"do\": \"cluster.autoscale\"", 14, 5,
         "cluster.autoscale needs \"maximum\"", ""},
        {"\"cluster\": \"gpu\"", "\"cluster\": \"cpu\"", 13, 54, "unknown cluster \"cpu\"",
         "did you mean \"gpu\"?"},
        {"\"cluster\": \"gpu\", ", "", 13, 5, "has no cluster", "add \"cluster\""},
        {"\"name\": \"train\"", "\"name\": \"tr/ain\"", 13, 34, "has a '/'", "letters"},
        {"\"name\": \"train\"", "\"name\": \"\"", 13, 34, "0 characters", ""},
        {"\"job\": \"train\", \"state\"", "\"metric\": \"x\", \"state\"", 16, 14,
         "one way to compare", "between"},
        {"\"job\": \"train\", \"state\"", "\"state\"", 16, 14, "exactly one of", ""},
        {"\"model\": \"keras_cifar10_cnn\"", "\"model\": \"keras_cifar10\"", 6, 49, "unknown model",
         "did you mean \"keras_cifar10_cnn\"?"},
        {"\"model\": \"keras_cifar10_cnn\"", "\"duration\": \"1m\", \"model\": \"resnet50\"", 6, 16,
         "several of \"model\", \"transformer\", \"duration\" and", ""},
        {"\"model\": \"keras_cifar10_cnn\",", "", 6, 16,
         "none of \"model\", \"transformer\", \"duration\" and", ""},
        {"\"model\": \"keras_cifar10_cnn\"", "\"duration\": \"soon\"", 6, 0, "duration",
         "durations look like"},
        {"\"model\": \"keras_cifar10_cnn\"", "\"duration\": 90", 6, 0, "found a number", ""},
        {"\"model\": \"keras_cifar10_cnn\"", "\"duration\": {\"lognormel\": \"1h\"}", 6, 0,
         "no distribution \"lognormel\"", "did you mean \"lognormal\"?"},
        {"\"batch_per_rank\": 32, ", "", 6, 16, "needs \"batch_per_rank\"", ""},
        {"ceil(4/ranks)", "4/ranke", 9, 0, "", ""},
        {"ceil(4/ranks)", "ranks-2", 9, 37, "epochs is 0, expected 1", ""},
        {"{\"bytes\": \"1kB\"}", "\"missing.py\"", 5, 44, "no file \"missing.py\"", "next to"},
        {"{\"bytes\": \"1kB\"}", "{\"byte\": 1}", 5, 45, "unknown key \"byte\"", "bytes"},
        {"{\"bytes\": \"1kB\"}", "{}", 5, 44, "neither \"bytes\" nor \"text\"", ""},
        {"{\"bytes\": \"1kB\"}", "{\"text\": \"x\", \"bytes\": 1}", 5, 44,
         "both \"bytes\" and \"text\"", ""},
        {"\"commands\"", "\"measure\": {\"from\": \"2h\", \"until\": \"2h\"}, \"commands\"", 11, 0,
         "ends before it begins", ""},
        {"\"commands\"", "\"other_programs\": {\"duration\": \"soon\"}, \"commands\"", 11, 0,
         "duration", "durations look like"},
        {"\"train.py\": {", "\"../train.py\": {", 5, 32, "not a path on a share", ""},
        {"\"name\": \"data\", ", "\"name\": \"data\", \"tier\": \"standart\", ", 5, 30,
         "unknown share tier", "did you mean \"standard\"?"},
        {"\"*/train.py\"", "\"*/other.py\"", 0, 0, "no program matches", "*/train.py"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_text("scenario.json",
                 with_change(arena, small_scenario_text, rows[i].old, rows[i].new));
        Problems problems;
        read_with(NULL, 0, &problems);
        bool is_found = false;
        for (int32_t j = 0; j < problems.kept; j++) {
            const Status *problem = &problems.items[j];
            is_found = is_found || ((rows[i].line == 0 || problem->at.line == rows[i].line) &&
                                    (rows[i].column == 0 || problem->at.column == rows[i].column) &&
                                    strstr(problem->message, rows[i].message) != NULL &&
                                    strstr(problem->hint, rows[i].hint) != NULL);
        }
        ck_assert_msg(is_found, "%s: %d problems, first %d:%d: %s (%s)", rows[i].new,
                      (int)problems.count, problems.count ? (int)problems.items[0].at.line : 0,
                      problems.count ? (int)problems.items[0].at.column : 0,
                      problems.count ? problems.items[0].message : "",
                      problems.count ? problems.items[0].hint : "");
    }
}
END_TEST

START_TEST(one_mistake_is_one_problem)
{
    static const struct {
        const char *old, *new, *message;
    } rows[] = {
        // The value of a misspelt key is used for the intended key.
        {"\"catalog\": [", "\"catalogue\": [", "unknown key \"catalogue\""},
        {"\"storage\"", "\"storages\"", "unknown key \"storages\""},
        {"\"account\"", "\"acount\"", "unknown key \"acount\""},
        {"\"shares\"", "\"share\"", "unknown key \"share\""},
        {"\"programs\"", "\"program\"", "unknown key \"program\""},
        {"\"match\"", "\"mach\"", "unknown key \"mach\""},
        {"\"epochs\"", "\"epoch\"", "unknown key \"epoch\""},
        {"\"framework\"", "\"framwork\"", "unknown key \"framwork\""},
        {"\"commands\"", "\"command\"", "unknown key \"command\""},
        {"\"config\": \"cluster", "\"confg\": \"cluster", "unknown key \"confg\""},
        {"\"after\"", "\"afer\"", "unknown key \"afer\""},
        {"{\"job\": \"train\", \"state\"", "{\"job\": \"train\", \"stat\"", "unknown key \"stat\""},
        // A program that is refused says nothing about the jobs that use it.
        {"keras-2.2-tf-1.8", "keras-2.2-tf-1.9", "unknown framework"},
        {"\"framework\": \"keras-2.2-tf-1.8\",", "", "needs \"framework\", which is missing"},
        {"\"batch_per_rank\": 32", "\"batch_per_rank\": 0", "expected 1 to"},
        {"\"5MB\"", "\"5MiBi\"", "unknown unit"},
        // Resources that a refused command would have created are not reported as missing.
        {"\"do\": \"cluster.create\"", "\"do\": \"cluster.crate\"", "unknown do"},
        {"\"do\": \"job.create\"", "\"do\": 7", "do is 7"},
        {"\"name\": \"gpu\"", "\"name\": \"\"", "0 characters"},
        {"\"name\": \"train\"", "\"name\": \"\"", "0 characters"},
        {"cluster.delete\", \"name\": \"gpu\"", "cluster.delete\", \"name\": \"g u\"", "has a ' '"},
        {"\"account\": \"acc\"", "\"account\": \"a/b\"", "has a '/'"},
        {"\"account\": \"acc\"", "\"account\": \"a\xc3\xa9\"", "has a '\xc3\xa9'"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_text("scenario.json",
                 with_change(arena, small_scenario_text, rows[i].old, rows[i].new));
        Problems problems;
        read_with(NULL, 0, &problems);
        ck_assert_msg(problems.count == 1, "%s: %d problems, second %s", rows[i].new,
                      (int)problems.count, problems.kept > 1 ? problems.items[1].message : "");
        ck_assert_msg(strstr(problems.items[0].message, rows[i].message) != NULL, "%s: %s",
                      rows[i].new, problems.items[0].message);
    }
}
END_TEST

START_TEST(mistakes_in_all_files_are_reported_together_and_each_once)
{
    const char *text =
        with_change(arena, small_scenario_text, "\"after\": \"job train", "\"after\": \"job tarin");
    // The same job file twice: its mistake is still one mistake.
    text = with_change(arena, text, "    {\"after\"",
                       "    {\"do\": \"job.create\", \"name\": \"again\", \"cluster\": \"gpu\", "
                       "\"config\": \"job.json\"},\n    {\"after\"");
    set_text("scenario.json", text);
    set_text("job.json", with_change(arena, small_job_text, "data/train.py", "dta/train.py"));
    set_text("cluster.json", with_change(arena, small_cluster_text, "\"STANDARD_NC6\"",
                                         "\"STANDARD_NC6\", \"vmPriorty\": \"dedicated\""));
    Problems problems;
    read_with(NULL, 0, &problems);
    ck_assert_int_eq(problems.count, 3);
    ck_assert_str_eq(problems.items[0].at.source, "cluster.json");
    ck_assert_str_eq(problems.items[1].at.source, "job.json");
    ck_assert_str_eq(problems.items[2].at.source, "scenario.json");
}
END_TEST

START_TEST(expectations_are_bound_with_their_units)
{
    set_text("scenario.json",
             with_change(arena, small_scenario_text,
                         "\"expect\": [{\"job\": \"train\", \"state\": \"succeeded\"}]",
                         "\"expect\": [{\"job\": \"train\", \"state\": \"succeeded\"},"
                         "{\"metric\": \"jobs.train.run_s\", \"between\": [\"1m\", \"1h\"]},"
                         "{\"metric\": \"cost_usd.total\", \"at_most\": 2.5},"
                         "{\"metric\": \"jobs.train.tool\", \"equals\": \"horovod\"},"
                         "{\"metric\": \"jobs.train.steps\", \"equals\": 3126},"
                         "{\"files\": \"acc/data/*.txt\", \"count\": 2},"
                         "{\"files\": \"acc/data/*.h5\"}]"));
    const ScenarioFile *file = sound();
    const Expectation *e = file->expectations;
    ck_assert_int_eq(file->expectation_count, 7);
    ck_assert_int_eq(e[0].kind, EXPECT_STATE);
    ck_assert_str_eq(e[0].subject, "jobs.train.state");
    ck_assert_str_eq(e[0].equals, "succeeded");
    ck_assert_str_eq(e[0].text, "job train, state succeeded");
    ck_assert_str_eq(e[1].text, "jobs.train.run_s between 1m and 1h");
    ck_assert_str_eq(e[2].text, "cost_usd.total at most 2.5");
    ck_assert_str_eq(e[5].text, "files acc/data/*.txt, count 2");
    ck_assert_double_eq(e[1].low, 60);
    ck_assert_double_eq(e[1].high, 3600);
    ck_assert(isinf(e[2].low) && e[2].low < 0);
    ck_assert_double_eq(e[2].high, 2.5);
    ck_assert_str_eq(e[3].equals, "horovod");
    ck_assert_double_eq(e[4].low, 3126);
    ck_assert_double_eq(e[4].high, 3126);
    ck_assert_double_eq(e[5].low, 2);
    ck_assert_double_eq(e[5].high, 2);
    ck_assert_double_eq(e[6].low, 1);
    ck_assert(isinf(e[6].high));
}
END_TEST

START_TEST(an_empty_or_missing_file_is_an_error)
{
    Problems problems;
    set_text("scenario.json", "");
    read_with(NULL, 0, &problems);
    ck_assert_str_eq(problems.items[0].message, "the file is empty");
    problems = problems_create(arena);
    ck_assert_ptr_null(scenario_read(arena, memory_files_source(&files), "nowhere.json",
                                     (ScenarioOverrides){0}, &problems));
    ck_assert_int_eq(problems.count, 1);
}
END_TEST

START_TEST(every_effective_value_is_explained)
{
    static const char *const lines[] = {
        "seed = 1  # default\n",
        "cluster gpu vmSize = STANDARD_NC6  # cluster.json:2:13\n",
        "cluster.create gpu = at 0 s  # scenario.json:12:5\n",
        "group.create batchai = at 0 s  # implied by scenario.json:12:5\n",
        "job train processes = 2  # its toolkit\n",
        "job train epochs = 2  # the program's \"epochs\"\n",
        "job train steps per epoch and rank = 1563  # the program's \"steps_per_epoch\"\n",
        "\nvm_sizes/Standard_NC6/vcpus = 6  # catalog/azure-2018.json:",
        "\nquotas/total/dedicated_vcpus = 24  # catalog/azure-2018.json:",
        "ASSUMED",
    };
    Text text = {0};
    explanation_print(&text, &sound()->explanation);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        ck_assert_msg(strstr(text_string(&text), lines[i]) != NULL, "%s", lines[i]);
    // Entries that this scenario does not use are not listed.
    ck_assert_ptr_null(strstr(text_string(&text), "Standard_NC24"));
    text_free(&text);
}
END_TEST

START_TEST(reading_twice_gives_the_same_explanation)
{
    Text once = {0}, again = {0};
    explanation_print(&once, &sound()->explanation);
    explanation_print(&again, &sound()->explanation);
    ck_assert_str_eq(text_string(&once), text_string(&again));
    text_free(&once);
    text_free(&again);
}
END_TEST

/* The catalogue of `like` is used again only if it is the same. */
START_TEST(a_file_that_is_read_like_another_has_the_values_of_its_changes)
{
    static const char *const sets[] = {"/fidelity=job", "/quotas={\"total\": 17}",
                                       "/quotas=unlimited",
                                       "/assume={\"vm_sizes/Standard_NC6/vcpus\": 7}",
                                       "/catalog/0/quotas/total/dedicated_vcpus/value=23"};
    const ScenarioFile *like = sound();
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        Problems problems = problems_create(arena);
        ScenarioOverrides overrides = {.count = 1, .items = &sets[i]};
        const FileSource source = memory_files_source(&files);
        const ScenarioFile *alone =
            scenario_read(arena, source, "scenario.json", overrides, &problems);
        overrides.like = like;
        const ScenarioFile *again =
            scenario_read(arena, source, "scenario.json", overrides, &problems);
        ck_assert_msg(problems.count == 0, "%s: %s", sets[i],
                      problems.count > 0 ? problems.items[0].message : "");
        ck_assert_int_eq(alone->scenario.quota_count, again->scenario.quota_count);
        for (int32_t q = 0; q < alone->scenario.quota_count; q++)
            ck_assert_msg(alone->scenario.quotas[q].dedicated_vcpus ==
                              again->scenario.quotas[q].dedicated_vcpus,
                          "%s", sets[i]);
        ck_assert_int_eq(alone->scenario.commands[6].as.cluster_create->vm_size->vcpus,
                         again->scenario.commands[6].as.cluster_create->vm_size->vcpus);
        ck_assert_msg((again->catalog == like->catalog) == (i == 0), "%s", sets[i]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario_read");
    TCase *tests = tcase_create("scenario_read");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_file_that_is_read_like_another_has_the_values_of_its_changes);
    tcase_add_test(tests, commands_follow_those_that_are_added_automatically);
    tcase_add_test(tests, values_left_out_have_the_defaults_of_the_format);
    tcase_add_test(tests, a_scenario_in_a_folder_has_the_name_of_the_folder);
    tcase_add_test(tests, catalogues_are_searched_in_the_parent_folders);
    tcase_add_test(tests, included_catalogues_are_read_first);
    tcase_add_test(tests, a_list_of_very_many_catalogues_is_refused);
    tcase_add_test(tests, an_override_can_include_another_file);
    tcase_add_test(tests, an_include_that_fails_is_one_problem);
    tcase_add_test(tests, overrides_change_values_through_referenced_files);
    tcase_add_test(tests, a_change_makes_the_list_or_object_that_it_is_in);
    tcase_add_test(tests, overrides_of_missing_values_are_refused);
    tcase_add_test(tests, an_override_runs_trainings_for_real);
    tcase_add_test(tests, an_override_sets_the_number_of_images_of_known_networks);
    tcase_add_test(tests, a_share_that_is_created_again_has_its_new_tier);
    tcase_add_test(tests, each_execution_has_its_program_kind);
    tcase_add_test(tests, command_lines_that_run_unchanged_only_get_warnings);
    tcase_add_test(tests, reported_results_belong_to_the_session_and_make_jobs_real);
    tcase_add_test(tests, mistakes_in_a_scenario_are_named_before_anything_runs);
    tcase_add_test(tests, one_mistake_is_one_problem);
    tcase_add_test(tests, mistakes_in_all_files_are_reported_together_and_each_once);
    tcase_add_test(tests, expectations_are_bound_with_their_units);
    tcase_add_test(tests, an_empty_or_missing_file_is_an_error);
    tcase_add_test(tests, every_effective_value_is_explained);
    tcase_add_test(tests, reading_twice_gives_the_same_explanation);
    suite_add_tcase(suite, tests);
    return suite;
}
