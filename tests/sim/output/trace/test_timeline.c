#include <stdlib.h>
#include <string.h>

#include "sim/json/json.h"
#include "sim/output/trace/fan.h"
#include "sim/output/trace/timeline.h"
#include "tests/support/suite.h"
#include "tests/support/trace_story.h"
#include "tests/support/worlds.h"

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

/* The timeline being written to memory. */
typedef struct {
    char *text;
    size_t length;
    FILE *stream;
    TimelineWriter *writer;
} Tape;

static void tape_begin(Tape *tape)
{
    tape->stream = open_memstream(&tape->text, &tape->length);
    tape->writer = timeline_writer_create(arena, tape->stream, TRACE_LEVEL_STEPS);
}

/* The events, read as JSON. */
static const Json *tape_end(Tape *tape)
{
    timeline_writer_finish(tape->writer);
    fclose(tape->stream);
    Problems problems = problems_create(arena);
    const Json *root =
        json_parse(arena, "timeline", tape->text, tape->length, JSON_STRICT, &problems);
    ck_assert_msg(root != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return json_member(root, "traceEvents");
}

static const char *word(const Json *event, const char *key)
{
    return json_member(event, key)->text;
}

static int64_t number(const Json *event, const char *key, int32_t decimals)
{
    int64_t value = -1;
    ck_assert(json_scaled(json_member(event, key), decimals, &value));
    return value;
}

typedef struct {
    int64_t process, thread, begin_ns, end_ns;
} Extent;

static Extent extent_of(const Json *event)
{
    const int64_t begin_ns = number(event, "ts", 3);
    return (Extent){number(event, "pid", 0), number(event, "tid", 0), begin_ns,
                    begin_ns + number(event, "dur", 3)};
}

/* Orders by thread and then by the begin of the slice, outer slices first. Slices with equal times
 * keep the order of the file, because the sort below is stable. */
static bool comes_after(const Extent *a, const Extent *b)
{
    if (a->process != b->process)
        return a->process > b->process;
    if (a->thread != b->thread)
        return a->thread > b->thread;
    return a->begin_ns > b->begin_ns;
}

static void merge_sort(Extent *items, Extent *spare, size_t count)
{
    if (count < 2)
        return;
    const size_t half = count / 2;
    merge_sort(items, spare, half);
    merge_sort(items + half, spare, count - half);
    memcpy(spare, items, count * sizeof *items);
    size_t left = 0, right = half;
    for (size_t i = 0; i < count; i++) {
        const bool take_right =
            left == half || (right < count && comes_after(&spare[left], &spare[right]));
        items[i] = take_right ? spare[right++] : spare[left++];
    }
}

/* Walks each thread like a viewer: a slice is nested in the innermost open slice, and must end
 * within it. Returns the number of slices. */
static size_t check_nesting(const Json *events, uint64_t seed)
{
    Extent *slices = ARENA_ARRAY(arena, Extent, events->count);
    Extent *spare = ARENA_ARRAY(arena, Extent, events->count);
    size_t count = 0;
    for (const Json *event = events->first; event != NULL; event = event->next)
        if (strcmp(word(event, "ph"), "X") == 0)
            slices[count++] = extent_of(event);
    merge_sort(slices, spare, count);
    size_t depth = 0; // spare is the stack of open slices
    for (size_t i = 0; i < count; i++) {
        const Extent *slice = &slices[i];
        ck_assert_int_ge(slice->end_ns, slice->begin_ns);
        if (depth > 0 && (spare[0].process != slice->process || spare[0].thread != slice->thread))
            depth = 0;
        while (depth > 0 && spare[depth - 1].end_ns <= slice->begin_ns)
            depth--;
        ck_assert_msg(depth == 0 || spare[depth - 1].end_ns >= slice->end_ns,
                      "seed %llu: a slice of thread %lld at %lld ns ends after the one around it",
                      (unsigned long long)seed, (long long)slice->thread,
                      (long long)slice->begin_ns);
        spare[depth++] = *slice;
    }
    return count;
}

/* Every thread and process is named before its first use. */
static void check_names(const Json *events)
{
    bool is_process[64] = {false}, is_thread[1024] = {false};
    for (const Json *event = events->first; event != NULL; event = event->next) {
        const int64_t process = number(event, "pid", 0), thread = number(event, "tid", 0);
        ck_assert_int_lt(process, 64);
        ck_assert_int_lt(thread, 1024);
        const bool is_name = strcmp(word(event, "ph"), "M") == 0;
        if (is_name && strcmp(word(event, "name"), "process_name") == 0)
            is_process[process] = true;
        else if (is_name && strcmp(word(event, "name"), "thread_name") == 0)
            is_thread[thread] = true;
        else if (is_name) // sort order: the order of creation
            ck_assert_int_eq(number(json_member(event, "args"), "sort_index", 0),
                             thread > 0 ? thread : process);
        ck_assert(is_process[process]);
        ck_assert(thread == 0 || is_thread[thread]);
    }
}

static int64_t thread_called(const Json *events, const char *name)
{
    for (const Json *event = events->first; event != NULL; event = event->next)
        if (strcmp(word(event, "name"), "thread_name") == 0 &&
            strcmp(json_find(event, "/args/name")->text, name) == 0)
            return number(event, "tid", 0);
    ck_abort_msg("no thread \"%s\"", name);
    return 0;
}

/* "running 162-232, ..." of a thread, in the order of the file, in seconds. */
static const char *slices_of(const Json *events, const char *thread)
{
    const int64_t wanted = thread_called(events, thread);
    Text text = {0};
    for (const Json *event = events->first; event != NULL; event = event->next) {
        if (strcmp(word(event, "ph"), "X") != 0 || number(event, "tid", 0) != wanted)
            continue;
        const Extent extent = extent_of(event);
        text_printf(&text, "%s%s %lld-%lld", text.length > 0 ? ", " : "", word(event, "name"),
                    (long long)(extent.begin_ns / 1000000000),
                    (long long)(extent.end_ns / 1000000000));
    }
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(a_node_nests_state_job_stages_and_epochs)
{
    Tape tape;
    tape_begin(&tape);
    trace_story_tell(arena, trace_story_training, timeline_writer_listener(tape.writer));
    const Json *events = tape_end(&tape);
    ck_assert_str_eq(slices_of(events, "n1"),
                     "preparing 100-160, idle 160-162, running 162-232, dev/exp/train 162-232, "
                     "preparation 162-170, start 170-180, training 180-230, epoch 1 180-202, "
                     "evaluation 202-204, epoch 2 204-228, evaluation 228-230, idle 232-250, "
                     "leaving 250-300");
    // A stage of all nodes appears on each node; slices still open at the end of the run are closed
    // there.
    ck_assert_str_eq(slices_of(events, "n2"),
                     "preparing 100-160, idle 160-162, running 162-232, dev/exp/train 162-232, "
                     "preparation 162-172, start 172-180, training 180-230, epoch 1 180-202, "
                     "evaluation 202-204, epoch 2 204-228, evaluation 228-230, idle 232-1000");
    ck_assert_str_eq(slices_of(events, "dev/exp/train rank 0"),
                     "step 180-190, step 190-202, step 204-214, step 214-228");
    ck_assert_str_eq(slices_of(events, "dev/exp/train"), "queued 120-162, running 162-232");
    ck_assert_str_eq(slices_of(events, "allocation"), "resizing 0-100, steady 100-1000");
    ck_assert_str_eq(slices_of(events, "transfer 1"), "write 230-231");
    check_names(events);
    check_nesting(events, 0);
    free(tape.text);
}
END_TEST

START_TEST(node_counts_are_written_once_for_each_time)
{
    Tape tape;
    tape_begin(&tape);
    trace_story_tell(arena, trace_story_training, timeline_writer_listener(tape.writer));
    const Json *events = tape_end(&tape);
    static const struct {
        int64_t at_s, preparing, idle, running, leaving;
    } expected[] = {
        {100, 2, 0, 0, 0}, {160, 0, 2, 0, 0}, {162, 0, 0, 2, 0},
        {232, 0, 2, 0, 0}, {250, 0, 1, 0, 1}, {300, 0, 1, 0, 0},
    };
    size_t found = 0;
    for (const Json *event = events->first; event != NULL; event = event->next) {
        if (strcmp(word(event, "ph"), "C") != 0 || strcmp(word(event, "name"), "nodes") != 0)
            continue;
        ck_assert_uint_lt(found, sizeof expected / sizeof expected[0]);
        const Json *counts = json_member(event, "args");
        ck_assert_int_eq(number(event, "ts", 0), expected[found].at_s * 1000000);
        ck_assert_int_eq(number(counts, "preparing", 0), expected[found].preparing);
        ck_assert_int_eq(number(counts, "idle", 0), expected[found].idle);
        ck_assert_int_eq(number(counts, "running", 0), expected[found].running);
        ck_assert_int_eq(number(counts, "leaving", 0), expected[found].leaving);
        ck_assert_int_eq(number(counts, "unusable", 0), 0);
        found++;
    }
    ck_assert_uint_eq(found, sizeof expected / sizeof expected[0]);
    free(tape.text);
}
END_TEST

/* The counters or marks called `name`: "250:0, 300:1" of a counter's `series`. */
static const char *moments_of(const Json *events, const char *phase, const char *name,
                              const char *series)
{
    const char *found = "";
    for (const Json *event = events->first; event != NULL; event = event->next) {
        if (strcmp(word(event, "ph"), phase) != 0 || strcmp(word(event, "name"), name) != 0)
            continue;
        found = arena_printf(arena, "%s%s%d", found, *found != '\0' ? ", " : "",
                             (int)(number(event, "ts", 0) / 1000000));
        if (series != NULL)
            found = arena_printf(arena, "%s:%d", found,
                                 (int)number(json_member(event, "args"), series, 0));
    }
    return found;
}

START_TEST(failures_are_marked_with_their_cause)
{
    Tape tape;
    tape_begin(&tape);
    trace_story_tell(arena,
                     (const char *const[]){
                         "0s 0s node_state w/c n1 - - - preparing was=5",
                         "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
                         "1s 0s node_error:mount_failure w/c n1 - - - AZFMountError -",
                         "1s 0s node_state:mount_failure w/c n1 - - - unusable was=0",
                         "2s 2s node_state:replacement w/c n2 - - - idle was=5",
                         "2s 0s job_state w/c - w/e/j - - running exit_code=-1",
                         "2s 2s node_state w/c n2 w/e/j - - running was=1",
                         "3s 3s node_notice:preemption w/c n2 w/e/j - - - notice_ns=9",
                         "4s 4s job_stalled:crash w/c n2 w/e/j - - - -",
                         "5s 2s job_state:crash w/c - w/e/j - - queued exit_code=-1",
                         "5s 2s node_state:crash w/c n2 - - - unusable was=2",
                         "6s 6s cluster_scaling w/c - - - - automatic minimum=0 maximum=4 target=1",
                         "7s 7s share_state:group w/c - - a/s 0 slow speed_ppm=500000",
                         "8s 1s file_server_billed - - - - - nfs billed_ns=7s micro_usd_per_hour=5",
                         "9s 9s group_struck:crash - - - - - rack nodes=2",
                         "9s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
                         NULL,
                     },
                     timeline_writer_listener(tape.writer));
    const Json *events = tape_end(&tape);
    ck_assert_str_eq(slices_of(events, "n1"), "preparing 0-1, unusable 1-9");
    ck_assert_ptr_nonnull(
        strstr(tape.text, "\"args\":{\"cause\":\"mount_failure\",\"reason\":\"AZFMountError\"}"));
    ck_assert_str_eq(slices_of(events, "nfs"), "nfs 1-8");
    ck_assert_str_eq(moments_of(events, "i", "AZFMountError", NULL), "1");
    ck_assert_str_eq(moments_of(events, "i", "preemption notice", NULL), "3");
    ck_assert_str_eq(moments_of(events, "i", "falls silent", NULL), "4");
    ck_assert_str_eq(moments_of(events, "i", "stalled", NULL), "4");
    ck_assert_str_eq(moments_of(events, "i", "requeued", NULL), "5");
    ck_assert_str_eq(moments_of(events, "i", "scaling automatic 0 to 4", NULL), "6");
    ck_assert_str_eq(moments_of(events, "i", "slow", NULL), "7");
    ck_assert_str_eq(moments_of(events, "i", "rack", NULL), "9");
    ck_assert_str_eq(moments_of(events, "C", "jobs", "queued"), "0:1, 2:0, 5:1");
    ck_assert_str_eq(moments_of(events, "C", "jobs", "running"), "0:0, 2:1, 5:0");
    ck_assert_str_eq(moments_of(events, "C", "billed nodes", "nodes"), "0:1, 1:1, 2:2, 5:2");
    check_names(events);
    check_nesting(events, 0);
    free(tape.text);
}
END_TEST

START_TEST(jobs_on_shared_nodes_have_slots)
{
    // j has two GPUs until 6 s, k one until 4 s, then l the slot of k; m has no GPU at all.
    Tape tape;
    tape_begin(&tape);
#define ENDED                                                                                      \
    "nodes=1 kept_ns=1s exchange_ns=0 input_ns=0 gang_ns=0 startup_ns=0 "                          \
    "checkpoint_ns=0 lost_ns=0 epochs_kept=0"
    trace_story_tell(arena,
                     (const char *const[]){
                         "0s 0s node_state w/c n1 - - - idle was=5",
                         "1s 0s node_state w/c n1 - - - running was=1",
                         "1s 1s job_placed w/c n1 w/e/j - - - gpus=2 gpus_per_node=4",
                         "2s 2s job_placed w/c n1 w/e/k - - - gpus=1 gpus_per_node=4",
                         "3s 1s job_stage w/c n1 w/e/j - - mount -",
                         "4s 2s job_attempt w/c - w/e/k - - completed " ENDED,
                         "4s 4s job_placed w/c n1 w/e/l - - - gpus=1 gpus_per_node=4",
                         "5s 5s job_placed w/c n1 w/e/m - - - gpus=0 gpus_per_node=4",
                         "6s 1s job_attempt w/c - w/e/j - - completed " ENDED,
                         "7s 4s job_attempt w/c - w/e/l - - completed " ENDED,
                         "8s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
                         NULL,
                     },
                     timeline_writer_listener(tape.writer));
#undef ENDED
    const Json *events = tape_end(&tape);
    ck_assert_str_eq(slices_of(events, "n1"), "idle 0-1, running 1-8");
    ck_assert_str_eq(slices_of(events, "n1 slot 1"), "w/e/j 1-6, mount 1-3");
    ck_assert_str_eq(slices_of(events, "n1 slot 2"), "w/e/j 1-6");
    ck_assert_str_eq(slices_of(events, "n1 slot 3"), "w/e/k 2-4, w/e/l 4-7");
    ck_assert_str_eq(slices_of(events, "n1 slot 4"), "w/e/m 5-8");
    check_names(events);
    check_nesting(events, 0);
    free(tape.text);
}
END_TEST

START_TEST(nanoseconds_are_exact)
{
    Tape tape;
    tape_begin(&tape);
    trace_story_tell(arena,
                     (const char *const[]){"7 7 cluster_allocation w/c - - - - resizing target=1 "
                                           "current=0",
                                           "1234567 7 cluster_allocation w/c - - - - steady "
                                           "target=1 current=1",
                                           NULL},
                     timeline_writer_listener(tape.writer));
    tape_end(&tape);
    ck_assert_ptr_nonnull(strstr(tape.text, "\"ts\":0.007,\"dur\":1234.560}"));
    free(tape.text);
}
END_TEST

START_TEST(overlapping_transfers_have_separate_lanes)
{
    // 1-4 and 2-5 overlap; 4-6 fits after the first.
    Tape tape;
    tape_begin(&tape);
    trace_story_tell(arena,
                     (const char *const[]){"4s 1s transfer w/c n1 w/e/j a/s 9 read work_ns=1s",
                                           "5s 2s transfer w/c n2 w/e/j a/s 9 read work_ns=1s",
                                           "6s 4s transfer w/c n1 w/e/j a/s 9 write work_ns=1s",
                                           NULL},
                     timeline_writer_listener(tape.writer));
    const Json *events = tape_end(&tape);
    ck_assert_str_eq(slices_of(events, "transfer 1"), "read 1-4, write 4-6");
    ck_assert_str_eq(slices_of(events, "transfer 2"), "read 2-5");
    free(tape.text);
}
END_TEST

START_TEST(slices_nest_in_random_runs)
{
    size_t slices = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Arena *run = arena_create();
        Tape tape;
        tape_begin(&tape);
        TraceFan *fan = trace_fan_create(run);
        trace_fan_join(fan, timeline_writer_listener(tape.writer));
        World *world = world_create(run, random_scenario(run, seed), trace_fan_sink(fan));
        trace_fan_watch(fan, world);
        world_run(world);
        slices += check_nesting(tape_end(&tape), seed);
        free(tape.text);
        arena_destroy(run);
    }
    ck_assert_uint_gt(slices, 1000);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timeline");
    TCase *tests = tcase_create("timeline");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_node_nests_state_job_stages_and_epochs);
    tcase_add_test(tests, node_counts_are_written_once_for_each_time);
    tcase_add_test(tests, failures_are_marked_with_their_cause);
    tcase_add_test(tests, jobs_on_shared_nodes_have_slots);
    tcase_add_test(tests, nanoseconds_are_exact);
    tcase_add_test(tests, overlapping_transfers_have_separate_lanes);
    tcase_add_test(tests, slices_nest_in_random_runs);
    suite_add_tcase(suite, tests);
    return suite;
}
