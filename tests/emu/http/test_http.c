/* emu/http/http.h: what requests say, decoded, and what answers may hold. */
#include <check.h>
#include <string.h>

#include "emu/http/http.h"
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

START_TEST(a_query_is_split_and_decoded)
{
    HttpRequest request = {.arena = arena};
    ck_assert(http_read_query(&request, "restype=share&Prefix=a%2Fb+c&&flag"));
    ck_assert_int_eq(request.query_count, 3);
    ck_assert_str_eq(http_query(&request, "RESTYPE"), "share");
    ck_assert_str_eq(http_query(&request, "prefix"), "a/b c");
    ck_assert_str_eq(http_query(&request, "flag"), "");
    ck_assert_ptr_null(http_query(&request, "missing"));
}
END_TEST

START_TEST(broken_escapes_and_nul_are_refused)
{
    HttpRequest request = {.arena = arena};
    static const char *const bad[] = {"a=%", "a=%4", "a=%zz", "a=%00", "%00=b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!http_read_query(&request, bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(encoded_text_is_decoded_unchanged)
{
    const char *text = "a b/\xc3\xbc%+&=~";
    const char *encoded = http_encode(arena, text, "/");
    ck_assert_str_eq(encoded, "a%20b/%C3%BC%25%2B%26%3D~");
    ck_assert_str_eq(http_decode(arena, encoded, strlen(encoded), false), text);
}
END_TEST

START_TEST(numbers_are_digits_alone)
{
    static const char *const bad[] = {"",
                                      "-0",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1x",
                                      "x1",
                                      "0x1",
                                      "1.0",
                                      "1e3",
                                      "9223372036854775808",
                                      "99999999999999999999"};
    int64_t number;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!http_number(bad[i], &number), "%s", bad[i]);
    ck_assert(http_number("0", &number));
    ck_assert_int_eq(number, 0);
    ck_assert(http_number("007", &number));
    ck_assert_int_eq(number, 7);
    ck_assert(http_number("9223372036854775807", &number));
    ck_assert_int_eq(number, INT64_MAX);
    const char *rest = "12-34";
    ck_assert(http_take_number(&rest, &number));
    ck_assert_int_eq(number, 12);
    ck_assert_str_eq(rest, "-34");
}
END_TEST

START_TEST(headers_leave_no_doubt_where_a_request_ends)
{
    static const struct {
        HttpField fields[2];
        bool is_fine;
    } rows[] = {
        {{{"Content-Length", "3"}, {"x-ms-meta-a_b", "\ta\xc3\xbc "}}, true},
        {{{"transfer-encoding", "Chunked"}, {"X", ""}}, true},
        {{{"Content-Length", "3"}, {"content-length", "4"}}, false},
        {{{"Content-Length", "3"}, {"Content-Length", "3"}}, false},
        {{{"Content-Length", "3"}, {"Transfer-Encoding", "chunked"}}, false},
        {{{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}, false},
        {{{"Transfer-Encoding", "gzip, chunked"}, {"X", ""}}, false},
        {{{"Transfer-Encoding", "identity"}, {"X", ""}}, false},
        {{{"Transfer-Encoding", ""}, {"X", ""}}, false},
        {{{"Content-Length ", "3"}, {"X", ""}}, false},
        {{{"X\t", ""}, {"X", ""}}, false},
        {{{"X Y", ""}, {"X", ""}}, false},
        {{{"", ""}, {"X", ""}}, false},
        {{{"X", "a\rb"}, {"X", ""}}, false},
        {{{"X", "a\x7f"}, {"X", ""}}, false},
        {{{"Host", "a"}, {"host", "a"}}, false},
        {{{"Origin", "http://a"}, {"Origin", "http://b"}}, false},
        {{{"Authorization", "a"}, {"authorization", "b"}}, false},
        {{{"x-ms-date", "a"}, {"X-Ms-Date", "b"}}, false},
        {{{"Date", "a"}, {"x-ms-date", "b"}}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const HttpRequest request = {.headers = rows[i].fields, .header_count = 2};
        ck_assert_msg(!http_headers_problem(&request) == rows[i].is_fine, "row %zu", i);
    }
}
END_TEST

START_TEST(no_header_value_begins_another_header)
{
    HttpResponse response = http_response(200);
    http_set(&response, "x-ms-meta-a", "b\r\nSet-Cookie: c");
    ck_assert_str_eq(http_get(&response, "X-MS-META-A"), "");
    http_set(&response, "x-ms-meta-a", "b");
    ck_assert_int_eq(response.header_count, 1);
    ck_assert_str_eq(http_get(&response, "x-ms-meta-a"), "b");
}
END_TEST

START_TEST(dates_are_those_of_the_rfc)
{
    char out[HTTP_DATE];
    int64_t unix_ms = 0;
    http_date_print(784111777000, out);
    ck_assert_str_eq(out, "Sun, 06 Nov 1994 08:49:37 GMT");
    ck_assert(http_date_parse(out, &unix_ms));
    ck_assert_int_eq(unix_ms, 784111777000);
    ck_assert(!http_date_parse("Mon, 06 Nov 1994 08:49:37 GMT", &unix_ms));
    ck_assert(!http_date_parse("Sun, 31 Jun 1994 08:49:37 GMT", &unix_ms));
    ck_assert(!http_date_parse("Sun, 06 Nov 1994 08:49:60 GMT", &unix_ms));
    ck_assert(!http_date_parse("Sun, 06 Nov 1994 08:-9:37 GMT", &unix_ms));
    ck_assert(!http_date_parse("Sun, 06 Noy 1994 08:49:37 GMT", &unix_ms));
    ck_assert(!http_date_parse("Sun, 6  Nov 1994 08:49:37 GMT", &unix_ms));
    ck_assert(!http_date_parse("Sun, 06 Nov 1994 08:49:37 UTC", &unix_ms));
    ck_assert(!http_date_parse("", &unix_ms));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("http");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_query_is_split_and_decoded);
    tcase_add_test(tests, broken_escapes_and_nul_are_refused);
    tcase_add_test(tests, encoded_text_is_decoded_unchanged);
    tcase_add_test(tests, numbers_are_digits_alone);
    tcase_add_test(tests, headers_leave_no_doubt_where_a_request_ends);
    tcase_add_test(tests, no_header_value_begins_another_header);
    tcase_add_test(tests, dates_are_those_of_the_rfc);
    suite_add_tcase(suite, tests);
    return suite;
}
