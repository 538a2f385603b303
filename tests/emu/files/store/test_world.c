/* emu/files/store/file_store.h: what the world's jobs write, and what clients make of it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <unistr.h>

#include "emu/files/store/shares.h"
#include "sim/cloud/apply.h"
#include "sim/cloud/job/job_name.h"
#include "sim/output/share/job_files.h"
#include "sim/output/share/setup_files.h"
#include "sim/output/share/share_tree.h"
#include "sim/output/trace/fan.h"
#include "sim/scenario/config/shell_read.h"
#include "tests/emu/files_room.h"
#include "tests/support/worlds.h"

/* The share that every plain world begins with. */
static const ShareName share = {.account = "a", .share = "s"};

/* One job, "j", that writes checkpoints after its epochs 2 and 4 and a model; a second one, "k",
 * begins when it has ended and writes the same files. Both log into "out". */
static FilesRoom room;
static World *world;
static CommandList list;

static Program *keras_program(void)
{
    Program *program = ARENA_NEW(room.arena, Program);
    *program = *plain_training_program(room.arena);
    program->checkpoint_place = PLACE_SHARE;
    program->checkpoint_share = "a/s";
    program->checkpoint_path = "logs/checkpoint-{epoch}.h5";
    program->checkpoint_every = 2;
    program->model_path = "out/{segment}/outputs/model.h5";
    return program;
}

static void watch(void)
{
    TraceFan *fan = trace_fan_create(room.arena);
    trace_fan_join(fan, file_store_listener(room.files));
    world = world_create(room.arena, scenario_of(&list, 3), trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    file_store_watch(room.files, world);
}

static void set_up(void)
{
    room = room_create();
    list = commands_begin(room.arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(room.arena, 1));
    JobSpec *spec = plain_job(room.arena, 1, keras_program());
    spec->has_preparation = true;
    spec->preparation_command = "pip install h\xc3\xb6rovod \xf0\x9f\x9a\x82";
    commands_create_job(&list, "j", 0, "c", spec);
    commands_create_job(&list, "k", 0, "c", spec);
    Command *upload = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    upload->as.file_upload.file = "data//train.bin";
    upload->as.file_upload.bytes = INT64_C(5) << 30;
    watch();
}

static void tear_down(void)
{
    room_remove(&room);
}

static void at(int64_t now_ns)
{
    world_advance(world, now_ns);
    room_at(&room, now_ns);
}

/* As a process that ends and starts again: the world is made anew up to the same time. */
static void restart(void)
{
    int64_t now_ns = room.now_ns;
    room_commit(&room);
    room_end(&room);
    room_begin(&room);
    watch();
    at(now_ns);
}

static const Job *job_at(uint32_t index)
{
    return world_job(world, (JobId){index});
}

/* Lets time pass until the job is there and has done what `is_done` asks. */
static void until(uint32_t index, bool (*is_done)(const Job *job))
{
    for (int64_t now_ns = room.now_ns;; now_ns += NS_PER_S / 2) {
        at(now_ns);
        if (world_job_count(world) > index && is_done(job_at(index)))
            return;
        ck_assert_int_lt(now_ns, NS_PER_DAY);
    }
}

static bool has_ended(const Job *job)
{
    return job->ended_ns != INT64_MAX;
}

static bool trains(const Job *job)
{
    return job_is_training(job);
}

static const char *log_path(uint32_t job, const char *name)
{
    return arena_printf(room.arena, "%s/%s", job_files_directory(world, job_at(job), room.arena),
                        name);
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

/* --- Reading --- */

START_TEST(uploads_of_the_scenario_are_there_and_cost_no_disk)
{
    at(NS_PER_S);
    ck_assert_str_eq(room_names(&room, share, ""), "data/");
    FilesEntry entry = room_look(&room, share, "DATA/Train.bin");
    ck_assert_int_eq(entry.bytes, INT64_C(5) << 30);
    FilesReader *reader;
    int64_t bytes;
    ck_files(files_open(room.files, share, "data/train.bin", &reader, &bytes), OK);
    char text[80];
    ck_assert_int_eq(files_read(reader, 0, text, sizeof text), sizeof text);
    static const char notice[] = "emulated by trainyard: 5368709120 bytes, contents not modelled\n";
    ck_assert_mem_eq(text, notice, sizeof notice); // followed by a zero
    ck_assert_int_eq(files_read(reader, bytes - 10, text, sizeof text), 10);
    files_reader_close(reader);
}
END_TEST

START_TEST(a_directory_that_a_client_changes_still_shows_the_worlds_files)
{
    Command *upload = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", 0);
    upload->as.file_upload.file = "first/of/all";
    upload->as.file_upload.bytes = 3;
    restart();
    at(0);
    ck_files(files_change(room.files, share, "first/of", -1, NULL, "{}", NULL), OK);
    ck_assert_str_eq(room_names(&room, share, "first/of"), "all");
    ck_assert_str_eq(room_text(&room, share, "first/of/all"), "emu");
    ck_files(files_file_create(room.files, share, "first/of/mine", 0, NULL, NULL), OK);
    ck_assert_str_eq(room_names(&room, share, "first/of"), "all mine");
}
END_TEST

START_TEST(a_local_file_is_read_in_place)
{
    temporary_file_write(room.folder, "script.py", "print('hello')\n", 15);
    Command *upload = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    upload->as.file_upload.file = "script.py";
    upload->as.file_upload.bytes = 15;
    upload->as.file_upload.local_path = arena_printf(room.arena, "%s/script.py", room.folder);
    restart();
    at(NS_PER_S);
    ck_assert_str_eq(room_text(&room, share, "script.py"), "print('hello')\n");
    ck_files(files_copy(room.files, share, "script.py", share, "copy.py", NULL), OK);
    unlink(upload->as.file_upload.local_path);
    FilesReader *reader;
    int64_t bytes;
    ck_files(files_open(room.files, share, "script.py", &reader, &bytes), MACHINE);
    ck_assert_str_eq(room_text(&room, share, "copy.py"), "print('hello')\n");
}
END_TEST

/* A job on the share whose program is this line, from 246 s on. */
static void run_line(const char *line)
{
    static const char *const names[] = {"a/s"};
    static const EnvironmentVariable variables[] = {
        {.name = "S", .value = CLUSTER_MOUNT_ROOT "/s"}};
    static KnownShare known = {.name = "a/s"};
    static Mount mount = {.path = CLUSTER_MOUNT_ROOT "/s", .share = &known, .folder = ""};
    const Mounts mounts = {.count = 1, .items = &mount};
    Program *program = ARENA_NEW(room.arena, Program);
    *program = (Program){.kind = PROGRAM_SHELL, .name = "shell"};
    program->script = shell_read(room.arena, line, 1, variables, &mounts, NULL);
    ck_assert_ptr_nonnull(program->script);
    JobSpec *spec = plain_job(room.arena, 1, program);
    spec->mount_count = 1;
    spec->mounts = names;
    spec->environment_count = 1;
    spec->environment = variables;
    list = commands_begin(room.arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(room.arena, 1));
    commands_create_job(&list, "s", 0, "c", spec);
}

START_TEST(files_written_by_simple_commands_have_their_contents)
{
    run_line("cat $S/words > $S/copy; sleep 5; echo two >> $S/copy; cp $S/data/train.bin $S/big");
    Command *upload = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    upload->as.file_upload.file = "words";
    upload->as.file_upload.text = "one\n";
    upload->as.file_upload.bytes = 4;
    Command *big = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    big->as.file_upload.file = "data/train.bin";
    big->as.file_upload.bytes = INT64_C(5) << 30;
    restart();
    at(247 * NS_PER_S); // 230 s until the cluster is ready, 15 s for mounts, 1 s on the host
    ck_assert_str_eq(room_text(&room, share, "words"), "one\n");
    ck_assert_str_eq(room_text(&room, share, "copy"), "one\n");
    at(300 * NS_PER_S);
    ck_assert_str_eq(room_text(&room, share, "copy"), "one\ntwo\n");
    ck_assert_int_eq(room_look(&room, share, "big").bytes, INT64_C(5) << 30);
    restart();
    ck_assert_str_eq(room_text(&room, share, "copy"), "one\ntwo\n");
}
END_TEST

START_TEST(a_file_that_a_job_removes_is_gone_even_if_a_client_wrote_it)
{
    run_line("echo own > $S/d/own; sleep 10; rm $S/d/own $S/mine; sleep 10; echo new > $S/mine");
    restart();
    at(2 * NS_PER_S);
    ck_files(files_file_create(room.files, share, "mine", 3, NULL, NULL), OK);
    ck_files(files_write(room.files, share, "mine", 0, 3, "abc"), OK);
    Command upload = {.kind = COMMAND_FILE_UPLOAD, .path.name = "a/s"};
    upload.as.file_upload.file = "mine";
    upload.as.file_upload.bytes = 3;
    Status status = {0};
    ck_assert(world_apply(world, &upload, &status));
    at(250 * NS_PER_S);
    ck_assert_str_eq(room_names(&room, share, ""), "d/ mine out/");
    ck_assert_str_eq(room_text(&room, share, "d/own"), "own\n");
    at(260 * NS_PER_S);
    ck_assert_str_eq(room_names(&room, share, ""), "d/ out/");
    ck_assert_str_eq(room_names(&room, share, "d"), "");
    FilesReader *reader;
    int64_t bytes;
    ck_files(files_open(room.files, share, "mine", &reader, &bytes), NO_RESOURCE);
    ck_files(files_file_delete(room.files, share, "d/own"), NO_RESOURCE);
    ck_files(files_file_create(room.files, share, "d/own", 0, NULL, NULL), OK);
    ck_assert_str_eq(room_names(&room, share, "d"), "own");
    at(270 * NS_PER_S);
    ck_assert_str_eq(room_text(&room, share, "mine"), "new\n");
}
END_TEST

START_TEST(uploads_of_clients_are_not_listed_twice)
{
    at(2 * NS_PER_S);
    ck_files(files_file_create(room.files, share, "mine", 3, NULL, NULL), OK);
    ck_files(files_write(room.files, share, "mine", 0, 3, "abc"), OK);
    Command upload = {.kind = COMMAND_FILE_UPLOAD, .path.name = "a/s"};
    upload.as.file_upload.file = "mine";
    upload.as.file_upload.bytes = 3;
    Status status = {0};
    ck_assert(world_apply(world, &upload, &status));
    upload.as.file_upload.file = "unknown";
    ck_assert(world_apply(world, &upload, &status));
    ck_assert_str_eq(room_names(&room, share, ""), "data/ mine");
    ck_assert_str_eq(room_text(&room, share, "mine"), "abc");
}
END_TEST

START_TEST(logs_grow_by_whole_characters_while_the_job_runs)
{
    until(0, trains);
    const char *path = log_path(0, "stdout.txt");
    FilesReader *reader;
    int64_t opened;
    ck_files(files_open(room.files, share, path, &reader, &opened), OK);
    FilesEntry before = room_look(&room, share, path);
    ck_assert_int_eq(before.bytes, opened);
    int64_t last = 0;
    const char *preparation = log_path(0, "execution.log");
    char *text = NULL;
    for (int i = 0; i < 20; i++) {
        at(room.now_ns + NS_PER_S);
        int64_t length;
        char *longer = room_read(&room, share, path, &length);
        ck_assert_int_ge(length, last);
        if (text)
            ck_assert_mem_eq(longer, text, (size_t)last);
        text = longer;
        last = length;
        char *all = room_read(&room, share, preparation, &length);
        ck_assert_ptr_null(u8_check((uint8_t *)all, (size_t)length));
        ck_assert_ptr_nonnull(strstr(all, "\xf0\x9f\x9a\x82"));
    }
    FilesEntry after = room_look(&room, share, path);
    ck_assert_int_gt(after.bytes, before.bytes);
    ck_assert_uint_ne(after.etag, before.etag);
    ck_assert_int_gt(after.written_ticks, before.written_ticks);
    ck_assert_int_eq(after.created_ticks, before.created_ticks);
    // The reader keeps what it opened.
    char *old = arena_alloc(room.arena, (size_t)last);
    ck_assert_int_eq(files_read(reader, 0, old, (size_t)last), opened);
    ck_assert_mem_eq(old, text, (size_t)opened);
    files_reader_close(reader);
}
END_TEST

START_TEST(the_share_shows_what_the_offline_run_writes)
{
    until(1, has_ended);
    ShareTree *tree = share_tree_create(room.arena);
    TraceFan *fan = trace_fan_create(room.arena);
    trace_fan_join(fan, share_tree_listener(tree));
    World *offline = world_create(room.arena, scenario_of(&list, 3), trace_fan_sink(fan));
    trace_fan_watch(fan, offline);
    world_advance(offline, room.now_ns);
    Status status = {0};
    ck_assert(share_tree_write(tree, offline, room.folder, &status));
    const char *segment = job_output_segment(world_scenario(world), job_at(1), room.arena);
    const char *const paths[] = {"logs/checkpoint-2.h5",
                                 "logs/checkpoint-4.h5",
                                 log_path(0, "stdout.txt"),
                                 log_path(0, "stderr.txt"),
                                 log_path(1, "stdout.txt"),
                                 log_path(1, "execution.log"),
                                 log_path(0, "stdout-job_prep.txt"),
                                 arena_printf(room.arena, "out/%s/outputs/model.h5", segment)};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int64_t length;
        char *shown = room_read(&room, share, paths[i], &length);
        FilesEntry entry = room_look(&room, share, paths[i]);
        ck_assert_int_eq(entry.bytes, length);
        FILE *file =
            fopen(arena_printf(room.arena, "%s/share/a/s/%s", room.folder, paths[i]), "rb");
        ck_assert_ptr_nonnull(file);
        char *written = arena_alloc(room.arena, (size_t)length + 1);
        ck_assert_uint_eq(fread(written, 1, (size_t)length + 1, file), (size_t)length);
        fclose(file);
        ck_assert_mem_eq(shown, written, (size_t)length);
    }
    ck_assert_str_eq(room_names(&room, share, ""), "data/ logs/ out/");
    ck_assert_str_eq(room_names(&room, share, "logs"), "checkpoint-2.h5 checkpoint-4.h5");
    ck_assert_str_eq(room_names(&room, share, job_files_directory(world, job_at(0), room.arena)),
                     "execution.log stderr-job_prep.txt stderr.txt stdout-job_prep.txt stdout.txt");
}
END_TEST

/* --- Changing --- */

START_TEST(a_client_changes_its_own_copy)
{
    until(0, has_ended);
    const char *path = log_path(0, "stdout.txt");
    int64_t length;
    char *text = room_read(&room, share, path, &length);
    FilesEntry before = room_look(&room, share, path);
    ck_files(files_write(room.files, share, path, 0, 3, "XYZ"), OK);
    restart();
    FilesEntry after = room_look(&room, share, path);
    ck_assert_uint_ne(after.etag, before.etag);
    ck_assert_int_eq(after.bytes, before.bytes);
    memcpy(text, "XYZ", 3);
    ck_assert_str_eq(room_text(&room, share, path), text);
    ck_files(files_change(room.files, share, log_path(0, "stderr.txt"), -1, NULL, "{}", NULL), OK);
    ck_assert_str_eq(room_names(&room, share, job_files_directory(world, job_at(0), room.arena)),
                     "execution.log stderr-job_prep.txt stderr.txt stdout-job_prep.txt stdout.txt");
}
END_TEST

START_TEST(a_deleted_file_stays_deleted_until_a_job_writes_it_again)
{
    until(0, has_ended);
    ck_files(files_file_delete(room.files, share, "logs/checkpoint-2.h5"), OK);
    ck_files(files_file_delete(room.files, share, "logs/checkpoint-4.h5"), OK);
    ck_files(files_file_create(room.files, share, "logs/checkpoint-4.h5", 1, NULL, NULL), OK);
    ck_assert_str_eq(room_names(&room, share, "logs"), "checkpoint-4.h5");
    restart();
    FilesEntry entry;
    ck_files(files_look(room.files, room.arena, share, "logs/checkpoint-2.h5", &entry),
             NO_RESOURCE);
    ck_assert_int_eq(room_look(&room, share, "logs/checkpoint-4.h5").bytes, 1);
    until(1, has_ended); // the second job writes both
    ck_assert_str_eq(room_names(&room, share, "logs"), "checkpoint-2.h5 checkpoint-4.h5");
    ck_assert_int_gt(room_look(&room, share, "logs/checkpoint-4.h5").bytes, 10000000);
    ck_files(files_file_delete(room.files, share, "logs/checkpoint-4.h5"), OK);
    ck_assert_str_eq(room_names(&room, share, "logs"), "checkpoint-2.h5");
}
END_TEST

START_TEST(a_directory_goes_only_when_nothing_in_it_shows)
{
    until(0, has_ended);
    ck_files(files_directory_delete(room.files, share, "logs"), NOT_EMPTY);
    ck_files(files_file_delete(room.files, share, "logs/checkpoint-2.h5"), OK);
    ck_files(files_file_delete(room.files, share, "logs/checkpoint-4.h5"), OK);
    ck_files(files_directory_delete(room.files, share, "logs"), OK);
    restart();
    ck_assert_str_eq(room_names(&room, share, ""), "data/ out/");
    ck_files(files_directory_create(room.files, share, "logs", NULL), OK);
    ck_assert_str_eq(room_names(&room, share, "logs"), ""); // the old ones are not back
    ck_files(files_directory_delete(room.files, share, "logs"), OK);
    until(1, has_ended);
    ck_assert_str_eq(room_names(&room, share, ""), "data/ logs/ out/");
    ck_assert_str_eq(room_names(&room, share, "logs"), "checkpoint-2.h5 checkpoint-4.h5");
}
END_TEST

START_TEST(a_directory_of_the_worlds_is_renamed_as_it_is)
{
    until(0, has_ended);
    int64_t length;
    const char *log = log_path(0, "stdout.txt");
    char *text = room_read(&room, share, log, &length);
    const char *moved = arena_printf(room.arena, "kept%s", log + strlen("out"));
    ck_files(files_rename(room.files, share, "out", "kept", false), OK);
    restart();
    ck_assert_str_eq(room_names(&room, share, ""), "data/ kept/ logs/");
    ck_assert_str_eq(room_text(&room, share, moved), text);
    FilesEntry entry;
    ck_files(files_look(room.files, room.arena, share, log, &entry), NO_PARENT);
    until(1, has_ended);
    ck_assert_str_eq(room_names(&room, share, ""), "data/ kept/ logs/ out/");
    room_look(&room, share, log_path(1, "stdout.txt"));
    ck_files(files_look(room.files, room.arena, share, log, &entry), NO_PARENT);
}
END_TEST

START_TEST(a_snapshot_keeps_the_worlds_files_of_its_time)
{
    until(0, trains);
    const char *log = log_path(0, "execution.log");
    const char *text = room_text(&room, share, log);
    char name[40];
    ck_files(files_share_snapshot(room.files, share, NULL, name), OK);
    ShareName snapshot = {"a", "s", name, false};
    until(1, has_ended);
    restart();
    ck_assert_str_eq(room_text(&room, snapshot, log), text);
    ck_assert_uint_gt(strlen(room_text(&room, share, log)), strlen(text));
    ck_assert_str_eq(room_names(&room, snapshot, ""), "data/ out/");
    ck_assert_int_eq(room_look(&room, snapshot, "data/train.bin").bytes, INT64_C(5) << 30);
    ck_assert_int_gt(files_share_bytes(room.files, share), INT64_C(5) << 30);
}
END_TEST

START_TEST(a_share_of_the_scenarios_that_is_deleted_stays_so)
{
    until(0, has_ended);
    int32_t count;
    bool more;
    FilesEntry *shares =
        files_shares(room.files, room.arena, "a", "", "", 10, false, &count, &more);
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(shares[0].quota_gib, 5120);
    ck_files(files_share_delete(room.files, share, false), OK);
    restart();
    FilesEntry entry;
    ck_files(files_look(room.files, room.arena, share, "", &entry), NO_SHARE);
    files_shares(room.files, room.arena, "a", "", "", 10, false, &count, &more);
    ck_assert_int_eq(count, 0);
    ck_files(files_share_create(room.files,
                                (ShareName){.account = "a", .share = "other", .snapshot = NULL}, 1,
                                NULL),
             OK);
    ck_files(files_account_delete(room.files, "a"), OK);
    files_shares(room.files, room.arena, "a", "", "", 10, false, &count, &more);
    ck_assert_int_eq(count, 0);
}
END_TEST

START_TEST(no_path_of_a_job_leads_out_of_its_share)
{
    static const char *const bad[] = {"../../etc", "/etc", "a/../../b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Command *upload = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
        upload->as.file_upload.file = bad[i];
        upload->as.file_upload.bytes = 3;
    }
    restart();
    at(NS_PER_S);
    ck_assert_str_eq(room_names(&room, share, ""), "data/");
}
END_TEST

START_TEST(a_log_that_is_made_is_the_one_of_the_job)
{
    until(0, has_ended);
    Text asked = {0};
    ck_assert(
        job_file_write(world, job_at(0), "stdout.txt", room.now_ns, (ByteSink){&asked, append}));
    ck_assert_str_eq(room_text(&room, share, log_path(0, "stdout.txt")), text_string(&asked));
    text_free(&asked);
}
END_TEST

/* A pair of a node's files, as the directory lists them. */
static const char *setup_names(uint32_t node)
{
    const char *name = world_node(world, (NodeId){node})->name;
    return arena_printf(room.arena, "stderr-%s.txt stdout-%s.txt", name, name);
}

START_TEST(set_up_tasks_log_into_the_clusters_own_directory)
{
    // Prepared at 230 s; the second run's sleep is 40 s too, after a reboot of 90 s and 130 s.
    static ShellOutput outputs[] = {
        {.at_ns = 0, .part = {.text = "one\n", .length = 4}},
        {.at_ns = 40 * NS_PER_S, .part = {.text = "two\n", .length = 4}},
    };
    static const ShellRun run = {.is_over = true, .output_count = 2, .outputs = outputs};
    ClusterSpec *spec = ARENA_NEW(room.arena, ClusterSpec);
    *spec = *plain_cluster(room.arena, 1);
    spec->setup_command = "echo one; sleep 40; echo two";
    spec->setup_ns = constant(room.arena, 40 * NS_PER_S);
    spec->setup_run = &run;
    spec->setup_std_out_err = (OutputPlace){"a/s", "setup"};
    list = commands_begin(room.arena);
    commands_create_cluster(&list, "d", 0, spec);
    commands_add(&list, COMMAND_NODE_REBOOT, "d", 1000 * NS_PER_S)->as.fault.node = 1;
    restart();
    at(229 * NS_PER_S);
    ck_assert_str_eq(room_names(&room, share, ""), "");
    at(235 * NS_PER_S);
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    const char *directory = setup_files_directory(world, cluster, room.arena);
    ck_assert_str_eq(room_names(&room, share, directory), setup_names(0));
    const char *path = arena_printf(room.arena, "%s/stdout-%s.txt", directory,
                                    world_node(world, (NodeId){0})->name);
    ck_assert_str_eq(room_text(&room, share, path), "one\n");
    at(300 * NS_PER_S);
    ck_assert_str_eq(room_text(&room, share, path), "one\ntwo\n");
    ck_assert_int_eq(room_look(&room, share, path).bytes, 8);

    // What a client deletes is gone until the task runs again.
    ck_files(files_file_delete(room.files, share, path), OK);
    at(1219 * NS_PER_S);
    ck_assert(!strstr(room_names(&room, share, directory), "stdout"));
    at(1225 * NS_PER_S);
    ck_assert_str_eq(room_names(&room, share, directory), setup_names(0));
    ck_assert_str_eq(room_text(&room, share, path), "one\n");
    restart();
    ck_assert_str_eq(room_text(&room, share, path), "one\n");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_store_world");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, uploads_of_the_scenario_are_there_and_cost_no_disk);
    tcase_add_test(tests, a_directory_that_a_client_changes_still_shows_the_worlds_files);
    tcase_add_test(tests, a_local_file_is_read_in_place);
    tcase_add_test(tests, files_written_by_simple_commands_have_their_contents);
    tcase_add_test(tests, a_file_that_a_job_removes_is_gone_even_if_a_client_wrote_it);
    tcase_add_test(tests, uploads_of_clients_are_not_listed_twice);
    tcase_add_test(tests, logs_grow_by_whole_characters_while_the_job_runs);
    tcase_add_test(tests, a_log_that_is_made_is_the_one_of_the_job);
    tcase_add_test(tests, set_up_tasks_log_into_the_clusters_own_directory);
    tcase_add_test(tests, the_share_shows_what_the_offline_run_writes);
    tcase_add_test(tests, a_client_changes_its_own_copy);
    tcase_add_test(tests, a_deleted_file_stays_deleted_until_a_job_writes_it_again);
    tcase_add_test(tests, a_directory_goes_only_when_nothing_in_it_shows);
    tcase_add_test(tests, a_directory_of_the_worlds_is_renamed_as_it_is);
    tcase_add_test(tests, a_snapshot_keeps_the_worlds_files_of_its_time);
    tcase_add_test(tests, a_share_of_the_scenarios_that_is_deleted_stays_so);
    tcase_add_test(tests, no_path_of_a_job_leads_out_of_its_share);
    suite_add_tcase(suite, tests);
    return suite;
}
