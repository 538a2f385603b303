#include "trainer/run/step_span.h"

#include "tests/support/suite.h"

/* Epochs of 100 steps. */
static const struct {
    bool has_profile;
    int64_t every, fail, iteration, step, end;
} rows[] = {
    {false, 0, -1, 0, 0, 100},     {false, 0, -1, 340, 40, 100},
    {true, 0, -1, 0, 0, 1},        {true, 0, -1, 301, 1, 33},
    {true, 0, -1, 333, 33, 100},   {false, 30, -1, 0, 0, 30},
    {false, 30, -1, 330, 30, 60}, // a checkpoint after 330, the next one after 360
    {false, 30, -1, 340, 40, 60},  {false, 30, -1, 391, 91, 100},
    {false, 0, 0, 0, 0, 100}, // the rank fails before it, or has done so
    {false, 0, 25, 0, 0, 25},      {false, 0, 325, 310, 10, 25},
    {false, 0, 325, 325, 25, 100}, {false, 0, 325, 200, 0, 100},
    {false, 0, 25, 310, 10, 100},  {true, 30, 320, 302, 2, 20},
    {true, 30, 340, 302, 2, 30},   {true, 50, 340, 302, 2, 33},
};

START_TEST(steps_at_once_end_before_the_next_event)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const StepSpan span = {.steps = 100,
                               .has_profile = rows[i].has_profile,
                               .checkpoint_every = rows[i].every,
                               .fail_step = rows[i].fail};
        ck_assert_msg(step_span_end(&span, rows[i].iteration, rows[i].step) == rows[i].end,
                      "row %zu", i);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("step_span");
    TCase *tests = tcase_create("step_span");
    tcase_add_test(tests, steps_at_once_end_before_the_next_event);
    suite_add_tcase(suite, tests);
    return suite;
}
