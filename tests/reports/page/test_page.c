/* The beginning and the end of a page: its heading, ids of headings, and the contents of a long
 * page. */
#include "reports/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"

/* A page with its first section, `sections` more, and as many figures in the last one. */
static char *page_of(int32_t sections, int32_t figures)
{
    Text html = {0};
    page_begin(&html, "title", "kicker", "heading");
    text_add(&html, "</header>\n<main>\n<section class=\"top\">\n<p>answer</p>\n</section>\n");
    for (int32_t i = 1; i <= sections; i++)
        text_printf(&html, "<section>\n<h2>What it is, %d &amp; why?</h2>\n</section>\n", i);
    for (int32_t i = 0; i < figures; i++)
        text_add(&html, "<figure></figure>\n");
    text_add(&html, "</main>\n");
    page_end(&html);
    return html.data; // the caller frees it
}

START_TEST(a_long_page_has_contents_after_its_first_section)
{
    char *page = page_of(12, 8);
    const char *first = strstr(page, "<p>answer</p>\n</section>\n<nav class=\"contents\"");
    const char *link = strstr(page, "<li><a href=\"#what-it-is-12-amp-why\">What it is, 12 &amp; "
                                    "why?</a></li>\n</ul>\n</nav>\n");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(link);
    ck_assert(link < strstr(page, "<h2 id=\"what-it-is-1-amp-why\">What it is, 1 &amp; why?</h2>"));
    ck_assert_str_eq(strstr(page, "</main>"), "</main>\n</body>\n</html>\n");
    free(page);
}
END_TEST

START_TEST(a_short_page_has_ids_and_no_contents)
{
    char *page = page_of(12, 7);
    ck_assert_ptr_null(strstr(page, "<nav"));
    ck_assert_ptr_nonnull(strstr(page, "<h2 id=\"what-it-is-12-amp-why\">"));
    ck_assert_ptr_null(strstr(page, "<h2>"));
    free(page);
}
END_TEST

START_TEST(equal_headings_have_different_ids)
{
    Text html = {0};
    page_begin(&html, "title", "kicker", "heading");
    for (int32_t i = 0; i < 7; i++) // enough for contents, after the first section
        text_printf(&html, "<section>\n<h2>Day</h2>\n<h2>Day 2</h2>\n<h2>%d</h2>\n</section>\n",
                    i % 2);
    page_end(&html);
    const char *page = text_string(&html);
    static const char *const ids[] = {"day", "day-2", "day-3", "day-2-2", "0", "0-2", "1", "1-2"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char id[32], link[32];
        snprintf(id, sizeof id, "<h2 id=\"%s\">", ids[i]);
        snprintf(link, sizeof link, "<a href=\"#%s\">", ids[i]);
        const char *at = strstr(page, id);
        ck_assert_msg(at != NULL && strstr(at + 1, id) == NULL, "%s", id);
        at = strstr(page, link);
        ck_assert_msg(at != NULL && strstr(at + 1, link) == NULL, "%s", link);
    }
    text_free(&html);
}
END_TEST

START_TEST(a_long_question_is_smaller_than_the_answer)
{
    static const char question[] = "Which size, and how many nodes, keep 95 % of two hundred "
                                   "trainings from waiting longer than 30 minutes?";
    Text html = {0};
    page_begin(&html, "title", "kicker", question);
    ck_assert_ptr_nonnull(strstr(text_string(&html), "<h1 class=\"long\">Which"));
    text_clear(&html);
    page_begin(&html, "title", "kicker", question + sizeof question - 1 - 100);
    ck_assert_ptr_nonnull(strstr(text_string(&html), "<h1>")); // 100 bytes are two lines
    ck_assert_ptr_nonnull(strstr(text_string(&html), "95\u00a0% of"));
    text_free(&html);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("page");
    TCase *tests = tcase_create("page");
    tcase_add_test(tests, a_long_page_has_contents_after_its_first_section);
    tcase_add_test(tests, a_short_page_has_ids_and_no_contents);
    tcase_add_test(tests, equal_headings_have_different_ids);
    tcase_add_test(tests, a_long_question_is_smaller_than_the_answer);
    suite_add_tcase(suite, tests);
    return suite;
}
