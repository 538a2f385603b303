#include "sim/cloud/job/job_name.h"
#include "sim/output/share/job_files.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static Text contents(const World *world, const Job *job, const char *name, int64_t now_ns)
{
    Text text = {0};
    ck_assert(job_file_write(world, job, name, now_ns, (ByteSink){&text, append}));
    return text;
}

/* ck_assert_str_eq would print megabytes. */
static bool is_same(Text a, Text b)
{
    return a.length == b.length && memcmp(text_string(&a), text_string(&b), a.length) == 0;
}

static const Job *only_job(const World *world)
{
    return world_job(world, (JobId){0});
}

/* One job on a cluster of its size, created at 0. With plain_service's whole seconds: cluster
 * ready at 230 s, where the job starts; then 15 s mount if any, 1 s overhead on the host, 20 s
 * preparation if any. */
static World *world_of(Arena *arena, const JobSpec *spec, Fidelity fidelity)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, spec->nodes));
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, 7);
    scenario->fidelity = fidelity;
    return world_create(arena, scenario, (TraceSink){0});
}

/* The names of the listing at `now_ns`, separated by spaces; node ids as N1, N2, ... */
static Text listing(const World *world, int64_t now_ns, Arena *arena)
{
    const Job *job = only_job(world);
    int32_t count;
    FileEntry *entries = job_files_list(world, job, now_ns, arena, &count);
    Text names = {0};
    for (int32_t i = 0; i < count; i++) {
        const char *name = entries[i].name;
        const char *node = strstr(name, "tvm-");
        if (node) {
            int number = node[strcspn(node, "_") + 1] - '0';
            text_append(&names, name, (size_t)(node - name));
            text_printf(&names, "N%d%s ", number, strrchr(node, '.'));
        } else {
            text_printf(&names, "%s ", name);
        }
    }
    return names;
}

START_TEST(file_names_match_the_service)
{
    static const EnvironmentVariable servers[] = {
        {.name = "AZ_BATCHAI_PS_HOSTS", .value = "10.0.0.4:2222,10.0.0.5:2222"}};
    static const struct {
        const char *tool;
        int32_t nodes, processes;
        bool has_preparation;
        int32_t variables;
        const char *names;
    } rows[] = {
        {"custom", 1, 1, false, 0, "execution.log stderr.txt stdout.txt "},
        {"custom", 1, 1, true, 0,
         "execution.log stderr-job_prep.txt stderr.txt stdout-job_prep.txt stdout.txt "},
        {"horovod", 2, 4, true, 0,
         "execution-N1.log execution-N2.log stderr-job_prep-N1.txt stderr-job_prep-N2.txt "
         "stderr.txt stdout-job_prep-N1.txt stdout-job_prep-N2.txt stdout.txt "},
        {"tensorflow", 1, 1, false, 0, "execution.log stderr-wk-0.txt stdout-wk-0.txt "},
        {"tensorflow", 2, 2, false, 1,
         "execution-N1.log execution-N2.log stderr-ps-0.txt stderr-ps-1.txt stderr-wk-0.txt "
         "stderr-wk-1.txt stdout-ps-0.txt stdout-ps-1.txt stdout-wk-0.txt stdout-wk-1.txt "},
        {"caffe2", 1, 2, false, 0,
         "execution.log stderr-0.txt stderr-1.txt stdout-0.txt stdout-1.txt "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        JobSpec *spec = plain_job(arena, rows[i].nodes, plain_fixed_program(arena, NS_PER_S, 0));
        spec->tool = rows[i].tool;
        spec->processes = rows[i].processes;
        spec->has_preparation = rows[i].has_preparation;
        spec->preparation_command = "make ready";
        spec->environment = servers;
        spec->environment_count = rows[i].variables;
        World *world = world_of(arena, spec, FIDELITY_STEP);
        world_run(world);
        Text names = listing(world, world_now_ns(world), arena);
        ck_assert_str_eq(text_string(&names), rows[i].names);
        text_free(&names);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(the_tutorial_leaves_its_fourteen_files)
{
    Arena *arena = arena_create();
    JobSpec *spec = plain_job(arena, 4, plain_training_program(arena));
    spec->tool = "horovod";
    spec->has_preparation = true;
    spec->preparation_command = "pip install horovod";
    World *world = world_of(arena, spec, FIDELITY_STEP);
    world_run(world);
    int32_t count;
    FileEntry *entries = job_files_list(world, only_job(world), world_now_ns(world), arena, &count);
    ck_assert_int_eq(count, 14);
    for (int32_t i = 1; i < count; i++)
        ck_assert_int_lt(strcmp(entries[i - 1].name, entries[i].name), 0);
    const char *directory = job_files_directory(world, only_job(world), arena);
    ck_assert_ptr_nonnull(strstr(directory, "out/00000000-0000-0000-0000-000000000000/g/workspaces/"
                                            "w/experiments/e/jobs/j/"));
    ck_assert_str_eq(strrchr(directory, '/'), "/stdouterr");
    arena_destroy(arena);
}
END_TEST

START_TEST(files_appear_when_they_are_first_written)
{
    Arena *arena = arena_create();
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 60 * NS_PER_S, 0));
    spec->has_preparation = true;
    spec->preparation_command = "make ready";
    World *world = world_of(arena, spec, FIDELITY_STEP);
    world_run(world);
    // Started at 230 s; preparation from 231 s (1 s on the host) to 251 s, where the program
    // begins.
    static const struct {
        int64_t at_s;
        const char *names;
    } rows[] = {
        {229, ""},
        {230, "execution.log "},
        {231, "execution.log stderr-job_prep.txt stdout-job_prep.txt "},
        {250, "execution.log stderr-job_prep.txt stdout-job_prep.txt "},
        {251, "execution.log stderr-job_prep.txt stderr.txt stdout-job_prep.txt stdout.txt "},
        {311, "execution.log stderr-job_prep.txt stderr.txt stdout-job_prep.txt stdout.txt "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text names = listing(world, rows[i].at_s * NS_PER_S, arena);
        ck_assert_str_eq(text_string(&names), rows[i].names);
        text_free(&names);
    }
    Text nothing = {0};
    ByteSink sink = {&nothing, append};
    ck_assert(!job_file_write(world, only_job(world), "stdout.txt", 250 * NS_PER_S, sink));
    ck_assert(!job_file_write(world, only_job(world), "stdout.log", 300 * NS_PER_S, sink));
    ck_assert_uint_eq(nothing.length, 0);
    arena_destroy(arena);
}
END_TEST

/* The lines of a log that begin with a time. */
static const char *timed_lines(Arena *arena, const char *log)
{
    Text lines = {0};
    while (*log != '\0') {
        size_t length = strcspn(log, "\n");
        if (strncmp(log, "2018-", 5) == 0)
            text_printf(&lines, "%.*s\n", (int)length, log);
        log += length + (log[length] == '\n');
    }
    const char *copy = arena_strdup(arena, text_string(&lines));
    text_free(&lines);
    return copy;
}

START_TEST(the_execution_log_contains_stages_environment_and_end)
{
    static const char *const mounts[] = {"a/s"};
    static const ContainerImage image = {"tensorflow/tensorflow:1.8.0-gpu", 1000000000};
    static const EnvironmentVariable environment[] = {{.name = "AZ_BATCHAI_NUM_GPUS", .value = "1"},
                                                      {.name = "OUT", .value = "/mnt/{segment}/x"},
                                                      {.name = "PASSWORD", .value = NULL}};
    Arena *arena = arena_create();
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 60 * NS_PER_S, 3));
    spec->image = &image;
    spec->mounts = mounts;
    spec->mount_count = 1;
    spec->environment = environment;
    spec->environment_count = 3;
    World *world = world_of(arena, spec, FIDELITY_STEP);
    world_run(world);
    // 17:45:00 + 230 s = 17:48:50 start; mount 15 s; pull 1 GB at 100 MB/s twice (wire, unpacking)
    // = 20 s; container 10 s; the command takes 60 s.
    Text log = contents(world, only_job(world), "execution.log", world_now_ns(world));
    const char *end_of_heading = strstr(timed_lines(arena, log.data), "mounting");
    ck_assert_ptr_nonnull(end_of_heading);
    ck_assert_str_eq(
        end_of_heading - 25,
        arena_printf(arena,
                     "2018-07-18T17:48:50Z     mounting a/s\n"
                     "2018-07-18T17:49:05Z     mounted after 15 s\n"
                     "2018-07-18T17:49:05Z     pulling image tensorflow/tensorflow:1.8.0-gpu, "
                     "1.0 GB compressed\n"
                     "2018-07-18T17:49:25Z     image pulled after 20 s\n"
                     "2018-07-18T17:49:25Z     starting container of "
                     "tensorflow/tensorflow:1.8.0-gpu\n"
                     "2018-07-18T17:49:35Z     ready to run commands after 10 s\n"
                     "2018-07-18T17:49:35Z     environment: AZ_BATCHAI_NUM_GPUS=1\n"
                     "2018-07-18T17:49:35Z     environment: OUT=/mnt/%s/x\n"
                     "2018-07-18T17:49:35Z     environment: PASSWORD=(secret)\n"
                     "2018-07-18T17:49:35Z     custom, 1 process: train\n"
                     "2018-07-18T17:50:35Z     JobFailed: Job failed with non-zero exit code\n"
                     "2018-07-18T17:50:35Z     job ended with exit code 3 after 1 min 45 s\n",
                     job_output_segment(world_scenario(world), only_job(world), arena)));
    ck_assert_int_eq(strncmp(log.data, "# Emulated by trainyard", 23), 0);
    // In between is what Docker prints: a line for each layer and state, and the container's
    // settings, in which a secret has no value.
    ck_assert_ptr_nonnull(strstr(log.data, ": Pulling fs layer\n"));
    ck_assert_ptr_nonnull(strstr(log.data, ": Pull complete\n"));
    ck_assert_ptr_nonnull(strstr(log.data, "-e PASSWORD=(secret)"));
    ck_assert_ptr_nonnull(strstr(log.data, "\"HostConfig\": {"));
    text_free(&log);
    // On the host the master's shell has the same environment.
    spec->image = NULL;
    world = world_of(arena, spec, FIDELITY_STEP);
    world_run(world);
    log = contents(world, only_job(world), "execution.log", world_now_ns(world));
    ck_assert_ptr_nonnull(strstr(log.data, "+ sudo --user root env AZ_BATCHAI_NUM_GPUS=1 OUT="));
    ck_assert_ptr_nonnull(strstr(log.data, "/x PASSWORD=(secret) /bin/bash -c\n"));
    ck_assert_ptr_null(strstr(log.data, "docker"));
    text_free(&log);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_failed_preparation_is_logged_and_the_program_does_not_run)
{
    Arena *arena = arena_create();
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 60 * NS_PER_S, 0));
    spec->has_preparation = true;
    spec->preparation_command = "apt install nothing";
    spec->preparation_exit_code = 100;
    World *world = world_of(arena, spec, FIDELITY_STEP);
    world_run(world);
    Text names = listing(world, world_now_ns(world), arena);
    ck_assert_str_eq(text_string(&names), "execution.log stderr-job_prep.txt stdout-job_prep.txt ");
    Text error = contents(world, only_job(world), "stderr-job_prep.txt", world_now_ns(world));
    ck_assert_ptr_nonnull(strstr(text_string(&error), "exit code 100"));
    Text out = contents(world, only_job(world), "stdout-job_prep.txt", world_now_ns(world));
    ck_assert_str_eq(text_string(&out),
                     "# Emulated by trainyard: the command's own output is not known.\n"
                     "+ apt install nothing\n# exit code 100 after 20 s\n");
    text_free(&names);
    text_free(&error);
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_program_without_a_specific_format_prints_steps_and_epochs)
{
    Arena *arena = arena_create();
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->is_keras = false;
    program->epochs = 1;
    program->steps_per_epoch = 3;
    World *world = world_of(arena, plain_job(arena, 2, program), FIDELITY_STEP);
    world_run(world);
    Text out = contents(world, only_job(world), "stdout.txt", world_now_ns(world));
    static const char *const parts[] = {
        "# Emulated by trainyard: output of training (custom).\n",
        "training keras_cifar10_cnn on small: ranks 2, epochs 1, steps per epoch 3, batch per rank",
        "epoch 1/1 step 1/3: loss ",
        "epoch 1/1 step 2/3: loss ",
        "epoch 1/1 done in ",
        ", validation loss ",
        "model saved: /mnt/s/saved_models/model.h5\n",
        "test loss ",
        ", test accuracy ",
    };
    const char *at = text_string(&out);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *found = strstr(at, parts[i]);
        ck_assert_msg(found != NULL, "\"%s\" is missing after: %s", parts[i], at);
        at = found + strlen(parts[i]);
    }
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

/* --- Files only grow --- */

/* One file at the latest check. */
typedef struct {
    JobId job;
    int32_t attempt;
    const char *name;
    int64_t at_ns;
    Text text;
} Seen;

typedef struct {
    Arena *arena;
    Seen *items;
    int32_t count;
    int32_t capacity;
} SeenFiles;

static Seen *seen_find(SeenFiles *seen, const Job *job, const char *name)
{
    for (int32_t i = 0; i < seen->count; i++) {
        Seen *item = &seen->items[i];
        if (item->job.index == job->id.index && item->attempt == job->starts &&
            strcmp(item->name, name) == 0)
            return item;
    }
    ck_assert_int_lt(seen->count, seen->capacity);
    Seen *item = &seen->items[seen->count++];
    *item = (Seen){.job = job->id, .attempt = job->starts, .name = name};
    return item;
}

/* Checks every file of every job at the present time: its length is the listed one, it changed no
 * later than now or the end of the job, it is the same when written twice, and it begins with the
 * content of the previous check. */
static void look(World *world, SeenFiles *seen, uint64_t seed)
{
    int64_t now_ns = world_now_ns(world);
    for (uint32_t j = 0; j < world_job_count(world); j++) {
        const Job *job = world_job(world, (JobId){j});
        int32_t count;
        FileEntry *entries = job_files_list(world, job, now_ns, seen->arena, &count);
        int64_t last_ns = job->ended_ns < now_ns ? job->ended_ns : now_ns;
        for (int32_t i = 0; i < count; i++) {
            Seen *before = seen_find(seen, job, entries[i].name);
            Text text = contents(world, job, entries[i].name, now_ns);
            Text again = contents(world, job, entries[i].name, now_ns);
            ck_assert_msg((int64_t)text.length == entries[i].bytes && text.length == again.length &&
                              entries[i].modified_unix_ms <= world_unix_ms(world, last_ns) &&
                              memcmp(text_string(&text), text_string(&again), text.length) == 0,
                          "seed %" PRIu64 ": %s is not what was listed", seed, entries[i].name);
            ck_assert_msg(text.length >= before->text.length &&
                              memcmp(text_string(&text), text_string(&before->text),
                                     before->text.length) == 0,
                          "seed %" PRIu64 ": %s of job %u at %" PRId64
                          " ns does not begin with its content at %" PRId64 " ns",
                          seed, entries[i].name, j, now_ns, before->at_ns);
            text_free(&again);
            text_free(&before->text);
            before->text = text;
            before->at_ns = now_ns;
        }
    }
}

START_TEST(the_content_of_a_file_is_a_prefix_of_its_later_content)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Arena *arena = arena_create();
        Scenario *scenario = random_scenario(arena, seed);
        World *world = world_create(arena, scenario, (TraceSink){0});
        SeenFiles seen = {arena, ARENA_ARRAY(arena, Seen, 4000), 0, 4000};
        // Intervals of all sizes, so that checks fall inside downloads, epochs and evaluations.
        for (int64_t look_number = 1; world_next_event_ns(world) != INT64_MAX && look_number < 120;
             look_number++) {
            int64_t pause_ns = (1 + look_number * 7919 % 97) * NS_PER_S / 2;
            if (look_number % 10 == 0)
                pause_ns = 300 * NS_PER_S;
            world_advance(world, world_now_ns(world) + pause_ns);
            look(world, &seen, seed);
        }
        for (int32_t i = 0; i < seen.count; i++)
            text_free(&seen.items[i].text);
        arena_destroy(arena);
    }
}
END_TEST

/* Two epochs of 1000 steps. */
static const Program *long_training(Arena *arena)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->epochs = 2;
    program->steps_per_epoch = 1000;
    return program;
}

START_TEST(a_terminated_job_writes_no_more)
{
    for (Fidelity fidelity = FIDELITY_STEP; fidelity <= FIDELITY_EPOCH; fidelity++) {
        Arena *arena = arena_create();
        CommandList list = commands_begin(arena);
        commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
        commands_create_job(&list, "j", 0, "c", plain_job(arena, 1, long_training(arena)));
        // Training from 242 s on, two epochs of 13 s each: terminated within the first.
        commands_add(&list, COMMAND_JOB_TERMINATE, "j", 247 * NS_PER_S);
        Scenario *scenario = scenario_of(&list, 1);
        scenario->fidelity = fidelity;
        World *world = world_create(arena, scenario, (TraceSink){0});
        world_advance(world, 1000 * NS_PER_S);
        const Job *job = only_job(world);
        ck_assert_int_eq(job->ended_ns, 252 * NS_PER_S); // 5 s after the request
        static const char *const names[] = {"stdout.txt", "execution.log"};
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            Text before = contents(world, job, names[i], job->ended_ns - NS_PER_S);
            Text then = contents(world, job, names[i], job->ended_ns);
            Text later = contents(world, job, names[i], 1000 * NS_PER_S);
            ck_assert_uint_lt(before.length, then.length);
            ck_assert(is_same(then, later));
            text_free(&before);
            text_free(&then);
            text_free(&later);
        }
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(with_job_fidelity_all_epochs_appear_at_the_end_of_the_training)
{
    Arena *arena = arena_create();
    JobSpec *spec = plain_job(arena, 2, plain_training_program(arena));
    World *live = world_of(arena, spec, FIDELITY_JOB),
          *finished = world_of(arena, spec, FIDELITY_JOB);
    world_run(finished);
    const Job *job = only_job(finished);
    world_advance(live, job->attempt->trained_ns - 1);
    Text before = contents(live, only_job(live), "stdout.txt", job->attempt->trained_ns - 1);
    ck_assert_ptr_null(strstr(before.data, "Epoch 1/4\n"));
    world_advance(live, job->attempt->trained_ns);
    Text then = contents(live, only_job(live), "stdout.txt", job->attempt->trained_ns);
    ck_assert_ptr_nonnull(strstr(then.data, "Epoch 4/4\n"));
    Text end = contents(finished, job, "stdout.txt", world_now_ns(finished));
    ck_assert_int_eq(strncmp(then.data, before.data, before.length), 0);
    ck_assert_int_eq(strncmp(end.data, then.data, then.length), 0);
    text_free(&before);
    text_free(&then);
    text_free(&end);
    arena_destroy(arena);
}
END_TEST

START_TEST(the_content_at_a_past_time_can_be_requested_later)
{
    // Step and epoch fidelity: for each time, the finished world gives the same content that the
    // live world gave then.
    for (Fidelity fidelity = FIDELITY_STEP; fidelity <= FIDELITY_EPOCH; fidelity++) {
        Arena *arena = arena_create();
        const Program *program = long_training(arena);
        JobSpec *spec = plain_job(arena, 2, program);
        World *live = world_of(arena, spec, fidelity), *finished = world_of(arena, spec, fidelity);
        world_run(finished);
        int64_t end_ns = world_now_ns(finished);
        uint64_t bytes = 0;
        for (int64_t i = 0; i <= 150; i++) {
            int64_t now_ns = end_ns * i / 150;
            world_advance(live, now_ns);
            const Job *job = only_job(live);
            if (world_job_count(live) == 0 || !job->attempt ||
                job->attempt->program_ns == INT64_MAX)
                continue;
            Text then = contents(live, job, "stdout.txt", now_ns);
            Text afterwards = contents(finished, only_job(finished), "stdout.txt", now_ns);
            ck_assert_msg(is_same(then, afterwards), "at %" PRId64 " ns", now_ns);
            ck_assert_uint_ge(then.length, bytes);
            bytes = then.length;
            text_free(&then);
            text_free(&afterwards);
        }
        ck_assert_uint_gt(bytes, 1000);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_files");
    TCase *tests = tcase_create("files");
    tcase_add_test(tests, file_names_match_the_service);
    tcase_add_test(tests, the_tutorial_leaves_its_fourteen_files);
    tcase_add_test(tests, files_appear_when_they_are_first_written);
    tcase_add_test(tests, the_execution_log_contains_stages_environment_and_end);
    tcase_add_test(tests, a_failed_preparation_is_logged_and_the_program_does_not_run);
    tcase_add_test(tests, a_program_without_a_specific_format_prints_steps_and_epochs);
    tcase_add_test(tests, the_content_of_a_file_is_a_prefix_of_its_later_content);
    tcase_add_test(tests, a_terminated_job_writes_no_more);
    tcase_add_test(tests, with_job_fidelity_all_epochs_appear_at_the_end_of_the_training);
    tcase_add_test(tests, the_content_at_a_past_time_can_be_requested_later);
    suite_add_tcase(suite, tests);
    return suite;
}
