#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/json/json.h"
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

static Json *parse(const char *text, JsonDialect dialect, Problems *problems)
{
    *problems = problems_create(arena);
    return json_parse(arena, "x.json", text, strlen(text), dialect, problems);
}

static Json *sound(const char *text)
{
    Problems problems;
    Json *root = parse(text, JSON_STRICT, &problems);
    ck_assert_msg(root != NULL, "%s: %s", text, problems.count ? problems.items[0].message : "");
    return root;
}

static const char *printed(const Json *root, JsonLayout layout)
{
    Text text = {0};
    json_print(&text, root, layout);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* --- Reading --- */

START_TEST(every_value_and_key_has_its_position)
{
    // Columns count bytes from 1; the u-umlaut has two.
    const Json *root = sound("{\n  \"a\": [1,\n  true, \"\xc3\xbc\", null], \"b\": {}}");
    const Json *a = json_member(root, "a");
    ck_assert_int_eq(a->key_at.line, 2);
    ck_assert_int_eq(a->key_at.column, 3);
    ck_assert_int_eq(json_at(a).column, 8);
    ck_assert_int_eq(json_at(json_item(a, 1)).line, 3);
    ck_assert_int_eq(json_at(json_item(a, 1)).column, 3);
    ck_assert_int_eq(json_at(json_item(a, 3)).column, 15);
    ck_assert_int_eq(json_member(root, "b")->key_at.column, 22);
    ck_assert_str_eq(json_at(a).source, "x.json");
}
END_TEST

START_TEST(strings_are_decoded)
{
    const Json *root = sound("[\"\\u00fc \\ud83d\\ude00 \\\"\\\\\\/\\b\\f\\n\\r\\t\"]");
    ck_assert_str_eq(root->first->text, "\xc3\xbc \xf0\x9f\x98\x80 \"\\/\b\f\n\r\t");
}
END_TEST

START_TEST(numbers_are_exact_or_refused)
{
    static const struct {
        const char *text;
        bool is_accepted, is_integer;
        int64_t integer;
    } rows[] = {
        {"0", true, true, 0},
        {"-0", true, true, 0},
        {"9007199254740992", true, true, INT64_C(9007199254740992)}, // 2^53
        {"9007199254740993", false, false, 0},                       // a double rounds it
        {"9007199254740994", true, true, INT64_C(9007199254740994)}, // even: a double holds it
        {"-9223372036854775807", false, false, 0},
        {"9223372036854775807", false, false, 0},
        {"9223372036854775808", false, false, 0},
        {"12345678901234567890", false, false, 0},
        {"1e3", true, true, 1000},
        {"1.50e1", true, true, 15},
        {"0.1", true, false, 0},
        {"1e300", true, false, 0}, // not exact in int64, but still a number
        {"1e999", false, false, 0},
        {"-1e999", false, false, 0},
        {"1e-999", true, false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems;
        const Json *root = parse(rows[i].text, JSON_STRICT, &problems);
        ck_assert_msg((root != NULL) == rows[i].is_accepted, "%s", rows[i].text);
        if (root == NULL)
            continue;
        ck_assert_msg(root->is_integer == rows[i].is_integer, "%s", rows[i].text);
        ck_assert_msg(!root->is_integer || root->integer == rows[i].integer, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(invalid_json_is_refused_at_its_position)
{
    static const struct {
        const char *text;
        int32_t line, column;
        const char *message; /* a part of the message */
    } rows[] = {
        {"", 0, 0, "empty"},
        {" \n ", 0, 0, "empty"},
        {"{\"a\" 1}", 1, 6, "':' after the key"},
        {"{\"a\": 1 \"b\": 2}", 1, 9, "',' or '}'"},
        {"[1 2]", 1, 4, "',' or ']'"},
        {"[1,]", 1, 3, "a comma before ']'"},
        {"{\"a\": 1,}", 1, 8, "a comma before '}'"},
        {"{a: 1}", 1, 2, "a key in double quotes"},
        {"['a']", 1, 2, "a value"},
        {"[True]", 1, 2, "'True'"},
        {"[nul]", 1, 2, "'nul'"},
        {"[truex]", 1, 2, "'truex'"},
        {"[1] [2]", 1, 5, "after the end"},
        {"[\"a", 1, 2, "end quote"},
        {"[\"a\nb\"]", 1, 2, "end quote"},
        {"[\"a\tb\"]", 1, 4, "control character 0x09"},
        {"[\"\\x41\"]", 1, 3, "unknown escape"},
        {"[\"\\u12g4\"]", 1, 3, "unknown escape"},
        {"[\"\\u0000\"]", 1, 3, "NUL"},
        {"[\"\\ud800\"]", 1, 3, "surrogate"},
        {"[\"\\ud800\\u0041\"]", 1, 3, "surrogate"},
        {"[\"\\udc00\"]", 1, 3, "surrogate"},
        {"[01]", 1, 2, "leading zeros"},
        {"[-]", 1, 2, "minus"},
        {"[1.]", 1, 2, "digits after"},
        {"[1e]", 1, 2, "exponent"},
        {"[+1]", 1, 2, "a value"},
        {"[1px]", 1, 2, "1px is not a number"},
        {"[0x10]", 1, 2, "0x10 is not a number"},
        {"// no\n1", 1, 1, "a value"},
        {"[\"\xff\"]", 1, 3, "0xff is not UTF-8"},
        {"[\"\xc0\x80\"]", 1, 3, "0xc0 is not UTF-8"},     // overlong NUL
        {"[\"\xed\xa0\x80\"]", 1, 3, "0xed is not UTF-8"}, // a surrogate
        {"[\"\xf4\x90\x80\x80\"]", 1, 3, "0xf4 is not UTF-8"},
        {"{\"a\": 1, \"b\": 2, \"a\": 3}", 1, 18, "key \"a\" appears twice"},
        {"{\"a\": 1, \"\\u0061\": 3}", 1, 10, "key \"a\" appears twice"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems;
        ck_assert_msg(parse(rows[i].text, JSON_STRICT, &problems) == NULL, "%s", rows[i].text);
        const Status *problem = &problems.items[0];
        ck_assert_msg(problem->at.line == rows[i].line && problem->at.column == rows[i].column &&
                          strstr(problem->message, rows[i].message) != NULL,
                      "%s: got %d:%d: %s", rows[i].text, (int)problem->at.line,
                      (int)problem->at.column, problem->message);
    }
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
    Problems problems = problems_create(arena);
    ck_assert_ptr_null(json_parse(arena, "x", "[1,\0 2]", 7, JSON_STRICT, &problems));
    ck_assert_int_eq(problems.items[0].at.column, 4);
}
END_TEST

START_TEST(small_mistakes_are_all_reported_at_once)
{
    Problems problems;
    parse("{\"a\": 01, \"b\": \"\\q\",\n \"c\": [1,], \"d\": 2x,\n \"e\": \"\\ud800\"}",
          JSON_STRICT, &problems);
    ck_assert_int_eq(problems.count, 5);
    ck_assert_int_eq(problems.items[4].at.line, 3);
}
END_TEST

START_TEST(nesting_ends_at_the_limit)
{
    Text text = {0};
    Problems problems = problems_create(arena);
    for (int32_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
        text_clear(&text);
        for (int32_t i = 0; i < depth; i++)
            text_add(&text, "[");
        for (int32_t i = 0; i < depth; i++)
            text_add(&text, "]");
        const Json *root =
            json_parse(arena, "x", text_string(&text), text.length, JSON_STRICT, &problems);
        ck_assert_int_eq(root != NULL, depth == JSON_DEPTH_MAX);
    }
    ck_assert_int_eq(problems.items[0].at.column, JSON_DEPTH_MAX + 1);
    text_free(&text);
}
END_TEST

START_TEST(comments_count_as_space_and_do_not_change_positions)
{
    Problems problems;
    const Json *root = parse("// one\n{/* two\n lines */ \"a\": \"//x /* y */\" // end",
                             JSON_WITH_COMMENTS, &problems);
    ck_assert_ptr_null(root); // the brace is missing
    root = parse("// one\n{/* two\n lines */ \"a\": \"//x /* y */\" // end\n}", JSON_WITH_COMMENTS,
                 &problems);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->first->at.line, 3);
    ck_assert_int_eq(root->first->at.column, 16);
    ck_assert_str_eq(root->first->text, "//x /* y */");
    ck_assert_ptr_null(parse("[1] /* no end", JSON_WITH_COMMENTS, &problems));
    ck_assert_int_eq(problems.items[0].at.column, 5);
}
END_TEST

/* --- Finding and changing values --- */

START_TEST(pointers_lead_to_values)
{
    const Json *root = sound("{\"a\": [10, {\"b/c\": 20, \"~\": 30}], \"\": 40}");
    static const struct {
        const char *pointer;
        int64_t value; /* -1: leads nowhere */
    } rows[] = {
        {"/a/0", 10},  {"/a/1/b~1c", 20}, {"/a/1/~0", 30}, {"/", 40}, {"/a/2", -1},
        {"/a/00", -1}, {"/a/-", -1},      {"/b", -1},      {"a", -1}, {"/a/0/x", -1},
        {"/a/-1", -1}, {"/a/1 ", -1},     {"/a/", -1},
    };
    ck_assert_ptr_eq(json_find(root, ""), root);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const Json *found = json_find(root, rows[i].pointer);
        ck_assert_msg((found != NULL ? found->integer : -1) == rows[i].value, "%s",
                      rows[i].pointer);
    }
}
END_TEST

START_TEST(values_are_stored_where_a_pointer_leads)
{
    static const struct {
        const char *pointer;
        const char *result; /* NULL: refused */
    } rows[] = {
        {"/a/0", "{\"a\":[7,2],\"b\":{\"c\":3}}"},
        {"/a/1", "{\"a\":[1,7],\"b\":{\"c\":3}}"},
        {"/a/-", "{\"a\":[1,2,7],\"b\":{\"c\":3}}"},
        {"/a/2", "{\"a\":[1,2,7],\"b\":{\"c\":3}}"},
        {"/a", "{\"a\":7,\"b\":{\"c\":3}}"},
        {"/b/c", "{\"a\":[1,2],\"b\":{\"c\":7}}"},
        {"/b/new", "{\"a\":[1,2],\"b\":{\"c\":3,\"new\":7}}"},
        {"/a/3", NULL},
        {"/x/y", NULL},
        {"/b/c/d", NULL},
        {"", NULL},
        {"a", NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Json *root = sound("{\"a\":[1,2],\"b\":{\"c\":3}}");
        Status status = {0};
        bool is_put = json_put_at(arena, root, rows[i].pointer, json_integer(arena, 7),
                                  place_in("--set", 0, 0), &status);
        ck_assert_msg(is_put == (rows[i].result != NULL), "%s", rows[i].pointer);
        if (is_put)
            ck_assert_str_eq(printed(root, JSON_COMPACT), rows[i].result);
        else
            ck_assert_int_ne(status.code, STATUS_OK);
    }
}
END_TEST

START_TEST(decimals_are_scaled_without_rounding)
{
    static const struct {
        const char *text;
        int32_t decimals;
        bool is_exact;
        int64_t value;
    } rows[] = {
        {"0.87", 6, true, 870000},
        {"0.1", 1, true, 1},
        {"0.15", 1, false, 0},
        {"-2.5", 3, true, -2500},
        {"1e3", 0, true, 1000},
        {"1.5e3", 0, true, 1500},
        {"150e-2", 1, true, 15},
        {"150e-2", 0, false, 0},
        {"1000000000000000000000e-10", 0, true, INT64_C(100000000000)},
        {"0.000", 0, true, 0},
        {"0e9999", 0, true, 0},
        {"9223372036.854775807", 9, true, INT64_MAX},
        {"9223372036.854775808", 9, false, 0},
        {"1e300", 0, false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t value = 0;
        bool is_exact = json_scaled(sound(rows[i].text), rows[i].decimals, &value);
        ck_assert_msg(is_exact == rows[i].is_exact && value == rows[i].value,
                      "%s with %d decimals: %d %lld", rows[i].text, (int)rows[i].decimals, is_exact,
                      (long long)value);
    }
}
END_TEST

/* --- Printing --- */

START_TEST(trees_are_printed_with_two_spaces)
{
    Json *root = json_object(arena);
    json_put_decimal(arena, root, "seconds", "1.50");
    Json *list = json_put_array(arena, root, "list");
    json_add(list, json_integer(arena, -3));
    json_add(list, json_boolean(arena, true));
    json_add(list, json_null(arena));
    json_put_object(arena, root, "empty");
    json_put_text(arena, root, "text", "a\"\\\n\x01\xc3\xbc");
    ck_assert_str_eq(printed(root, JSON_INDENTED), "{\n"
                                                   "  \"seconds\": 1.50,\n"
                                                   "  \"list\": [\n"
                                                   "    -3,\n"
                                                   "    true,\n"
                                                   "    null\n"
                                                   "  ],\n"
                                                   "  \"empty\": {},\n"
                                                   "  \"text\": \"a\\\"\\\\\\n\\u0001\xc3\xbc\"\n"
                                                   "}\n");
}
END_TEST

START_TEST(a_copy_is_equal_and_shares_nothing)
{
    Json *root = sound("{\"a\": [1, {\"b\": null}], \"c\": \"d\"}");
    Json *copy = json_copy(arena, root, NULL);
    const char *before = printed(root, JSON_COMPACT);
    ck_assert_str_eq(printed(copy, JSON_COMPACT), before);
    ck_assert_int_eq(json_find(copy, "/a/1/b")->at.column, json_find(root, "/a/1/b")->at.column);
    ck_assert_int_eq(json_member(copy, "c")->key_at.column, json_member(root, "c")->key_at.column);

    json_put_integer(arena, copy, "c", 1);
    json_add(json_member(copy, "a"), json_null(arena));
    ck_assert_str_eq(printed(root, JSON_COMPACT), before);
    ck_assert_str_eq(printed(copy, JSON_COMPACT), "{\"a\":[1,{\"b\":null},null],\"c\":1}");

    const Json *empty = json_copy_empty(arena, json_member(root, "a"));
    ck_assert_str_eq(printed(empty, JSON_COMPACT), "[]");
    ck_assert_int_eq(empty->at.column, json_member(root, "a")->at.column);
}
END_TEST

START_TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    // If the locale is not installed, this repeats the test above.
    setlocale(LC_ALL, "de_DE.UTF-8");
    ck_assert_double_eq(sound("[1.5]")->first->number, 1.5);
    ck_assert_double_eq(json_decimal(arena, "0.25")->number, 0.25);
    setlocale(LC_ALL, "C");
}
END_TEST

/* A separate small generator, so that a seed identifies a tree. */
static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static Json *random_tree(uint32_t *state, int32_t depth)
{
    switch (draw(state, depth > 4 ? 4 : 6)) {
    case 0:
        return json_null(arena);
    case 1:
        return json_boolean(arena, draw(state, 2) == 1);
    case 2:
        return json_integer(arena, (int64_t)draw(state, 1u << 20) - (1 << 19));
    case 3: {
        char text[8] = {0};
        for (uint32_t i = 0; i < draw(state, 7); i++)
            text[i] = (char)(1 + draw(state, 126));
        return json_string(arena, text);
    }
    case 4: {
        Json *array = json_array(arena);
        for (uint32_t i = draw(state, 5); i > 0; i--)
            json_add(array, random_tree(state, depth + 1));
        return array;
    }
    default: {
        Json *object = json_object(arena);
        for (uint32_t i = draw(state, 5); i > 0; i--)
            json_set(arena, object, arena_printf(arena, "k%u", (unsigned)draw(state, 9)),
                     random_tree(state, depth + 1));
        return object;
    }
    }
}

START_TEST(printed_trees_are_read_back_unchanged)
{
    for (uint32_t seed = 0; seed < 500; seed++) {
        uint32_t state = seed;
        const char *once = printed(random_tree(&state, 0), seed % 2 ? JSON_COMPACT : JSON_INDENTED);
        const char *again = printed(sound(once), seed % 2 ? JSON_COMPACT : JSON_INDENTED);
        ck_assert_msg(strcmp(once, again) == 0, "seed %u: %s", (unsigned)seed, once);
    }
}
END_TEST

static bool keeps(const char *parent, const char *key)
{
    return strcmp(key, "no") != 0 &&
           (parent == NULL || strcmp(parent, "list") != 0 || strcmp(key, "inner") != 0);
}

START_TEST(a_copy_shares_nothing_and_can_leave_members_out)
{
    static const char text[] =
        "{\"no\":1,\"list\":[{\"inner\":1,\"b\":[2.50,null]},[{\"inner\":3}]],"
        "\"inner\":{\"no\":\"x\",\"s\":\"y\"}}";
    Arena *own = arena_create(), *other = arena_create();
    Problems problems = problems_create(other);
    const Json *tree = json_parse(other, "t", text, strlen(text), JSON_STRICT, &problems);
    const Json *whole = json_copy(own, tree, NULL);
    const Json *part = json_copy(own, tree, keeps);
    arena_destroy(other);
    Text printed = {0};
    json_print(&printed, whole, JSON_COMPACT);
    ck_assert_str_eq(printed.data, text);
    text_clear(&printed);
    json_print(&printed, part, JSON_COMPACT);
    ck_assert_str_eq(printed.data, "{\"list\":[{\"b\":[2.50,null]},[{}]],\"inner\":{\"s\":\"y\"}}");
    ck_assert_int_eq(part->count, 2);
    text_free(&printed);
    arena_destroy(own);
}
END_TEST

/* Members are found, replaced and kept in order, however many there are. */
START_TEST(objects_of_any_size_find_their_members)
{
    enum { MEMBERS = 1000 };
    Json *object = json_object(arena);
    for (int32_t i = 0; i < MEMBERS; i++) {
        ck_assert_ptr_null(json_member(object, arena_printf(arena, "m%d", i)));
        json_set(arena, object, arena_printf(arena, "m%d", i), json_integer(arena, i));
        for (int32_t j = 0; j <= i; j += 1 + i / 7)
            ck_assert_int_eq(json_member(object, arena_printf(arena, "m%d", j))->integer, j);
    }
    static const int32_t replaced[] = {0, 1, 500, 501, MEMBERS - 2, MEMBERS - 1, 500};
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        json_set(arena, object, arena_printf(arena, "m%d", replaced[i]),
                 json_integer(arena, -replaced[i]));
    const Json *read = sound(printed(object, JSON_COMPACT));
    const Json *copy = json_copy(arena, read, NULL);
    ck_assert_int_eq(object->count, MEMBERS);
    ck_assert_int_eq(copy->count, MEMBERS);
    ck_assert_str_eq(object->last->key, arena_printf(arena, "m%d", MEMBERS - 1));
    int32_t place = 0;
    for (const Json *member = object->first; member != NULL; member = member->next, place++) {
        ck_assert_str_eq(member->key, arena_printf(arena, "m%d", place));
        ck_assert_int_eq(labs(member->integer), place);
        ck_assert_ptr_eq(json_member(object, member->key), member);
        ck_assert_int_eq(json_member(copy, member->key)->integer, member->integer);
    }
    ck_assert_ptr_null(json_member(copy, "m1000"));
    ck_assert_ptr_null(json_member(json_copy_empty(arena, copy), "m0"));
}
END_TEST

/* The processor time to set and find `count` members; the minimum of several runs. */
static double member_seconds(int32_t count)
{
    enum { TIMES = 5 };
    double least = 1e9;
    for (int32_t i = 0; i < TIMES; i++) {
        Arena *own = arena_create();
        Json *object = json_object(own);
        char key[24];
        const clock_t start = clock();
        for (int32_t j = 0; j < count; j++) {
            snprintf(key, sizeof key, "member-%d", j);
            json_set(own, object, key, json_null(own));
            json_set(own, object, key, json_null(own));
        }
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = seconds < least ? seconds : least;
        arena_destroy(own);
    }
    return least;
}

START_TEST(the_work_for_members_grows_linearly_with_their_number)
{
    enum { FEW = 5000, TIMES_AS_MANY = 4 };
    const double few = member_seconds(FEW), many = member_seconds(TIMES_AS_MANY * FEW);
    // A search from the first member takes 16 times as long.
    ck_assert_msg(many < 10 * few, "%.6f s and %.6f s", few, many);
}
END_TEST

START_TEST(any_cut_of_a_text_is_refused_with_a_place)
{
    const char *whole = "{\"a\": [1.5e3, \"\\u00fc\", {\"b\": true}], \"c\": null}";
    for (size_t length = 0; length < strlen(whole); length++) {
        Problems problems = problems_create(arena);
        ck_assert_ptr_null(json_parse(arena, "x", whole, length, JSON_STRICT, &problems));
        ck_assert_int_gt(problems.count, 0);
    }
}
END_TEST

START_TEST(a_value_as_text)
{
    Json *object = json_object(arena);
    json_put_text(arena, object, "a", "x y");
    json_put_integer(arena, object, "b", 7);
    ck_assert_str_eq(json_text(arena, object), "{\"a\":\"x y\",\"b\":7}");
    ck_assert_str_eq(json_text(arena, json_member(object, "a")), "\"x y\"");
    ck_assert_str_eq(json_bare_text(arena, json_member(object, "a")), "x y");
    ck_assert_str_eq(json_bare_text(arena, json_member(object, "b")), "7");
    ck_assert(json_is_same(object, json_copy(arena, object, NULL)));
    ck_assert(!json_is_same(object, json_member(object, "a")));
    ck_assert(!json_is_same(object, NULL));
    ck_assert(json_is_same(NULL, NULL));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_value_and_key_has_its_position);
    tcase_add_test(tests, strings_are_decoded);
    tcase_add_test(tests, numbers_are_exact_or_refused);
    tcase_add_test(tests, invalid_json_is_refused_at_its_position);
    tcase_add_test(tests, a_nul_byte_is_refused);
    tcase_add_test(tests, small_mistakes_are_all_reported_at_once);
    tcase_add_test(tests, nesting_ends_at_the_limit);
    tcase_add_test(tests, comments_count_as_space_and_do_not_change_positions);
    tcase_add_test(tests, pointers_lead_to_values);
    tcase_add_test(tests, values_are_stored_where_a_pointer_leads);
    tcase_add_test(tests, decimals_are_scaled_without_rounding);
    tcase_add_test(tests, trees_are_printed_with_two_spaces);
    tcase_add_test(tests, a_copy_is_equal_and_shares_nothing);
    tcase_add_test(tests, a_locale_with_a_decimal_comma_changes_nothing);
    tcase_add_test(tests, printed_trees_are_read_back_unchanged);
    tcase_add_test(tests, a_copy_shares_nothing_and_can_leave_members_out);
    tcase_add_test(tests, objects_of_any_size_find_their_members);
    tcase_add_test(tests, the_work_for_members_grows_linearly_with_their_number);
    tcase_add_test(tests, any_cut_of_a_text_is_refused_with_a_place);
    tcase_add_test(tests, a_value_as_text);
    suite_add_tcase(suite, tests);
    return suite;
}
