/* emu/http/authority.h */
#include <check.h>
#include <string.h>

#include "emu/http/authority.h"
#include "tests/support/suite.h"

START_TEST(names_and_ports_are_separated)
{
    static const struct {
        const char *text, *name;
        int32_t port;
        bool is_address;
    } rows[] = {
        {"LocalHost", "localhost", -1, false},
        {"localhost:8443", "localhost", 8443, false},
        {"localhost.:80", "localhost", 80, false},
        {"127.0.0.1:0", "127.0.0.1", 0, true},
        {"[::1]", "::1", -1, true},
        {"[FE80::1]:65535", "fe80::1", 65535, true},
        {"Acct.File.core.windows.net:443", "acct.file.core.windows.net", 443, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Authority authority;
        ck_assert_msg(authority_read(rows[i].text, strlen(rows[i].text), &authority), "%s",
                      rows[i].text);
        ck_assert_str_eq(authority.name, rows[i].name);
        ck_assert_int_eq(authority.port, rows[i].port);
        ck_assert_int_eq(authority.is_address, rows[i].is_address);
    }
}
END_TEST

START_TEST(invalid_authorities_are_refused)
{
    static const char *const bad[] = {
        "",    ".",           ":80",         "a:",   "a:65536", "a:+1",     "a:80x", "a b",
        "a/b", "a@b",         "a:80:80",     "::1",  "[::1",    "[::1]80",  "a..",   "a..b",
        ".a",  "[localhost]", "[127.0.0.1]", "a\tb", "a%41",    "\xc3\xbc", "[]",    "[::1]:",
    };
    Authority authority;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!authority_read(bad[i], strlen(bad[i]), &authority), "%s", bad[i]);
    ck_assert(!authority_read("a\0b", 3, &authority));
    char longest[AUTHORITY_NAME_MAX + 2];
    memset(longest, 'a', sizeof longest);
    ck_assert(authority_read(longest, AUTHORITY_NAME_MAX, &authority));
    ck_assert(!authority_read(longest, AUTHORITY_NAME_MAX + 1, &authority));
}
END_TEST

static Authority authority_of(const char *text)
{
    Authority authority;
    ck_assert(authority_read(text, strlen(text), &authority));
    return authority;
}

START_TEST(loopback_is_a_name_and_a_network)
{
    static const char *const yes[] = {"localhost", "127.0.0.1", "127.9.9.9:1", "[::1]"};
    static const char *const no[] = {"localhost.example.com", "127.example.com", "128.0.0.1",
                                     "[::2]", "0.0.0.0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        const Authority authority = authority_of(yes[i]);
        ck_assert_msg(authority_is_loopback(&authority), "%s", yes[i]);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        const Authority authority = authority_of(no[i]);
        ck_assert_msg(!authority_is_loopback(&authority), "%s", no[i]);
    }
}
END_TEST

START_TEST(storage_hosts_have_one_label_a_service_and_the_suffix)
{
    static const char *const yes[] = {"acct.file.core.windows.net",
                                      "ACCT.BLOB.CORE.WINDOWS.NET:443"};
    static const char *const no[] = {
        "file.core.windows.net",       "a.b.file.core.windows.net",
        "acct.queue.core.windows.net", "acct.file.core.windows",
        "acct.filex.core.windows.net", "acct.file.core.windows.net.example.com",
        "acct.file.example.com",
    };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        const Authority authority = authority_of(yes[i]);
        ck_assert_msg(authority_is_storage(&authority, "core.windows.net"), "%s", yes[i]);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        const Authority authority = authority_of(no[i]);
        ck_assert_msg(!authority_is_storage(&authority, "core.windows.net"), "%s", no[i]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("authority");
    TCase *all = tcase_create("all");
    tcase_add_test(all, names_and_ports_are_separated);
    tcase_add_test(all, invalid_authorities_are_refused);
    tcase_add_test(all, loopback_is_a_name_and_a_network);
    tcase_add_test(all, storage_hosts_have_one_label_a_service_and_the_suffix);
    suite_add_tcase(suite, all);
    return suite;
}
