#include "sim/formats/keras_bar.h"

#include <string.h>

#include "tests/support/suite.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

static const KerasMeans means = {2323200, 93750}, validation = {1511249, 451200};

static const struct {
    KerasProgress progress;
    const KerasMeans *means, *validation;
    const char *line;
} bars[] = {
    // 3 of 1563 in 6.345 s: 1560 * 2.115 s are 55 min left. 30 * 3 / 1563 is no '=' yet.
    {{3, 1563, 6345 * NS_PER_MS},
     &means,
     NULL,
     "   3/1563 [..............................] - ETA: 54:59 - loss: 2.3232 - acc: 0.0938"},
    {{800, 1563, 60 * NS_PER_S},
     &means,
     NULL,
     " 800/1563 [==============>...............] - ETA: 57s - loss: 2.3232 - acc: 0.0938"},
    {{1, 10, 1000 * NS_PER_S}, NULL, NULL, " 1/10 [==>...........................] - ETA: 2:30:00"},
    // The largest download of a catalogue at a byte a second: time ends first, after 292 years.
    {{8192, 1000000000000000000, 8192 * NS_PER_S},
     NULL,
     NULL,
     "               8192/1000000000000000000 [..............................] - ETA: "
     "2562047:47:16"},
    {{800000000000000000, 1000000000000000000, 8 * NS_PER_S},
     NULL,
     NULL,
     " 800000000000000000/1000000000000000000 [=======================>......] - ETA: 2s"},
    {{1563, 1563, 143 * NS_PER_S},
     &means,
     &validation,
     "1563/1563 [==============================] - 143s 91ms/step - loss: 2.3232 - acc: 0.0938"
     " - val_loss: 1.5112 - val_acc: 0.4512\n"},
    {{10, 10, 15 * NS_PER_S}, NULL, NULL, "10/10 [==============================] - 15s 2s/step\n"},
    {{10000, 10000, 3100 * NS_PER_MS},
     NULL,
     NULL,
     "10000/10000 [==============================] - 3s 310us/step\n"},
};

START_TEST(a_bar_shows_progress_remaining_time_and_scores)
{
    for (int32_t i = 0; i < COUNT_OF(bars); i++) {
        char line[KERAS_BAR_ROOM];
        int32_t width = 0;
        *keras_bar_put(line, bars[i].progress, bars[i].means, bars[i].validation, &width) = '\0';
        ck_assert_str_eq(line, bars[i].line);
        ck_assert_int_eq(width, (int32_t)strcspn(line, "\n"));
    }
}
END_TEST

/* Progbar.update of Keras 2.2: as many backspaces as the last line was wide, and a carriage return,
 * if isatty(1); else a line feed. */
START_TEST(a_terminal_is_redrawn_and_a_file_gets_lines)
{
    char text[KERAS_REDRAW_ROOM];
    *keras_redraw_put(text, true, 0) = '\0';
    ck_assert_str_eq(text, "\r");
    *keras_redraw_put(text, true, 3) = '\0';
    ck_assert_str_eq(text, "\b\b\b\r");
    *keras_redraw_put(text, false, 3) = '\0';
    ck_assert_str_eq(text, "\n");
}
END_TEST

START_TEST(a_shorter_line_overwrites_the_longer_previous_one)
{
    char line[KERAS_BAR_ROOM];
    int32_t width = 0;
    *keras_bar_put(line, (KerasProgress){1, 10, 1000 * NS_PER_S}, NULL, NULL, &width) = '\0';
    int32_t before = width;
    *keras_bar_put(line, (KerasProgress){2, 10, 1 * NS_PER_S}, NULL, NULL, &width) = '\0';
    ck_assert_str_eq(line, " 2/10 [=====>........................] - ETA: 4s     ");
    ck_assert_int_eq((int32_t)strlen(line), before);
    ck_assert_int_eq(width, before - 5);
}
END_TEST

START_TEST(without_a_bar_an_epoch_is_one_line)
{
    char line[KERAS_BAR_ROOM];
    *keras_epoch_put(line, 5600 * NS_PER_MS, &means, &validation) = '\0';
    ck_assert_str_eq(line,
                     " - 6s - loss: 2.3232 - acc: 0.0938 - val_loss: 1.5112 - val_acc: 0.4512\n");
    *keras_epoch_put(line, 400 * NS_PER_MS, &(KerasMeans){1000, 0}, NULL) = '\0';
    ck_assert_str_eq(line, " - 0s - loss: 1.0000e-03 - acc: 0.0000e+00\n");
}
END_TEST

START_TEST(scores_are_printed_as_python_prints_floats)
{
    static const struct {
        int64_t millionths;
        const char *text;
    } scores[] = {{731200, "0.7312"}, {1000000, "1.0"}, {0, "0.0"}, {1511249, "1.511249"}};
    for (int32_t i = 0; i < COUNT_OF(scores); i++) {
        char text[KERAS_BAR_ROOM];
        *keras_float_put(text, scores[i].millionths) = '\0';
        ck_assert_str_eq(text, scores[i].text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("keras_bar");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_bar_shows_progress_remaining_time_and_scores);
    tcase_add_test(tests, a_terminal_is_redrawn_and_a_file_gets_lines);
    tcase_add_test(tests, a_shorter_line_overwrites_the_longer_previous_one);
    tcase_add_test(tests, without_a_bar_an_epoch_is_one_line);
    tcase_add_test(tests, scores_are_printed_as_python_prints_floats);
    suite_add_tcase(suite, tests);
    return suite;
}
