/* emu/files/auth/address.h: three forms of one address, and invalid addresses. */
#include <check.h>
#include <string.h>

#include "emu/files/auth/address.h"
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

static HttpRequest request_of(HttpListener listener, const char *host, const char *target)
{
    return (HttpRequest){.arena = arena,
                         .listener = listener,
                         .method = HTTP_GET,
                         .method_text = "GET",
                         .host = host,
                         .target = target,
                         .query_text = ""};
}

static AzureError read_target(const char *target, FilesAddress *address)
{
    const HttpRequest request = request_of(LISTENER_PLAIN, "127.0.0.1:8080", target);
    return files_address_read(&request, "core.windows.net", address);
}

static void check_address(const FilesAddress *address)
{
    ck_assert_int_eq(address->host, FILES_HOST);
    ck_assert_str_eq(address->account, "pathacct");
    ck_assert_str_eq(address->share, "sss");
    ck_assert_str_eq(address->path, "dir \xc3\xbc/a b.txt");
    ck_assert_str_eq(address->resource, "/sss/dir \xc3\xbc/a b.txt");
    ck_assert_ptr_null(address->snapshot);
}

START_TEST(three_forms_lead_to_one_file)
{
    FilesAddress address;
    HttpRequest host = request_of(LISTENER_TLS, "PathAcct.File.core.windows.net:443",
                                  "/sss/dir%20%C3%BC/a%20b.txt");
    ck_assert_int_eq(files_address_read(&host, "core.windows.net", &address), AZURE_OK);
    check_address(&address);

    ck_assert_int_eq(read_target("/pathacct/sss/dir%20%C3%BC/a%20b.txt", &address), AZURE_OK);
    check_address(&address);

    HttpRequest userinfo =
        request_of(LISTENER_USERINFO, "127.0.0.1:8081", "/sss/dir%20%C3%BC/a%20b.txt");
    const HttpField signature = {"authorization", "SharedKey pathacct:c2ln"};
    userinfo.headers = &signature;
    userinfo.header_count = 1;
    ck_assert_int_eq(files_address_read(&userinfo, "core.windows.net", &address), AZURE_OK);
    check_address(&address);
}
END_TEST

START_TEST(a_path_may_leave_its_account_to_the_signature)
{
    static const struct {
        const char *authorization, *target, *path;
        AzureError fault;
    } rows[] = {
        {"SharedKey pathacct:c2ln", "/sss/d/f", "d/f", AZURE_OK},
        {"SharedKeyLite pathacct:c2ln", "/sss/d/f", "d/f", AZURE_OK},
        {"SharedKey pathacct:c2ln", "/pathacct/sss/d/f", "d/f", AZURE_OK},
        {"SharedKey pathacct:c2ln", "/s-s/d", "d", AZURE_OK},
        {"SharedKey p:c2ln", "/s-s/d", "", AZURE_FILES_ADDRESS_ACCOUNT},
        {"Bearer pathacct:c2ln", "/s-s/d", "", AZURE_FILES_ADDRESS_ACCOUNT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FilesAddress address;
        const HttpField signature = {"Authorization", rows[i].authorization};
        HttpRequest request = request_of(LISTENER_PLAIN, "127.0.0.1:8080", rows[i].target);
        request.headers = &signature;
        request.header_count = 1;
        ck_assert(files_address_is_ours(&request, "core.windows.net") ==
                  (rows[i].fault == AZURE_OK));
        ck_assert_int_eq(files_address_read(&request, "core.windows.net", &address), rows[i].fault);
        if (rows[i].fault == AZURE_OK) {
            ck_assert_str_eq(address.account, "pathacct");
            ck_assert_str_eq(address.path, rows[i].path);
        }
    }
}
END_TEST

START_TEST(a_path_is_split_after_it_is_decoded)
{
    FilesAddress address;
    ck_assert_int_eq(read_target("/pathacct/sss/a%2Fb//c%2F/", &address), AZURE_OK);
    ck_assert_str_eq(address.path, "a/b/c");
    ck_assert_int_eq(read_target("/pathacct/sss/", &address), AZURE_OK);
    ck_assert_str_eq(address.share, "sss");
    ck_assert_str_eq(address.path, "");
    ck_assert_str_eq(address.resource, "/sss");
    ck_assert_int_eq(read_target("/pathacct/", &address), AZURE_OK);
    ck_assert_str_eq(address.share, "");
    ck_assert_str_eq(address.resource, "");
    ck_assert_int_eq(read_target("/pathacct", &address), AZURE_OK);
}
END_TEST

START_TEST(escapes_are_decoded_once)
{
    FilesAddress address;
    ck_assert_int_eq(read_target("/pathacct/sss/%252e%252e%252fx", &address), AZURE_OK);
    ck_assert_str_eq(address.path, "%2e%2e%2fx");
}
END_TEST

START_TEST(a_snapshot_is_named_in_the_query)
{
    HttpRequest request = request_of(LISTENER_PLAIN, "127.0.0.1:1", "/pathacct/sss");
    FilesAddress address;
    ck_assert(http_read_query(&request, "sharesnapshot=2018-06-15T21%3A57%3A57.0000000Z"));
    ck_assert_int_eq(files_address_read(&request, "core.windows.net", &address), AZURE_OK);
    ck_assert_str_eq(address.snapshot, "2018-06-15T21:57:57.0000000Z");
    ck_assert(http_read_query(&request, "sharesnapshot=../x"));
    ck_assert_int_eq(files_address_read(&request, "core.windows.net", &address),
                     AZURE_FILES_ADDRESS_SNAPSHOT);
}
END_TEST

START_TEST(the_blob_host_is_recognized)
{
    FilesAddress address;
    HttpRequest request = request_of(LISTENER_TLS, "pathacct.blob.core.windows.net", "/container");
    ck_assert_int_eq(files_address_read(&request, "core.windows.net", &address), AZURE_OK);
    ck_assert_int_eq(address.host, BLOB_HOST);
    ck_assert_str_eq(address.share, "container");
}
END_TEST

static const char *repeated(const char *text, int count)
{
    const size_t length = strlen(text);
    char *out = arena_alloc(arena, length * (size_t)count + 1);
    for (int i = 0; i < count; i++)
        memcpy(out + (size_t)i * length, text, length);
    return out;
}

START_TEST(invalid_addresses_are_refused)
{
    static const struct {
        const char *target;
        AzureError fault;
    } rows[] = {
        {"/ab/sss", AZURE_FILES_ADDRESS_ACCOUNT},
        {"/", AZURE_FILES_ADDRESS_ACCOUNT},
        {"", AZURE_FILES_ADDRESS_ACCOUNT},
        {"/Pathacct/sss", AZURE_FILES_ADDRESS_ACCOUNT},
        {"/subscriptions/sss", AZURE_FILES_ADDRESS_ACCOUNT},
        {"/abcdefghijklmnopqrstuvwxy/sss", AZURE_FILES_ADDRESS_ACCOUNT},
        {"/%zz/sss", AZURE_FILES_ADDRESS_URI},
        {"/pathacct/sss/%", AZURE_FILES_ADDRESS_URI},
        {"/pathacct/sss/a%00b", AZURE_FILES_ADDRESS_URI},
        {"/pathacct/ss", AZURE_FILES_ADDRESS_SHARE_LENGTH},
        {"/pathacct/s--s", AZURE_FILES_ADDRESS_SHARE},
        {"/pathacct/-sss", AZURE_FILES_ADDRESS_SHARE},
        {"/pathacct/Sss", AZURE_FILES_ADDRESS_SHARE},
        {"/pathacct/..", AZURE_FILES_ADDRESS_SHARE_LENGTH},
        {"/pathacct/sss/..", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/a/../../b", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/%2e%2e/b", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/./b", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/a%5Cb", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/a:b", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/a%0Ab", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/a*b", AZURE_FILES_ADDRESS_NAME},
        {"/pathacct/sss/%C0%AE%C0%AE/b", AZURE_FILES_ADDRESS_NAME}, // overlong form of ".."
        {"/pathacct/sss/%FF", AZURE_FILES_ADDRESS_NAME},
    };
    FilesAddress address;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(read_target(rows[i].target, &address) == rows[i].fault, "%s", rows[i].target);
    const char *name = repeated("n", 256);
    ck_assert_int_eq(read_target(arena_printf(arena, "/pathacct/sss/%s", name), &address),
                     AZURE_FILES_ADDRESS_NAME);
    ck_assert_int_eq(read_target(arena_printf(arena, "/pathacct/sss/%s", name + 1), &address),
                     AZURE_OK);
    const char *deep = arena_printf(arena, "/pathacct/sss%s", repeated("/d", 251));
    ck_assert_int_eq(read_target(deep, &address), AZURE_FILES_ADDRESS_PATH);
}
END_TEST

START_TEST(only_storage_hosts_and_accounts_are_ours)
{
    static const struct {
        const char *host, *target;
        bool is_ours;
    } rows[] = {
        {"a123.file.core.windows.net", "/", true},
        {"a123.blob.core.windows.net:443", "/x", true},
        {"a123.queue.core.windows.net", "/", false},
        {"a123.file.core.windows.net.evil.example", "/", false},
        {"file.core.windows.net", "/", false},
        {"127.0.0.1:8443", "/subscriptions/x", false},
        {"127.0.0.1:8443", "/providers/x", false},
        {"127.0.0.1:8443", "/msi/token", false},
        {"127.0.0.1:8443", "/trainyard/clock", false},
        {"127.0.0.1:8443", "/", false},
        {"127.0.0.1:8443", "/mystorageaccount/myshare", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const HttpRequest request = request_of(LISTENER_TLS, rows[i].host, rows[i].target);
        ck_assert_msg(files_address_is_ours(&request, "core.windows.net") == rows[i].is_ours,
                      "%s%s", rows[i].host, rows[i].target);
    }
}
END_TEST

START_TEST(a_url_of_any_form_is_an_address)
{
    static const struct {
        const char *url;
        AzureError fault;
    } rows[] = {
        {"https://pathacct.file.core.windows.net/sss/dir%20%C3%BC/a%20b.txt?sv=1", AZURE_OK},
        {"http://127.0.0.1:8080/pathacct/sss/dir%20%C3%BC/a%20b.txt", AZURE_OK},
        {"HTTP://localhost/pathacct/sss/dir%20%C3%BC/a%20b.txt#x", AZURE_OK},
        {"https://pathacct.file.core.emu@127.0.0.1:9/sss/dir%20%C3%BC/a%20b.txt", AZURE_OK},
        {"https://example.org/pathacct/sss/dir%20%C3%BC/a%20b.txt", AZURE_FILES_ADDRESS_URI},
        {"https://pathacct.file.core.windows.net.example.org/sss/x", AZURE_FILES_ADDRESS_URI},
        {"http:///pathacct/sss/x", AZURE_FILES_ADDRESS_URI},
        {"http://127/pathacct/sss/x", AZURE_FILES_ADDRESS_URI},
        {"file:///etc/passwd", AZURE_FILES_ADDRESS_URI},
        {"/pathacct/sss/x", AZURE_FILES_ADDRESS_URI},
        {"http://127.0.0.1/pathacct/sss/x?a=%", AZURE_FILES_ADDRESS_URI},
        {"", AZURE_FILES_ADDRESS_URI},
    };
    const HttpRequest outer = request_of(LISTENER_TLS, "127.0.0.1:8080", "/");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        HttpRequest inner;
        FilesAddress address;
        ck_assert_msg(files_address_read_url(&outer, rows[i].url, "core.windows.net", &inner,
                                             &address) == rows[i].fault,
                      "%s", rows[i].url);
        if (rows[i].fault == AZURE_OK)
            check_address(&address);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_address");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, three_forms_lead_to_one_file);
    tcase_add_test(tests, a_path_may_leave_its_account_to_the_signature);
    tcase_add_test(tests, a_path_is_split_after_it_is_decoded);
    tcase_add_test(tests, escapes_are_decoded_once);
    tcase_add_test(tests, a_snapshot_is_named_in_the_query);
    tcase_add_test(tests, the_blob_host_is_recognized);
    tcase_add_test(tests, invalid_addresses_are_refused);
    tcase_add_test(tests, only_storage_hosts_and_accounts_are_ours);
    tcase_add_test(tests, a_url_of_any_form_is_an_address);
    suite_add_tcase(suite, tests);
    return suite;
}
