#include "sim/base/piece.h"

#include <string.h>

#include "tests/support/suite.h"

START_TEST(a_text_is_cut_into_lines_and_cells_with_their_positions)
{
    const char text[] = "a\tbc\n\nd";
    Piece rest = piece_of("table.tsv", text, strlen(text)), line, cell;
    bool is_whole;
    ck_assert(piece_cut_line(&rest, &line, &is_whole) && is_whole && piece_is(line, "a\tbc"));
    ck_assert(piece_cut(&line, '\t', &cell) && piece_is(cell, "a") && cell.at.column == 1);
    ck_assert(piece_cut(&line, '\t', &cell) && piece_is(cell, "bc") && cell.at.column == 3);
    ck_assert(!piece_cut(&line, '\t', &cell));
    ck_assert(piece_cut_line(&rest, &line, &is_whole) && is_whole && piece_is(line, ""));
    ck_assert_int_eq(line.at.line, 2);
    ck_assert(piece_cut_line(&rest, &line, &is_whole) && !is_whole && piece_is(line, "d"));
    ck_assert_int_eq(line.at.line, 3);
    ck_assert_str_eq(line.at.source, "table.tsv");
    ck_assert(!piece_cut_line(&rest, &line, &is_whole));
}
END_TEST

START_TEST(a_separator_at_the_end_leaves_an_empty_piece)
{
    Piece rest = piece_of("", "a\t", 2), cell;
    ck_assert(piece_cut(&rest, '\t', &cell) && piece_is(cell, "a"));
    ck_assert(piece_cut(&rest, '\t', &cell) && piece_is(cell, ""));
    ck_assert(!piece_cut(&rest, '\t', &cell));
}
END_TEST

START_TEST(a_prefix_is_removed_or_the_piece_stays_unchanged)
{
    Piece piece = piece_of("", "rank=7", 6);
    ck_assert(!piece_skip(&piece, "ranks=") && piece.length == 6);
    ck_assert(piece_skip(&piece, "rank=") && piece_is(piece, "7") && piece.at.column == 6);
}
END_TEST

START_TEST(digits_are_read_as_a_number)
{
    static const struct {
        const char *text;
        uint64_t limit;
        bool is_number;
        uint64_t value;
    } rows[] = {
        {"0", UINT64_MAX, true, 0},
        {"42", 42, true, 42},
        {"42", 41, false, 0},
        {"9", 5, false, 0}, // a single digit that is above the limit
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 0},
        {"9223372036854775808", INT64_MAX, false, 0},
        {"", UINT64_MAX, false, 0},
        {"00", UINT64_MAX, false, 0},
        {"07", UINT64_MAX, false, 0},
        {"-1", UINT64_MAX, false, 0},
        {"+1", UINT64_MAX, false, 0},
        {" 1", UINT64_MAX, false, 0},
        {"1.0", UINT64_MAX, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 0;
        const Piece piece = piece_of("", rows[i].text, strlen(rows[i].text));
        ck_assert_msg(piece_digits(piece, rows[i].limit, &value) == rows[i].is_number &&
                          value == rows[i].value,
                      "row %zu: \"%s\"", i, rows[i].text);
    }
}
END_TEST

START_TEST(a_missing_line_is_reported_at_its_position)
{
    static const char text[] = "one\ntw";
    Piece rest = piece_of("file", text, sizeof text - 1), line;
    Status status;
    ck_assert_int_eq(piece_line_count(rest), 1);
    ck_assert(piece_take_line(&rest, "a first line", &line, &status));
    ck_assert(piece_is(line, "one"));
    ck_assert(!piece_take_line(&rest, "a second line", &line, &status));
    ck_assert_str_eq(status.message, "\"tw\": expected a line end: the file is cut off here");
    ck_assert_int_eq(status.at.line, 2);
    ck_assert(!piece_take_line(&rest, "a third line", &line, &status));
    ck_assert_str_eq(status.message, "the file ends here, expected a third line");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("piece");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_text_is_cut_into_lines_and_cells_with_their_positions);
    tcase_add_test(tests, a_separator_at_the_end_leaves_an_empty_piece);
    tcase_add_test(tests, a_prefix_is_removed_or_the_piece_stays_unchanged);
    tcase_add_test(tests, digits_are_read_as_a_number);
    tcase_add_test(tests, a_missing_line_is_reported_at_its_position);
    suite_add_tcase(suite, tests);
    return suite;
}
