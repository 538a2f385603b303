/* Legends, axes and stacks, as data for gnuplot. */
#include "reports/figure/figure.h"

#include <string.h>

#include "reports/figure/stack.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static void has(const char *data, const char *line)
{
    ck_assert_msg(strstr(data, line) != NULL, "%s is not in:\n%s", line, data);
}

START_TEST(a_legend_begins_a_new_line_where_a_name_has_no_room)
{
    static const Shade shades[] = {{"jobs that wait for their nodes", 0x010203},
                                   {"not used", 0x000000},
                                   {"jobs that compute their steps", 0x040506},
                                   {"idle", 0x070809}};
    const FigureLayout phone = figure_layout(false, true);
    const int32_t after_second = 17 + letters_width(shades[2].name) + 14;
    Text out = {0};
    ck_assert_int_gt(17 + letters_width(shades[0].name) + 14 + after_second, phone.width);
    key_print(&out, shades, 4, 1 | 4 | 8, phone);
    has(out.data, "kinds = 3\n");
    has(out.data,
        "kind_x[1] = 0\nkind_y[1] = 9\nkind_name[1] = 'jobs that wait for their nodes'\n");
    has(out.data, "kind_x[2] = 0\nkind_y[2] = 27\n");
    has(out.data, arena_printf(arena, "kind_x[3] = %d\nkind_y[3] = 27\n", (int)after_second));
    has(out.data, "key_height = 36\n");
    text_clear(&out);
    key_print(&out, shades, 4, 0, phone);
    has(out.data, "key_height = 0\n");
    text_free(&out);
}
END_TEST

START_TEST(steps_of_an_axis_are_round)
{
    static const struct {
        int64_t range, most, step;
    } rows[] = {{0, 5, 1},   {5, 5, 1},    {6, 5, 2},    {10, 5, 2},
                {11, 5, 5},  {25, 5, 5},   {26, 5, 10},  {50, 5, 10},
                {51, 5, 20}, {100, 5, 20}, {101, 5, 50}, {1000000, 1, 1000000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_int_eq(round_step(rows[i].range, rows[i].most), rows[i].step);
}
END_TEST

/* Seven items of the first band for the first half of 24 s, and three of the last for all of it. */
START_TEST(a_stack_has_the_largest_sum_and_the_means_of_its_parts)
{
    static const Shade bands[] = {{"busy", 1}, {"unused", 2}, {"idle", 3}};
    StackChange changes[] = {{12 * NS_PER_S, 0, -7}, {0, 2, 3}, {0, 0, 7}, {24 * NS_PER_S, 2, -3}};
    Stack stack = {.bands = bands,
                   .band_count = 3,
                   .changes = changes,
                   .change_count = 4,
                   .end_ns = 24 * NS_PER_S};
    Figures figures = {.arena = arena};
    stack_sort(&stack);
    ck_assert_uint_eq(stack.used, 1 | 4);
    stack_draw(&figures, (Figure){.file = "stack", .title = "A stack", .note = ""}, &stack);
    has(figures.items[0].wide, "y_step = 2\ny_end = 10\n");
    has(figures.items[0].wide,
        "$states << END\n0 0 0\n0 7 10\n12 7 10\n12 0 3\n24 0 3\n24 0 0\nEND\n");
    const FigureNumbers *numbers = figures.items[0].numbers;
    ck_assert_int_eq(numbers->column_count, 4); // time, two bands, the largest sum
    ck_assert_uint_eq(numbers->row_count, 24);
    for (uint32_t row = 0; row < 24; row++) {
        const char **cells = numbers->cells + row * 4;
        ck_assert_str_eq(cells[1], row < 12 ? "7.0" : "0.0");
        ck_assert_str_eq(cells[2], "3.0");
        ck_assert_str_eq(cells[3], row < 12 ? "10" : "3");
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("figure");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_legend_begins_a_new_line_where_a_name_has_no_room);
    tcase_add_test(tests, steps_of_an_axis_are_round);
    tcase_add_test(tests, a_stack_has_the_largest_sum_and_the_means_of_its_parts);
    suite_add_tcase(suite, tests);
    return suite;
}
