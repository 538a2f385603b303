/* emu/files/auth/auth.h, emu/files/auth/sas.h: signatures that real clients made are taken, and no
 * others.
 *
 * The vectors were made by the Azure CLI 2.45 and the Python SDK 12.11 for account "pathacct". */
#include <check.h>
#include <string.h>

#include "emu/files/auth/auth.h"
#include "emu/files/auth/sas.h"
#include "emu/files/auth/sas_fields.h"
#include "emu/files/store/shares.h"
#include "emu/http/crypto.h"
#include "tests/emu/files_service.h"
#include "tests/support/suite.h"

static FilesService service;

static void set_up(void)
{
    service = service_create();
}

static void tear_down(void)
{
    service_remove(&service);
}

/* --- Requests --- */

typedef struct {
    HttpField headers[20];
    HttpRequest request;
} Asked;

static Asked *ask(const char *method, const char *host, const char *target, const char *query)
{
    Asked *asked = ARENA_NEW(service.arena, Asked);
    asked->request = (HttpRequest){.arena = service.arena,
                                   .listener = *host ? LISTENER_TLS : LISTENER_PLAIN,
                                   .method = http_method(method),
                                   .method_text = method,
                                   .host = *host ? host : "127.0.0.1:8080",
                                   .peer = "127.0.0.1",
                                   .target = target,
                                   .headers = asked->headers,
                                   .body = ""};
    ck_assert(http_read_query(&asked->request, query));
    return asked;
}

static void with(Asked *asked, const char *name, const char *value)
{
    asked->headers[asked->request.header_count++] = (HttpField){name, value};
}

/* NULL when it is let in, else the code. */
static const char *refused_for(const Asked *asked, FilesAccess *access)
{
    FilesAddress address;
    FilesDenial denial = {0};
    ck_assert_int_eq(files_address_read(&asked->request, "core.windows.net", &address), AZURE_OK);
    return files_authenticate(&service.azure, &asked->request, &address, access, &denial)
               ? NULL
               : azure_error(denial.error)->code;
}

static const char *refused(const Asked *asked)
{
    FilesAccess access;
    return refused_for(asked, &access);
}

static const char *host = "pathacct.file.core.windows.net";

/* --- SharedKey --- */

static Asked *azure_cli_creates_a_share(const char *signature)
{
    Asked *asked = ask("PUT", host, "/sss", "restype=share");
    with(asked, "Content-Length", "0");
    with(asked, "x-ms-share-quota", "9");
    with(asked, "x-ms-version", "2021-06-08");
    with(asked, "x-ms-client-request-id", "b6a7b56a-e503-11f1-accd-02fc00000001");
    with(asked, "x-ms-date", "Fri, 20 Nov 2026 16:59:13 GMT");
    with(asked, "Authorization", arena_printf(service.arena, "SharedKey pathacct:%s", signature));
    return asked;
}

START_TEST(host_style_signatures_of_the_azure_cli_are_accepted)
{
    Asked *asked = azure_cli_creates_a_share("iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJM=");
    ck_assert_str_eq(files_string_to_sign(&asked->request, "pathacct", false),
                     "PUT\n\n\n\n\n\n\n\n\n\n\n\n"
                     "x-ms-client-request-id:b6a7b56a-e503-11f1-accd-02fc00000001\n"
                     "x-ms-date:Fri, 20 Nov 2026 16:59:13 GMT\nx-ms-share-quota:9\n"
                     "x-ms-version:2021-06-08\n/pathacct/sss\nrestype:share");
    FilesAccess access;
    ck_assert_ptr_null(refused_for(asked, &access));
    ck_assert_ptr_null(access.permissions);
}
END_TEST

START_TEST(path_style_signatures_of_the_python_sdk_are_accepted)
{
    Asked *asked = ask("PUT", "", "/pathacct/sss/dir%20%C3%BC/a%20b.txt", "comp=range");
    with(asked, "x-ms-write", "update");
    with(asked, "Content-Type", "application/octet-stream");
    with(asked, "Content-MD5", "XUFAKrxLKna5cZ2REBfFkg==");
    with(asked, "Content-Length", "5");
    with(asked, "x-ms-range", "bytes=0-4");
    with(asked, "x-ms-version", "2021-12-02");
    with(asked, "X-Ms-Client-Request-Id", "dc080300-e503-11f1-a16f-02fc00000001");
    with(asked, "x-ms-date", "  Fri, 20 Nov 2026 17:00:16 GMT ");
    with(asked, "Authorization", "SharedKey pathacct:CKSm7FvNyZe+70LCAtEi2vDtAHKPKE4/Z1dZd+qJCQU=");
    ck_assert_str_eq(files_string_to_sign(&asked->request, "pathacct", false),
                     "PUT\n\n\n5\nXUFAKrxLKna5cZ2REBfFkg==\napplication/octet-stream\n\n\n\n\n\n\n"
                     "x-ms-client-request-id:dc080300-e503-11f1-a16f-02fc00000001\n"
                     "x-ms-date:Fri, 20 Nov 2026 17:00:16 GMT\nx-ms-range:bytes=0-4\n"
                     "x-ms-version:2021-12-02\nx-ms-write:update\n"
                     "/pathacct/pathacct/sss/dir%20%C3%BC/a%20b.txt\ncomp:range");
    asked->headers[7].value = "Fri, 20 Nov 2026 17:00:16 GMT";
    ck_assert_ptr_null(refused(asked));
}
END_TEST

/* Microsoft, "Authorize with Shared Key", "Content-Length header in version 2014-02-14 and
 * earlier".
 */
START_TEST(older_versions_sign_that_nothing_is_sent)
{
    static const char *const rows[][2] = {
        {"2014-02-14", "0"}, {"2015-02-21", ""}, {"2021-12-02", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Asked *asked = ask("PUT", host, "/sss", "restype=share");
        with(asked, "Content-Length", "0");
        with(asked, "x-ms-version", rows[i][0]);
        ck_assert_str_eq(files_string_to_sign(&asked->request, "pathacct", false),
                         arena_printf(service.arena,
                                      "PUT\n\n\n%s\n\n\n\n\n\n\n\n\nx-ms-version:%s\n"
                                      "/pathacct/sss\nrestype:share",
                                      rows[i][1], rows[i][0]));
    }
}
END_TEST

START_TEST(headers_are_ordered_by_their_names_alone)
{
    Asked *asked = ask("PUT", "", "/pathacct/sss/dir%20%C3%BC/a%20b.txt", "");
    with(asked, "Content-Length", "0");
    with(asked, "x-ms-meta-Key", "val");
    with(asked, "x-ms-meta", "{'Key': 'val'}");
    with(asked, "x-ms-type", "file");
    with(asked, "x-ms-content-length", "5");
    with(asked, "x-ms-file-permission", "Inherit");
    with(asked, "x-ms-file-attributes", "none");
    with(asked, "x-ms-file-creation-time", "now");
    with(asked, "x-ms-file-last-write-time", "now");
    with(asked, "x-ms-version", "2021-12-02");
    with(asked, "x-ms-client-request-id", "dc07bf58-e503-11f1-a16f-02fc00000001");
    with(asked, "x-ms-date", "Fri, 20 Nov 2026 17:00:16 GMT");
    with(asked, "Authorization", "SharedKey pathacct:pyBmS0kkc2vQWcaqdgPoRtkvJwc1KWUuJQ3NmuSopig=");
    ck_assert_str_eq(
        files_string_to_sign(&asked->request, "pathacct", false),
        "PUT\n\n\n\n\n\n\n\n\n\n\n\n"
        "x-ms-client-request-id:dc07bf58-e503-11f1-a16f-02fc00000001\nx-ms-content-length:5\n"
        "x-ms-date:Fri, 20 Nov 2026 17:00:16 GMT\nx-ms-file-attributes:none\n"
        "x-ms-file-creation-time:now\nx-ms-file-last-write-time:now\n"
        "x-ms-file-permission:Inherit\nx-ms-meta:{'Key': 'val'}\nx-ms-meta-key:val\n"
        "x-ms-type:file\nx-ms-version:2021-12-02\n"
        "/pathacct/pathacct/sss/dir%20%C3%BC/a%20b.txt");
    ck_assert_ptr_null(refused(asked));
}
END_TEST

START_TEST(the_userinfo_listener_takes_the_account_from_the_signature)
{
    Asked *asked = azure_cli_creates_a_share("iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJM=");
    asked->request.listener = LISTENER_USERINFO;
    asked->request.host = "127.0.0.1:8444";
    ck_assert_ptr_null(refused(asked));
}
END_TEST

START_TEST(repeated_parameters_are_sorted_and_joined)
{
    Asked *asked = ask("GET", host, "/sss", "B=2&a=z&b=1&c=x%20y&a=y");
    const char *text = files_string_to_sign(&asked->request, "pathacct", false);
    ck_assert_str_eq(strstr(text, "/pathacct"), "/pathacct/sss\na:y,z\nb:1,2\nc:x y");
}
END_TEST

static void sign_with(Asked *asked, const char *scheme, int which)
{
    const char *text =
        files_string_to_sign(&asked->request, "pathacct", strcmp(scheme, "SharedKeyLite") == 0);
    const char *signature = files_signature(&service.azure, service.arena, "pathacct", which, text);
    with(asked, "Authorization", arena_printf(service.arena, "%s pathacct:%s", scheme, signature));
}

START_TEST(the_lite_form_signs_less)
{
    Asked *asked = ask("GET", host, "/sss/a%20b", "restype=directory&comp=list");
    with(asked, "Date", "Fri, 20 Nov 2026 17:00:16 GMT");
    with(asked, "Content-Type", "text/plain");
    with(asked, "x-ms-version", "2021-12-02");
    ck_assert_str_eq(files_string_to_sign(&asked->request, "pathacct", true),
                     "GET\n\ntext/plain\nFri, 20 Nov 2026 17:00:16 GMT\n"
                     "x-ms-version:2021-12-02\n/pathacct/sss/a%20b?comp=list");
    sign_with(asked, "SharedKeyLite", 0);
    ck_assert_ptr_null(refused(asked));
    with(asked, "x-ms-late", "x");
    ck_assert_str_eq(refused(asked), "AuthenticationFailed");
}
END_TEST

START_TEST(headers_may_stand_in_the_order_of_words)
{
    // The JavaScript SDK 12.33 sorts "a_b" before "a1b" and after "a"; all others sort by bytes.
    static const char by_bytes[] = "x-ms-meta-a:0\nx-ms-meta-a1b:1\nx-ms-meta-a_b:2\n";
    static const char by_words[] = "x-ms-meta-a:0\nx-ms-meta-a_b:2\nx-ms-meta-a1b:1\n";
    static const char mixed[] = "x-ms-meta-a1b:1\nx-ms-meta-a:0\nx-ms-meta-a_b:2\n";
    const struct {
        const char *headers;
        bool is_let_in;
    } rows[] = {{by_bytes, true}, {by_words, true}, {mixed, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Asked *asked = ask("PUT", host, "/sss", "restype=share");
        with(asked, "x-ms-meta-a1b", "1");
        with(asked, "x-ms-meta-a_b", "2");
        with(asked, "x-ms-meta-a", "0");
        with(asked, "x-ms-date", "Fri, 20 Nov 2026 17:00:16 GMT");
        const char *text = arena_printf(service.arena,
                                        "PUT\n\n\n\n\n\n\n\n\n\n\n\n"
                                        "x-ms-date:Fri, 20 Nov 2026 17:00:16 GMT\n%s"
                                        "/pathacct/sss\nrestype:share",
                                        rows[i].headers);
        with(asked, "Authorization",
             arena_printf(service.arena, "SharedKey pathacct:%s",
                          files_signature(&service.azure, service.arena, "pathacct", 0, text)));
        ck_assert_msg(!refused(asked) == rows[i].is_let_in, "%s", rows[i].headers);
    }
}
END_TEST

START_TEST(both_keys_are_good)
{
    for (int which = 0; which < 2; which++) {
        Asked *asked = ask("GET", host, "/sss", "restype=share");
        with(asked, "x-ms-date", "Fri, 20 Nov 2026 17:00:16 GMT");
        sign_with(asked, "SharedKey", which);
        ck_assert_ptr_null(refused(asked));
    }
}
END_TEST

START_TEST(dates_differ_by_fifteen_minutes_at_most)
{
    static const struct {
        const char *name, *date;
        bool is_fresh;
    } rows[] = {
        {"x-ms-date", "Fri, 20 Nov 2026 16:45:20 GMT", true}, // 15 minutes to the second
        {"x-ms-date", "Fri, 20 Nov 2026 16:45:19 GMT", false},
        {"x-ms-date", "Fri, 20 Nov 2026 17:15:20 GMT", true},
        {"x-ms-date", "Fri, 20 Nov 2026 17:15:21 GMT", false},
        {"x-ms-date", "Sat, 21 Nov 2026 16:59:00 GMT", false},
        {"Date", "Fri, 20 Nov 2026 16:45:20 GMT", true},
        {"Date", "Fri, 20 Nov 2026 17:15:21 GMT", false},
        {"Date", "Fri, 20 Nov 2026 16:45:19 GMT", false},
        {"x-ms-date", "2026-11-20T17:00:16Z", false},
        {"x-ms-other", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Asked *asked = ask("GET", host, "/sss", "restype=share");
        with(asked, rows[i].name, rows[i].date);
        sign_with(asked, "SharedKey", 0);
        ck_assert_msg(!refused(asked) == rows[i].is_fresh, "%s", rows[i].date);
    }
}
END_TEST

START_TEST(unknown_clients_are_refused)
{
    static const char *const signatures[] = {
        "iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJN=", // not the one form
        "iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJQ=",
        "",
        "iTvsLLHhfOXNu9oex96tOp0blu8=",
        "not base64",
    };
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        ck_assert_str_eq(refused(azure_cli_creates_a_share(signatures[i])), "AuthenticationFailed");
    static const char *const headers[] = {
        "SharedKey other:iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJM=",
        "SharedKey pathacct",
        "SharedKey",
        "Bearer eyJ0",
        "sharedkey pathacct:iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJM=",
        "SharedKeyLite pathacct:iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJM=",
        "",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        Asked *asked = azure_cli_creates_a_share("iTvsLLHhfOXNu9oex96tOp0blu/okxfp1CieabwiUJM=");
        asked->headers[5].value = headers[i];
        ck_assert_str_eq(refused(asked), "AuthenticationFailed");
    }
    ck_assert_str_eq(refused(ask("GET", host, "/sss", "")), "AuthenticationFailed");
    ck_assert_str_eq(refused(ask("GET", "nobody1.file.core.windows.net", "/sss", "")),
                     "AuthenticationFailed");
}
END_TEST

START_TEST(the_string_to_sign_is_returned_without_secrets)
{
    FilesAddress address;
    FilesAccess access;
    FilesDenial denial;
    Asked *asked = ask("PUT", host, "/sss/x", "");
    with(asked, "Authorization", "SharedKey pathacct:c2ln");
    ck_assert_int_eq(files_address_read(&asked->request, "core.windows.net", &address), AZURE_OK);
    ck_assert(!files_authenticate(&service.azure, &asked->request, &address, &access, &denial));
    ck_assert_ptr_nonnull(strstr(denial.detail, "/pathacct/sss/x"));
    ck_assert_ptr_null(strstr(denial.detail, "c2ln"));
    with(asked, "x-ms-copy-source", "https://x/y?sig=secret");
    ck_assert(!files_authenticate(&service.azure, &asked->request, &address, &access, &denial));
    ck_assert_ptr_null(strstr(denial.detail, "secret"));
}
END_TEST

START_TEST(alone_each_account_has_the_development_key)
{
    service.azure.is_files_only = true;
    Asked *asked = ask("GET", "", "/devstoreaccount1/sss", "restype=share");
    with(asked, "x-ms-date", "Fri, 20 Nov 2026 17:00:16 GMT");
    const char *text = files_string_to_sign(&asked->request, "devstoreaccount1", false);
    size_t length;
    unsigned char *key = base64_decode(service.arena, FILES_DEVELOPMENT_KEY, &length);
    ck_assert_ptr_nonnull(key);
    unsigned char code[SHA256_BYTES];
    crypto_hmac_sha256(key, length, text, strlen(text), code);
    with(asked, "Authorization",
         arena_printf(service.arena, "SharedKey devstoreaccount1:%s",
                      base64_encode(service.arena, code, sizeof code)));
    ck_assert_ptr_null(refused(asked));
    service.azure.is_files_only = false;
    ck_assert_str_eq(refused(asked), "AuthenticationFailed");
}
END_TEST

/* --- Shared access signatures --- */

static Asked *ask_file(const char *query)
{
    return ask("GET", host, "/sss/dir%20%C3%BC/a%20b.txt", query);
}

#define UNTIL_2030 "se=2030-01-02T03%3A04%3A05Z&"

START_TEST(url_signatures_of_the_python_sdk_are_accepted)
{
    FilesAccess access;
    ck_assert_ptr_null(
        refused_for(ask_file(UNTIL_2030 "sp=r&sv=2021-12-02&sr=f&"
                                        "sig=x2yk8LSCwT9b0761aHEPUhyUVcSk8TAFS8cRGedyHxo%3D"),
                    &access));
    ck_assert_str_eq(access.permissions, "r");
    ck_assert_ptr_null(access.kinds);
    const char *of_share = UNTIL_2030 "sp=rl&sv=2021-12-02&sr=s&"
                                      "sig=ysA9o5b6rXwZ113pHAA4LBMxIQl1f4i1Y2L0iNh14rs%3D";
    ck_assert_ptr_null(refused_for(ask_file(of_share), &access));
    ck_assert_str_eq(access.permissions, "rl");
    ck_assert_ptr_null(refused(ask("GET", "", "/pathacct/sss", of_share)));
    const char *of_account = UNTIL_2030 "sp=rl&sv=2021-12-02&ss=f&srt=sco&"
                                        "sig=3Lv2IsVCCsfaN3qJCD0btW1OdtTLmzvrSIeJlPyytdo%3D";
    ck_assert_ptr_null(refused_for(ask_file(of_account), &access));
    ck_assert_str_eq(access.permissions, "rl");
    ck_assert_str_eq(access.kinds, "sco");
}
END_TEST

START_TEST(a_url_is_good_for_nothing_else)
{
    static const struct {
        const char *target, *query;
    } rows[] = {
        {"/sss/dir%20%C3%BC/a%20c.txt",
         UNTIL_2030 "sp=r&sv=2021-12-02&sr=f&sig=x2yk8LSCwT9b0761aHEPUhyUVcSk8TAFS8cRGedyHxo%3D"},
        {"/sss/dir%20%C3%BC/a%20b.txt",
         UNTIL_2030 "sp=rw&sv=2021-12-02&sr=f&sig=x2yk8LSCwT9b0761aHEPUhyUVcSk8TAFS8cRGedyHxo%3D"},
        {"/sss/dir%20%C3%BC/a%20b.txt",
         "se=2031-01-02T03%3A04%3A05Z&"
         "sp=r&sv=2021-12-02&sr=f&sig=x2yk8LSCwT9b0761aHEPUhyUVcSk8TAFS8cRGedyHxo%3D"},
        {"/sss/dir%20%C3%BC/a%20b.txt",
         UNTIL_2030 "sp=r&sv=2021-12-02&sr=f&sig=x2yk8LSCwT9b0761aHEPUhyUVcSk8TAFS8cRGedyHxp%3D"},
        {"/sss/dir%20%C3%BC/a%20b.txt", UNTIL_2030
         "sp=r&sv=2021-12-02&sr=f&sig=x2yk8LSCwT9b0761aHEPUhyUVcSk8TAFS8cRGedyHxo%3D&rsct=x"},
        {"/ttt",
         UNTIL_2030 "sp=rl&sv=2021-12-02&sr=s&sig=ysA9o5b6rXwZ113pHAA4LBMxIQl1f4i1Y2L0iNh14rs%3D"},
        {"/sss",
         UNTIL_2030 "sp=rl&sv=2021-12-02&sr=b&sig=ysA9o5b6rXwZ113pHAA4LBMxIQl1f4i1Y2L0iNh14rs%3D"},
        {"/sss",
         UNTIL_2030 "sp=rl&sv=latest&sr=s&sig=ysA9o5b6rXwZ113pHAA4LBMxIQl1f4i1Y2L0iNh14rs%3D"},
        {"/sss", "sig="},
        {"/sss", "sig=ysA9o5b6rXwZ113pHAA4LBMxIQl1f4i1Y2L0iNh14rs%3D"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *code = refused(ask("GET", host, rows[i].target, rows[i].query));
        ck_assert_msg(code && strcmp(code, "AuthenticationFailed") == 0, "%s?%s", rows[i].target,
                      rows[i].query);
    }
}
END_TEST

/* A share's URL of these fields, in the order in which they are signed. */
typedef struct {
    const char *permissions, *start, *expiry, *policy, *addresses, *protocol;
} Signed;

static Asked *ask_share(Signed sas)
{
    const char *text = arena_printf(
        service.arena, "%s\n%s\n%s\n/file/pathacct/sss\n%s\n%s\n%s\n2018-03-28\n\n\n\n\n",
        sas.permissions, sas.start, sas.expiry, sas.policy, sas.addresses, sas.protocol);
    const char *query = "sv=2018-03-28&sr=s";
    const char *const fields[][2] = {
        {"sp", sas.permissions},
        {"st", sas.start},
        {"se", sas.expiry},
        {"si", sas.policy},
        {"sip", sas.addresses},
        {"spr", sas.protocol},
        {"sig", files_signature(&service.azure, service.arena, "pathacct", 1, text)}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (*fields[i][1] != '\0')
            query = arena_printf(service.arena, "%s&%s=%s", query, fields[i][0],
                                 http_encode(service.arena, fields[i][1], ""));
    return ask("GET", "", "/pathacct/sss", query);
}

static const Signed good = {"r", "", "2026-11-21", "", "", ""};

static const char *refused_with(size_t field, const char *value)
{
    Signed sas = good;
    ((const char **)&sas)[field] = value;
    return refused(ask_share(sas));
}

enum { START = 1, EXPIRY, POLICY, ADDRESSES, PROTOCOL };

START_TEST(a_url_is_good_in_its_time_by_the_clock_of_the_machine)
{
    // The machine: 2026-11-20T17:00:20Z. In the world it is still 2018.
    ck_assert_ptr_null(refused_with(EXPIRY, "2026-11-20T17:00:21Z"));
    ck_assert_ptr_nonnull(refused_with(EXPIRY, "2026-11-20T17:00:20Z"));
    ck_assert_ptr_nonnull(refused_with(EXPIRY, "2018-07-18T17:46Z"));
    ck_assert_ptr_null(refused_with(START, "2026-11-20T17:00Z"));
    ck_assert_ptr_nonnull(refused_with(START, "2026-11-20T17:01Z"));
    ck_assert_ptr_nonnull(refused_with(EXPIRY, "tomorrow"));
    ck_assert_ptr_nonnull(refused_with(START, "yesterday"));
    ck_assert_ptr_nonnull(refused_with(EXPIRY, ""));
}
END_TEST

START_TEST(a_url_is_good_from_its_addresses_by_its_protocol)
{
    ck_assert_ptr_null(refused_with(ADDRESSES, "127.0.0.1"));
    ck_assert_ptr_null(refused_with(ADDRESSES, "127.0.0.0-127.0.0.9"));
    ck_assert_str_eq(refused_with(ADDRESSES, "127.0.0.2-127.0.0.9"),
                     "AuthorizationSourceIPMismatch");
    ck_assert_str_eq(refused_with(ADDRESSES, "everywhere"), "AuthorizationSourceIPMismatch");
    ck_assert_ptr_null(refused_with(PROTOCOL, "https,http"));
    ck_assert_str_eq(refused_with(PROTOCOL, "https"), "AuthorizationProtocolMismatch");
    ck_assert_str_eq(refused_with(PROTOCOL, "ftp"), "AuthenticationFailed");
    Asked *asked = ask_share((Signed){"r", "", "2026-11-21", "", "127.0.0.1", "https"});
    asked->request.listener = LISTENER_TLS;
    ck_assert_ptr_null(refused(asked));
    asked->request.peer = NULL;
    ck_assert_str_eq(refused(asked), "AuthorizationSourceIPMismatch");
}
END_TEST

START_TEST(a_policy_of_the_share_completes_a_url)
{
    FileStore *files = service.files;
    const ShareName share = {.account = "pathacct", .share = "sss"};
    ck_assert_int_eq(files_share_create(files, share, 5120, ""), FILES_OK);
    ck_assert_int_eq(files_change(files, share, "", -1,
                                  "{\"policies\":[{\"id\":\"all\",\"start\":\"2026-01-01\","
                                  "\"expiry\":\"2027-01-01\",\"permission\":\"rl\"},"
                                  "{\"id\":\"late\",\"expiry\":\"2018-01-01\"}]}",
                                  NULL, NULL),
                     FILES_OK);
    FilesAccess access;
    ck_assert_ptr_null(refused_for(ask_share((Signed){"", "", "", "all", "", ""}), &access));
    ck_assert_str_eq(access.permissions, "rl");
    ck_assert_ptr_nonnull(refused(ask_share((Signed){"r", "", "", "all", "", ""})));
    ck_assert_ptr_nonnull(refused(ask_share((Signed){"r", "", "", "late", "", ""})));
    ck_assert_ptr_nonnull(refused(ask_share((Signed){"", "", "2026-11-21", "late", "", ""})));
    ck_assert_ptr_nonnull(refused(ask_share((Signed){"r", "", "2026-11-21", "none", "", ""})));
}
END_TEST

START_TEST(operations_need_their_letters)
{
    const FilesNeeds write = {'o', "cw", "w"}, keys = {'c', "", ""};
    static const struct {
        const char *permissions, *kinds;
        bool may_write;
    } rows[] = {
        {NULL, NULL, true}, {"w", NULL, true},    {"rwd", NULL, true},
        {"c", NULL, false}, {"rdl", NULL, false}, {"c", "o", true},
        {"w", "sco", true}, {"w", "sc", false},   {"rdl", "sco", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const FilesAccess access = {.permissions = rows[i].permissions, .kinds = rows[i].kinds};
        FilesDenial denial;
        ck_assert_int_eq(files_authorize(&access, &write, &denial), rows[i].may_write);
        ck_assert_int_eq(files_authorize(&access, &keys, &denial), rows[i].permissions == NULL);
    }
    const FilesAccess of_shares = {.permissions = "w", .kinds = "c"};
    const FilesAccess of_nothing = {.permissions = "r", .kinds = "o"};
    FilesDenial denial;
    ck_assert(!files_authorize(&of_shares, &write, &denial));
    ck_assert_str_eq(azure_error(denial.error)->code, "AuthorizationResourceTypeMismatch");
    ck_assert(!files_authorize(&of_nothing, &write, &denial));
    ck_assert_str_eq(azure_error(denial.error)->code, "AuthorizationPermissionMismatch");
}
END_TEST

START_TEST(urls_that_we_make_are_let_in)
{
    const char *url = files_sas_url(&service.azure, service.arena, FILES_HOST, "pathacct", "sss",
                                    "a b/stdout.txt", "rl", real_unix_ms + 3600999);
    ck_assert_ptr_nonnull(url);
    const char *begin =
        "http://127.0.0.1:8080/pathacct/sss/a%20b/stdout.txt?sv=2016-05-31&sr=f&sig=";
    ck_assert_int_eq(strncmp(url, begin, strlen(begin)), 0);
    ck_assert_ptr_nonnull(strstr(url, "&se=2026-11-20T18%3A00%3A20Z&sp=rl"));
    FilesAccess access;
    Asked *asked = ask("GET", "", "/pathacct/sss/a%20b/stdout.txt", strchr(url, '?') + 1);
    ck_assert_ptr_null(refused_for(asked, &access));
    ck_assert_str_eq(access.permissions, "rl");
    ck_assert_ptr_null(
        files_sas_url(&service.azure, service.arena, FILES_HOST, "nobody", "sss", "x", "r", 0));
}
END_TEST

START_TEST(times_have_few_forms)
{
    static const struct {
        const char *text;
        int64_t unix_ms; // -1: refused
    } rows[] = {{"2018-06-15", 1529020800000},
                {"2018-06-15T21:57Z", 1529099820000},
                {"2018-06-15T21:57:57Z", 1529099877000},
                {"2018-06-15T21:57:57.1234567Z", 1529099877000},
                {"2018-06-15T21:57:57.12345678Z", -1},
                {"2018-06-15T21:57:57.Z", -1},
                {"2018-06-15T21:57:57", -1},
                {"2018-06-15Z", -1},
                {"2018-06-31", -1},
                {"2018-06-15T25:00Z", -1},
                {"2018-06", -1},
                {"", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t unix_ms = -1;
        const bool is_read = sas_time_parse(rows[i].text, &unix_ms);
        ck_assert_msg(is_read == (rows[i].unix_ms >= 0) && unix_ms == rows[i].unix_ms, "%s",
                      rows[i].text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_auth");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, host_style_signatures_of_the_azure_cli_are_accepted);
    tcase_add_test(tests, path_style_signatures_of_the_python_sdk_are_accepted);
    tcase_add_test(tests, older_versions_sign_that_nothing_is_sent);
    tcase_add_test(tests, headers_are_ordered_by_their_names_alone);
    tcase_add_test(tests, the_userinfo_listener_takes_the_account_from_the_signature);
    tcase_add_test(tests, repeated_parameters_are_sorted_and_joined);
    tcase_add_test(tests, the_lite_form_signs_less);
    tcase_add_test(tests, headers_may_stand_in_the_order_of_words);
    tcase_add_test(tests, both_keys_are_good);
    tcase_add_test(tests, dates_differ_by_fifteen_minutes_at_most);
    tcase_add_test(tests, unknown_clients_are_refused);
    tcase_add_test(tests, the_string_to_sign_is_returned_without_secrets);
    tcase_add_test(tests, alone_each_account_has_the_development_key);
    tcase_add_test(tests, url_signatures_of_the_python_sdk_are_accepted);
    tcase_add_test(tests, a_url_is_good_for_nothing_else);
    tcase_add_test(tests, a_url_is_good_in_its_time_by_the_clock_of_the_machine);
    tcase_add_test(tests, a_url_is_good_from_its_addresses_by_its_protocol);
    tcase_add_test(tests, a_policy_of_the_share_completes_a_url);
    tcase_add_test(tests, operations_need_their_letters);
    tcase_add_test(tests, urls_that_we_make_are_let_in);
    tcase_add_test(tests, times_have_few_forms);
    suite_add_tcase(suite, tests);
    return suite;
}
