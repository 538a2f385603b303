#include <string.h>

#include "reports/figure/gnuplot.h"
#include "reports/figure/svg.h"
#include "tests/support/suite.h"

static const char plot_of_a_line[] =
    "set terminal svg size 100,80 font 'sans-serif,12' noenhanced\n"
    "set xtics ('<&' 5)\n"
    "plot [0:10] x title 'black \"black\"'\n";

START_TEST(a_script_becomes_drawings_in_order)
{
    Arena *arena = arena_create();
    Status status = {0};
    char *drawings[2] = {NULL, NULL};
    const char *script =
        arena_printf(arena, "%sset output\nset title 'second'\nreplot\n", plot_of_a_line);
    ck_assert_msg(gnuplot_draw(arena, script, 2, drawings, &status), "%s", status.message);
    ck_assert_ptr_null(strstr(drawings[0], "second"));
    ck_assert_ptr_nonnull(strstr(drawings[1], "second"));
    arena_destroy(arena);
}
END_TEST

START_TEST(a_drawing_is_tidied_but_its_words_are_not)
{
    Arena *arena = arena_create();
    Status status = {0};
    char *drawing = NULL;
    ck_assert(gnuplot_draw(arena, plot_of_a_line, 1, &drawing, &status));
    const char *svg = svg_element(arena, drawing, "a <line>", "");
    static const char *const gone[] = {"<?xml", "GNUPLOT",    "<title>", "<defs>",
                                       " id=",  "=\"black\"", "='black'"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        ck_assert_msg(strstr(svg, gone[i]) == NULL, "%s is still there", gone[i]);
    ck_assert_ptr_nonnull(strstr(svg, "aria-label=\"a &lt;line&gt;\""));
    ck_assert_ptr_nonnull(strstr(svg, "&lt;&amp;</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">black \"black\"</text>"));
    ck_assert_ptr_nonnull(strstr(svg, "viewBox=\"0 0 100 80\""));
    arena_destroy(arena);
}
END_TEST

START_TEST(errors_of_gnuplot_are_reported)
{
    Arena *arena = arena_create();
    Status status = {0};
    char *drawing = NULL;
    ck_assert(!gnuplot_draw(arena, "set no_such_thing\n", 1, &drawing, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_msg(strstr(status.message, "gnuplot ended with exit code") != NULL, "%s",
                  status.message);
    ck_assert_msg(strstr(status.message, "Unrecognized option") != NULL, "%s", status.message);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_signal_that_ends_gnuplot_is_named)
{
    Arena *arena = arena_create();
    Status status = {0};
    char *drawing = NULL;
    ck_assert(!gnuplot_draw(arena, "print system('kill -9 $PPID')\n", 1, &drawing, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "gnuplot was ended by signal 9 (Killed)");
    ck_assert_ptr_nonnull(strstr(status.hint, "trainyard report"));
    arena_destroy(arena);
}
END_TEST

START_TEST(a_drawing_too_few_is_a_failure)
{
    Arena *arena = arena_create();
    Status status = {0};
    char *drawings[2] = {NULL, NULL};
    ck_assert(!gnuplot_draw(arena, plot_of_a_line, 2, drawings, &status));
    ck_assert_str_eq(status.message, "gnuplot made 1 drawings, expected 2");
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gnuplot");
    TCase *tests = tcase_create("gnuplot");
    tcase_add_test(tests, a_script_becomes_drawings_in_order);
    tcase_add_test(tests, a_drawing_is_tidied_but_its_words_are_not);
    tcase_add_test(tests, errors_of_gnuplot_are_reported);
    tcase_add_test(tests, a_signal_that_ends_gnuplot_is_named);
    tcase_add_test(tests, a_drawing_too_few_is_a_failure);
    suite_add_tcase(suite, tests);
    return suite;
}
