#include "sim/cli/machine_clock.h"
#include "trainer/record/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/philox.h"
#include "sim/cli/files.h"
#include "sim/json/json.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "trainer/run/timeline_gather.h"

static const int64_t zero_ns = 5000;
static const TimelineStages none;
static Arena *arena;
static const char *folder;

static void begin(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static const char *path_of(const char *name)
{
    return arena_printf(arena, "%s/%s", folder, name);
}

/* Two steps of rank 0 of two, an evaluation and a checkpoint. */
static Timeline *small_timeline(void)
{
    static const struct {
        Phase phase;
        int64_t step, begin_ns, end_ns, bytes;
    } spans[] = {
        {PHASE_LOAD, 0, 100, 110, 98304},        {PHASE_FORWARD, 0, 110, 150, 0},
        {PHASE_BACKWARD, 0, 150, 250, 0},        {PHASE_NEGOTIATE, 0, 250, 300, 0},
        {PHASE_ALLREDUCE, 0, 300, 320, 5003432}, {PHASE_UPDATE, 0, 320, 330, 0},
        {PHASE_LOAD, 1, 330, 340, 49152},        {PHASE_UPDATE, 1, 340, 360, 0},
        {PHASE_EVALUATE, 1, 360, 400, 0},        {PHASE_CHECKPOINT, 1, 400, 480, 10050000},
    };
    Timeline *timeline = timeline_create(0, 2, zero_ns);
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        timeline_add(timeline, spans[i].phase, spans[i].step, zero_ns + spans[i].begin_ns,
                     zero_ns + spans[i].end_ns, spans[i].bytes);
        if (spans[i].phase == PHASE_BACKWARD)
            timeline_add_ready(timeline, 0, (int64_t[]){zero_ns + 251, zero_ns + 299});
    }
    return timeline;
}

static bool is_same(const TimelineFile *a, const TimelineFile *b)
{
    return a->rank == b->rank && a->ranks == b->ranks && a->count == b->count &&
           (a->count == 0 || memcmp(a->spans, b->spans, (size_t)a->count * sizeof *a->spans) == 0);
}

START_TEST(a_missing_timeline_costs_nothing)
{
    timeline_add(NULL, PHASE_LOAD, 0, 1, 2, 3);
    timeline_add_ready(NULL, 0, NULL);
    timeline_destroy(NULL);
    const int64_t before = machine_clock_ns();
    ck_assert_int_ge(machine_clock_ns(), before);
}
END_TEST

START_TEST(a_span_is_a_row)
{
    Timeline *timeline = small_timeline();
    const TimelineFile file = timeline_view(timeline);
    Status status;
    ck_assert(timeline_write(&file, path_of("t.tsv"), &status));
    ck_assert_str_eq(temporary_file_text(arena, path_of("t.tsv")),
                     "# trainyard timeline 1\trank\t0\tranks\t2\n"
                     "phase\tstep\tbegin_ns\tend_ns\tbytes\trank\n"
                     "load\t0\t100\t110\t98304\t0\n"
                     "forward\t0\t110\t150\t0\t0\n"
                     "backward\t0\t150\t250\t0\t0\n"
                     "ready\t0\t251\t251\t0\t0\n"
                     "ready\t0\t299\t299\t0\t1\n"
                     "negotiate\t0\t250\t300\t0\t0\n"
                     "allreduce\t0\t300\t320\t5003432\t0\n"
                     "update\t0\t320\t330\t0\t0\n"
                     "load\t1\t330\t340\t49152\t0\n"
                     "update\t1\t340\t360\t0\t0\n"
                     "evaluate\t1\t360\t400\t0\t0\n"
                     "checkpoint\t1\t400\t480\t10050000\t0\n");
    timeline_destroy(timeline);
}
END_TEST

/* Draws for test data: word `i` of the sequence `seed`. */
static uint32_t draw(uint64_t seed, uint32_t i)
{
    return philox(seed, (PhiloxBlock){{i, 0, 0, 0}}).word[0];
}

/* Arbitrary spans, which overlap and are not ordered. */
static Timeline *random_timeline(uint64_t seed, int32_t rank, int32_t ranks, uint32_t count)
{
    Timeline *timeline = timeline_create(rank, ranks, 0);
    int64_t *ready_ns = ARENA_ARRAY(arena, int64_t, ranks);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = i * 4;
        const Phase phase = (Phase)(draw(seed, at) % PHASE_COUNT);
        const int64_t begin_ns = draw(seed, at + 1) % 200, step = draw(seed, at + 3) % 9;
        const int64_t end_ns = begin_ns + draw(seed, at + 2) % 40;
        if (phase != PHASE_READY) {
            timeline_add(timeline, phase, step, begin_ns, end_ns, end_ns * INT64_C(1000000007));
        } else if (rank == 0) {
            for (int32_t j = 0; j < ranks; j++)
                ready_ns[j] = begin_ns + j;
            timeline_add_ready(timeline, step, ready_ns);
        }
    }
    return timeline;
}

START_TEST(the_spans_read_are_those_written)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        // The recorder's memory grows at 1024 spans.
        Timeline *timeline = random_timeline(seed, seed % 2 ? 3 : 0, 5, seed == 7 ? 5000 : 20);
        const TimelineFile file = timeline_view(timeline);
        TimelineFile read;
        Status status;
        ck_assert(timeline_write(&file, path_of("t.tsv"), &status));
        ck_assert_msg(timeline_read(path_of("t.tsv"), arena, &read, &status), "seed %d: %s",
                      (int)seed, status.message);
        ck_assert_msg(is_same(&file, &read), "seed %d", (int)seed);
        timeline_destroy(timeline);
    }
}
END_TEST

START_TEST(an_empty_timeline_is_read_again)
{
    const TimelineFile empty = {.rank = 1, .ranks = 2};
    TimelineFile read;
    Status status;
    ck_assert(timeline_write(&empty, path_of("t.tsv"), &status));
    ck_assert(timeline_read(path_of("t.tsv"), arena, &read, &status));
    ck_assert(is_same(&empty, &read));
}
END_TEST

START_TEST(a_broken_file_is_refused_at_its_place)
{
    // A leading "H" is replaced by a valid header of rank 0, "K" by one of rank 2.
    static const struct {
        const char *text;
        int32_t line, column;
        const char *says;
    } rows[] = {
        {"", 1, 1, "ends here, expected a timeline"},
        {"# trainyard timeline 1\trank\t0\tranks\t4", 1, 1, "cut off"},
        {"# trainyard timeline 2\trank\t0\tranks\t4\n", 1, 1, "timeline 1"},
        {"# trainyard timeline 1\trank\t0\n", 1, 1, "rank and ranks"},
        {"# trainyard timeline 1\trank\t0\tranks\t4\tx\n", 1, 1, "rank and ranks"},
        {"# trainyard timeline 1\tranks\t4\trank\t0\n", 1, 1, "rank and ranks"},
        {"# trainyard timeline 1\trank\t4\tranks\t4\n", 1, 29, "below that of ranks"},
        {"# trainyard timeline 1\trank\t-1\tranks\t4\n", 1, 29, "a rank from 0"},
        {"# trainyard timeline 1\trank\t0\tranks\t0\n", 1, 37, "1 to 65536"},
        {"# trainyard timeline 1\trank\t0\tranks\t65537\n", 1, 37, "1 to 65536"},
        {"# trainyard timeline 1\trank\t0\tranks\t4\n", 2, 1, "names of the columns"},
        {"# trainyard timeline 1\trank\t0\tranks\t4\nload\t0\t1\t2\t3\t0\n", 2, 1, "six columns"},
        {"Hload\t0\t1\t2\t3\n", 3, 1, "six columns"},
        {"Hload\t0\t1\t2\t3\t0\t9\n", 3, 1, "six columns"},
        {"Hload\t0\t1\t2\t3\t0", 3, 1, "cut off"},
        {"Hload\t0\t1\t2\t3\t0\n\n", 4, 1, "six columns"},
        {"Hload\t0\t1\t2\t3\t0\r\n", 3, 14, "a rank below"},
        {"Hlaod\t0\t1\t2\t3\t0\n", 3, 1, "a phase"},
        {"H\t0\t1\t2\t3\t0\n", 3, 1, "a phase"},
        {"Hload\tx\t1\t2\t3\t0\n", 3, 6, "whole number"},
        {"Hload\t-1\t1\t2\t3\t0\n", 3, 6, "whole number"},
        {"Hload\t0\t1.5\t2\t3\t0\n", 3, 8, "whole number"},
        {"Hload\t0\t01\t2\t3\t0\n", 3, 8, "whole number"},
        {"Hload\t0\t1\t9223372036854775808\t3\t0\n", 3, 10, "whole number"},
        {"Hload\t0\t2\t1\t3\t0\n", 3, 10, "not before the beginning"},
        {"Hload\t0\t1\t2\t\t0\n", 3, 12, "whole number"},
        {"Hload\t0\t1\t2\t3\t4\n", 3, 14, "a rank below"},
        {"Hload\t0\t1\t2\t3\t1\n", 3, 14, "rank of the first line"},
        {"Hload\t0\t1\t2\t3\t0\nupdate\t0\t2\t3\t0\t2\n", 4, 16, "rank of the first line"},
        {"Hready\t0\t1\t2\t0\t1\n", 3, 11, "a moment"},
        {"Kready\t0\t1\t1\t0\t1\n", 3, 1, "only rank 0"},
        {"Kload\t0\t1\t2\t0\t0\n", 3, 14, "rank of the first line"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = rows[i].text;
        if (text[0] == 'H' || text[0] == 'K')
            text = arena_printf(arena,
                                "# trainyard timeline 1\trank\t%d\tranks\t4\n"
                                "phase\tstep\tbegin_ns\tend_ns\tbytes\trank\n%s",
                                text[0] == 'H' ? 0 : 2, text + 1);
        TimelineFile file;
        Status status = {0};
        ck_assert_msg(!timeline_parse("t.tsv", text, strlen(text), arena, &file, &status),
                      "row %zu: %s", i, rows[i].says);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_msg(status.at.line == rows[i].line && status.at.column == rows[i].column &&
                          strstr(status.message, rows[i].says) != NULL,
                      "row %zu: %d:%d: %s", i, status.at.line, status.at.column, status.message);
    }
}
END_TEST

START_TEST(a_mistyped_phase_gets_a_hint)
{
    static const char text[] = "# trainyard timeline 1\trank\t0\tranks\t1\n"
                               "phase\tstep\tbegin_ns\tend_ns\tbytes\trank\n"
                               "forwrad\t0\t1\t2\t0\t0\n";
    TimelineFile file;
    Status status;
    ck_assert(!timeline_parse("t.tsv", text, strlen(text), arena, &file, &status));
    ck_assert_ptr_nonnull(strstr(status.hint, "\"forward\""));
}
END_TEST

START_TEST(a_write_error_keeps_the_old_file)
{
    const TimelineFile empty = {.rank = 0, .ranks = 1};
    Status status;
    ck_assert(!timeline_write(&empty, path_of("missing/t.tsv"), &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert(!timeline_write_chrome(&empty, 1, none, path_of("missing/t.json"), &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
}
END_TEST

/* --- Chrome --- */

static const char *const stage_names[] = {NULL, "input", "conv2d_1 forward", "update"};
static const TimelineStages drawn_as = {stage_names, "GPU"};

static const Json *chrome_events(const TimelineFile *files, int32_t count)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    timeline_chrome(files, count, drawn_as, stream);
    fclose(stream);
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, "chrome", text, length, JSON_STRICT, &problems);
    free(text);
    ck_assert_msg(root != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return json_member(root, "traceEvents");
}

static bool is_phase(const Json *event, const char *phase)
{
    return strcmp(json_member(event, "ph")->text, phase) == 0;
}

static int64_t number(const Json *event, const char *key, int32_t decimals)
{
    int64_t value = -1;
    ck_assert(json_scaled(json_member(event, key), decimals, &value));
    return value;
}

/* "thread name begin end" of each slice, "thread name at" of each mark, "thread is NAME". */
static void print_events(const Json *events, Text *out)
{
    for (const Json *event = events->first; event; event = event->next) {
        const char *name = json_member(event, "name")->text;
        const int64_t thread = number(event, "tid", 0);
        if (is_phase(event, "X"))
            text_printf(out, "%d %s %d %d\n", (int)thread, name, (int)number(event, "ts", 3),
                        (int)(number(event, "ts", 3) + number(event, "dur", 3)));
        else if (is_phase(event, "i"))
            text_printf(out, "%d %s %d\n", (int)thread, name, (int)number(event, "ts", 3));
        else if (strcmp(name, "thread_name") == 0)
            text_printf(out, "%d is %s\n", (int)thread, json_find(event, "/args/name")->text);
    }
}

START_TEST(a_rank_is_a_track_of_steps_with_their_phases)
{
    Timeline *timelines[] = {small_timeline(), timeline_create(1, 2, 0)};
    timeline_add(timelines[1], PHASE_FORWARD, 0, 120, 298, 0);
    timeline_add(timelines[1], PHASE_ALLREDUCE, 0, 298, 320, 5003432);
    const TimelineFile files[] = {timeline_view(timelines[0]), timeline_view(timelines[1])};
    const Json *events = chrome_events(files, 2);
    Text text = {0};
    print_events(events, &text);
    ck_assert_str_eq(text.data, "1 is rank 0\n"
                                "1 step 0 100 330\n"
                                "1 load 100 110\n"
                                "1 forward 110 150\n"
                                "1 backward 150 250\n"
                                "1 NEGOTIATE_ALLREDUCE 250 300\n"
                                "1 MPI_ALLREDUCE 300 320\n"
                                "1 update 320 330\n"
                                "1 step 1 330 360\n"
                                "1 load 330 340\n"
                                "1 update 340 360\n"
                                "1 evaluate 360 400\n"
                                "1 checkpoint 400 480\n"
                                "1 0 251\n"
                                "1 1 299\n"
                                "2 is rank 1\n"
                                "2 step 0 120 320\n"
                                "2 forward 120 298\n"
                                "2 MPI_ALLREDUCE 298 320\n");
    text_free(&text);
    for (const Json *event = events->first; event; event = event->next) {
        const char *name = json_member(event, "name")->text;
        if (strcmp(name, "MPI_ALLREDUCE") == 0)
            ck_assert_int_eq(json_find(event, "/args/bytes")->integer, 5003432);
        if (strcmp(name, "checkpoint") == 0)
            ck_assert_int_eq(json_find(event, "/args/after_step")->integer, 1);
        if (strcmp(name, "step 1") == 0)
            ck_assert_int_eq(json_find(event, "/args/step")->integer, 1);
    }
    timeline_destroy(timelines[0]);
    timeline_destroy(timelines[1]);
}
END_TEST

START_TEST(stages_are_steps_on_a_track_next_to_their_rank)
{
    Timeline *timeline = timeline_create(0, 2, 0), *other = timeline_create(1, 2, 0);
    timeline_add(timeline, PHASE_WHOLE, 4, 100, 200, 0);
    timeline_add_stage(timeline, 1, 4, 110, 120);
    timeline_add_stage(timeline, 2, 4, 120, 180);
    timeline_add_stage(timeline, 3, 4, 180, 190);
    timeline_add(timeline, PHASE_LOAD, 5, 200, 210, 0);
    timeline_add_stage(other, 2, 4, 130, 140);
    const TimelineFile files[] = {timeline_view(timeline), timeline_view(other)};
    Text text = {0};
    print_events(chrome_events(files, 2), &text);
    ck_assert_str_eq(text.data, "1 is rank 0\n"
                                "1 step 4 100 200\n"
                                "1 whole step 100 200\n"
                                "1 step 5 200 210\n"
                                "1 load 200 210\n"
                                "2 is rank 0, GPU\n"
                                "2 step 4 110 190\n"
                                "2 input 110 120\n"
                                "2 conv2d_1 forward 120 180\n"
                                "2 update 180 190\n"
                                "3 is rank 1\n"
                                "4 is rank 1, GPU\n"
                                "4 step 4 130 140\n"
                                "4 conv2d_1 forward 130 140\n");
    text_free(&text);
    timeline_destroy(timeline);
    timeline_destroy(other);
}
END_TEST

START_TEST(tables_have_phases_only)
{
    Timeline *timeline = timeline_create(0, 1, 0);
    Status status;
    timeline_add_stage(timeline, 1, 4, 110, 120);
    timeline_add(timeline, PHASE_WHOLE, 4, 100, 200, 0);
    const TimelineFile file = timeline_view(timeline);
    ck_assert(timeline_write(&file, path_of("t.tsv"), &status));
    ck_assert_str_eq(temporary_file_text(arena, path_of("t.tsv")),
                     "# trainyard timeline 1\trank\t0\tranks\t1\n"
                     "phase\tstep\tbegin_ns\tend_ns\tbytes\trank\n"
                     "whole\t4\t100\t200\t0\t0\n");
    timeline_destroy(timeline);
}
END_TEST

START_TEST(an_exchange_during_the_backward_pass_has_a_separate_track)
{
    Timeline *timeline = timeline_create(0, 1, 0);
    timeline_add(timeline, PHASE_FORWARD, 0, 0, 40, 0);
    timeline_add(timeline, PHASE_BACKWARD, 0, 40, 100, 0);
    timeline_add(timeline, PHASE_ALLREDUCE, 0, 80, 130, 0);
    timeline_add(timeline, PHASE_UPDATE, 0, 130, 140, 0);
    const TimelineFile file = timeline_view(timeline);
    Text text = {0};
    print_events(chrome_events(&file, 1), &text);
    ck_assert_str_eq(text.data, "1 is rank 0\n"
                                "1 step 0 0 140\n"
                                "1 forward 0 40\n"
                                "1 backward 40 100\n"
                                "2 is rank 0, at the same time\n"
                                "2 MPI_ALLREDUCE 80 130\n"
                                "1 update 130 140\n");
    text_free(&text);
    timeline_destroy(timeline);
}
END_TEST

typedef struct {
    int64_t thread, begin_ns, end_ns;
} Extent;

static bool nest(Extent a, Extent b)
{
    const bool is_apart = a.end_ns <= b.begin_ns || b.end_ns <= a.begin_ns;
    const bool a_holds = a.begin_ns <= b.begin_ns && a.end_ns >= b.end_ns;
    const bool b_holds = b.begin_ns <= a.begin_ns && b.end_ns >= a.end_ns;
    return a.thread != b.thread || is_apart || a_holds || b_holds;
}

START_TEST(slices_of_a_track_nest_for_any_spans)
{
    for (uint64_t seed = 100; seed < 160; seed++) {
        Timeline *timeline = random_timeline(seed, 0, 3, 60);
        const TimelineFile file = timeline_view(timeline);
        const Json *events = chrome_events(&file, 1);
        Extent *extents = ARENA_ARRAY(arena, Extent, events->count);
        int32_t count = 0, drawn = 0, steps = 0;
        bool is_step[9] = {0};
        for (const Json *event = events->first; event; event = event->next) {
            drawn += is_phase(event, "i");
            if (!is_phase(event, "X"))
                continue;
            const int64_t begin_ns = number(event, "ts", 3);
            extents[count++] =
                (Extent){number(event, "tid", 0), begin_ns, begin_ns + number(event, "dur", 3)};
        }
        for (int32_t i = 0; i < count; i++)
            for (int32_t j = 0; j < i; j++)
                ck_assert_msg(nest(extents[i], extents[j]), "seed %d: %d and %d", (int)seed, i, j);
        for (int64_t i = 0; i < file.count; i++)
            if (file.spans[i].phase == PHASE_WHOLE ||
                (file.spans[i].phase < PHASE_EVALUATE && file.spans[i].phase != PHASE_READY))
                is_step[file.spans[i].step] = true;
        for (int i = 0; i < 9; i++)
            steps += is_step[i];
        // Every slice is drawn exactly once.
        ck_assert_int_eq(count + drawn, file.count + steps);
        timeline_destroy(timeline);
    }
}
END_TEST

/* --- All ranks --- */

START_TEST(a_folder_of_all_ranks_is_read_as_it_was_written)
{
    Timeline *timelines[3];
    TimelineFile files[3], *read;
    int32_t count;
    Status status;
    for (int32_t i = 0; i < 3; i++) {
        timelines[i] = random_timeline((uint64_t)i, i, 3, 10 + (uint32_t)i);
        files[i] = timeline_view(timelines[i]);
    }
    ck_assert(timeline_write_folder(files, 3, folder, &status));
    ck_assert_msg(timeline_read_folder(folder, arena, &read, &count, &status), "%s",
                  status.message);
    ck_assert_int_eq(count, 3);
    for (int32_t i = 0; i < 3; i++)
        ck_assert(is_same(&files[i], &read[i]));

    // The file of rank 1 is replaced by one of another training and by that of rank 2, and then
    // removed.
    TimelineFile other = files[1];
    other.ranks = 4;
    ck_assert(timeline_write(&other, path_of("timeline.rank1.tsv"), &status));
    ck_assert(!timeline_read_folder(folder, arena, &read, &count, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "on 4 ranks"));
    ck_assert(timeline_write(&files[2], path_of("timeline.rank1.tsv"), &status));
    ck_assert(!timeline_read_folder(folder, arena, &read, &count, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "is of rank 2, expected 1"));
    unlink(path_of("timeline.rank1.tsv"));
    ck_assert(!timeline_read_folder(folder, arena, &read, &count, &status));
    ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    for (int32_t i = 0; i < 3; i++)
        timeline_destroy(timelines[i]);
}
END_TEST

START_TEST(a_single_process_gathers_from_itself)
{
    Comm *comm;
    Status status;
    ck_assert(comm_open("local", arena, &comm, &status));
    Timeline *timeline = random_timeline(1, 0, 1, 30);
    const TimelineFile mine = timeline_view(timeline);
    const char *chrome_path = path_of("timeline.json");
    ck_assert_msg(timeline_gather(timeline, comm, folder, chrome_path, none, &status), "%s",
                  status.message);
    TimelineFile *read;
    int32_t count;
    ck_assert(timeline_read_folder(folder, arena, &read, &count, &status));
    ck_assert_int_eq(count, 1);
    ck_assert(is_same(&mine, &read[0]));
    // The Chrome trace can be made again from the tables.
    ck_assert(timeline_write_chrome(read, count, none, path_of("again.json"), &status));
    ck_assert_str_eq(temporary_file_text(arena, chrome_path),
                     temporary_file_text(arena, path_of("again.json")));

    Timeline *empty = timeline_create(0, 1, 0);
    ck_assert(timeline_gather(empty, comm, folder, NULL, none, &status));
    ck_assert(!timeline_gather(empty, comm, path_of("missing"), NULL, none, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    timeline_destroy(empty);
    timeline_destroy(timeline);
    comm_close(comm);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("trainer_timeline");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_missing_timeline_costs_nothing);
    tcase_add_test(tests, a_span_is_a_row);
    tcase_add_test(tests, the_spans_read_are_those_written);
    tcase_add_test(tests, an_empty_timeline_is_read_again);
    tcase_add_test(tests, a_broken_file_is_refused_at_its_place);
    tcase_add_test(tests, a_mistyped_phase_gets_a_hint);
    tcase_add_test(tests, a_write_error_keeps_the_old_file);
    tcase_add_test(tests, a_rank_is_a_track_of_steps_with_their_phases);
    tcase_add_test(tests, stages_are_steps_on_a_track_next_to_their_rank);
    tcase_add_test(tests, tables_have_phases_only);
    tcase_add_test(tests, an_exchange_during_the_backward_pass_has_a_separate_track);
    tcase_add_test(tests, slices_of_a_track_nest_for_any_spans);
    tcase_add_test(tests, a_folder_of_all_ranks_is_read_as_it_was_written);
    tcase_add_test(tests, a_single_process_gathers_from_itself);
    suite_add_tcase(suite, tests);
    return suite;
}
