/* emu/http/route.h: which row of a table a path belongs to. */
#include <check.h>
#include <string.h>

#include "emu/http/route.h"
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

/* A route like those of the emulator's parts: a Route followed by more members. */
typedef struct {
    Route route;
    int handler;
} Row;

static const Row table[] = {
    {{"Root", HTTP_GET, "/"}, 1},
    {{"Groups_List", HTTP_GET, "/subscriptions/{}/resourceGroups"}, 1},
    {{"Groups_Get", HTTP_GET, "/subscriptions/{}/resourceGroups/{}"}, 1},
    {{"Groups_Create", HTTP_PUT, "/subscriptions/{}/resourceGroups/{}"}, 1},
    {{"Groups_Move", HTTP_POST, "/subscriptions/{}/resourceGroups/{}/move"}, 1},
    {{0}, 0},
};

/* The result of routing a request: the operation, "405" or "404". */
static const char *found(HttpMethod method, const char *target, RouteMatch *match)
{
    const HttpRequest request = {.arena = arena, .method = method, .target = target};
    bool is_known;
    const Route *route = route_find(ROUTE_TABLE(table), &request, match, &is_known);
    return route ? route->operation : is_known ? "405" : "404";
}

START_TEST(a_path_finds_its_row)
{
    static const struct {
        HttpMethod method;
        const char *target, *operation, *first, *second;
    } rows[] = {
        {HTTP_GET, "/", "Root", NULL, NULL},
        {HTTP_GET, "/subscriptions/s/resourceGroups", "Groups_List", "s", NULL},
        {HTTP_GET, "/subscriptions/s/resourceGroups/", "Groups_List", "s", NULL},
        {HTTP_GET, "//subscriptions/s//resourceGroups", "Groups_List", "s", NULL},
        {HTTP_GET, "/SUBSCRIPTIONS/s/resourcegroups/Rg", "Groups_Get", "s", "Rg"},
        {HTTP_PUT, "/subscriptions/s/resourceGroups/g", "Groups_Create", "s", "g"},
        {HTTP_PUT, "/subscriptions/s/resource%47roups/a%20b%2Fc", "Groups_Create", "s", "a b/c"},
        {HTTP_POST, "/subscriptions/s/resourceGroups/g/move", "Groups_Move", "s", "g"},
        {HTTP_DELETE, "/subscriptions/s/resourceGroups/g", "405", NULL, NULL},
        {HTTP_METHOD_COUNT, "/subscriptions/s/resourceGroups/g", "405", NULL, NULL},
        {HTTP_GET, "/subscriptions/s/resourceGroup", "404", NULL, NULL},
        {HTTP_GET, "/subscriptions/s/resourceGroupss", "404", NULL, NULL},
        {HTTP_GET, "/x/subscriptions/s/resourceGroups", "404", NULL, NULL},
        {HTTP_GET, "/subscriptions/s/resourceGroups/g/move/on", "404", NULL, NULL},
        {HTTP_GET, "/resourceGroups", "404", NULL, NULL},
        {HTTP_GET, "/subscriptions/s/resourceGroups/%zz", "404", NULL, NULL},
        {HTTP_GET, "/subscriptions/s/resourceGroups/a%00b", "404", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        RouteMatch match = {0};
        ck_assert_msg(strcmp(found(rows[i].method, rows[i].target, &match), rows[i].operation) == 0,
                      "%s: %s", rows[i].target, found(rows[i].method, rows[i].target, &match));
        ck_assert_int_eq(match.part_count, (rows[i].first != NULL) + (rows[i].second != NULL));
        if (rows[i].first)
            ck_assert_str_eq(match.parts[0], rows[i].first);
        if (rows[i].second)
            ck_assert_str_eq(match.parts[1], rows[i].second);
    }
}
END_TEST

START_TEST(a_path_of_any_depth_is_only_unknown)
{
    Text deep = {0};
    for (int i = 0; i < 3 * ROUTE_DEPTH_MAX; i++)
        text_add(&deep, "/a");
    RouteMatch match;
    ck_assert_str_eq(found(HTTP_GET, text_string(&deep), &match), "404");
    text_free(&deep);
}
END_TEST

START_TEST(a_path_knows_its_methods)
{
    HttpRequest request = {.arena = arena, .target = "/subscriptions/s/resourcegroups/g"};
    ck_assert_str_eq(route_methods(ROUTE_TABLE(table), &request), "GET, PUT");
    request.target = "/nowhere";
    ck_assert_str_eq(route_methods(ROUTE_TABLE(table), &request), "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("route");
    TCase *tests = tcase_create("route");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_path_finds_its_row);
    tcase_add_test(tests, a_path_of_any_depth_is_only_unknown);
    tcase_add_test(tests, a_path_knows_its_methods);
    suite_add_tcase(suite, tests);
    return suite;
}
