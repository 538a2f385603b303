#include "sim/output/share/keras_log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/output/share/job_files.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

/* The training program of tests/support with a data set and a framework that the test may change.
 */
typedef struct {
    DataSet data_set;
    Framework framework;
    Program program;
} KerasProgram;

static KerasProgram *keras_program(Arena *arena, DataSet data_set, int64_t steps)
{
    KerasProgram *keras = ARENA_NEW(arena, KerasProgram);
    keras->program = *plain_training_program(arena);
    keras->data_set = data_set;
    keras->framework = *keras->program.framework;
    keras->program.data_set = &keras->data_set;
    keras->program.framework = &keras->framework;
    keras->program.steps_per_epoch = steps;
    keras->program.evaluate_samples = data_set.test_samples;
    return keras;
}

static const DataSet cifar10 = {
    .name = "cifar10", .train_samples = 50000, .test_samples = 10000, .download_bytes = 170498071};
static const DataSet mnist = {.name = "mnist_npz",
                              .train_samples =
                                  1000, // not 60,000: the test is about the format of the bars
                              .test_samples = 200,
                              .download_bytes = 11490434};

/* A finished job of `processes` ranks on as many nodes. */
static World *finished_world(Arena *arena, const Program *program, int32_t processes)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, processes));
    JobSpec *spec = plain_job(arena, processes, program);
    spec->tool = "horovod";
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, 20180718);
    scenario->service.internet_bytes_per_s = INT64_C(1000000000);
    World *world = world_create(arena, scenario, (TraceSink){0});
    world_run(world);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_SUCCEEDED);
    return world;
}

static Text output(const World *world, const char *name)
{
    Text text = {0};
    ck_assert(job_file_write(world, world_job(world, (JobId){0}), name, world_now_ns(world),
                             (ByteSink){&text, append}));
    return text;
}

/* --- A reference: Progbar.update of Keras 2.2 in doubles and printf, line by line --- */

typedef struct {
    Text *out;
    int64_t target;
    double start_s;
    double last_update_s; /* 0 at first, as in Python */
    int total_width;
} Progbar;

/* In millionths, where a tie is exact: nearbyint rounds it to the even digit. */
static void add_value(Text *info, const char *name, double millionths)
{
    if (millionths > 1000)
        text_printf(info, " - %s: %.4f", name, nearbyint(millionths / 100) / 1e4);
    else
        text_printf(info, " - %s: %.4e", name, millionths / 1e6);
}

static void progbar_update(Progbar *bar, int64_t current, double now_s, const double *values,
                           int value_count)
{
    static const char *const names[] = {"loss", "acc", "val_loss", "val_acc"};
    if (now_s - bar->last_update_s < 0.05 && current < bar->target)
        return;
    Text line = {0}, info = {0};
    char target[24];
    int digits = snprintf(target, sizeof target, "%" PRId64, bar->target);
    text_printf(&line, "%*" PRId64 "/%s [", digits, current, target);
    int width = (int)(30 * ((double)current / (double)bar->target));
    for (int i = 0; i < width - 1; i++)
        text_add(&line, "=");
    if (width > 0)
        text_add(&line, current < bar->target ? ">" : "=");
    for (int i = width; i < 30; i++)
        text_add(&line, ".");
    text_add(&line, "]");
    double per_unit_s = (now_s - bar->start_s) / (double)current;
    if (current < bar->target) {
        double eta_s = per_unit_s * (double)(bar->target - current);
        int eta = (int)eta_s;
        if (eta_s > 3600)
            text_printf(&info, " - ETA: %d:%02d:%02d", eta / 3600, eta % 3600 / 60, eta % 60);
        else if (eta_s > 60)
            text_printf(&info, " - ETA: %d:%02d", eta / 60, eta % 60);
        else
            text_printf(&info, " - ETA: %ds", eta);
    } else {
        text_printf(&info, " - %.0fs", now_s - bar->start_s);
        if (per_unit_s >= 1)
            text_printf(&info, " %.0fs/step", per_unit_s);
        else if (per_unit_s >= 1e-3)
            text_printf(&info, " %.0fms/step", per_unit_s * 1e3);
        else
            text_printf(&info, " %.0fus/step", per_unit_s * 1e6);
    }
    for (int i = 0; i < value_count; i++)
        add_value(&info, names[i], values[i]);
    int before = bar->total_width;
    bar->total_width = (int)(line.length + info.length);
    for (int i = 0; i < before; i++) // isatty(1): the rank has a pseudo-terminal of mpirun
        text_add(bar->out, "\b");
    text_printf(bar->out, "\r%s%s%*s", line.data, info.data,
                before > bar->total_width ? before - bar->total_width : 0, "");
    if (current >= bar->target)
        text_add(bar->out, "\n");
    bar->last_update_s = now_s;
    text_free(&line);
    text_free(&info);
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* One epoch of one rank, from the simulation's own numbers. */
static void twin_epoch(const Job *job, int64_t epoch, bool counts_samples, Text *out)
{
    const Program *program = job->spec->program;
    const Training *t = job->attempt->training;
    EpochTimes times = job_epoch_times(job, epoch);
    EpochResult result = job_epoch_result(job, epoch);
    int64_t steps = t->plan.steps_per_epoch;
    int64_t samples = program->data_set->train_samples;
    text_printf(out, "Epoch %" PRId64 "/%" PRId64 "\n", epoch + 1, t->plan.epochs);
    Progbar bar = {
        .out = out, .target = counts_samples ? samples : steps, .start_s = seconds(times.begin_ns)};
    int64_t now_ns = times.begin_ns;
    for (int64_t done = 1; done <= steps; done++) {
        now_ns += step_duration_ns(&t->plan, t->seed, t->address, epoch * steps + done - 1);
        int64_t accuracy_ppm, loss_micro;
        training_progress(program, &t->plan, t->seed, t->address, epoch, done, 0, &accuracy_ppm,
                          &loss_micro);
        double values[] = {(double)loss_micro, (double)accuracy_ppm, (double)result.loss_micro,
                           (double)result.accuracy_ppm};
        int64_t seen = counts_samples ? done * program->batch_per_rank : done;
        if (done < steps)
            progbar_update(&bar, seen, seconds(now_ns), values, 2);
        else
            progbar_update(&bar, bar.target, seconds(times.evaluated_ns), values, 4);
    }
    ck_assert_int_eq(now_ns, times.end_ns);
}

START_TEST(epochs_of_one_rank_match_progbar)
{
    static const struct {
        const DataSet *data_set;
        int64_t steps;
        int64_t step_overhead_ns;
        const char *why;
    } rows[] = {
        {&cifar10, 150, 9 * NS_PER_MS, "seconds left"},
        {&cifar10, 150, 0, "steps under 50 ms: not every one is shown"},
        {&cifar10, 300, 700 * NS_PER_MS, "minutes left, lines that get shorter"},
        {&cifar10, 1563, 10 * NS_PER_S, "hours left"},
        {&cifar10, 1, 9 * NS_PER_MS, "a single step"},
        {&mnist, 32, 9 * NS_PER_MS, "samples counted: 31 * 32 < 1000 <= 32 * 32"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        KerasProgram *keras = keras_program(arena, *rows[i].data_set, rows[i].steps);
        keras->framework.step_overhead_ns = rows[i].step_overhead_ns;
        keras->framework.input_cpu_ns_per_sample = 100000;
        World *world = finished_world(arena, &keras->program, 1);
        const Job *job = world_job(world, (JobId){0});
        Text out = output(world, "stdout.txt"), twin = {0};
        for (int64_t e = 0; e < keras->program.epochs; e++)
            twin_epoch(job, e, rows[i].data_set == &mnist, &twin);
        text_printf(&twin, "Saved trained model at /mnt/s/saved_models/model.h5 \n");
        const char *epochs = strstr(text_string(&out), "Epoch 1/4\n");
        ck_assert_ptr_nonnull(epochs);
        size_t same = 0;
        while (same < twin.length && epochs[same] == twin.data[same])
            same++;
        size_t line = same;
        while (line > 0 && epochs[line - 1] != '\n')
            line--;
        ck_assert_msg(same == twin.length, "%s: printed\n%.120s\nKeras would print\n%.120s",
                      rows[i].why, epochs + line, twin.data + line);
        text_free(&out);
        text_free(&twin);
        arena_destroy(arena);
    }
}
END_TEST

/* --- Ranks --- */

static int32_t occurrences(const char *text, const char *part)
{
    int32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

START_TEST(every_rank_prints_everything_once)
{
    Arena *arena = arena_create();
    KerasProgram *keras = keras_program(arena, cifar10, 20);
    World *world = finished_world(arena, &keras->program, 4);
    Text out = output(world, "stdout.txt");
    static const char *const parts[] = {
        "Downloading data from https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz\n",
        "170500096/170498071 [==============================] - 0s 0us/step\n",
        "x_train shape: (50000, 32, 32, 3)\n50000 train samples\n10000 test samples\n",
        "Using real-time data augmentation.\n",
        "Epoch 4/4\n",
        "\r 1/20 [>.............................] - ETA: ",
        "\r19/20 [===========================>..] - ETA: ",
        "Saved trained model at /mnt/s/saved_models/model.h5 \n",
        "\r10000/10000 [==============================] - ",
        "\nTest loss: ",
        "\nTest accuracy: 0.",
    };
    static const int32_t per_rank[] = {1, 1, 1, 1, 1, 4, 4, 1, 1, 1, 1};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ck_assert_msg(occurrences(out.data, parts[i]) == 4 * per_rank[i], "\"%s\" comes %d times",
                      parts[i], (int)occurrences(out.data, parts[i]));
    text_free(&out);
    Text error = output(world, "stderr.txt");
    ck_assert_int_eq(occurrences(error.data, "Using TensorFlow backend.\n"), 4);
    ck_assert_int_eq(occurrences(error.data, "name: K80\ntotalMemory: 12.00GiB\n"), 4);
    text_free(&error);
    arena_destroy(arena);
}
END_TEST

START_TEST(the_order_of_ranks_within_a_step_is_random)
{
    // Four ranks, 200 steps. With a fixed order one rank would be first in every step. By chance
    // each rank is first in a quarter of the steps; the loss identifies the rank.
    Arena *arena = arena_create();
    KerasProgram *keras = keras_program(arena, cifar10, 200);
    keras->program.epochs = 1;
    World *world = finished_world(arena, &keras->program, 4);
    const Job *job = world_job(world, (JobId){0});
    const Training *t = job->attempt->training;
    Text out = output(world, "stdout.txt");
    int32_t first_count[4] = {0};
    for (int64_t done = 1; done < 200; done++) {
        char head[16];
        snprintf(head, sizeof head, "\r%3d/200 [", (int)done);
        const char *line = strstr(out.data, head);
        ck_assert_ptr_nonnull(line);
        const char *means = strstr(line, " - loss");
        for (int32_t rank = 0; rank < 4; rank++) {
            int64_t accuracy_ppm, loss_micro;
            training_progress(&keras->program, &t->plan, t->seed, t->address, 0, done, rank,
                              &accuracy_ppm, &loss_micro);
            char loss[40];
            snprintf(loss, sizeof loss, " - loss: %.4f", (double)loss_micro / 1e6);
            first_count[rank] += strncmp(means, loss, strlen(loss)) == 0;
        }
    }
    for (int32_t rank = 0; rank < 4; rank++) {
        ck_assert_int_gt(first_count[rank], 25); // 50 by chance; two ranks may show the same loss
        ck_assert_int_lt(first_count[rank], 150);
    }
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_worker_with_a_separate_file_prints_only_its_lines)
{
    Arena *arena = arena_create();
    KerasProgram *keras = keras_program(arena, mnist, 32);
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    JobSpec *spec = plain_job(arena, 2, &keras->program);
    spec->tool = "tensorflow";
    commands_create_job(&list, "j", 0, "c", spec);
    World *world = world_create(arena, scenario_of(&list, 1), (TraceSink){0});
    world_run(world);
    Text first = output(world, "stdout-wk-0.txt"), second = output(world, "stdout-wk-1.txt");
    ck_assert_int_eq(occurrences(first.data, "Epoch 1/4\n"), 1);
    ck_assert_int_eq(occurrences(second.data, "Epoch 1/4\n"), 1);
    ck_assert_int_eq(occurrences(first.data, "Train on 1000 samples, validate on 200 samples\n"),
                     1);
    ck_assert_str_ne(first.data, second.data);
    text_free(&first);
    text_free(&second);
    arena_destroy(arena);
}
END_TEST

/* --- Golden --- */

START_TEST(the_head_of_the_tutorial_s_stdout_matches_the_recording)
{
    // Four ranks as in the tutorial. The download takes only 0.17 s, so it prints few bars.
    static const char golden_path[] =
        TRAINYARD_SOURCE_DIR "/tests/sim/output/share/stdout_head.txt";
    Arena *arena = arena_create();
    KerasProgram *keras = keras_program(arena, cifar10, 1563);
    World *world = finished_world(arena, &keras->program, 4);
    Text out = output(world, "stdout.txt");
    const size_t length = 4000;
    if (getenv("TRAINYARD_GOLDEN_UPDATE")) {
        FILE *file = fopen(golden_path, "wb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fwrite(out.data, 1, length, file), length);
        ck_assert_int_eq(fclose(file), 0);
    }
    FILE *file = fopen(golden_path, "rb");
    ck_assert_ptr_nonnull(file);
    char *golden = arena_alloc(arena, length + 2);
    ck_assert_uint_eq(fread(golden, 1, length + 1, file), length);
    fclose(file);
    out.data[length] = '\0';
    ck_assert_msg(
        strcmp(out.data, golden) == 0,
        "%s differs; if the change is meant: TRAINYARD_GOLDEN_UPDATE=1 test_keras_log\n%s",
        golden_path, out.data);
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("keras_log");
    TCase *tests = tcase_create("log");
    tcase_add_test(tests, epochs_of_one_rank_match_progbar);
    tcase_add_test(tests, every_rank_prints_everything_once);
    tcase_add_test(tests, the_order_of_ranks_within_a_step_is_random);
    tcase_add_test(tests, a_worker_with_a_separate_file_prints_only_its_lines);
    tcase_add_test(tests, the_head_of_the_tutorial_s_stdout_matches_the_recording);
    suite_add_tcase(suite, tests);
    return suite;
}
