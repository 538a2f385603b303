/* Lists that are drawn anew for each seed. */
#include "sim/cloud/job/drawn.h"

#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

enum { PIECES = 4, ROWS_OF_PIECE = 50, ROWS = PIECES * ROWS_OF_PIECE };
static const int64_t piece_ns = 100 * NS_PER_S;

typedef struct {
    int64_t submit_ns[ROWS], run_ns[ROWS], after_job[ROWS];
    int32_t gpus[ROWS], queue[ROWS];
    JobList list;
    Workload workload;
    Scenario scenario;
} Given;

/* Piece p has its rows at 0, 2, ..., 98 s; the run time of a row is its number in s. In each piece
 * the second row follows the first. */
static Given *new_given(int64_t load_ppm)
{
    Given *given = ARENA_NEW(arena, Given);
    for (int32_t row = 0; row < ROWS; row++) {
        const int32_t piece = row / ROWS_OF_PIECE, place = row % ROWS_OF_PIECE;
        given->submit_ns[row] = piece * piece_ns + 2 * place * NS_PER_S;
        given->run_ns[row] = row * NS_PER_S;
        given->gpus[row] = 1 + row % 8;
        given->queue[row] = row % 3;
        given->after_job[row] = place == 1 ? row - 1 : JOB_LIST_UNKNOWN;
    }
    given->list = (JobList){.count = ROWS,
                            .submit_ns = given->submit_ns,
                            .run_ns = given->run_ns,
                            .gpus = given->gpus,
                            .after_job = given->after_job,
                            .queue = given->queue,
                            .speeds = given->queue};
    given->workload = (Workload){.name = "trace",
                                 .list = &given->list,
                                 .cluster_of_row = given->queue,
                                 .resample = {.piece_ns = piece_ns, .load_ppm = load_ppm}};
    given->scenario = (Scenario){.workloads = &given->workload, .workload_count = 1, .seed = 1};
    return given;
}

static const JobList *draw(Given *given, uint64_t seed)
{
    given->scenario.seed = seed;
    const Scenario *drawn = scenario_with_drawn_lists(arena, &given->scenario);
    ck_assert_ptr_ne(drawn, &given->scenario);
    ck_assert_ptr_eq(drawn->workloads[0].cluster_of_row, drawn->workloads[0].list->queue);
    return drawn->workloads[0].list;
}

START_TEST(a_list_that_is_replayed_is_the_scenarios_own)
{
    Given *given = new_given(RESAMPLE_PPM);
    given->workload.resample.piece_ns = 0;
    ck_assert_ptr_eq(scenario_with_drawn_lists(arena, &given->scenario), &given->scenario);
}
END_TEST

START_TEST(a_draw_has_whole_pieces_with_their_rows_at_their_times)
{
    Given *given = new_given(RESAMPLE_PPM);
    int32_t times[PIECES] = {0};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const JobList *drawn = draw(given, seed);
        ck_assert_int_eq(drawn->count, ROWS);
        for (int64_t row = 0; row < ROWS; row++) {
            const int64_t from = drawn->run_ns[row] / NS_PER_S; // the row of which it is a copy
            const int64_t place = row / ROWS_OF_PIECE;
            ck_assert_int_eq(from % ROWS_OF_PIECE, row % ROWS_OF_PIECE);
            ck_assert_int_eq(from / ROWS_OF_PIECE,
                             drawn->run_ns[place * ROWS_OF_PIECE] / NS_PER_S / ROWS_OF_PIECE);
            ck_assert_int_eq(drawn->submit_ns[row],
                             place * piece_ns + given->submit_ns[from % ROWS_OF_PIECE]);
            ck_assert_int_eq(drawn->gpus[row], given->gpus[from]);
            ck_assert_int_eq(drawn->queue[row], given->queue[from]);
            ck_assert_int_eq(drawn->speeds[row], given->queue[from]);
            ck_assert_int_eq(drawn->after_job[row],
                             row % ROWS_OF_PIECE == 1 ? row - 1 : JOB_LIST_UNKNOWN);
        }
        for (int64_t place = 0; place < PIECES; place++)
            times[drawn->run_ns[place * ROWS_OF_PIECE] / NS_PER_S / ROWS_OF_PIECE]++;
    }
    for (int32_t piece = 0; piece < PIECES; piece++) { // 400 expected, standard deviation 17
        ck_assert_int_gt(times[piece], 400 - 70);
        ck_assert_int_lt(times[piece], 400 + 70);
    }
}
END_TEST

START_TEST(a_load_adds_jobs_and_keeps_their_order)
{
    static const int64_t loads_ppm[] = {300000, 1300000, 2500000};
    for (size_t l = 0; l < sizeof loads_ppm / sizeof loads_ppm[0]; l++) {
        Given *given = new_given(loads_ppm[l]);
        int64_t jobs = 0;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            const JobList *drawn = draw(given, seed);
            jobs += drawn->count;
            ck_assert_int_le(drawn->count,
                             resample_rows_most(&given->list, given->workload.resample));
            for (int64_t row = 0; row < drawn->count; row++) {
                const int64_t first = drawn->after_job[row];
                ck_assert(row == 0 || drawn->submit_ns[row] >= drawn->submit_ns[row - 1]);
                ck_assert(first == JOB_LIST_UNKNOWN || first < row);
                ck_assert(first == JOB_LIST_UNKNOWN ||
                          drawn->run_ns[first] + NS_PER_S == drawn->run_ns[row]);
            }
        }
        const double expected = (double)loads_ppm[l] / RESAMPLE_PPM * ROWS * 100;
        ck_assert_double_eq_tol((double)jobs, expected, 0.02 * expected);
    }
}
END_TEST

START_TEST(more_load_adds_to_the_same_jobs)
{
    Given *given = new_given(RESAMPLE_PPM);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        given->workload.resample.load_ppm = RESAMPLE_PPM;
        const JobList *less = draw(given, seed);
        given->workload.resample.load_ppm = 1700000;
        const JobList *more = draw(given, seed);
        int64_t found = 0;
        for (int64_t row = 0; row < more->count && found < less->count; row++)
            found += more->submit_ns[row] == less->submit_ns[found] &&
                     more->run_ns[row] == less->run_ns[found];
        ck_assert_int_eq(found, less->count);
    }
}
END_TEST

START_TEST(a_remainder_counts_as_a_piece_from_nine_tenths_on)
{
    int64_t submit_ns[] = {0, 189, 289, 290};
    const JobList drawn = {.count = 4, .submit_ns = submit_ns};
    ck_assert_int_eq(resample_pieces(&drawn, 100), 3);
    ck_assert_int_eq(resample_pieces(&(JobList){.count = 3, .submit_ns = submit_ns}, 100), 2);
    ck_assert_int_eq(resample_pieces(&(JobList){.count = 2, .submit_ns = submit_ns}, 100), 1);
    ck_assert_int_eq(resample_pieces(&(JobList){0}, 100), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("drawn");
    TCase *paper = tcase_create("lists");
    tcase_add_checked_fixture(paper, begin, end);
    tcase_add_test(paper, a_list_that_is_replayed_is_the_scenarios_own);
    tcase_add_test(paper, a_draw_has_whole_pieces_with_their_rows_at_their_times);
    tcase_add_test(paper, a_load_adds_jobs_and_keeps_their_order);
    tcase_add_test(paper, more_load_adds_to_the_same_jobs);
    tcase_add_test(paper, a_remainder_counts_as_a_piece_from_nine_tenths_on);
    suite_add_tcase(suite, paper);
    return suite;
}
