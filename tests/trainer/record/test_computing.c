#include "trainer/record/computing.h"

#include <string.h>

#include "tests/support/suite.h"

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

START_TEST(a_printed_text_is_read_again)
{
    static const struct {
        Computing computing;
        const char *text;
    } rows[] = {
        {{"onednn", "fp32", NULL}, "onednn, fp32"},
        {{"cuda", "bf16", "NVIDIA H200"}, "cuda, bf16 on NVIDIA H200"},
        {{"cuda", "tf32", "GPU, on a card on a bus"}, "cuda, tf32 on GPU, on a card on a bus"},
    };
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_str_eq(computing_text(arena, rows[i].computing), rows[i].text);
        const char *lines = arena_printf(arena, "%s\nRanks, 1 on this machine\n", rows[i].text);
        const Computing read[] = {computing_parse(arena, rows[i].text),
                                  computing_parse(arena, lines)};
        for (int32_t r = 0; r < 2; r++)
            ck_assert_msg(is_same(read[r].backend, rows[i].computing.backend) &&
                              is_same(read[r].precision, rows[i].computing.precision) &&
                              is_same(read[r].device, rows[i].computing.device),
                          "row %zu", i);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(another_text_has_no_members)
{
    static const char *const texts[] = {"", "onednn", "onednn,fp32", "\ncuda, bf16 on NVIDIA H200"};
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const Computing read = computing_parse(arena, texts[i]);
        ck_assert_msg(!read.backend && !read.precision && !read.device, "row %zu", i);
    }
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("computing");
    TCase *tests = tcase_create("computing");
    tcase_add_test(tests, a_printed_text_is_read_again);
    tcase_add_test(tests, another_text_has_no_members);
    suite_add_tcase(suite, tests);
    return suite;
}
