/* Plain structs to JSON and back, by a table with a row of every kind. */
#include <math.h>
#include <string.h>

#include "sim/base/wide.h"
#include "sim/schema/plain.h"
#include "tests/support/suite.h"

typedef struct {
    const char *name;
    int64_t price;
} Part;

typedef struct {
    const char *text;
    int64_t integer;
    int32_t small;
    bool is_on;
    bool is_shown;
    bool has_limit;
    int64_t rejected;
    int colour;
    int64_t ns;
    Wide node_ns;
    double share;
    Part part;
    Part *parts;
    uint32_t part_count;
    const char **texts;
    uint32_t text_count;
} Box;

static const char *const colours[] = {"red", "green", NULL};

#define OWNER Part
static const Field part_fields[] = {
    FIELD_KEY(name, "its name"),
    FIELD_DECIMAL("price", price, 2, "its price"),
    {0},
};
static const ObjectType part_type = OBJECT_TYPE("Part", "A part.", part_fields);
#undef OWNER

#define OWNER Box
static const Field times_fields[] = {
    FIELD_DECIMAL("s", ns, 9, "a time", NULLABLE),
    FIELD_DECIMAL("node_s", node_ns, 9, "a node time"),
    {0},
};
static const ObjectType times_type = OBJECT_TYPE("Times", "Times.", times_fields);
static const Field box_fields[] = {
    NEEDED_TEXT("text", text, "a text"),
    FIELD_INTEGER("integer", integer, 0, 0, NULL, "an integer"),
    FIELD_INTEGER("small", small, 0, 0, NULL, "a small integer"),
    FIELD_BOOLEAN("on", is_on, NULL, "whether it is on"),
    FIELD_ROW(CHOICE, "colour", colour, .choices = colours, .doc = "its colour",
              .shown_if = offsetof(OWNER, is_shown)),
    FIELD_COUNT("rejected", rejected, "a count", .shown_if = offsetof(OWNER, has_limit)),
    FIELD_GROUP("times", times_type, "times"),
    PLAIN_REAL("share", share, "a part of one"),
    FIELD_ROW(OBJECT, "part", part, .type = &part_type, .doc = "a part"),
    FIELD_LIST(NAMED, "parts", parts, part_count, &part_type, "parts"),
    FIELD_LIST(NAMED_VALUES, "prices", parts, part_count, &part_type, "prices", .is_derived = true),
    FIELD_LIST(OBJECTS, "list", parts, part_count, &part_type, "parts", .is_derived = true),
    FIELD_LIST(TEXTS, "texts", texts, text_count, NULL, "texts", .is_left_out_empty = true),
    {0},
};
static const ObjectType box_type = OBJECT_TYPE("Box", "A box.", box_fields);
#undef OWNER

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

static const char *printed(const Box *box)
{
    Text text = {0};
    json_print(&text, plain_write(arena, &box_type, box), JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static Problems read_box(const char *text, Box *box)
{
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, "box", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(root != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    plain_read(arena, &box_type, root, box, &problems);
    return problems;
}

#define FULL                                                                                       \
    "{\"text\":\"a\",\"integer\":-5,\"small\":7,\"on\":true,"                                      \
    "\"colour\":\"green\",\"rejected\":3,\"times\":{\"s\":1.5,\"node_s\":12345678901234.5},"       \
    "\"share\":0.33333333333333331,\"part\":{\"price\":0.25},\"parts\":{\"bolt\":{\"price\":3},"   \
    "\"nut\":{\"price\":0.5}},"                                                                    \
    "\"prices\":{\"bolt\":3,\"nut\":0.5},\"list\":[{\"price\":3},{\"price\":0.5}],"                \
    "\"texts\":[\"x\",\"y\"]}"

START_TEST(every_kind_is_written_back_unchanged)
{
    Box box;
    const Problems problems = read_box(FULL, &box);
    ck_assert_msg(problems.count == 0, "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_int_eq(box.ns, 1500000000);
    ck_assert_double_eq(box.share, 1. / 3);
    ck_assert(box.node_ns == (Wide)123456789012345 * 100000000);
    ck_assert_str_eq(box.parts[1].name, "nut");
    ck_assert_str_eq(printed(&box), FULL);
}
END_TEST

START_TEST(unknown_values_are_null_or_have_no_key)
{
    Box box;
    ck_assert_int_eq(read_box("{\"text\":\"a\"}", &box).count, 0);
    ck_assert_int_eq(box.ns, PLAIN_UNKNOWN);
    ck_assert_int_eq(box.rejected, 0);
    ck_assert_str_eq(printed(&box), "{\"text\":\"a\",\"integer\":0,\"small\":0,\"on\":false,"
                                    "\"share\":null,\"parts\":{},\"prices\":{},\"list\":[]}");
    box.node_ns = 0; // one member of the group is known
    ck_assert_ptr_nonnull(strstr(printed(&box), "\"times\":{\"s\":null,\"node_s\":0}"));
}
END_TEST

START_TEST(a_value_of_another_kind_is_a_problem)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{}", "\"text\" is missing"},
        {"{\"text\":1}", "\"text\" is a number, expected a string"},
        {"{\"text\":\"\",\"integer\":1.5}", "\"integer\" is a number, expected an integer"},
        {"{\"text\":\"\",\"on\":1}", "\"on\" is a number, expected true or false"},
        {"{\"text\":\"\",\"colour\":\"blue\"}", "unknown colour \"blue\""},
        {"{\"text\":\"\",\"times\":7}", "\"times\" is a number, expected an object"},
        {"{\"text\":\"\",\"times\":{\"s\":-1}}",
         "\"s\" is not a number from 0 with at most 9 decimals"},
        {"{\"text\":\"\",\"times\":{\"s\":99999999999}}",
         "\"s\" is not a number from 0 with at most 9 decimals"},
        {"{\"text\":\"\",\"share\":\"1/3\"}", "\"share\" is a string, expected a number"},
        {"{\"text\":\"\",\"parts\":[]}", "\"parts\" is an array, expected an object"},
        {"{\"text\":\"\",\"parts\":{\"a\":7}}", "\"a\" is a number, expected an object"},
        {"{\"text\":\"\",\"texts\":[7]}", "\"texts\" is a number, expected a string"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Box box;
        const Problems problems = read_box(rows[i].text, &box);
        ck_assert_msg(problems.count == 1, "%s", rows[i].text);
        ck_assert_str_eq(problems.items[0].message, rows[i].message);
    }
}
END_TEST

typedef struct {
    double value;
} Measure;

#define OWNER Measure
static const Field measure_fields[] = {
    FIELD_ROUNDED("value", value, 3, "a measure"),
    {0},
};
static const ObjectType measure_type = OBJECT_TYPE("Measure", "A measure.", measure_fields);
#undef OWNER

START_TEST(reals_are_rounded_if_the_table_says_so)
{
    static const struct {
        double value;
        const char *printed;
    } rows[] = {{2. / 3, "{\"value\":0.667}"}, {-1.25, "{\"value\":-1.25}"}, {0, "{\"value\":0}"},
                {-1e-9, "{\"value\":0}"},      {1e18, "{\"value\":1e+18}"},  {(double)NAN, "{}"},
                {(double)INFINITY, "{}"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text text = {0};
        const Measure measure = {rows[i].value};
        json_print(&text, plain_write(arena, &measure_type, &measure), JSON_COMPACT);
        ck_assert_str_eq(text_string(&text), rows[i].printed);
        text_free(&text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plain");
    TCase *group = tcase_create("plain");
    tcase_add_checked_fixture(group, begin, end);
    tcase_add_test(group, every_kind_is_written_back_unchanged);
    tcase_add_test(group, unknown_values_are_null_or_have_no_key);
    tcase_add_test(group, reals_are_rounded_if_the_table_says_so);
    tcase_add_test(group, a_value_of_another_kind_is_a_problem);
    suite_add_tcase(suite, group);
    return suite;
}
