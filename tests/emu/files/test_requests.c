/* The common part of all requests to Azure Files: operation, authorization and refusal. Also the
 * few requests to the blob host. */
#include <check.h>
#include <string.h>

#include "emu/files/auth/sas.h"
#include "emu/files/operations.h"
#include "emu/files/xml.h"
#include "tests/emu/files_service.h"
#include "tests/support/suite.h"

static FilesService service;
static FilesService *s = &service;

static void set_up(void)
{
    service = service_create();
    ck_done(s, "PUT", "/sss?restype=share", "", 201);
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    ck_done(s, "PUT", "/sss/f", "x-ms-type: file\nx-ms-content-length: 5", 201);
}

static void tear_down(void)
{
    service_remove(&service);
}

START_TEST(an_error_says_its_code_everywhere)
{
    ck_answer(s, "GET", "/sss/none", "x-ms-client-request-id: my-id", 404, "ResourceNotFound");
    const char *body = answer_body(s);
    const XmlNode *error = xml_read(s->arena, body, strlen(body));
    ck_assert_ptr_nonnull(error);
    ck_assert_str_eq(error->name, "Error");
    ck_assert_str_eq(xml_child_text(error, "Code"), "ResourceNotFound");
    ck_assert_str_eq(xml_child_text(error, "Message"),
                     arena_printf(s->arena,
                                  "The specified resource does not exist.\nRequestId:%s\n"
                                  "Time:2018-07-18T17:45:00Z",
                                  answer_header(s, "x-ms-request-id")));
    ck_assert_str_eq(s->response.reason, "The specified resource does not exist.");
    ck_header(s, "Content-Type", "application/xml");
    ck_header(s, "x-ms-client-request-id", "my-id");
}
END_TEST

START_TEST(versions_and_ids_are_echoed_when_they_are_some)
{
    ck_done(s, "HEAD", "/sss/f", "x-ms-version: 2026-10-06\nx-ms-client-request-id: a b", 200);
    ck_header(s, "x-ms-version", "2026-10-06");
    ck_header(s, "x-ms-client-request-id", "");
    const char *first = answer_header(s, "x-ms-request-id");
    ck_answer(s, "HEAD", "/sss/f", "x-ms-version: latest", 400, "InvalidHeaderValue");
    ck_header(s, "x-ms-version", "2021-12-02");
    ck_assert_str_ne(answer_header(s, "x-ms-request-id"), first);
}
END_TEST

START_TEST(an_unknown_operation_is_refused_by_its_name)
{
    static const struct {
        const char *method, *target, *code;
        int status;
    } rows[] = {
        {"GET", "/sss/f?comp=page", "InvalidQueryParameterValue", 400},
        {"GET", "/sss?restype=container", "InvalidQueryParameterValue", 400},
        {"GET", "/sss?restype=service&comp=properties", "InvalidUri", 400},
        {"GET", "/?restype=share", "InvalidUri", 400},
        {"GET", "/?restype=directory", "InvalidUri", 400},
        {"GET", "/sss/f?restype=share", "InvalidUri", 400},
        {"GET", "/sss", "MissingRequiredQueryParameter", 400},
        {"PUT", "/sss", "MissingRequiredQueryParameter", 400},
        {"GET", "/", "InvalidQueryParameterValue", 400},
        {"GET", "/?comp=listhandles", "InvalidUri", 400},
        {"POST", "/sss/f", "UnsupportedHttpVerb", 405},
        {"PATCH", "/sss/f?comp=range", "UnsupportedHttpVerb", 405},
        {"DELETE", "/?comp=list", "UnsupportedHttpVerb", 405},
        {"HEAD", "/?comp=list", "UnsupportedHttpVerb", 405},
        {"BREW", "/sss/f", "UnsupportedHttpVerb", 405},
        {"POST", "/?restype=service&comp=userdelegationkey", "NotImplemented", 501},
        {"PUT", "/sss?restype=share&comp=undelete", "NotImplemented", 501},
        {"PUT", "/sss/l?restype=hardlink", "NotImplemented", 501},
        {"PUT", "/sss/l?restype=symboliclink", "NotImplemented", 501},
        {"GET", "/sss/l?restype=symboliclink", "NotImplemented", 501},
        {"OPTIONS", "/sss/f", "MissingRequiredHeader", 400},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_answer(s, rows[i].method, rows[i].target, "", rows[i].status, rows[i].code);
}
END_TEST

/* RFC 9110, 15.5.6. */
START_TEST(other_methods_get_the_list_of_allowed_ones)
{
    static const struct {
        const char *method, *target, *allowed;
    } rows[] = {
        {"POST", "/sss/f", "GET, HEAD, PUT, DELETE"},
        {"DELETE", "/sss/f?comp=metadata", "GET, HEAD, PUT"},
        {"BREW", "/sss?restype=share&comp=snapshot", "PUT"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_answer(s, rows[i].method, rows[i].target, "", 405, "UnsupportedHttpVerb");
        ck_header(s, "Allow", rows[i].allowed);
    }
}
END_TEST

START_TEST(invalid_addresses_are_refused)
{
    static const struct {
        const char *target, *code;
    } rows[] = {
        {"/pathacct/sss/%2e%2e/%2e%2e/etc/passwd", "InvalidResourceName"},
        {"/pathacct/sss/a%00b", "InvalidUri"},
        {"/pathacct/sss/%zz", "InvalidUri"},
        {"/pathacct/S_S?restype=share", "InvalidResourceName"},
        {"/pathacct/sss/a%5C..%5Cb", "InvalidResourceName"},
        {"/x/sss/f", "OutOfRangeInput"}, // the share "x" of the account that signs
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        HttpRequest request = service_request(s, "GET", rows[i].target, "", "", 0);
        service_sign(s, &request);
        ck_assert_msg(service_answer(s, &request) == 400, "%s", rows[i].target);
        ck_header(s, "x-ms-error-code", rows[i].code);
    }
}
END_TEST

START_TEST(directories_have_the_ids_that_their_entries_tell)
{
    ck_done(s, "PUT", "/sss/d/e", "x-ms-type: file\nx-ms-content-length: 0", 201);
    static const char *const pairs[][2] = {{"/sss?restype=directory", "/sss/d?restype=directory"},
                                           {"/sss/d?restype=directory", "/sss/d/e"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ck_done(s, "HEAD", pairs[i][0], "", 200);
        const char *id = answer_header(s, "x-ms-file-id");
        ck_done(s, "GET", arena_printf(s->arena, "%s&comp=list", pairs[i][0]), "", 200);
        ck_assert_ptr_nonnull(
            strstr(answer_body(s), arena_printf(s->arena, "<DirectoryId>%s</DirectoryId>", id)));
        ck_done(s, "HEAD", pairs[i][1], "", 200);
        ck_header(s, "x-ms-file-parent-id", id);
    }
}
END_TEST

/* Microsoft, "Naming and referencing shares, directories, files, and metadata": from version
 * 2022-11-02 on a request says whether dots at the ends of names are part of them. */
START_TEST(dots_at_the_ends_of_names_are_kept_on_request)
{
#define KEEPS "x-ms-version: 2022-11-02\nx-ms-allow-trailing-dot: true\n"
#define FILE_OF(bytes) "x-ms-type: file\nx-ms-content-length: " bytes
    ck_done(s, "PUT", "/sss/name", FILE_OF("1"), 201);
    ck_done(s, "PUT", "/sss/name.", KEEPS FILE_OF("2"), 201);
    ck_done(s, "PUT", "/sss/e../?restype=directory", KEEPS, 201);
    ck_done(s, "PUT", "/sss/e../in.", KEEPS FILE_OF("3"), 201);
    ck_done(s, "HEAD", "/sss/e../in.", KEEPS, 200);
    ck_answer(s, "HEAD", "/sss/e/in", "", 404, "ParentNotFound");
    ck_done(s, "GET", "/sss?restype=directory&comp=list", "", 200);
    ck_assert_ptr_nonnull(strstr(answer_body(s), "<Name>e..</Name>"));
    ck_assert_ptr_nonnull(strstr(answer_body(s), "<Name>name.</Name>"));
    ck_done(s, "HEAD", "/sss/name.", KEEPS, 200);
    ck_assert_int_eq(s->response.entity_bytes, 2);
    // Who does not ask, or speaks an older version, gets the other.
    ck_done(s, "HEAD", "/sss/name.", "", 200);
    ck_assert_int_eq(s->response.entity_bytes, 1);
    ck_done(s, "HEAD", "/sss/name.", "x-ms-version: 2022-11-02\nx-ms-allow-trailing-dot: false",
            200);
    ck_assert_int_eq(s->response.entity_bytes, 1);
    ck_done(s, "HEAD", "/sss/name.", "x-ms-version: 2021-12-02\nx-ms-allow-trailing-dot: true",
            200);
    ck_assert_int_eq(s->response.entity_bytes, 1);
    // A separate header names the source.
    static const char source[] = "x-ms-version: 2022-11-02\n"
                                 "x-ms-copy-source: http://127.0.0.1:8080/pathacct/sss/name.\n";
    ck_done(s, "PUT", "/sss/copy.", source, 202);
    ck_done(s, "HEAD", "/sss/copy", "", 200);
    ck_assert_int_eq(s->response.entity_bytes, 1);
    ck_done(s, "PUT", "/sss/copy.",
            arena_printf(s->arena, "%sx-ms-source-allow-trailing-dot: true", source), 202);
    ck_done(s, "HEAD", "/sss/copy", "", 200);
    ck_assert_int_eq(s->response.entity_bytes, 2);
    ck_done(s, "DELETE", "/sss/name.", KEEPS, 202);
    ck_done(s, "HEAD", "/sss/name", "", 200);
    ck_answer(s, "GET", "/sss/..", KEEPS, 400, "InvalidResourceName");
    ck_answer(s, "GET", "/sss/e../%2e/in.", KEEPS, 400, "InvalidResourceName");
#undef FILE_OF
#undef KEEPS
}
END_TEST

/* Microsoft, "Create File", "Set File Properties", and the same of directories. */
START_TEST(some_versions_have_all_of_smb_said)
{
    static const char *const targets[] = {"/sss/new", "/sss/f?comp=properties",
                                          "/sss/new?restype=directory",
                                          "/sss/d?restype=directory&comp=properties"};
    static const char *const smb[] = {"x-ms-file-attributes: None", "x-ms-file-creation-time: now",
                                      "x-ms-file-last-write-time: now",
                                      "x-ms-file-permission: inherit"};
    static const struct {
        const char *version;
        bool needs;
    } rows[] = {
        {"2018-11-09", false}, {"2019-02-02", true}, {"2021-04-10", true}, {"2021-06-08", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof targets / sizeof *targets; j++)
            for (int without = 0; without <= 4; without++) { // 4: without none
                const char *headers = arena_printf(
                    s->arena, "x-ms-version: %s\nx-ms-type: file\nx-ms-content-length: 5",
                    rows[i].version);
                for (int k = 0; k < 4; k++)
                    if (k != without)
                        headers = arena_printf(s->arena, "%s\n%s", headers, smb[k]);
                const bool is_new = strstr(targets[j], "new") != NULL;
                if (rows[i].needs && without < 4)
                    ck_answer(s, "PUT", targets[j], headers, 400, "MissingRequiredHeader");
                else
                    ck_done(s, "PUT", targets[j], headers, is_new ? 201 : 200);
                if (is_new)
                    service_ask(s, "DELETE", targets[j], "");
            }
    ck_done(s, "PUT", "/sss/f",
            "x-ms-version: 2021-04-10\nx-ms-type: file\nx-ms-content-length: 5\n"
            "x-ms-file-attributes: None\nx-ms-file-creation-time: now\n"
            "x-ms-file-last-write-time: now\n"
            "x-ms-file-permission-key: 12398064941523911634*14316923933238331526",
            201);
}
END_TEST

START_TEST(attributes_are_those_that_what_has_them_can_have)
{
    static const struct {
        const char *target, *attributes, *told; /* NULL: refused */
    } rows[] = {
        {"/sss/f?comp=properties", "None", "Archive"},
        {"/sss/f?comp=properties", "none|ReadOnly", NULL},
        {"/sss/f?comp=properties", "ReadOnly|None", NULL},
        {"/sss/f?comp=properties", "Hidden | System", "Hidden|System"},
        {"/sss/f?comp=properties", "Directory", NULL},
        {"/sss/f?comp=properties", "Hidden|Directory", NULL},
        {"/sss/d?restype=directory&comp=properties", "Directory", "Directory"},
        {"/sss/d?restype=directory&comp=properties", "Hidden", "Hidden|Directory"},
        {"/sss/d?restype=directory&comp=properties", "None|Directory", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *headers =
            arena_printf(s->arena, "x-ms-file-attributes: %s", rows[i].attributes);
        if (!rows[i].told) {
            ck_answer(s, "PUT", rows[i].target, headers, 400, "InvalidHeaderValue");
            continue;
        }
        ck_done(s, "PUT", rows[i].target, headers, 200);
        ck_header(s, "x-ms-file-attributes", rows[i].told);
    }
}
END_TEST

/* --- Who may --- */

START_TEST(requests_without_a_signature_are_refused)
{
    HttpRequest request = service_request(s, "GET", "/pathacct/sss/f", "", "", 0);
    ck_assert_int_eq(service_answer(s, &request), 403);
    ck_header(s, "x-ms-error-code", "AuthenticationFailed");
    ck_assert_ptr_nonnull(strstr(answer_body(s), "<AuthenticationErrorDetail>"));
    service_sign(s, &request);
    ck_assert_int_eq(service_answer(s, &request), 200);
    request.method = HTTP_HEAD;
    request.method_text = "HEAD";
    ck_assert_int_eq(service_answer(s, &request), 403); // signed for GET
    ck_assert_str_eq(answer_body(s), "");
    request.listener = LISTENER_USERINFO;
    request.header_count = 0;
    ck_assert_int_eq(service_answer(s, &request), 403);
}
END_TEST

START_TEST(all_three_forms_of_address_are_served)
{
    HttpRequest host = service_request(s, "HEAD", "/sss/f", "", "", 0);
    host.host = "pathacct.file.core.windows.net";
    host.listener = LISTENER_TLS;
    ck_assert(files_serves(&s->azure, &host));
    service_sign(s, &host);
    ck_assert_int_eq(service_answer(s, &host), 200);
    HttpRequest userinfo = service_request(s, "HEAD", "/sss/f", "", "", 0);
    userinfo.listener = LISTENER_USERINFO;
    ck_assert(files_serves(&s->azure, &userinfo));
    service_sign(s, &userinfo);
    ck_assert_int_eq(service_answer(s, &userinfo), 200);
    HttpRequest other = service_request(s, "GET", "/subscriptions", "", "", 0);
    ck_assert(!files_serves(&s->azure, &other));
}
END_TEST

/* A request with a SAS for the share, or with `kinds` for the account. */
static int32_t ask_with_sas(const char *method, const char *target, const char *headers,
                            const char *permissions, const char *kinds)
{
    Arena *arena = s->arena;
    const char *text =
        kinds ? arena_printf(arena, "pathacct\n%s\nf\n%s\n\n2030-01-01\n\n\n2018-03-28\n",
                             permissions, kinds)
              : arena_printf(arena,
                             "%s\n\n2030-01-01\n/file/pathacct/sss\n\n\n\n2018-03-28\n\n\n\n\n",
                             permissions);
    const char *signature = files_signature(&s->azure, arena, "pathacct", 0, text);
    const char *query =
        arena_printf(arena, "%c%s%s=%s&sp=%s&se=2030-01-01&sv=2018-03-28&sig=%s",
                     strchr(target, '?') ? '&' : '?', kinds ? "ss=f&" : "", kinds ? "srt" : "sr",
                     kinds ? kinds : "s", permissions, http_encode(arena, signature, ""));
    HttpRequest request = service_request(
        s, method, arena_printf(arena, "/pathacct%s%s", target, query), headers, "", 0);
    return service_answer(s, &request);
}

#define MADE "x-ms-type: file\nx-ms-content-length: 5"

START_TEST(a_sas_allows_the_operations_of_its_letters)
{
    static const struct {
        const char *method, *target, *headers;
        const char *share;   /* letters of a share's SAS that are enough; "" none are */
        const char *account; /* the same of an account's ... */
        char kind;           /* ... for this kind of resource */
    } rows[] = {
        {"GET", "/sss/f", "", "r", "r", 'o'},
        {"HEAD", "/sss/f", "", "r", "r", 'o'},
        {"GET", "/sss/f?comp=rangelist", "", "r", "r", 'o'},
        {"GET", "/sss/d?restype=directory", "", "r", "r", 'o'},
        {"GET", "/sss/d?restype=directory&comp=list", "", "l", "l", 'c'},
        {"PUT", "/sss/new", MADE, "cw", "cw", 'o'},
        {"PUT", "/sss/f", MADE, "w", "w", 'o'}, // it is there already
        {"PUT", "/sss/f?comp=range", "x-ms-write: clear\nx-ms-range: bytes=0-0", "w", "w", 'o'},
        {"PUT", "/sss/f?comp=metadata", "", "w", "w", 'o'},
        {"PUT", "/sss/d/e?restype=directory", "", "cw", "cw", 'o'},
        {"DELETE", "/sss/new", "", "d", "d", 'o'},
        {"DELETE", "/sss/d/e?restype=directory", "", "d", "d", 'o'},
        {"GET", "/sss?restype=share", "", "", "r", 'c'},
        {"GET", "/sss?restype=share&comp=acl", "", "", "", 'c'},
        {"PUT", "/sss?restype=share&comp=metadata", "", "", "w", 'c'},
        {"GET", "/?comp=list", "", "", "l", 's'},
        {"GET", "/?restype=service&comp=properties", "", "", "r", 's'},
    };
    static const char letters[] = "rcwdl";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int account = 0; account < 2; account++)
            for (const char *letter = letters; *letter; letter++) {
                const bool is_new = strstr(rows[i].target, "new") || strstr(rows[i].target, "/e?");
                if (is_new) { // each letter finds what is to be made away, and to be deleted there
                    const char *make = *rows[i].method == 'P' ? "DELETE" : "PUT";
                    service_ask(s, make, rows[i].target, MADE);
                }
                const char permissions[] = {*letter, '\0'}, kind[] = {rows[i].kind, '\0'};
                const char *enough = account ? rows[i].account : rows[i].share;
                const int32_t status = ask_with_sas(rows[i].method, rows[i].target, rows[i].headers,
                                                    permissions, account ? kind : NULL);
                ck_assert_msg((status < 300) == (strchr(enough, *letter) != NULL) &&
                                  (status < 300 || status == 403),
                              "%s %s with %c of %s: %d %s", rows[i].method, rows[i].target, *letter,
                              account ? "account" : "share", status,
                              answer_header(s, "x-ms-error-code"));
            }
    ck_assert_int_eq(ask_with_sas("GET", "/sss/f", "", "r", "sc"), 403);
    ck_header(s, "x-ms-error-code", "AuthorizationResourceTypeMismatch");
    ck_assert_int_eq(ask_with_sas("GET", "/sss/f", "", "w", "o"), 403);
    ck_header(s, "x-ms-error-code", "AuthorizationPermissionMismatch");
}
END_TEST

/* Renames with a SAS of the one file `to`, from a URL with another for `letters`; NULL: unsigned.
 */
static int32_t rename_with_sas(const char *to, const char *from, const char *letters,
                               const char *kind)
{
    static const char *plain = "http://127.0.0.1:8080";
    const int64_t expires_ms = real_unix_ms + 60000;
    const char *target =
        files_sas_url(&s->azure, s->arena, FILES_HOST, "pathacct", "sss", to, "rcw", expires_ms);
    const char *source = letters ? files_sas_url(&s->azure, s->arena, FILES_HOST, "pathacct", "sss",
                                                 from, letters, expires_ms)
                                 : arena_printf(s->arena, "%s/pathacct/sss/%s", plain, from);
    HttpRequest request = service_request(
        s, "PUT", arena_printf(s->arena, "%s&comp=rename%s", target + strlen(plain), kind),
        arena_printf(s->arena,
                     "x-ms-file-rename-source: %s\nx-ms-file-rename-replace-if-exists: true",
                     source),
        "", 0);
    return service_answer(s, &request);
}

START_TEST(a_sas_of_one_file_renames_no_other)
{
    ck_done(s, "PUT", "/sss/mine", MADE, 201);
    ck_assert_int_eq(rename_with_sas("mine", "f", NULL, ""), 403);
    ck_header(s, "x-ms-error-code", "AuthenticationFailed");
    // What a copy and a deletion would need.
    ck_assert_int_eq(rename_with_sas("mine", "f", "rw", ""), 403);
    ck_header(s, "x-ms-error-code", "AuthorizationPermissionMismatch");
    ck_assert_int_eq(rename_with_sas("mine", "f", "dw", ""), 403);
    ck_done(s, "HEAD", "/sss/f", "", 200);
    ck_assert_int_eq(rename_with_sas("mine", "f", "rd", ""), 200);
    ck_answer(s, "HEAD", "/sss/f", "", 404, "ResourceNotFound");
    // No SAS of a file is one of a directory.
    ck_assert_int_eq(rename_with_sas("stolen", "d", NULL, "&restype=directory"), 403);
    ck_assert_int_eq(rename_with_sas("stolen", "d", "rd", "&restype=directory"), 403);
    ck_done(s, "HEAD", "/sss/d?restype=directory", "", 200);
    // Those of the share and of the account are for all that is in them.
    static const char *source = "x-ms-file-rename-source: http://127.0.0.1:8080/pathacct/sss/";
    ck_assert_int_eq(ask_with_sas("PUT", "/sss/other?comp=rename",
                                  arena_printf(s->arena, "%smine", source), "w", NULL),
                     200);
    ck_assert_int_eq(ask_with_sas("PUT", "/sss/f?comp=rename",
                                  arena_printf(s->arena, "%sother", source), "w", "o"),
                     200);
}
END_TEST

START_TEST(every_operation_that_is_there_is_reached)
{
    int count = 0, missing = 0;
    for (const FilesOperation *row = files_operations; row->name; row++, count++) {
        ck_assert_msg(row->methods != 0, "%s", row->name);
        missing += row->handler == NULL;
    }
    ck_assert_int_eq(count, 46);
    ck_assert_int_eq(missing, 5); // those of an_unknown_operation_is_refused_by_its_name
}
END_TEST

START_TEST(a_service_sas_says_with_which_headers_to_answer)
{
    Arena *arena = s->arena;
    const char *text = "r\n\n2030-01-01\n/file/pathacct/sss/f\n\n\n\n2018-03-28\nno-store\n"
                       "attachment; filename=x\ngzip\nde\ntext/plain";
    const char *signature = files_signature(&s->azure, arena, "pathacct", 1, text);
    HttpRequest request = service_request(
        s, "GET",
        arena_printf(arena,
                     "/pathacct/sss/f?sr=f&sp=r&se=2030-01-01&sv=2018-03-28&rscc=no-store&rscd="
                     "attachment%%3B%%20filename%%3Dx&rsce=gzip&rscl=de&rsct=text%%2Fplain&sig=%s",
                     http_encode(arena, signature, "")),
        "", "", 0);
    ck_assert_int_eq(service_answer(s, &request), 200);
    ck_header(s, "Cache-Control", "no-store");
    ck_header(s, "Content-Disposition", "attachment; filename=x");
    ck_header(s, "Content-Encoding", "gzip");
    ck_header(s, "Content-Language", "de");
    ck_header(s, "Content-Type", "text/plain");
    ck_header(s, "x-ms-version", "2018-03-28");
    // Signed with a key they are parameters like others.
    ck_done(s, "GET", "/sss/f?rsct=text%2Fplain", "", 200);
    ck_header(s, "Content-Type", "application/octet-stream");
}
END_TEST

START_TEST(a_url_may_refer_to_a_stored_policy)
{
    static const char policies[] =
        "<SignedIdentifiers><SignedIdentifier><Id>p</Id><AccessPolicy><Expiry>2030-01-01</Expiry>"
        "<Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    ck_assert_int_eq(
        service_send(s, "PUT", "/sss?restype=share&comp=acl", "", policies, sizeof policies - 1),
        200);
    const char *signature =
        files_signature(&s->azure, s->arena, "pathacct", 0,
                        "\n\n\n/file/pathacct/sss\np\n\n\n2018-03-28\n\n\n\n\n");
    const char *query = arena_printf(s->arena, "sr=s&si=p&sv=2018-03-28&sig=%s",
                                     http_encode(s->arena, signature, ""));
    HttpRequest request =
        service_request(s, "GET", arena_printf(s->arena, "/pathacct/sss/f?%s", query), "", "", 0);
    ck_assert_int_eq(service_answer(s, &request), 200);
    request = service_request(
        s, "GET", arena_printf(s->arena, "/pathacct/sss/d?restype=directory&comp=list&%s", query),
        "", "", 0);
    ck_assert_int_eq(service_answer(s, &request), 403);
    ck_done(s, "PUT", "/sss?restype=share&comp=acl", "", 200); // and is revoked
    request =
        service_request(s, "GET", arena_printf(s->arena, "/pathacct/sss/f?%s", query), "", "", 0);
    ck_assert_int_eq(service_answer(s, &request), 403);
}
END_TEST

/* --- The blob host --- */

static int32_t ask_blob(const char *method, const char *target)
{
    HttpRequest request = service_request(s, method, target, "", "", 0);
    request.host = "pathacct.blob.core.windows.net";
    request.listener = LISTENER_TLS;
    service_sign(s, &request);
    return service_answer(s, &request);
}

START_TEST(the_blob_host_has_containers_and_what_jobs_write)
{
    ck_assert_int_eq(ask_blob("GET", "/batchaicontainer?restype=container"), 404);
    ck_header(s, "x-ms-error-code", "ContainerNotFound");
    the_world.said = "";
    ck_assert_int_eq(ask_blob("PUT", "/batchaicontainer?restype=container"), 201);
    ck_assert_str_eq(the_world.said, "{\"do\":\"share.create\",\"name\":\"pathacct/"
                                     "blob:batchaicontainer\",\"tier\":\"blob\"}\n");
    ck_assert_str_ne(answer_header(s, "ETag"), "");
    ck_assert_int_eq(ask_blob("PUT", "/batchaicontainer?restype=container"), 409);
    ck_header(s, "x-ms-error-code", "ContainerAlreadyExists");
    service_at(s, 100);
    ck_assert_int_eq(ask_blob("GET", "/batchaicontainer?restype=container"), 200);
    ck_header(s, "Last-Modified", "Wed, 18 Jul 2018 17:45:00 GMT");
    static const char *const others[][2] = {
        {"DELETE", "/batchaicontainer?restype=container"},
        {"GET", "/?comp=list"},
        {"GET", "/batchaicontainer?restype=container&comp=list"},
        {"PUT", "/batchaicontainer/blob"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert_int_eq(ask_blob(others[i][0], others[i][1]), 501);
        ck_header(s, "x-ms-error-code", "NotImplemented");
    }
    ck_assert_ptr_nonnull(strstr(answer_body(s), "(Blob: PUT)"));
    ck_assert_int_eq(ask_blob("GET", "/batchaicontainer/blob"), 404); // no job has written it
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_requests");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_error_says_its_code_everywhere);
    tcase_add_test(tests, versions_and_ids_are_echoed_when_they_are_some);
    tcase_add_test(tests, an_unknown_operation_is_refused_by_its_name);
    tcase_add_test(tests, other_methods_get_the_list_of_allowed_ones);
    tcase_add_test(tests, invalid_addresses_are_refused);
    tcase_add_test(tests, directories_have_the_ids_that_their_entries_tell);
    tcase_add_test(tests, dots_at_the_ends_of_names_are_kept_on_request);
    tcase_add_test(tests, some_versions_have_all_of_smb_said);
    tcase_add_test(tests, attributes_are_those_that_what_has_them_can_have);
    tcase_add_test(tests, requests_without_a_signature_are_refused);
    tcase_add_test(tests, all_three_forms_of_address_are_served);
    tcase_add_test(tests, a_sas_allows_the_operations_of_its_letters);
    tcase_add_test(tests, a_sas_of_one_file_renames_no_other);
    tcase_add_test(tests, every_operation_that_is_there_is_reached);
    tcase_add_test(tests, a_service_sas_says_with_which_headers_to_answer);
    tcase_add_test(tests, a_url_may_refer_to_a_stored_policy);
    tcase_add_test(tests, the_blob_host_has_containers_and_what_jobs_write);
    suite_add_tcase(suite, tests);
    return suite;
}
