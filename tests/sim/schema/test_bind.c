#include <string.h>

#include "sim/schema/bound_explain.h"
#include "sim/schema/json_schema.h"
#include "tests/support/suite.h"

typedef struct {
    const Json *node;
    BoundText name;
} Part;

typedef struct {
    const Json *node;
    BoundText name;
    BoundInteger count;
    BoundInteger is_on;
    BoundInteger mode;
    BoundInteger wait;
    BoundInteger size;
    BoundInteger start;
    BoundInteger limit;
    Part *part;
    BoundList parts;
    const Json *any;
    BoundText secret;
} Whole;

#define OWNER Part
static const Field part_fields[] = {
    NEEDED_NAME("name", name, "what it is called"),
    {0},
};
#undef OWNER
static const ObjectType part_type = {"part", "A part.", sizeof(Part), part_fields};

static const char *const modes[] = {"slow", "fast", NULL};
#define OWNER Whole
static const Field whole_fields[] = {
    FIELD_TEXT("name", name, "none", "a name"),
    NEEDED_INTEGER("count", count, 1, 9, "how many"),
    FIELD_BOOLEAN("isOn", is_on, "true", "whether"),
    FIELD_CHOICE("mode", mode, modes, "fast", "how"),
    FIELD_DURATION("wait", wait, "90s", "how long"),
    FIELD_BYTES("size", size, NULL, "how large"),
    FIELD_ISO_TIME("start", start, NULL, "when"),
    FIELD_ISO_DURATION("limit", limit, NULL, "at most"),
    FIELD_OBJECT("part", part, part_type, "one part"),
    FIELD_OBJECTS("parts", parts, part_type, "many parts"),
    FIELD_ROW(JSON, "any", any, .schema = "{\"type\": \"array\"}", .fallback = "x",
              .doc = "anything"),
    FIELD_SECRET("secret", secret, "a password"),
    {0},
};
#undef OWNER
static const ObjectType whole_type = {"whole", "A whole.", sizeof(Whole), whole_fields};

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static Whole *bind_text(const char *text, Problems *problems)
{
    *problems = problems_create(arena);
    const Json *root = json_parse(arena, "x.json", text, strlen(text), JSON_STRICT, problems);
    ck_assert_msg(root != NULL, "%s", text);
    return bind_object(arena, root, &whole_type, problems);
}

START_TEST(values_of_every_kind_are_bound_with_their_places)
{
    Problems problems;
    const Whole *whole =
        bind_text("{\"name\": \"n\", \"count\": 3, \"isOn\": false, \"mode\": \"slow\",\n"
                  "\"wait\": \"2m\", \"size\": \"1kB\", \"start\": \"1970-01-01T00:00:01Z\",\n"
                  "\"limit\": \"PT1H\", \"part\": {\"name\": \"p\"}, \"parts\": [{\"name\": "
                  "\"a\"}, {\"name\": \"b\"}],\n\"any\": []}",
                  &problems);
    ck_assert_ptr_nonnull(whole);
    ck_assert_int_eq(problems.count, 0);
    ck_assert_str_eq(whole->name.value, "n");
    ck_assert_int_eq(whole->name.node->at.column, 10);
    ck_assert_int_eq(whole->count.value, 3);
    ck_assert_int_eq(whole->is_on.value, 0);
    ck_assert_int_eq(whole->mode.value, 0);
    ck_assert_int_eq(whole->wait.value, INT64_C(120000000000));
    ck_assert_int_eq(whole->size.value, 1000);
    ck_assert_int_eq(whole->start.value, 1000);
    ck_assert_int_eq(whole->limit.value, INT64_C(3600000000000));
    ck_assert_str_eq(whole->part->name.value, "p");
    ck_assert_int_eq(whole->parts.count, 2);
    ck_assert_str_eq(((const Part *)whole->parts.items[1])->name.value, "b");
    ck_assert_int_eq(whole->any->kind, JSON_ARRAY);
}
END_TEST

START_TEST(absent_and_null_values_have_their_defaults)
{
    Problems problems;
    const Whole *whole = bind_text("{\"count\": 1, \"name\": null, \"parts\": null}", &problems);
    ck_assert_ptr_nonnull(whole);
    ck_assert_str_eq(whole->name.value, "none");
    ck_assert_ptr_null(whole->name.node);
    ck_assert_int_eq(whole->is_on.value, 1);
    ck_assert_int_eq(whole->mode.value, 1);
    ck_assert_int_eq(whole->wait.value, INT64_C(90000000000));
    ck_assert_ptr_null(whole->part);
    ck_assert_int_eq(whole->parts.count, 0);
    ck_assert_str_eq(whole->any->text, "x");
}
END_TEST

START_TEST(what_does_not_fit_the_table_is_refused_with_place_and_hint)
{
    static const struct {
        const char *text;
        int32_t column;
        const char *message, *hint; /* parts of them */
    } rows[] = {
        {"{}", 1, "needs \"count\", which is missing", "how many"},
        {"[]", 1, "is an array, expected an object", ""},
        {"{\"count\": null}", 1, "needs \"count\"", ""},
        {"{\"count\": 0}", 11, "count is 0, expected 1 to 9", ""},
        {"{\"count\": 10}", 11, "count is 10, expected 1 to 9", ""},
        {"{\"count\": 1.5}", 11, "count is 1.5, expected an integer", ""},
        {"{\"count\": \"four\"}", 11, "count is \"four\", expected an integer", ""},
        {"{\"count\": 1, \"cuont\": 2}", 14, "unknown key \"cuont\" in this whole",
         "did you mean \"count\"?"},
        {"{\"count\": 1, \"zzzzzz\": 2}", 14, "unknown key \"zzzzzz\"", "known: name, count, isOn"},
        {"{\"count\": 1, \"name\": 2}", 22, "name is 2, expected a string", ""},
        {"{\"count\": 1, \"isOn\": 0}", 22, "isOn is 0, expected true or false", ""},
        {"{\"count\": 1, \"mode\": \"fats\"}", 22, "unknown mode \"fats\"",
         "did you mean \"fast\"?"},
        {"{\"count\": 1, \"mode\": 1}", 22, "mode is 1, expected a word", ""},
        {"{\"count\": 1, \"wait\": 5}", 22, "wait is 5, expected a duration", ""},
        {"{\"count\": 1, \"wait\": \"5 apples\"}", 22, "", ""},
        {"{\"count\": 1, \"size\": -5}", 22, "size is -5, expected a size", ""},
        {"{\"count\": 1, \"start\": \"yesterday\"}", 23, "", ""},
        {"{\"count\": 1, \"part\": []}", 22, "is an array, expected an object", ""},
        {"{\"count\": 1, \"part\": {}}", 22, "this part needs \"name\"", "what it is called"},
        {"{\"count\": 1, \"part\": {\"name\": \"\"}}", 31, "name is empty", "what it is called"},
        {"{\"count\": 1, \"parts\": {}}", 23, "parts is an object, expected an array", ""},
        {"{\"count\": 1, \"parts\": [{\"nam\": 1}]}", 25, "unknown key \"nam\" in this part",
         "did you mean \"name\"?"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems;
        bind_text(rows[i].text, &problems);
        ck_assert_msg(problems.count > 0, "%s", rows[i].text);
        const Status *problem = &problems.items[0];
        ck_assert_msg(problem->at.column == rows[i].column &&
                          strstr(problem->message, rows[i].message) != NULL &&
                          strstr(problem->hint, rows[i].hint) != NULL,
                      "%s: got %d: %s (%s)", rows[i].text, (int)problem->at.column,
                      problem->message, problem->hint);
    }
}
END_TEST

START_TEST(all_mistakes_of_an_object_are_reported_and_the_rest_is_bound)
{
    Problems problems;
    const Whole *whole = bind_text("{\"a\": 1, \"name\": 1, \"wait\": 1, \"mode\": \"slow\", "
                                   "\"part\": 7, \"parts\": [{}, {\"x\": 1}, {\"name\": \"p\"}]}",
                                   &problems);
    // Unknown a; wrong name, wait and part; two nameless parts, one with an unknown x; no count.
    ck_assert_int_eq(problems.count, 8);
    ck_assert(!bind_is_whole(&whole_type, whole));
    ck_assert(whole->name.is_refused && whole->wait.is_refused && whole->count.is_refused);
    ck_assert_str_eq(whole->name.value, "none");
    ck_assert_int_eq(whole->wait.value, INT64_C(90000000000));
    ck_assert_int_eq(whole->count.value, 0);
    ck_assert(!whole->mode.is_refused && whole->mode.value == 0);
    ck_assert(whole->part->node == NULL && whole->part->name.is_refused);
    ck_assert_int_eq(whole->parts.count, 3);
    ck_assert(((const Part *)whole->parts.items[0])->name.is_refused);
    ck_assert_str_eq(((const Part *)whole->parts.items[2])->name.value, "p");
}
END_TEST

START_TEST(a_struct_is_whole_when_nothing_in_it_is_refused)
{
    static const struct {
        const char *text;
        bool is_whole;
    } rows[] = {
        {"{\"count\": 1}", true},
        {"{\"count\": 1, \"unknown\": 1}", true},
        {"{\"count\": 1, \"part\": {\"name\": \"p\"}, \"parts\": [{\"name\": \"q\"}]}", true},
        {"[]", false},
        {"{}", false},
        {"{\"count\": 1, \"mode\": \"fats\"}", false},
        {"{\"count\": 1, \"part\": {}}", false},
        {"{\"count\": 1, \"parts\": {}}", false},
        {"{\"count\": 1, \"parts\": [{\"name\": \"q\"}, 3]}", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems;
        const Whole *whole = bind_text(rows[i].text, &problems);
        ck_assert_msg(bind_is_whole(&whole_type, whole) == rows[i].is_whole, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(an_unknown_key_alone_leaves_the_rest_usable)
{
    Problems problems;
    const Whole *whole = bind_text("{\"count\": 2, \"b\": 1}", &problems);
    ck_assert_int_eq(problems.count, 1);
    ck_assert_ptr_nonnull(whole);
    ck_assert_int_eq(whole->count.value, 2);
}
END_TEST

START_TEST(the_schema_says_what_the_table_says)
{
    const Json *schema =
        json_schema(arena, &whole_type, "https://example.org/x", "A whole.", NULL, false);
    ck_assert_str_eq(json_find(schema, "/$schema")->text,
                     "http://json-schema.org/draft-07/schema#");
    ck_assert_str_eq(json_find(schema, "/required/0")->text, "count");
    ck_assert_int_eq(json_find(schema, "/properties/count/maximum")->integer, 9);
    ck_assert_int_eq(json_find(schema, "/definitions/part/properties/name/minLength")->integer, 1);
    ck_assert_str_eq(json_find(schema, "/properties/mode/enum/1")->text, "fast");
    ck_assert_str_eq(json_find(schema, "/properties/mode/default")->text, "fast");
    ck_assert(json_find(schema, "/properties/isOn/default")->boolean);
    ck_assert_str_eq(json_find(schema, "/properties/any/type")->text, "array");
    ck_assert_str_eq(json_find(schema, "/properties/part/$ref")->text, "#/definitions/part");
    ck_assert_str_eq(json_find(schema, "/properties/parts/items/$ref")->text, "#/definitions/part");
    ck_assert_str_eq(json_find(schema, "/definitions/part/required/0")->text, "name");
    ck_assert(!json_find(schema, "/definitions/part/additionalProperties")->boolean);
}
END_TEST

START_TEST(a_schema_may_be_of_a_list)
{
    const Json *schema =
        json_schema(arena, &whole_type, "https://example.org/x", "Wholes.", NULL, true);
    ck_assert_str_eq(json_find(schema, "/type")->text, "array");
    ck_assert_str_eq(json_find(schema, "/items/required/0")->text, "count");
    ck_assert_str_eq(json_find(schema, "/items/properties/part/$ref")->text, "#/definitions/part");
    ck_assert_str_eq(json_find(schema, "/definitions/part/required/0")->text, "name");
    ck_assert_ptr_null(json_find(schema, "/properties"));
}
END_TEST

START_TEST(a_placeholder_may_replace_what_is_not_a_text)
{
    const Json *schema =
        json_schema(arena, &whole_type, "https://example.org/x", "A whole.", "^x", false);
    ck_assert_int_eq(json_find(schema, "/properties/count/anyOf/0/maximum")->integer, 9);
    ck_assert_str_eq(json_find(schema, "/properties/count/anyOf/1/pattern")->text, "^x");
    ck_assert_str_eq(json_find(schema, "/properties/mode/anyOf/1/pattern")->text, "^x");
    ck_assert_str_eq(json_find(schema, "/properties/isOn/anyOf/1/pattern")->text, "^x");
    ck_assert_str_eq(json_find(schema, "/properties/any/type")->text, "array");
    ck_assert_int_eq(json_find(schema, "/definitions/part/properties/name/minLength")->integer, 1);
}
END_TEST

START_TEST(every_value_is_explained_and_secrets_are_not_shown)
{
    Problems problems;
    const Whole *whole = bind_text("{\"count\": 2, \"secret\": \"hunter2\", \"part\": {\"name\": "
                                   "\"p\"}, \"parts\": [{\"name\": \"q\"}]}",
                                   &problems);
    Explanation explanation = explanation_create(arena);
    bound_explain(&explanation, "whole", &whole_type, whole);
    Text text = {0};
    explanation_print(&text, &explanation);
    ck_assert_str_eq(text_string(&text), "whole name = none  # default\n"
                                         "whole count = 2  # x.json:1:11\n"
                                         "whole isOn = true  # default\n"
                                         "whole mode = fast  # default\n"
                                         "whole wait = 90s  # default\n"
                                         "whole part name = p  # x.json:1:52\n"
                                         "whole parts[0] name = q  # x.json:1:77\n"
                                         "whole any = x  # default\n"
                                         "whole secret = (secret)  # x.json:1:24\n");
    text_free(&text);
}
END_TEST

START_TEST(refusals_show_no_secrets)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\"count\": 1, \"secret\": 12345}", "secret is a number, expected a string"},
        {"{\"count\": 1, \"secret\": [\"hunter2\"]}", "secret is an array, expected a string"},
        {"\"hunter2\"", "this whole is a string, expected an object"},
        {"{\"count\": 1, \"part\": \"shown\"}", "this part is \"shown\", expected an object"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Problems problems = problems_create(arena);
        const Json *json =
            json_parse(arena, "x.json", rows[i].text, strlen(rows[i].text), JSON_STRICT, &problems);
        bind_object(arena, json, &whole_type, &problems);
        ck_assert_int_ge(problems.count, 1);
        ck_assert_str_eq(problems.items[0].message, rows[i].message);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bind");
    TCase *tests = tcase_create("bind");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, values_of_every_kind_are_bound_with_their_places);
    tcase_add_test(tests, absent_and_null_values_have_their_defaults);
    tcase_add_test(tests, what_does_not_fit_the_table_is_refused_with_place_and_hint);
    tcase_add_test(tests, all_mistakes_of_an_object_are_reported_and_the_rest_is_bound);
    tcase_add_test(tests, a_struct_is_whole_when_nothing_in_it_is_refused);
    tcase_add_test(tests, an_unknown_key_alone_leaves_the_rest_usable);
    tcase_add_test(tests, the_schema_says_what_the_table_says);
    tcase_add_test(tests, a_schema_may_be_of_a_list);
    tcase_add_test(tests, a_placeholder_may_replace_what_is_not_a_text);
    tcase_add_test(tests, every_value_is_explained_and_secrets_are_not_shown);
    tcase_add_test(tests, refusals_show_no_secrets);
    suite_add_tcase(suite, tests);
    return suite;
}
