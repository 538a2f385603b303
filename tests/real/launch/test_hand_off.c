/* Tests of real/launch/hand_off.h: the plan for a job, without starting a program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/launch/hand_off.h"
#include "sim/cli/files.h"
#include "sim/cloud/job/job_name.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

#define NODE_ROOT "/mnt/batch/tasks/shared/LS_root/jobs/workspace/experiment/train"

static Arena *arena;
static MemoryFiles files;
static const char *folder;
static World *world;
static const Job *job;
static HandOffSettings settings;
static HandOff plan;

static void begin(void)
{
    arena = arena_create();
    files = small_scenario(arena);
    folder = temporary_folder_create(arena);
    settings = (HandOffSettings){
        .trainer = "/opt/trainyard-train", .backend = HAND_OFF_CPU, .node_folder = "/here/node"};
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static void put_data(const char *name)
{
    Status status;
    ck_assert(file_write(arena_printf(arena, "%s/%s", folder, name), "x", 1, &status));
    settings.data_folder = folder;
}

/* A world in which the job's program has just begun. */
static void run_to_program(const char *const *sets, int32_t count)
{
    Problems problems = problems_create(arena);
    const ScenarioFile *file = scenario_read(
        arena, memory_files_source(&files), "scenario.json",
        (ScenarioOverrides){.count = count, .items = sets, .trains_for_real = true}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    world = world_create(arena, &file->scenario, (TraceSink){0});
    while (world_job_count(world) == 0 || !job_runs_outside(world_job(world, (JobId){0}), 0))
        ck_assert(world_run_instant(world));
    job = world_job(world, (JobId){0});
}

static void make_plan(void)
{
    Status status = {0};
    ck_assert_msg(hand_off_plan(arena, world, job, &settings, &plan, &status), "%s",
                  status.message);
}

static bool has(char *const *list, const char *word)
{
    for (; *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

/* The argument after `name`; NULL: there is no such argument. */
static const char *value_of(const char *name)
{
    for (char *const *list = plan.ranks.arguments; *list; list++)
        if (strcmp(*list, name) == 0)
            return list[1];
    return NULL;
}

START_TEST(arguments_describe_the_program)
{
    put_data("data_batch_1.bin");
    run_to_program(NULL, 0);
    make_plan();
    ck_assert(hand_off_takes(job));
    ck_assert_str_eq(plan.ranks.program, "/opt/trainyard-train");
    ck_assert_int_eq(plan.ranks.ranks, 2);
    ck_assert(!plan.ranks.is_on_gpus);
    ck_assert_str_eq(value_of("--network"), "keras_cifar10_cnn");
    ck_assert_str_eq(value_of("--batch-size"), "32");
    ck_assert_str_eq(value_of("--precision"), "fp32");
    ck_assert_str_eq(value_of("--epochs"), "2");
    ck_assert(!has(plan.ranks.arguments, "--steps")); // all images
    ck_assert_str_eq(value_of("--seed"), "1");
    ck_assert_str_eq(value_of("--backend"), "cpu");
    ck_assert_str_eq(value_of("--data-dir"), folder);
    ck_assert(has(plan.ranks.arguments, "--timeline"));
    ck_assert(has(plan.ranks.arguments, "--whole-steps"));
    ck_assert(!has(plan.ranks.arguments, "--resume"));
    ck_assert(!has(plan.ranks.arguments, "--fail-step"));
}
END_TEST

/* A file of a set with so many black images of class 0. */
static void put_images(const char *name, int32_t count)
{
    enum { RECORD_BYTES = 1 + 3 * 32 * 32 };
    Status status;
    const size_t length = (size_t)count * RECORD_BYTES;
    char *records = ARENA_ARRAY(arena, char, length);
    ck_assert(file_write(arena_printf(arena, "%s/%s", folder, name), records, length, &status));
}

START_TEST(an_epoch_of_the_modelled_set_covers_the_set_in_the_folder)
{
    put_data("data_batch_1.bin");
    put_images("data_batch_1.bin", 65);
    put_images("test_batch.bin", 1);
    run_to_program(NULL, 0);
    make_plan();
    ck_assert(!has(plan.ranks.arguments, "--steps"));
    ck_assert_int_eq(plan.steps_per_epoch, 3); // 65 images in batches of 32
    const char *const few[] = {"/programs/0/steps_per_epoch=20"};
    run_to_program(few, 1);
    make_plan();
    ck_assert_str_eq(value_of("--steps"), "20"); // the program's number, for any number of images
    ck_assert_int_eq(plan.steps_per_epoch, 20);
}
END_TEST

START_TEST(everything_goes_where_the_service_puts_it)
{
    const char *const sets[] = {"/programs/0/checkpoint={\"path\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/"
                                "data/saves/checkpoint-{epoch}.h5\", \"bytes\": \"1MB\"}"};
    put_data("data_batch_1.bin");
    run_to_program(sets, 1);
    make_plan();
    const char *segment = job_output_segment(world_scenario(world), job, arena);
    const char *mounts = "/here/node" NODE_ROOT "/mounts";
    ck_assert_str_eq(plan.log_folder, arena_printf(arena, "%s/data/saves", mounts));
    ck_assert_str_eq(plan.model_folder,
                     arena_printf(arena, "%s/data/%s/outputs/models", mounts, segment));
    ck_assert_str_eq(plan.out_path, arena_printf(arena,
                                                 NODE_ROOT "/mounts/data/logs/%s/stdouterr/"
                                                           "stdout.txt",
                                                 segment));
    ck_assert_str_eq(value_of("--log-dir"), plan.log_folder);
    ck_assert_str_eq(value_of("--model-dir"), plan.model_folder);
    ck_assert(
        has(plan.ranks.environment, arena_printf(arena, "AZ_BATCHAI_JOB_MOUNT_ROOT=%s", mounts)));
    ck_assert(has(plan.ranks.environment, "HOME=/here/node"));
    ck_assert(has(plan.ranks.environment, "AZ_BATCHAI_NUM_GPUS=1") ||
              has(plan.ranks.environment, "LANG=C.UTF-8"));
}
END_TEST

/* A parameter server also has output files, and their names come first. */
START_TEST(output_goes_to_the_first_workers_file)
{
    const char *const sets[] = {
        "/commands/1/config/properties/horovodSettings=null",
        "/commands/1/config/properties/tensorFlowSettings={\"pythonScriptFilePath\": "
        "\"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/train.py\", \"masterCommandLineArgs\": \"\", "
        "\"workerCount\": 1, \"parameterServerCount\": 1}"};
    put_data("data_batch_1.bin");
    run_to_program(sets, 2);
    make_plan();
    ck_assert_ptr_nonnull(strstr(plan.out_path, "/stdout-wk-0.txt"));
    ck_assert_ptr_nonnull(strstr(plan.error_path, "/stderr-wk-0.txt"));
}
END_TEST

START_TEST(paths_outside_shares_are_on_the_node)
{
    const char *const sets[] = {
        "/programs/0/checkpoint={\"path\": \"./checkpoint-{epoch}.h5\", \"bytes\": \"1MB\"}",
        "/programs/0/save={\"path\": \"/tmp/model.h5\", \"bytes\": \"1MB\"}"};
    put_data("data_batch_1");
    run_to_program(sets, 2);
    make_plan();
    ck_assert_str_eq(plan.log_folder, plan.ranks.directory);
    ck_assert_str_eq(plan.model_folder, "/here/node/tmp");
}
END_TEST

START_TEST(arguments_name_the_rank_and_step_of_a_failure)
{
    put_data("data_batch_1.bin");
    settings.fail_step = 250;
    settings.fail_rank = 1;
    settings.backend = HAND_OFF_CUDA;
    run_to_program(NULL, 0);
    make_plan();
    ck_assert_str_eq(value_of("--fail-step"), "250");
    ck_assert_str_eq(value_of("--fail-rank"), "1");
    ck_assert_str_eq(value_of("--backend"), "cuda");
    ck_assert(plan.ranks.is_on_gpus);
}
END_TEST

START_TEST(without_data_nothing_is_planned)
{
    Status status = {0};
    run_to_program(NULL, 0);
    ck_assert(!hand_off_plan(arena, world, job, &settings, &plan, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert(strstr(status.message, "job \"train\" downloads its data set") != NULL);
    ck_assert(strstr(status.hint, "make-cifar") != NULL);
    settings.data_folder = folder;
    ck_assert(!hand_off_plan(arena, world, job, &settings, &plan, &status));
    ck_assert_str_eq(status.at.source, folder);
}
END_TEST

START_TEST(a_share_has_the_path_of_its_mount)
{
    const ShellMount mounts[] = {{.path = "/mnt/batch/part", .share = "a/s", .folder = "sub"},
                                 {.path = "/mnt/batch/all", .share = "a/s", .folder = ""}};
    const Program program = {.mount_count = 2, .mounts = mounts};
    ck_assert_str_eq(hand_off_node_path(arena, &program, "a/s", "sub/x"), "/mnt/batch/part/x");
    ck_assert_str_eq(hand_off_node_path(arena, &program, "a/s", "sub"), "/mnt/batch/part");
    ck_assert_str_eq(hand_off_node_path(arena, &program, "a/s", "subway/x"),
                     "/mnt/batch/all/subway/x");
    ck_assert_str_eq(hand_off_node_path(arena, &program, "a/s", ""), "/mnt/batch/all");
    ck_assert_ptr_null(hand_off_node_path(arena, &program, "a/other", "x"));
}
END_TEST

START_TEST(steps_are_counted_from_the_output)
{
    static const struct {
        const char *text;
        int64_t steps;
    } rows[] = {
        {"", 0},
        {"Epochs 2 of 20 steps\nEpoch 1/2\n", 0},
        {"Epoch 1/2\n17/20 [====>.....] - ETA: 0s\n", 17},
        {"Epoch 1/2\n20/20 [======] - 1s\n    551 images/s\nEpoch 2/2\n", 20},
        {"ch 1/2\n20/20 [======] - 1s\nEpoch 2/2\n 3/20 [=>....]", 23},
        {"Epoch 1/2\n 3/20 [=>....]\b\b\b\r 9/20 [===>..]\b\b\b\r12/20 [====>.]", 12},
        {"Epoch 2/2\n20/20 [=====]\nSaved trained model at x\n100/200 [===>...]\n", 40},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(hand_off_steps_printed(rows[i].text, 20) == rows[i].steps, "row %zu", i);
}
END_TEST

#define HISTORY_HEAD                                                                               \
    "# trainyard history 1\nepoch\tloss\tacc\tval_loss\tval_acc\tlr\tseconds\timages_per_s\n"
#define HISTORY_TAIL "\t0.000200000\t1.500\t551.0\n"

static void put_history(const char *history)
{
    Status status;
    ck_assert(file_write(arena_printf(arena, "%s/history.tsv", folder), history, strlen(history),
                         &status));
}

START_TEST(results_are_read_from_the_history)
{
    Status status;
    RealTraining training;
    const HandOff of = {.log_folder = folder, .epochs = 2, .steps_per_epoch = 20};
    ck_assert(hand_off_read_training(arena, &of, &training, &status));
    ck_assert_int_eq(training.epochs, -1);
    put_history(HISTORY_HEAD "1\t2.300000\t0.100000\t2.284246\t0.120000" HISTORY_TAIL
                             "2\t2.100000\t0.200000\t1.900001\t0.715000" HISTORY_TAIL);
    ck_assert(hand_off_read_training(arena, &of, &training, &status));
    ck_assert_int_eq(training.epochs, 2);
    ck_assert_int_eq(training.steps, 40);
    ck_assert_int_eq(training.loss_micro, 1900001);
    ck_assert_int_eq(training.accuracy_ppm, 715000);
    put_history(HISTORY_HEAD "1\t2.300000\t0.100000\t-\t-" HISTORY_TAIL);
    ck_assert(hand_off_read_training(arena, &of, &training, &status));
    ck_assert_int_eq(training.epochs, 1);
    ck_assert_int_eq(training.loss_micro, -1);
    ck_assert_int_eq(training.accuracy_ppm, -1);
}
END_TEST

static const char *put_in_words(RealTraining training)
{
    Json *entry = json_object(arena);
    Text text = {0};
    hand_off_put_training(arena, entry, training);
    json_print(&text, entry, JSON_COMPACT);
    const char *words = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return words;
}

START_TEST(only_known_results_are_reported)
{
    ck_assert_str_eq(put_in_words(real_training_unknown()), "{}");
    ck_assert_str_eq(put_in_words((RealTraining){0}),
                     "{\"epochs\":0,\"steps\":0,\"val_accuracy\":0,\"val_loss\":0}");
    ck_assert_str_eq(
        put_in_words((RealTraining){.epochs = 2, .steps = 9, .accuracy_ppm = -1, .loss_micro = -1}),
        "{\"epochs\":2,\"steps\":9}");
}
END_TEST

START_TEST(an_earlier_attempts_history_counts_up_to_the_resumed_epoch)
{
    static const char rows[] =
        HISTORY_HEAD "1\t2.300000\t0.100000\t2.284246\t0.120000" HISTORY_TAIL
                     "2\t2.100000\t0.200000\t1.900001\t0.715000" HISTORY_TAIL;
    const char *const sets[] = {arena_printf(
        arena, "/programs/0/checkpoint={\"path\": \"%s/checkpoint-{epoch}.h5\", \"bytes\": 1}",
        folder)};
    Status status;
    RealTraining training;
    put_data("data_batch_1.bin");
    put_history(rows);
    settings.node_folder = "";
    run_to_program(sets, 1);
    make_plan();
    ck_assert_str_eq(plan.log_folder, folder);
    ck_assert_int_eq(plan.resumed.epochs, 0); // the first attempt has no checkpoint
    ck_assert(hand_off_read_training(arena, &plan, &training, &status));
    ck_assert_int_eq(training.epochs, -1);
    ck_assert_int_eq(training.accuracy_ppm, -1);
    plan.resumed.epochs = 1; // died before it had done epoch 2 again
    ck_assert(hand_off_read_training(arena, &plan, &training, &status));
    ck_assert_int_eq(training.epochs, 1);
    ck_assert_int_eq(training.accuracy_ppm, 120000);
    put_history(rows); // the attempt's own history
    ck_assert(hand_off_read_training(arena, &plan, &training, &status));
    ck_assert_int_eq(training.epochs, 2);
}
END_TEST

START_TEST(a_broken_history_gives_no_results_but_a_reason)
{
    static const char *const rows[][2] = {
        {"", "expected a history"},
        {"epochs\n", "# trainyard history 1"},
        {HISTORY_HEAD "1\t2.3\t0.1\t.\t.\n", "a number"},
        {HISTORY_HEAD "1\t2.300000\t0.100000\t99999999999999999999\t0.100000" HISTORY_TAIL,
         "a number"},
        {HISTORY_HEAD "1\t2.300000\t0.100000\t2.300000\t7.000000" HISTORY_TAIL,
         "accuracies from 0 to 1"},
        {HISTORY_HEAD "9223372036854775807\t2.300000\t0.100000\t-\t-" HISTORY_TAIL,
         "ends with epoch 9223372036854775807, but the job trains for 2"},
    };
    const HandOff of = {.log_folder = folder, .epochs = 2, .steps_per_epoch = 20};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        RealTraining training;
        Status status = {0};
        put_history(rows[i][0]);
        ck_assert_msg(!hand_off_read_training(arena, &of, &training, &status), "row %zu", i);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_msg(strstr(status.message, rows[i][1]) != NULL, "row %zu: %s", i, status.message);
        ck_assert_msg(training.epochs == -1 && training.steps == -1 && training.loss_micro == -1 &&
                          training.accuracy_ppm == -1,
                      "row %zu", i);
    }
}
END_TEST

/* Ends a real run whose ranks printed `printed`. Returns the text of its ranks.json. */
static const char *kept(const char *printed)
{
    Status status = {0};
    char *text;
    size_t length;
    put_data("data_batch_1.bin");
    settings.node_folder = folder;
    run_to_program(NULL, 0);
    make_plan();
    const char *out = arena_printf(arena, "%s%s", folder, plan.out_path);
    const char *to = arena_printf(arena, "%s/kept", folder);
    ck_assert(folder_create(arena_strndup(arena, out, (size_t)(strrchr(out, '/') - out)), &status));
    ck_assert(file_write(out, printed, strlen(printed), &status));
    const RanksEnd end = {.took_ns = 5};
    ck_assert(hand_off_keep(arena, job, &plan, &settings, &end, to, &status));
    ck_assert(file_read(arena, arena_printf(arena, "%s/ranks.json", to), 1 << 20, &text, &length,
                        &status));
    return text;
}

START_TEST(what_ranks_printed_is_kept)
{
    static const struct {
        const char *printed, *kept[5];
    } rows[] = {
        {"50000 train samples\n10000 test samples\n\n"
         "Setting  Value\nData     d (binary)\nBackend  cuda, bf16 on NVIDIA H200\n"
         "Ranks    1 (local) of 1 thread\n",
         {"\"backend\": \"cuda\"", "\"precision\": \"bf16\"", "\"device\": \"NVIDIA H200\"",
          "\"train_samples\": 50000", "\"test_samples\": 10000"}},
        {"2 train samples\n1 test samples\n\nSetting  Value\nBackend  onednn, fp32\n",
         {"\"backend\": \"onednn\"", "\"precision\": \"fp32\"", "\"device\": null",
          "\"train_samples\": 2", "\"test_samples\": 1"}},
        {"",
         {"\"backend\": null", "\"precision\": null", "\"device\": null", "\"train_samples\": null",
          "\"test_samples\": null"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = kept(rows[i].printed);
        for (int32_t k = 0; k < 5; k++)
            ck_assert_msg(strstr(text, rows[i].kept[k]) != NULL, "row %zu: %s", i, text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hand_off");
    TCase *cases = tcase_create("hand_off");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, arguments_describe_the_program);
    tcase_add_test(cases, an_epoch_of_the_modelled_set_covers_the_set_in_the_folder);
    tcase_add_test(cases, everything_goes_where_the_service_puts_it);
    tcase_add_test(cases, output_goes_to_the_first_workers_file);
    tcase_add_test(cases, paths_outside_shares_are_on_the_node);
    tcase_add_test(cases, arguments_name_the_rank_and_step_of_a_failure);
    tcase_add_test(cases, without_data_nothing_is_planned);
    tcase_add_test(cases, a_share_has_the_path_of_its_mount);
    tcase_add_test(cases, steps_are_counted_from_the_output);
    tcase_add_test(cases, results_are_read_from_the_history);
    tcase_add_test(cases, only_known_results_are_reported);
    tcase_add_test(cases, an_earlier_attempts_history_counts_up_to_the_resumed_epoch);
    tcase_add_test(cases, a_broken_history_gives_no_results_but_a_reason);
    tcase_add_test(cases, what_ranks_printed_is_kept);
    suite_add_tcase(suite, cases);
    return suite;
}
