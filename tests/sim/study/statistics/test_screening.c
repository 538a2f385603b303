#include "sim/study/statistics/screening.h"

#include <math.h>

#include "sim/study/statistics/distribution.h"
#include "tests/support/studies.h"
#include "tests/support/suite.h"

enum { RUNS_MOST = 2000 };

/* A variance of 4, e = .02 and 10 runs. The triangle has .018: h^2 = 9 (.036^(-2/9) - 1) = 9.837.
 */
START_TEST(the_smaller_of_triangle_and_students_bound_decides)
{
    // d = 1: 9.837 x 4 / 2 - 10 / 2 = 14.67; Student's: 6.010 x sqrt(40) = 38.01 (p = .0001)
    ck_assert_double_eq_tol(screening_boundary(10, 4, 1, .02), 14.67, .01);
    // d = .01: 1967.4 - .05
    const double bound = student_quantile(1 - .0001, 9) * sqrt(40);
    ck_assert_double_eq_tol(bound, 38.01, .01);
    ck_assert_double_eq_tol(screening_boundary(10, 4, .01, .02), bound, 1e-9);
    // Without an indifference all of the error is Student's.
    ck_assert_double_eq_tol(screening_boundary(10, 4, 0, .02),
                            student_quantile(1 - .001, 9) * sqrt(40), 1e-9);
    ck_assert_double_eq(screening_boundary(10, 0, 1, .02), 0);
}
END_TEST

/* Looks at 5, 10, 20, 30, 45, ... normal differences until one decides; the runs that it took. */
static int32_t decide(double mean, double indifference, double error, uint64_t study,
                      ScreeningSide *side)
{
    double differences[RUNS_MOST];
    Random random = random_of(study, 7);
    int32_t made = 0, count = 5;
    for (;; count = count < 20 ? 2 * count : count + count / 2) {
        if (count > RUNS_MOST)
            count = RUNS_MOST;
        while (made < count)
            differences[made++] = mean + random_standard_normal(&random);
        *side = screening_side(differences, count, 0, indifference, error);
        if (*side != SCREENING_OPEN || count == RUNS_MOST)
            return count;
    }
}

START_TEST(decisions_are_wrong_as_rarely_as_asked)
{
    static const struct {
        double mean, indifference;
    } rows[] = {{.2, .2}, {.5, .5}, {1, .1}, {2, .02}, {3, .001}};
    const double error = .05;
    const int32_t studies = studies_of(6000);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t wrong = 0;
        for (int32_t s = 0; s < studies; s++) {
            ScreeningSide side;
            decide(rows[i].mean, rows[i].indifference, error, (uint64_t)s, &side);
            wrong += side == SCREENING_BELOW;
        }
        ck_assert_double_le(wrong, error * studies);
    }
}
END_TEST

/* A difference of three deviations is clear from ten runs, however little would be indifferent. */
START_TEST(large_differences_take_few_runs)
{
    for (int32_t s = 0; s < 200; s++) {
        ScreeningSide side;
        ck_assert_int_le(decide(3, .001, .01, (uint64_t)s, &side), 20);
        ck_assert_int_eq(side, SCREENING_ABOVE);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("screening");
    TCase *cases = tcase_create("boundaries");
    tcase_add_test(cases, the_smaller_of_triangle_and_students_bound_decides);
    tcase_add_test(cases, decisions_are_wrong_as_rarely_as_asked);
    tcase_add_test(cases, large_differences_take_few_runs);
    suite_add_tcase(suite, cases);
    return suite;
}
