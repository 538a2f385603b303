#include "reports/text/labels.h"

#include <string.h>

#include "reports/text/wording.h"
#include "tests/support/suite.h"

enum { LABELS_MAX = 4 };
#define CUT "\xE2\x80\xA6"

typedef struct {
    const char *why;
    LabelRoom room;
    const char *given[LABELS_MAX], *expected[LABELS_MAX];
} Row;

/* A letter is 7 wide, a capital 9. */
static const Row rows[] = {
    {"labels with room stay", {70, 2}, {"one", "ten letter"}, {"one", "ten letter"}},
    {"a line ends at a space", {90, 2}, {"1, low, from zero"}, {"1, low,\nfrom zero"}},
    {"or within a name, if no space serves",
     {96, 2},
     {"STANDARD_NC6S_V2", "priority-preemptive"},
     {"STANDARD_\nNC6S_V2", "priority-\npreemptive"}},
    {"one line has no break", {42, 1}, {"cifar_distributed"}, {"cif" CUT "ed"}},
    {"the part in which labels differ is kept, wherever it is",
     {77, 1},
     {"keras-2.2-training", "keras-2.3-training"},
     {"keras-2.2" CUT "g", "keras-2.3" CUT "g"}},
    {"equal labels are cut alike",
     {42, 1},
     {"cifar_distributed", "cifar_distributed"},
     {"cif" CUT "ed", "cif" CUT "ed"}},
    {"at the least three letters stay", {1, 2}, {"abcdefgh"}, {"a" CUT "h"}},
};

static int32_t count_of(const char *const *labels)
{
    int32_t count = 0;
    while (count < LABELS_MAX && labels[count] != NULL)
        count++;
    return count;
}

START_TEST(labels_have_the_room_that_there_is)
{
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int32_t count = count_of(rows[i].given);
        const char *const *shown = labels_fit(arena, rows[i].given, count, rows[i].room);
        for (int32_t k = 0; k < count; k++)
            ck_assert_msg(strcmp(shown[k], rows[i].expected[k]) == 0, "%s: \"%s\", not \"%s\"",
                          rows[i].why, shown[k], rows[i].expected[k]);
    }
    arena_destroy(arena);
}
END_TEST

/* Names of a study that differ in one place: whatever the room of a phone or more, they stay
 * different. */
START_TEST(labels_that_differ_stay_different)
{
    static const char *const parts[] = {"framework", "keras", "augmented", "input", "workers"};
    enum { PARTS = sizeof parts / sizeof *parts, VARIANTS = 3 };
    Arena *arena = arena_create();
    for (int32_t where = 0; where < PARTS; where++)
        for (int32_t width = 84; width < 300; width += 7)
            for (int32_t lines = 1; lines <= 2; lines++) {
                const char *labels[VARIANTS];
                for (int32_t v = 0; v < VARIANTS; v++) {
                    Text text = {0};
                    for (int32_t p = 0; p < PARTS; p++)
                        text_printf(&text, p == where ? "%s%s%d" : "%s%s", p > 0 ? "-" : "",
                                    parts[p], v);
                    labels[v] = text_move(arena, &text);
                }
                const char *const *shown =
                    labels_fit(arena, labels, VARIANTS, (LabelRoom){width, lines});
                ck_assert_int_le(labels_width(shown, VARIANTS), width);
                ck_assert_int_le(labels_lines(shown, VARIANTS), lines);
                for (int32_t a = 0; a < VARIANTS; a++)
                    for (int32_t b = 0; b < a; b++)
                        ck_assert_str_ne(shown[a], shown[b]);
            }
    arena_destroy(arena);
}
END_TEST

START_TEST(captions_begin_with_a_capital_letter_but_names_of_metrics_do_not)
{
    Arena *arena = arena_create();
    ck_assert_str_eq(label_capitalised(arena, label_with_unit(arena, "cost", "USD a week")),
                     "Cost (USD a week)");
    ck_assert_str_eq(label_capitalised(arena, label_with_unit(arena, "mean wait of x.y", "")),
                     "Mean wait of x.y");
    ck_assert_str_eq(label_capitalised(arena, "clusters.gpu.attribution.idle_s (h)"),
                     "clusters.gpu.attribution.idle_s (h)");
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("labels");
    TCase *tests = tcase_create("labels");
    tcase_add_test(tests, labels_have_the_room_that_there_is);
    tcase_add_test(tests, labels_that_differ_stay_different);
    tcase_add_test(tests, captions_begin_with_a_capital_letter_but_names_of_metrics_do_not);
    suite_add_tcase(suite, tests);
    return suite;
}
