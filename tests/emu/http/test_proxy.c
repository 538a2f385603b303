/* emu/http/proxy.h: where a connection wants to go, by its first bytes. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "emu/http/proxy.h"
#include "tests/support/suite.h"

static const ProxyRules rules = {
    .gate = {.storage_suffix = "core.windows.net", .own_name = "builder"},
    .tls_port = 10443,
    .userinfo_port = 10445,
    .plain_port = 10444,
};

static ProxyVerdict judge(const char *bytes, size_t *head_bytes)
{
    return proxy_judge(&rules, bytes, strlen(bytes), head_bytes);
}

START_TEST(tunnels_end_at_our_own_tls)
{
    static const struct {
        const char *line;
        ProxyVerdict verdict;
    } rows[] = {
        {"CONNECT acct.file.core.windows.net:443 HTTP/1.1", PROXY_TLS},
        {"CONNECT ACCT.blob.core.windows.net:443 HTTP/1.0", PROXY_TLS},
        {"CONNECT 127.0.0.1:10443 HTTP/1.1", PROXY_TLS},
        {"CONNECT [::1]:10443 HTTP/1.1", PROXY_TLS},
        {"CONNECT localhost:10443 HTTP/1.1", PROXY_TLS},
        {"CONNECT builder:10443 HTTP/1.1", PROXY_TLS},
        {"CONNECT localhost:10445 HTTP/1.1", PROXY_USERINFO},
        {"CONNECT acct.file.core.windows.net:80 HTTP/1.1", PROXY_REFUSED},
        {"CONNECT acct.file.core.windows.net HTTP/1.1", PROXY_REFUSED},
        {"CONNECT acct.queue.core.windows.net:443 HTTP/1.1", PROXY_REFUSED},
        {"CONNECT azure.microsoft.com:443 HTTP/1.1", PROXY_REFUSED},
        {"CONNECT localhost:22 HTTP/1.1", PROXY_REFUSED},
        {"CONNECT example.com:10443 HTTP/1.1", PROXY_REFUSED},
        {"CONNECT localhost:10443 HTTP/2", PROXY_REFUSED},
        {"CONNECT localhost:10443", PROXY_REFUSED},
        {"CONNECT  HTTP/1.1", PROXY_REFUSED},
        {"CONNECT ", PROXY_REFUSED},
        {"GET / HTTP/1.1", PROXY_NOT_MEANT},
        {"CONNECTED /", PROXY_NOT_MEANT},
        {"connect localhost:10443 HTTP/1.1", PROXY_NOT_MEANT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char head[256];
        size_t head_bytes;
        snprintf(head, sizeof head, "%s\r\nHost: x\r\n\r\n\x16\x03\x01", rows[i].line);
        ck_assert_msg(judge(head, &head_bytes) == rows[i].verdict, "%s", rows[i].line);
        if (rows[i].verdict != PROXY_NOT_MEANT)
            ck_assert_uint_eq(head_bytes, strlen(head) - 3); // TLS follows at once
    }
}
END_TEST

START_TEST(whole_urls_of_our_own_are_known)
{
    static const struct {
        const char *target;
        size_t length;
    } rows[] = {
        {"http://127.0.0.1:10444/acct/share", 22},
        {"HTTP://LocalHost:10444/", 22},
        {"http://builder:10444", 20},
        {"http://acct.file.core.windows.net/share", 33},
        {"http://acct.file.core.windows.net:80/share", 36},
        {"http://acct.file.core.windows.net:8080/share", 0},
        {"http://127.0.0.1:22/", 0},
        {"http://127.0.0.1/", 0},
        {"http://example.com:10444/", 0},
        {"http://127.0.0.1:10444@example.com/", 0},
        {"https://127.0.0.1:10444/", 0},
        {"http:///", 0},
        {"/http://127.0.0.1:10444/", 0},
        {"*", 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(proxy_own_origin(&rules, rows[i].target) == rows[i].length, "%s",
                      rows[i].target);
}
END_TEST

START_TEST(every_beginning_of_a_head_is_waited_for)
{
    static const char head[] = "CONNECT localhost:10443 HTTP/1.1\r\nHost: x\r\n\r\n";
    size_t head_bytes;
    for (size_t length = 1; length < strlen(head); length++)
        ck_assert_int_eq(proxy_judge(&rules, head, length, &head_bytes), PROXY_UNDECIDED);
    ck_assert_int_eq(judge(head, &head_bytes), PROXY_TLS);
    ck_assert_int_eq(judge("G", &head_bytes), PROXY_NOT_MEANT); // and of no other request
    ck_assert_int_eq(judge("CONNEXION", &head_bytes), PROXY_NOT_MEANT);
}
END_TEST

START_TEST(heads_without_end_are_refused)
{
    static char head[PROXY_HEAD_MAX + 100];
    size_t head_bytes;
    memset(head, 'a', sizeof head);
    memcpy(head, "CONNECT ", 8);
    ck_assert_int_eq(proxy_judge(&rules, head, PROXY_HEAD_MAX - 1, &head_bytes), PROXY_UNDECIDED);
    ck_assert_int_eq(proxy_judge(&rules, head, PROXY_HEAD_MAX, &head_bytes), PROXY_REFUSED);
    ck_assert_uint_eq(head_bytes, PROXY_HEAD_MAX);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("proxy");
    TCase *all = tcase_create("all");
    tcase_add_test(all, tunnels_end_at_our_own_tls);
    tcase_add_test(all, whole_urls_of_our_own_are_known);
    tcase_add_test(all, every_beginning_of_a_head_is_waited_for);
    tcase_add_test(all, heads_without_end_are_refused);
    suite_add_tcase(suite, all);
    return suite;
}
