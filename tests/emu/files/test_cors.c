/* emu/files/cors.h: the requests that pages of other origins may send, and how long browsers may
 * cache the answer. */
#include <check.h>
#include <string.h>

#include "tests/emu/files_service.h"
#include "tests/support/suite.h"

static FilesService service;
static FilesService *s = &service;

static void set_up(void)
{
    service = service_create();
    ck_done(s, "PUT", "/sss?restype=share", "", 201);
    ck_done(s, "PUT", "/sss/f", "x-ms-type: file\nx-ms-content-length: 5", 201);
}

static void tear_down(void)
{
    service_remove(&service);
}

#define RULE(origins, methods, headers)                                                            \
    "<CorsRule><AllowedOrigins>" origins "</AllowedOrigins><AllowedMethods>" methods               \
    "</AllowedMethods><AllowedHeaders>" headers "</AllowedHeaders>"                                \
    "<ExposedHeaders>x-ms-*</ExposedHeaders><MaxAgeInSeconds>200</MaxAgeInSeconds></CorsRule>"

static int32_t try_rules(const char *rules)
{
    const char *body = arena_printf(
        s->arena, "<StorageServiceProperties><Cors>%s</Cors></StorageServiceProperties>", rules);
    return service_send(s, "PUT", "/?restype=service&comp=properties", "", body, strlen(body));
}

static void set_rules(const char *rules)
{
    ck_assert_int_eq(try_rules(rules), 202);
}

static void ck_no_rules(const char *rules)
{
    ck_assert_msg(try_rules(rules) == 400, "%s", rules);
    ck_header(s, "x-ms-error-code", "InvalidXmlNodeValue");
}

/* A rule that has `what` `count` times in a list of one of its elements. */
static const char *rule_with(const char *element, const char *what, int count)
{
    static const char *const names[] = {"AllowedOrigins", "AllowedHeaders", "ExposedHeaders"};
    const char *rule = "<AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>5</MaxAgeInSeconds>";
    for (int i = 0; i < 3; i++) {
        const bool is_it = strcmp(names[i], element) == 0;
        const char *list = is_it ? "" : "a";
        for (int j = 0; is_it && j < count; j++)
            list = arena_printf(s->arena, "%s%s%s", list, j > 0 ? "," : "", what);
        rule = arena_printf(s->arena, "%s<%s>%s</%s>", rule, names[i], list, names[i]);
    }
    return arena_printf(s->arena, "<CorsRule>%s</CorsRule>", rule);
}

static int32_t preflight(const char *origin, const char *method, const char *headers)
{
    const HttpRequest request =
        service_request(s, "OPTIONS", "/pathacct/sss/f",
                        arena_printf(s->arena,
                                     "Origin: %s\nAccess-Control-Request-Method: %s\n"
                                     "Access-Control-Request-Headers: %s",
                                     origin, method, headers),
                        "", 0);
    return service_answer(s, &request);
}

/* The example of Microsoft, "Cross-Origin Resource Sharing (CORS) support for Azure Storage",
 * "Understanding CORS rule evaluation". */
START_TEST(the_first_rule_of_origin_and_method_is_the_one)
{
    set_rules(RULE("http://www.contoso.com", "PUT,HEAD",
                   "x-ms-meta-data*,x-ms-meta-target*,x-ms-meta-abc")
                  RULE("*", "PUT,GET", "x-ms-meta-abc")
                      RULE("http://www.contoso.com", "GET", "x-ms-client-request-id"));
    ck_assert_int_eq(preflight("http://www.contoso.com", "PUT", "x-ms-meta-target-a"), 200);
    ck_header(s, "Access-Control-Allow-Origin", "http://www.contoso.com");
    ck_header(s, "Vary", ""); // no cache keeps it
    ck_assert_int_eq(preflight("http://www.contoso.com", "GET", "x-ms-meta-abc"), 200);
    ck_header(s, "Access-Control-Allow-Origin", "*");
    ck_assert_int_eq(preflight("http://www.contoso.com", "GET", "x-ms-client-request-id"), 403);
    ck_header(s, "x-ms-error-code", "CorsPreflightFailure");
    ck_assert_int_eq(preflight("http://www.contoso.com", "DELETE", ""), 403);
}
END_TEST

/* The table of the same, "Understanding how the Vary header is set". */
START_TEST(answers_vary_by_origin_where_the_rules_do)
{
    static const char one[] = RULE("http://a.example", "GET,PUT", "*");
    static const char any[] = RULE("*", "GET,PUT", "*");
    static const struct {
        const char *rules, *headers;
        const char *varies, *allowed, *exposed;
    } rows[] = {
        {"", "", "", "", ""},
        {one, "", "Origin", "", ""},
        {any, "", "", "*", "x-ms-*"},
        {"", "Origin: http://a.example", "", "", ""},
        {one, "Origin: http://a.example", "Origin", "http://a.example", "x-ms-*"},
        {one, "Origin: http://b.example", "Origin", "", ""},
        {any, "Origin: http://b.example", "", "*", "x-ms-*"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_rules(rows[i].rules);
        ck_done(s, "GET", "/sss/f", rows[i].headers, 200);
        ck_header(s, "Vary", rows[i].varies);
        ck_header(s, "Access-Control-Allow-Origin", rows[i].allowed);
        ck_header(s, "Access-Control-Expose-Headers", rows[i].exposed);
        ck_answer(s, "GET", "/sss/none", rows[i].headers, 404, "ResourceNotFound");
        ck_header(s, "Vary", rows[i].varies);
        ck_done(s, "PUT", "/sss/f?comp=metadata", rows[i].headers, 200);
        ck_header(s, "Vary", ""); // no cache keeps it
        ck_header(s, "Access-Control-Allow-Origin", *rows[i].headers ? rows[i].allowed : "");
    }
}
END_TEST

/* Microsoft, "Set File Service Properties", "Cross-Origin Resource Sharing (CORS) support for Azure
 * Storage". */
START_TEST(rules_are_as_long_as_the_service_takes_them)
{
    char longest[258];
    memset(longest, 'h', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    static const struct {
        const char *element, *what; /* NULL: 256 letters */
        int most;
    } rows[] = {
        {"AllowedOrigins", "o", 64}, {"AllowedHeaders", "h", 64}, {"ExposedHeaders", "h", 64},
        {"AllowedHeaders", "h*", 2}, {"ExposedHeaders", "h*", 2}, {"AllowedOrigins", NULL, 7},
        {"AllowedHeaders", NULL, 7}, {"ExposedHeaders", NULL, 7}, // 2 KiB for all of them
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *what = rows[i].what ? rows[i].what : longest + 1;
        ck_assert_int_eq(try_rules(rule_with(rows[i].element, what, rows[i].most)), 202);
        ck_no_rules(rule_with(rows[i].element, what, rows[i].most + 1));
        if (!rows[i].what)
            ck_no_rules(rule_with(rows[i].element, longest, 1));
    }
    // An element that is empty allows none; one that is not there is forgotten.
    set_rules(rule_with("AllowedHeaders", "", 0));
    ck_no_rules("<CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET"
                "</AllowedMethods><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule>");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_cors");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_first_rule_of_origin_and_method_is_the_one);
    tcase_add_test(tests, answers_vary_by_origin_where_the_rules_do);
    tcase_add_test(tests, rules_are_as_long_as_the_service_takes_them);
    suite_add_tcase(suite, tests);
    return suite;
}
