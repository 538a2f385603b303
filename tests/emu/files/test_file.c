/* Operations of directories and files: requests of Azure's clients and their answers. */
#include <check.h>
#include <string.h>

#include "emu/files/store/shares.h"
#include "emu/files/xml.h"
#include "tests/emu/files_service.h"
#include "tests/support/suite.h"

static FilesService service;
static FilesService *s = &service;

static void set_up(void)
{
    service = service_create();
    ck_done(s, "PUT", "/sss?restype=share", "", 201);
    the_world.said = "";
}

static void tear_down(void)
{
    service_remove(&service);
}

static const XmlNode *xml_root(void)
{
    const char *body = answer_body(s);
    const XmlNode *node = xml_read(s->arena, body, strlen(body));
    ck_assert_msg(node != NULL, "%s", body);
    return node;
}

/* The text of the element at "A/B/C" below the root of the last answer; "(none)". */
static const char *xml_at(const char *path)
{
    const XmlNode *node = xml_root();
    while (node && *path) {
        const size_t length = strcspn(path, "/");
        node = xml_child(node, arena_strndup(s->arena, path, length));
        path += length + (path[length] == '/');
    }
    return node ? node->text : "(none)";
}

#define FILE_OF(bytes) "x-ms-type: file\nx-ms-content-length: " #bytes

static void put_text(const char *path, const char *text)
{
    const size_t length = strlen(text);
    ck_done(s, "PUT", path,
            arena_printf(s->arena, "x-ms-type: file\nx-ms-content-length: %zu", length), 201);
    if (length == 0)
        return;
    ck_assert_int_eq(
        service_send(
            s, "PUT", arena_printf(s->arena, "%s?comp=range", path),
            arena_printf(s->arena, "x-ms-write: update\nx-ms-range: bytes=0-%zu", length - 1), text,
            length),
        201);
}

/* --- Directories --- */

START_TEST(a_directory_is_made_looked_at_and_deleted)
{
    static const char *target = "/sss/cifar?restype=directory";
    ck_done(s, "PUT", target,
            "x-ms-meta-a: b\nx-ms-file-permission: inherit\nx-ms-file-attributes: none\n"
            "x-ms-file-creation-time: now\nx-ms-file-last-write-time: now",
            201);
    ck_header(s, "x-ms-file-attributes", "Directory");
    ck_header(s, "x-ms-file-creation-time", "2018-07-18T17:45:00.0000000Z");
    ck_header(s, "x-ms-request-server-encrypted", "true");
    ck_answer(s, "PUT", target, "", 409, "ResourceAlreadyExists");
    ck_answer(s, "PUT", "/sss?restype=directory", "", 409, "ResourceAlreadyExists");
    ck_answer(s, "PUT", "/sss/x/y?restype=directory", "", 404, "ParentNotFound");
    ck_answer(s, "PUT", "/ttt/x?restype=directory", "", 404, "ShareNotFound");
    ck_done(s, "PUT", "/sss/cifar%2Flogs?restype=directory", "", 201);

    ck_done(s, "GET", target, "", 200);
    ck_header(s, "x-ms-meta-a", "b");
    ck_done(s, "HEAD", "/sss/CIFAR/logs/?restype=directory", "", 200);
    ck_done(s, "GET", "/sss?restype=directory", "", 200);
    ck_answer(s, "GET", "/sss/none?restype=directory", "", 404, "ResourceNotFound");
    ck_answer(s, "DELETE", target, "", 409, "DirectoryNotEmpty");
    ck_done(s, "DELETE", "/sss/cifar/logs?restype=directory", "", 202);
    ck_done(s, "DELETE", target, "", 202);
    ck_answer(s, "DELETE", target, "", 404, "ResourceNotFound");
    ck_answer(s, "DELETE", "/sss?restype=directory", "", 400, "InvalidResourceName");
    ck_assert_str_eq(the_world.said, ""); // it knows files alone
}
END_TEST

START_TEST(a_directory_is_changed)
{
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    ck_done(s, "PUT", "/sss/d?restype=directory&comp=metadata", "x-ms-meta-k: v", 200);
    ck_done(s, "GET", "/sss/d?restype=directory&comp=metadata", "", 200);
    ck_header(s, "x-ms-meta-k", "v");
    ck_done(s, "PUT", "/sss/d?restype=directory&comp=properties",
            "x-ms-file-attributes: Hidden|ReadOnly\nx-ms-file-creation-time: "
            "2001-02-03T04:05:06.1234567Z\nx-ms-file-last-write-time: preserve",
            200);
    ck_header(s, "x-ms-file-attributes", "ReadOnly|Hidden|Directory");
    ck_header(s, "x-ms-file-creation-time", "2001-02-03T04:05:06.1234567Z");
    ck_answer(s, "DELETE", "/sss/d?restype=directory", "", 409, "ReadOnlyAttribute");
    ck_answer(s, "PUT", "/sss/d?restype=directory&comp=properties",
              "x-ms-file-attributes: Invisible", 400, "InvalidHeaderValue");
    ck_answer(s, "PUT", "/sss/d?restype=directory&comp=properties",
              "x-ms-file-creation-time: yesterday", 400, "InvalidHeaderValue");
    ck_answer(s, "PUT", "/sss?restype=directory&comp=metadata", "", 400, "InvalidResourceName");
}
END_TEST

START_TEST(the_content_of_a_directory_is_listed_in_pieces)
{
    ck_done(s, "PUT", "/sss/cifar?restype=directory", "", 201);
    ck_done(s, "PUT", "/sss/cifar/dir%20%C3%BC?restype=directory", "", 201);
    put_text("/sss/cifar/b%26c.py", "print()");
    put_text("/sss/cifar/a.py", "");
    static const char *target =
        "/sss/cifar?restype=directory&comp=list&include=timestamps,Etag,Attributes,PermissionKey";
    ck_done(s, "GET", target, "", 200);
    ck_assert_ptr_nonnull(strstr(answer_body(s), "ShareName=\"sss\" DirectoryPath=\"cifar\""));
    const XmlNode *entry = xml_child(xml_root(), "Entries")->first;
    ck_assert_str_eq(entry->name, "File");
    ck_assert_str_eq(xml_child_text(entry, "Name"), "a.py");
    ck_assert_str_eq(xml_child_text(entry, "Attributes"), "Archive");
    ck_assert_str_eq(xml_child_text(xml_child(entry, "Properties"), "Content-Length"), "0");
    entry = entry->next;
    ck_assert_str_eq(xml_child_text(entry, "Name"), "b&c.py");
    ck_assert_str_eq(xml_child_text(xml_child(entry, "Properties"), "Content-Length"), "7");
    ck_assert_str_eq(xml_child_text(xml_child(entry, "Properties"), "Last-Modified"),
                     "Wed, 18 Jul 2018 17:45:00 GMT");
    ck_assert_str_eq(xml_child_text(xml_child(entry, "Properties"), "LastWriteTime"),
                     "2018-07-18T17:45:00.0000000Z");
    entry = entry->next;
    ck_assert_str_eq(entry->name, "Directory");
    ck_assert_str_eq(xml_child_text(entry, "Name"), "dir \xc3\xbc");
    ck_assert_str_eq(xml_child_text(entry, "Attributes"), "Directory");
    ck_assert_ptr_null(entry->next);

    ck_done(s, "GET", "/sss/cifar?restype=directory&comp=list&maxresults=2", "", 200);
    ck_assert_ptr_null(xml_child(xml_child(xml_root(), "Entries")->first, "Attributes"));
    ck_assert_str_eq(xml_at("Prefix"), "(none)");
    ck_done(s, "GET",
            arena_printf(s->arena, "/sss/cifar?restype=directory&comp=list&maxresults=2&marker=%s",
                         http_encode(s->arena, xml_at("NextMarker"), "")),
            "", 200);
    ck_assert_str_eq(xml_at("Entries/Directory/Name"), "dir \xc3\xbc");
    ck_assert_str_eq(xml_at("NextMarker"), "");
    ck_done(s, "GET", "/sss/cifar?restype=directory&comp=list&prefix=b", "", 200);
    ck_assert_str_eq(xml_at("Entries/File/Name"), "b&c.py");
    ck_assert_str_eq(xml_at("Entries/Directory/Name"), "(none)");
    ck_answer(s, "GET", "/sss/none?restype=directory&comp=list", "", 404, "ResourceNotFound");
    ck_answer(s, "GET", "/sss/cifar/a.py?restype=directory&comp=list", "", 404, "ResourceNotFound");
}
END_TEST

START_TEST(no_client_holds_handles)
{
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    ck_done(s, "GET", "/sss/d?comp=listhandles", "", 200);
    ck_assert_str_eq(xml_at("Entries"), "");
    ck_assert_str_eq(xml_at("NextMarker"), "");
    ck_done(s, "PUT", "/sss/d?comp=forceclosehandles", "x-ms-handle-id: *\nx-ms-recursive: true",
            200);
    ck_header(s, "x-ms-number-of-handles-closed", "0");
    ck_answer(s, "PUT", "/sss/d?comp=forceclosehandles", "", 400, "MissingRequiredHeader");
    ck_answer(s, "GET", "/sss/none?comp=listhandles", "", 404, "ResourceNotFound");
}
END_TEST

/* --- Files --- */

START_TEST(a_file_is_made_looked_at_and_deleted)
{
    ck_done(s, "PUT", "/sss/a%20b.txt",
            FILE_OF(5) "\nx-ms-content-type: text/plain\nx-ms-content-md5: XUFAKrxLKna5cZ2REBfFkg=="
                       "\nx-ms-cache-control: no-cache\nx-ms-meta-k: v",
            201);
    ck_header(s, "x-ms-file-attributes", "Archive");
    ck_assert_str_eq(the_world.said, "{\"do\":\"file.upload\",\"name\":\"pathacct/sss\","
                                     "\"file\":\"a b.txt\",\"content\":{\"bytes\":5}}\n");
    the_world.said = "";
    ck_done(s, "HEAD", "/sss/A%20B.TXT", "", 200);
    ck_assert_int_eq(s->response.entity_bytes, 5);
    ck_header(s, "x-ms-type", "File");
    ck_header(s, "Accept-Ranges", "bytes");
    ck_header(s, "Content-Type", "text/plain");
    ck_header(s, "Content-MD5", "XUFAKrxLKna5cZ2REBfFkg==");
    ck_header(s, "Cache-Control", "no-cache");
    ck_header(s, "x-ms-meta-k", "v");
    ck_header(s, "x-ms-lease-state", "available");
    ck_done(s, "GET", "/sss/a%20b.txt", "", 200);
    ck_assert_int_eq(answer_bytes(s), 5);
    ck_assert_mem_eq(answer_body(s), "\0\0\0\0", 5);
    ck_done(s, "DELETE", "/sss/a%20b.txt", "", 202);
    ck_assert_str_eq(the_world.said, "{\"do\":\"file.delete\",\"name\":\"pathacct/sss\","
                                     "\"file\":\"a b.txt\"}\n");
    ck_answer(s, "HEAD", "/sss/a%20b.txt", "", 404, "ResourceNotFound");
    ck_answer(s, "GET", "/sss/a%20b.txt", "", 404, "ResourceNotFound");
    ck_answer(s, "DELETE", "/sss/a%20b.txt", "", 404, "ResourceNotFound");
}
END_TEST

START_TEST(making_a_file_is_checked)
{
    static const struct {
        const char *path, *headers, *code;
        int status;
    } rows[] = {
        {"/sss/f", "x-ms-content-length: 1", "MissingRequiredHeader", 400},
        {"/sss/f", "x-ms-type: file", "MissingRequiredHeader", 400},
        {"/sss/f", "x-ms-type: pipe\nx-ms-content-length: 1", "InvalidHeaderValue", 400},
        {"/sss/f", FILE_OF(-1), "InvalidHeaderValue", 400},
        {"/sss/f", FILE_OF(4398046511105), "InvalidHeaderValue", 400},
        {"/sss/f", FILE_OF(1) "\nx-ms-content-md5: abc", "InvalidMd5", 400},
        {"/sss/f", FILE_OF(1) "\nx-ms-content-type: \xff", "InvalidHeaderValue", 400},
        {"/sss/f", FILE_OF(1) "\nx-ms-file-attributes: Blue", "InvalidHeaderValue", 400},
        {"/sss/none/f", FILE_OF(1), "ParentNotFound", 404},
        {"/ttt/f", FILE_OF(1), "ShareNotFound", 404},
        {"/sss/d", FILE_OF(1), "ResourceTypeMismatch", 409},
        {"/sss/a%2F..%2Fb", FILE_OF(1), "InvalidResourceName", 400},
    };
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_answer(s, "PUT", rows[i].path, rows[i].headers, rows[i].status, rows[i].code);
    ck_assert_int_eq(service_send(s, "PUT", "/sss/f", FILE_OF(1), "x", 1), 400);
    ck_done(s, "PUT", "/sss/f", FILE_OF(4398046511104), 201); // 4 TiB of nothing
    ck_done(s, "HEAD", "/sss/f", "", 200);
    ck_assert_int_eq(s->response.entity_bytes, INT64_C(4398046511104));
}
END_TEST

START_TEST(a_file_that_the_world_refuses_is_not_there)
{
    the_world.refuses = STATUS_BAD_INPUT;
    ck_answer(s, "PUT", "/sss/f", FILE_OF(1), 400, "InvalidInput");
    the_world.refuses = STATUS_OK;
    ck_answer(s, "HEAD", "/sss/f", "", 404, "ResourceNotFound");
}
END_TEST

START_TEST(making_a_file_again_empties_it)
{
    put_text("/sss/f", "hello");
    ck_done(s, "PUT", "/sss/f", FILE_OF(2), 201);
    ck_done(s, "GET", "/sss/f", "", 200);
    ck_assert_int_eq(answer_bytes(s), 2);
    ck_assert_mem_eq(answer_body(s), "\0\0", 2);
}
END_TEST

START_TEST(ranges_are_written_in_any_order)
{
    ck_done(s, "PUT", "/sss/f", FILE_OF(10), 201);
    ck_assert_int_eq(service_send(s, "PUT", "/sss/f?comp=range",
                                  "x-ms-write: update\nRange: bytes=5-9\n"
                                  "Content-MD5: XUFAKrxLKna5cZ2REBfFkg==",
                                  "hello", 5),
                     201);
    ck_header(s, "Content-MD5", "XUFAKrxLKna5cZ2REBfFkg==");
    ck_assert_int_eq(service_send(s, "PUT", "/sss/f?comp=range",
                                  "x-ms-write: update\nx-ms-range: bytes=0-1\nRange: bytes=9-9",
                                  "ab", 2),
                     201);
    ck_done(s, "GET", "/sss/f", "", 200);
    ck_assert_mem_eq(answer_body(s), "ab\0\0\0hello", 10);
    ck_done(s, "GET", "/sss/f?comp=rangelist", "", 200);
    ck_header(s, "x-ms-content-length", "10");
    ck_assert_str_eq(xml_at("Range/Start"), "0");
    ck_done(s, "PUT", "/sss/f?comp=range", "x-ms-write: clear\nx-ms-range: bytes=6-8", 201);
    ck_done(s, "GET", "/sss/f", "", 200);
    ck_assert_mem_eq(answer_body(s), "ab\0\0\0h\0\0\0o", 10);
    ck_done(s, "GET", "/sss/f?comp=rangelist", "x-ms-range: bytes=9-", 200);
    ck_assert_str_eq(xml_at("Range/Start"), "9");
    ck_assert_str_eq(xml_at("Range/End"), "9");
    ck_answer(s, "GET", "/sss/f?comp=rangelist", "x-ms-range: bytes=10-", 416, "InvalidRange");
}
END_TEST

/* The ranges of the last answer, "0-4095 -8192-12287": those with a minus were cleared. */
static const char *ranges_told(void)
{
    const char *text = "";
    for (const XmlNode *range = xml_root()->first; range; range = range->next)
        text = arena_printf(s->arena, "%s%s%s%s-%s", text, *text ? " " : "",
                            strcmp(range->name, "ClearRange") == 0 ? "-" : "",
                            xml_child_text(range, "Start"), xml_child_text(range, "End"));
    return text;
}

START_TEST(changes_since_a_snapshot_are_listed)
{
    put_text("/sss/same", "hello");
    ck_done(s, "PUT", "/sss/f", FILE_OF(100000), 201);
    static const struct {
        const char *when, *headers, *body;
    } writes[] = {{"before", "x-ms-write: update\nx-ms-range: bytes=10-11", "ab"},
                  {"before", "x-ms-write: update\nx-ms-range: bytes=20000-20001", "ab"},
                  {"before", "x-ms-write: update\nx-ms-range: bytes=50000-50001", "ab"},
                  {"after", "x-ms-write: update\nx-ms-range: bytes=20001-20001", "c"},
                  {"after", "x-ms-write: clear\nx-ms-range: bytes=49152-53247", ""},
                  {"after", "x-ms-write: update\nx-ms-range: bytes=99999-99999", "z"}};
    const char *snapshot = NULL;
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        if (!snapshot && strcmp(writes[i].when, "after") == 0) {
            ck_done(s, "PUT", "/sss?restype=share&comp=snapshot", "", 201);
            snapshot = http_encode(s->arena, answer_header(s, "x-ms-snapshot"), "");
        }
        ck_assert_int_eq(service_send(s, "PUT", "/sss/f?comp=range", writes[i].headers,
                                      writes[i].body, strlen(writes[i].body)),
                         201);
    }
    put_text("/sss/new", "hello");
    put_text("/sss/empty", "");
    ck_done(s, "GET", "/sss/empty?comp=rangelist", "", 200);
    ck_assert_str_eq(ranges_told(), "");
    const char *since = arena_printf(s->arena, "?comp=rangelist&prevsharesnapshot=%s", snapshot);
    ck_done(s, "GET", arena_printf(s->arena, "/sss/f%s", since), "", 200);
    ck_assert_str_eq(ranges_told(), "19968-20479 -49152-53247 99840-99999");
    ck_done(s, "GET", arena_printf(s->arena, "/sss/f%s", since), "x-ms-range: bytes=20000-50000",
            200);
    ck_assert_str_eq(ranges_told(), "20000-20479 -49152-50000");
    ck_done(s, "GET", arena_printf(s->arena, "/sss/same%s", since), "", 200);
    ck_assert_str_eq(ranges_told(), "");
    ck_done(s, "GET", arena_printf(s->arena, "/sss/new%s", since), "", 200);
    ck_assert_str_eq(ranges_told(), "0-4");
    ck_done(s, "GET", arena_printf(s->arena, "/sss/empty%s", since), "", 200);
    ck_assert_str_eq(ranges_told(), "");
    ck_answer(s, "GET", "/sss/f?comp=rangelist&prevsharesnapshot=2000-01-01T00%3A00%3A00.0000000Z",
              "", 409, "PreviousSnapshotNotFound");
    ck_answer(s, "GET", "/sss/f?comp=rangelist&prevsharesnapshot=abc", "", 400,
              "InvalidQueryParameterValue");
    ck_answer(s, "GET", "/sss/f?comp=rangelist&prevsharesnapshot=", "", 400,
              "InvalidQueryParameterValue");
}
END_TEST

static void put_range(const char *path, const char *range, const char *text)
{
    const char *headers = arena_printf(s->arena, "x-ms-write: %s\nx-ms-range: bytes=%s",
                                       text ? "update" : "clear", range);
    ck_assert_int_eq(service_send(s, "PUT", arena_printf(s->arena, "%s?comp=range", path), headers,
                                  text ? text : "", text ? strlen(text) : 0),
                     201);
}

static const char *snapshot_made(void)
{
    ck_done(s, "PUT", "/sss?restype=share&comp=snapshot", "", 201);
    return http_encode(s->arena, answer_header(s, "x-ms-snapshot"), "");
}

/* Ranges of a file, since a snapshot of its share where one is named. */
static const char *ranges_since(const char *path, const char *snapshot)
{
    ck_done(s, "GET",
            arena_printf(s->arena, "%s?comp=rangelist%s%s", path,
                         snapshot ? "&prevsharesnapshot=" : "", snapshot ? snapshot : ""),
            "", 200);
    return ranges_told();
}

START_TEST(ranges_are_written_and_cleared_in_pages)
{
    // The sample of Put Range ("Sample Unaligned Clear Range"): partial pages are filled with
    // zeros.
    static char text[4097];
    memset(text, 'x', sizeof text - 1);
    ck_done(s, "PUT", "/sss/f", FILE_OF(4096), 201);
    put_range("/sss/f", "0-4095", text);
    put_range("/sss/f", "768-2303", NULL);
    ck_assert_str_eq(ranges_since("/sss/f", NULL), "0-1023 2048-4095");
    ck_done(s, "GET", "/sss/f", "", 200);
    memset(text + 768, '\0', 2303 - 768 + 1);
    ck_assert_mem_eq(answer_body(s), text, 4096);
    // A part of a page is a page, also at the end of the file.
    ck_done(s, "PUT", "/sss/g", FILE_OF(2049), 201);
    put_range("/sss/g", "700-709", "0123456789");
    ck_assert_str_eq(ranges_since("/sss/g", NULL), "512-1023");
    put_range("/sss/g", "0-2048", NULL);
    ck_assert_str_eq(ranges_since("/sss/g", NULL), "2048-2048");
    put_text("/sss/h", "HelloWorld");
    put_range("/sss/h", "1-8", NULL);
    ck_assert_str_eq(ranges_since("/sss/h", NULL), "0-9");
    ck_done(s, "GET", "/sss/h?comp=rangelist", "x-ms-range: bytes=3-5", 200);
    ck_assert_str_eq(ranges_told(), "3-5");
}
END_TEST

START_TEST(a_cleared_page_is_listed_whether_or_not_it_had_been_written)
{
    static char text[1537];
    memset(text, 'x', sizeof text - 1);
    ck_done(s, "PUT", "/sss/f", FILE_OF(2048), 201);
    const char *first = snapshot_made();
    put_range("/sss/f", "0-1535", text);
    const char *second = snapshot_made();
    put_range("/sss/f", "512-1023", NULL);
    ck_assert_str_eq(ranges_since("/sss/f", first), "0-511 -512-1023 1024-1535");
    ck_assert_str_eq(ranges_since("/sss/f", second), "-512-1023");
    const char *third = snapshot_made();
    ck_assert_str_eq(ranges_since("/sss/f", third), "");
    put_range("/sss/f", "0-1023", NULL);
    put_range("/sss/f", "1023-1024", "ab");
    ck_assert_str_eq(ranges_since("/sss/f", third), "-0-511 512-1535");
    // After the file is cut and extended again, the written bytes are gone.
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-content-length: 512", 200);
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-content-length: 2048", 200);
    ck_assert_str_eq(ranges_since("/sss/f", second), "-0-1535");
    ck_assert_str_eq(ranges_since("/sss/f", first), "-0-511");
    // However long it is: 4 TiB that were cleared are one run.
    ck_done(s, "PUT", "/sss/f", FILE_OF(4398046511104), 201);
    put_range("/sss/f", "0-4398046511103", NULL);
    put_range("/sss/f", "4398046511103-4398046511103", "z");
    ck_assert_str_eq(ranges_since("/sss/f", second),
                     "-0-4398046510591 4398046510592-4398046511103");
    // An empty range in place of a cleared one is not a change.
    ck_done(s, "PUT", "/sss/f", FILE_OF(2048), 201);
    put_range("/sss/f", "0-2047", NULL);
    const char *fourth = snapshot_made();
    ck_done(s, "PUT", "/sss/f", FILE_OF(2048), 201);
    ck_assert_str_eq(ranges_since("/sss/f", fourth), "");
}
END_TEST

START_TEST(writing_a_range_is_checked)
{
    static const struct {
        const char *headers, *body, *code;
        int status;
    } rows[] = {
        {"x-ms-range: bytes=0-1", "ab", "MissingRequiredHeader", 400},
        {"x-ms-write: append\nx-ms-range: bytes=0-1", "ab", "InvalidHeaderValue", 400},
        {"x-ms-write: update", "ab", "MissingRequiredHeader", 400},
        {"x-ms-write: update\nx-ms-range: bytes=0-", "ab", "InvalidHeaderValue", 400},
        {"x-ms-write: update\nx-ms-range: 0-1", "ab", "InvalidHeaderValue", 400},
        {"x-ms-write: update\nx-ms-range: bytes=0-1", "abc", "InvalidHeaderValue", 400},
        {"x-ms-write: update\nx-ms-range: bytes=0-1", "", "InvalidHeaderValue", 400},
        {"x-ms-write: clear\nx-ms-range: bytes=0-1", "ab", "InvalidHeaderValue", 400},
        {"x-ms-write: update\nx-ms-range: bytes=9-10", "ab", "InvalidRange", 416},
        {"x-ms-write: clear\nx-ms-range: bytes=0-10", "", "InvalidRange", 416},
        {"x-ms-write: update\nx-ms-range: bytes=0-1\nContent-MD5: XUFAKrxLKna5cZ2REBfFkg==", "ab",
         "Md5Mismatch", 400},
        {"x-ms-write: update\nx-ms-range: bytes=0-1\nContent-MD5: abcd", "ab", "InvalidMd5", 400},
        {"x-ms-write: update\nx-ms-range: bytes=0-1\nx-ms-structured-body: XSM/1.0", "ab",
         "UnsupportedHeader", 400},
    };
    ck_done(s, "PUT", "/sss/f", FILE_OF(10), 201);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int32_t status = service_send(s, "PUT", "/sss/f?comp=range", rows[i].headers,
                                            rows[i].body, strlen(rows[i].body));
        ck_assert_msg(status == rows[i].status &&
                          strcmp(answer_header(s, "x-ms-error-code"), rows[i].code) == 0,
                      "%s: %d %s", rows[i].headers, status, answer_header(s, "x-ms-error-code"));
    }
    ck_answer(s, "PUT", "/sss/none?comp=range", "x-ms-write: clear\nx-ms-range: bytes=0-1", 404,
              "ResourceNotFound");
    const size_t large = (4 << 20) + 1;
    const char *bytes = arena_alloc(s->arena, large);
    ck_done(s, "PUT", "/sss/g", FILE_OF(5000000), 201);
    ck_assert_int_eq(service_send(s, "PUT", "/sss/g?comp=range",
                                  "x-ms-write: update\nx-ms-range: bytes=0-4194304", bytes, large),
                     413);
    ck_header(s, "x-ms-error-code", "RequestBodyTooLarge");
    ck_assert_int_eq(service_send(s, "PUT", "/sss/g?comp=range",
                                  "x-ms-write: update\nx-ms-range: bytes=0-4194303", bytes,
                                  large - 1),
                     201);
}
END_TEST

START_TEST(parts_of_a_file_are_read)
{
    put_text("/sss/f", "hello");
    static const struct {
        const char *headers, *body, *range;
    } rows[] = {
        {"Range: bytes=1-", "ello", "bytes 1-4/5"},
        {"Range: bytes=0-0", "h", "bytes 0-0/5"},
        {"x-ms-range: bytes=3-33554431", "lo", "bytes 3-4/5"},
        {"x-ms-range: bytes=1-2\nRange: bytes=0-0", "el", "bytes 1-2/5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_done(s, "GET", "/sss/f", rows[i].headers, 206);
        ck_assert_str_eq(answer_body(s), rows[i].body);
        ck_header(s, "Content-Range", rows[i].range);
    }
    ck_answer(s, "GET", "/sss/f", "Range: bytes=5-", 416, "InvalidRange");
    ck_header(s, "Content-Range", "bytes */5");
    ck_answer(s, "GET", "/sss/f", "Range: bytes=-2", 400, "InvalidHeaderValue");
    put_text("/sss/empty", "");
    ck_answer(s, "GET", "/sss/empty", "x-ms-range: bytes=0-33554431", 416, "InvalidRange");
    ck_done(s, "GET", "/sss/empty", "", 200);
    ck_assert_int_eq(answer_bytes(s), 0);
}
END_TEST

/* RFC 9110, 13.1.5: the rest of a file that has changed since is of no use. */
START_TEST(a_range_request_with_an_outdated_validator_gets_the_whole_file)
{
    put_text("/sss/f", "hello");
    ck_done(s, "HEAD", "/sss/f", "", 200);
    const char *validators[] = {answer_header(s, "ETag"), answer_header(s, "Last-Modified")};
    service_at(s, 100);
    for (int is_changed = 0; is_changed < 2; is_changed++) {
        for (int i = 0; i < 2; i++) {
            ck_done(s, "GET", "/sss/f",
                    arena_printf(s->arena, "Range: bytes=1-2\nIf-Range: %s", validators[i]),
                    is_changed ? 200 : 206);
            ck_assert_str_eq(answer_body(s), is_changed ? "world" : "el");
            ck_header(s, "Content-Range", is_changed ? "" : "bytes 1-2/5");
        }
        put_text("/sss/f", "world");
    }
    ck_done(s, "GET", "/sss/f",
            "Range: bytes=1-2\nIf-Range: \"0x1\"\nx-ms-range-get-content-md5: true", 200);
    ck_header(s, "Content-MD5", "");
}
END_TEST

START_TEST(md5_is_of_the_range_or_of_the_whole)
{
    put_text("/sss/f", "hello");
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-content-md5: AAAAAAAAAAAAAAAAAAAAAA==", 200);
    ck_done(s, "GET", "/sss/f", "", 200);
    ck_header(s, "Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==");
    ck_done(s, "GET", "/sss/f", "x-ms-range: bytes=0-4\nx-ms-range-get-content-md5: true", 206);
    ck_header(s, "Content-MD5", "XUFAKrxLKna5cZ2REBfFkg==");
    ck_header(s, "x-ms-content-md5", "AAAAAAAAAAAAAAAAAAAAAA==");
    ck_answer(s, "GET", "/sss/f", "x-ms-range-get-content-md5: true", 400, "OutOfRangeInput");
    ck_done(s, "PUT", "/sss/g", FILE_OF(5000000), 201);
    ck_answer(s, "GET", "/sss/g", "x-ms-range: bytes=0-4194304\nx-ms-range-get-content-md5: true",
              400, "OutOfRangeInput");
}
END_TEST

/* Flips a bit of a stored byte of the only file. */
static void flip_stored(int64_t at)
{
    sqlite3_stmt *row;
    sqlite3_prepare_v2(store_connection(s->azure.store),
                       "SELECT blob FROM file_extent WHERE blob > 0", -1, &row, NULL);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    FILE *blob = fopen(
        arena_printf(s->arena, "%s/contents/%d", s->folder, sqlite3_column_int(row, 0)), "r+b");
    sqlite3_finalize(row);
    ck_assert_ptr_nonnull(blob);
    ck_assert_int_eq(fseek(blob, (long)at, SEEK_SET), 0);
    const int byte = fgetc(blob);
    ck_assert_int_ne(byte, EOF);
    ck_assert_int_eq(fseek(blob, (long)at, SEEK_SET), 0);
    ck_assert_int_eq(fputc(byte ^ 1, blob), byte ^ 1);
    fclose(blob);
}

START_TEST(damaged_contents_are_never_sent)
{
    enum { LENGTH = 1000000 };
    static char bytes[LENGTH];
    memset(bytes, 'x', sizeof bytes);
    ck_done(s, "PUT", "/sss/f", FILE_OF(1000000), 201);
    ck_assert_int_eq(service_send(s, "PUT", "/sss/f?comp=range",
                                  "x-ms-write: update\nx-ms-range: bytes=0-999999", bytes, LENGTH),
                     201);
    ck_done(s, "PUT", "/sss/g", FILE_OF(100), 201);
    flip_stored(500000);
    ck_answer(s, "GET", "/sss/f", "", 500, "ContentsDamaged");
    ck_assert_ptr_nonnull(strstr(answer_body(s), "<Code>ContentsDamaged</Code>"));
    ck_header(s, "ETag", "");
    ck_answer(s, "GET", "/sss/f", "x-ms-range: bytes=500001-500002", 500, "ContentsDamaged");
    ck_answer(s, "GET", "/sss/f",
              "x-ms-range: bytes=499990-500020\nx-ms-range-get-content-md5: true", 500,
              "ContentsDamaged");
    ck_answer(s, "PUT", "/sss/f?comp=range", "x-ms-write: clear\nx-ms-range: bytes=500001-500002",
              500, "ContentsDamaged");
    ck_answer(s, "PUT", "/sss/g?comp=range",
              "x-ms-write: update\nx-ms-range: bytes=0-99\nx-ms-source-range: "
              "bytes=499950-500049\nx-ms-copy-source: http://127.0.0.1:8080/pathacct/sss/f",
              500, "ContentsDamaged");
    ck_done(s, "GET", "/sss/f", "x-ms-range: bytes=0-400000", 206);
    ck_assert_mem_eq(answer_body(s), bytes, 400001);
    ck_done(s, "HEAD", "/sss/f", "", 200);
    ck_done(s, "DELETE", "/sss/f", "", 202);
}
END_TEST

START_TEST(large_files_are_sent_while_they_are_read)
{
    ck_done(s, "PUT", "/sss/f", FILE_OF(1000000), 201);
    ck_assert_int_eq(service_send(s, "PUT", "/sss/f?comp=range",
                                  "x-ms-write: update\nx-ms-range: bytes=999995-999999", "hello",
                                  5),
                     201);
    ck_done(s, "GET", "/sss/f", "x-ms-range: bytes=10-", 206);
    ck_assert(s->response.source.read != NULL);
    ck_assert_int_eq(answer_bytes(s), 999990);
    ck_assert_str_eq(answer_body(s) + 999985, "hello");
}
END_TEST

START_TEST(properties_are_set_together_and_sizes_alone)
{
    put_text("/sss/f", "hello");
    the_world.said = "";
    ck_done(s, "PUT", "/sss/f?comp=properties",
            "x-ms-content-type: text/html\nx-ms-content-language: de", 200);
    ck_done(s, "PUT", "/sss/f?comp=properties",
            "x-ms-content-length: 3\nx-ms-file-attributes: preserve\n"
            "x-ms-file-creation-time: preserve\nx-ms-file-last-write-time: preserve\n"
            "x-ms-file-permission: preserve",
            200);
    ck_assert_ptr_nonnull(strstr(the_world.said, "\"bytes\":3"));
    ck_done(s, "GET", "/sss/f", "", 200);
    ck_assert_str_eq(answer_body(s), "hel");
    ck_header(s, "Content-Type", "text/html");
    ck_header(s, "Content-Language", "de");
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-content-encoding: gzip", 200);
    ck_done(s, "GET", "/sss/f", "", 200);
    ck_header(s, "Content-Type", "");
    ck_header(s, "Content-Language", "");
    ck_header(s, "Content-Encoding", "gzip");
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-content-length: 6", 200);
    ck_done(s, "GET", "/sss/f", "", 200);
    ck_assert_mem_eq(answer_body(s), "hel\0\0\0", 6);
    ck_header(s, "Content-Encoding", "gzip");
    ck_done(s, "PUT", "/sss/f?comp=properties",
            "x-ms-content-type: a/b\nx-ms-content-md5: AQIDBA==", 200);
    ck_done(s, "HEAD", "/sss/f", "", 200);
    ck_header(s, "Content-Type", "a/b");
    ck_header(s, "Content-MD5", "AQIDBA=="); // whatever the client says that it is
    ck_done(s, "PUT", "/sss/f?comp=properties", "", 200);
    ck_done(s, "HEAD", "/sss/f", "", 200);
    ck_header(s, "Content-Type", "");
    ck_header(s, "Content-MD5", "");
    ck_done(s, "PUT", "/sss/f?comp=metadata", "x-ms-meta-Key: val", 200);
    ck_done(s, "GET", "/sss/f?comp=metadata", "", 200);
    ck_header(s, "x-ms-meta-key", "val");
    ck_answer(s, "PUT", "/sss/none?comp=properties", "", 404, "ResourceNotFound");
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    ck_answer(s, "PUT", "/sss/d?comp=properties", "", 409, "ResourceTypeMismatch");
}
END_TEST

START_TEST(a_read_only_file_is_not_written)
{
    put_text("/sss/f", "hello");
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-file-attributes: ReadOnly", 200);
    ck_answer(s, "PUT", "/sss/f?comp=range", "x-ms-write: clear\nx-ms-range: bytes=0-1", 409,
              "ReadOnlyAttribute");
    ck_answer(s, "PUT", "/sss/f", FILE_OF(1), 409, "ReadOnlyAttribute");
    ck_answer(s, "DELETE", "/sss/f", "", 409, "ReadOnlyAttribute");
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-file-attributes: None", 200);
    ck_header(s, "x-ms-file-attributes", "Archive");
    ck_done(s, "DELETE", "/sss/f", "", 202);
}
END_TEST

START_TEST(a_file_was_last_written_when_it_was_or_is_said_to_be)
{
    put_text("/sss/f", "hello");
    static const char *clear = "x-ms-write: clear\nx-ms-range: bytes=0-0";
    service_at(s, 60);
    ck_done(s, "PUT", "/sss/f?comp=range",
            arena_printf(s->arena, "%s\nx-ms-file-last-write-time: preserve", clear), 201);
    ck_header(s, "x-ms-file-last-write-time", "2018-07-18T17:45:00.0000000Z");
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-file-last-write-time: 2001-02-03T04:05:06Z",
            200);
    ck_header(s, "x-ms-file-last-write-time", "2001-02-03T04:05:06.0000000Z");
    ck_done(s, "PUT", "/sss/f?comp=range", clear, 201);
    ck_header(s, "x-ms-file-last-write-time", "2018-07-18T17:46:00.0000000Z");
    ck_done(s, "HEAD", "/sss/f", "", 200);
    ck_header(s, "x-ms-file-last-write-time", "2018-07-18T17:46:00.0000000Z");
    ck_answer(s, "PUT", "/sss/f?comp=range",
              arena_printf(s->arena, "%s\nx-ms-file-last-write-time: then", clear), 400,
              "InvalidHeaderValue");
}
END_TEST

#define LEASE_A "00000000-0000-0000-0000-00000000000a"
#define LEASE_B "00000000-0000-0000-0000-00000000000b"

START_TEST(a_leased_file_is_changed_by_the_lessee_alone)
{
    put_text("/sss/f", "hello");
    ck_answer(s, "PUT", "/sss/f?comp=lease", "x-ms-lease-action: acquire\nx-ms-lease-duration: 15",
              400, "InvalidHeaderValue");
    ck_answer(s, "PUT", "/sss/f?comp=lease", "x-ms-lease-action: renew\nx-ms-lease-id: " LEASE_A,
              400, "InvalidHeaderValue");
    ck_done(s, "PUT", "/sss/f?comp=lease",
            "x-ms-lease-action: acquire\nx-ms-lease-duration: -1\nx-ms-proposed-lease-id: " LEASE_A,
            201);
    ck_done(s, "HEAD", "/sss/f", "", 200);
    ck_header(s, "x-ms-lease-duration", "infinite");
    static const struct {
        const char *method, *target, *headers;
    } writes[] = {
        {"PUT", "/sss/f", FILE_OF(3)},
        {"PUT", "/sss/f?comp=range", "x-ms-write: clear\nx-ms-range: bytes=0-0"},
        {"PUT", "/sss/f?comp=properties", "x-ms-content-type: a/b"},
        {"PUT", "/sss/f?comp=metadata", "x-ms-meta-a: b"},
        {"DELETE", "/sss/f", "x-ms-x: y"},
    };
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        const char *headers = writes[i].headers;
        ck_answer(s, writes[i].method, writes[i].target, headers, 412, "LeaseIdMissing");
        ck_answer(s, writes[i].method, writes[i].target,
                  arena_printf(s->arena, "%s\nx-ms-lease-id: " LEASE_B, headers), 412,
                  "LeaseIdMismatchWithFileOperation");
        ck_assert_int_lt(
            service_ask(s, writes[i].method, writes[i].target,
                        arena_printf(s->arena, "%s\nx-ms-lease-id: " LEASE_A, headers)),
            300);
    }
    put_text("/sss/g", "hello");
    ck_answer(s, "DELETE", "/sss/g", "x-ms-lease-id: " LEASE_A, 412,
              "LeaseNotPresentWithFileOperation");
    ck_answer(s, "PUT", "/sss/h", FILE_OF(1) "\nx-ms-lease-id: " LEASE_A, 412,
              "LeaseNotPresentWithFileOperation");
    ck_answer(s, "DELETE", "/sss/g", "x-ms-lease-id: A", 400, "InvalidHeaderValue");
    ck_done(s, "PUT", "/sss/g?comp=lease", "x-ms-lease-action: acquire\nx-ms-lease-duration: -1",
            201);
    ck_done(s, "PUT", "/sss/g?comp=lease", "x-ms-lease-action: break", 202);
    ck_header(s, "x-ms-lease-time", "0");
    ck_done(s, "DELETE", "/sss/g", "", 202);
}
END_TEST

START_TEST(conditions_are_those_of_http)
{
    put_text("/sss/f", "hello");
    ck_done(s, "HEAD", "/sss/f", "", 200);
    const char *etag = answer_header(s, "ETag");
#define BEFORE "Wed, 18 Jul 2018 17:44:59 GMT"
#define THEN "Wed, 18 Jul 2018 17:45:00 GMT"
    const struct {
        const char *headers;
        int read, write; // statuses of GET and of setting metadata
    } rows[] = {
        {arena_printf(s->arena, "If-Match: %s", etag), 200, 200},
        {"If-Match: *", 200, 200},
        {"If-Match: \"0x0\"", 412, 412},
        {arena_printf(s->arena, "If-Match: \"0x0\", %s", etag), 200, 200},
        {"If-None-Match: \"0x0\"", 200, 200},
        {"If-None-Match: *", 304, 412},
        {"If-Modified-Since: " BEFORE, 200, 200},
        {"If-Modified-Since: " THEN, 304, 412},
        {"If-Unmodified-Since: " BEFORE, 412, 412},
        {"If-Unmodified-Since: " THEN, 200, 200},
        {"If-None-Match: \"0x0\"\nIf-Modified-Since: " THEN, 200, 200},
        {"If-Modified-Since: yesterday", 400, 400},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        // The same ETag each time: metadata is set in another file that is as old.
        const int32_t read = service_ask(s, "GET", "/sss/f", rows[i].headers);
        ck_assert_msg(read == rows[i].read, "GET %s: %d", rows[i].headers, read);
        if (read == 304 || read == 412)
            ck_header(s, "x-ms-error-code", "ConditionNotMet");
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int32_t write = service_ask(s, "PUT", "/sss/f?comp=lease", rows[i].headers);
        // 400: the condition holds, and then the lease's action is missing.
        const int expected = rows[i].write == 200 ? 400 : rows[i].write;
        ck_assert_msg(write == expected, "PUT %s: %d", rows[i].headers, write);
    }
    ck_answer(s, "PUT", "/sss/new", FILE_OF(1) "\nIf-Match: *", 412, "ConditionNotMet");
    ck_done(s, "PUT", "/sss/new", FILE_OF(1) "\nIf-None-Match: *", 201);
    ck_answer(s, "PUT", "/sss/new", FILE_OF(1) "\nIf-None-Match: *", 412, "ConditionNotMet");
    ck_answer(s, "GET", "/sss/none", "If-Match: *", 404, "ResourceNotFound");
}
END_TEST

/* --- Copies --- */

#define SOURCE "https://pathacct.file.core.windows.net/sss/"

START_TEST(a_file_is_copied_with_its_properties)
{
    put_text("/sss/f", "hello");
    ck_done(s, "PUT", "/sss/f?comp=properties", "x-ms-content-type: text/plain", 200);
    ck_done(s, "PUT", "/sss/f?comp=metadata", "x-ms-meta-a: b", 200);
    the_world.said = "";
    service_at(s, 5);
    ck_done(s, "PUT", "/sss/g", "x-ms-copy-source: " SOURCE "f", 202);
    ck_header(s, "x-ms-copy-status", "success");
    const char *id = answer_header(s, "x-ms-copy-id");
    ck_assert_uint_eq(strlen(id), 36);
    ck_assert_ptr_nonnull(strstr(the_world.said, "\"file\":\"g\",\"content\":{\"bytes\":5}"));
    ck_done(s, "GET", "/sss/g", "", 200);
    ck_assert_str_eq(answer_body(s), "hello");
    ck_header(s, "Content-Type", "text/plain");
    ck_header(s, "x-ms-meta-a", "b");
    ck_header(s, "x-ms-copy-id", id);
    ck_header(s, "x-ms-copy-status", "success");
    ck_header(s, "x-ms-copy-source", SOURCE "f");
    ck_header(s, "x-ms-copy-progress", "5/5");
    ck_header(s, "x-ms-copy-completion-time", "Wed, 18 Jul 2018 17:45:05 GMT");
    ck_done(s, "PUT", "/sss/g",
            "x-ms-meta-c: d\nx-ms-copy-source: http://127.0.0.1:1/pathacct/sss/f", 202);
    ck_done(s, "HEAD", "/sss/g", "", 200);
    ck_header(s, "x-ms-meta-a", "");
    ck_header(s, "x-ms-meta-c", "d");
    ck_answer(s, "PUT", arena_printf(s->arena, "/sss/g?comp=copy&copyid=%s", id),
              "x-ms-copy-action: abort", 409, "NoPendingCopyOperation");
    ck_answer(s, "PUT", "/sss/g?comp=copy", "x-ms-copy-action: abort", 400,
              "MissingRequiredQueryParameter");
    ck_answer(s, "PUT", "/sss/g?comp=copy&copyid=x", "", 400, "MissingRequiredHeader");
}
END_TEST

#define TIME_A "2001-02-03T04:05:06.0000000Z"
#define TIME_B "2002-02-03T04:05:06.0000000Z"
#define TIME_C "2003-02-03T04:05:06.0000000Z"
#define TIMES_ABC                                                                                  \
    "x-ms-file-creation-time: " TIME_A "\nx-ms-file-last-write-time: " TIME_B                      \
    "\nx-ms-file-change-time: " TIME_C

START_TEST(a_copy_has_the_smb_properties_of_its_source_on_request)
{
    ck_done(s, "PUT", "/sss/f",
            FILE_OF(5) "\nx-ms-file-attributes: ReadOnly|Hidden\n"
                       "x-ms-file-permission: O:SYG:SYD:(A;;FA;;;SY)\n" TIMES_ABC,
            201);
    const char *key = answer_header(s, "x-ms-file-permission-key");
    service_at(s, 5);
    ck_done(s, "PUT", "/sss/plain", "x-ms-copy-source: " SOURCE "f", 202);
    ck_done(s, "HEAD", "/sss/plain", "", 200);
    ck_header(s, "x-ms-file-attributes", "Archive");
    ck_header(s, "x-ms-file-creation-time", "2018-07-18T17:45:05.0000000Z");
    ck_header(s, "x-ms-file-last-write-time", "2018-07-18T17:45:05.0000000Z");
    ck_header(s, "x-ms-file-change-time", "2018-07-18T17:45:05.0000000Z");
    ck_assert_str_ne(answer_header(s, "x-ms-file-permission-key"), key);
    ck_done(s, "PUT", "/sss/same",
            "x-ms-copy-source: " SOURCE "f\nx-ms-file-attributes: Source\n"
            "x-ms-file-creation-time: source\nx-ms-file-last-write-time: source\n"
            "x-ms-file-change-time: source\nx-ms-file-permission-copy-mode: source",
            202);
    ck_done(s, "HEAD", "/sss/same", "", 200);
    ck_header(s, "x-ms-file-attributes", "ReadOnly|Hidden");
    ck_header(s, "x-ms-file-creation-time", TIME_A);
    ck_header(s, "x-ms-file-last-write-time", TIME_B);
    ck_header(s, "x-ms-file-change-time", TIME_C);
    ck_header(s, "x-ms-file-permission-key", key);
    ck_done(s, "PUT", "/sss/said",
            "x-ms-copy-source: " SOURCE "f\nx-ms-file-attributes: Hidden\n" TIMES_ABC
            "\nx-ms-file-copy-set-archive: true\nx-ms-file-permission-copy-mode: override\n"
            "x-ms-file-permission: O:SYG:SYD:(A;;FA;;;SY)",
            202);
    ck_done(s, "HEAD", "/sss/said", "", 200);
    ck_header(s, "x-ms-file-attributes", "Hidden|Archive");
    ck_header(s, "x-ms-file-change-time", TIME_C);
    ck_header(s, "x-ms-file-permission-key", key);
    static const struct {
        const char *headers, *code;
    } rows[] = {
        {"x-ms-file-permission-copy-mode: junk", "InvalidHeaderValue"},
        {"x-ms-file-permission-copy-mode: override", "MissingRequiredHeader"},
        {"x-ms-file-permission-copy-mode: source\nx-ms-file-permission: O:SYG:SYD:",
         "InvalidHeaderValue"},
        {"x-ms-file-last-write-time: preserve", "InvalidHeaderValue"},
        {"x-ms-file-change-time: yesterday", "InvalidHeaderValue"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_answer(s, "PUT", "/sss/none",
                  arena_printf(s->arena, "x-ms-copy-source: " SOURCE "f\n%s", rows[i].headers), 400,
                  rows[i].code);
    ck_answer(s, "PUT", "/sss/new", FILE_OF(5) "\nx-ms-file-creation-time: source", 400,
              "InvalidHeaderValue");
}
END_TEST

START_TEST(a_permission_is_copied_into_the_share_of_the_copy)
{
    ck_done(s, "PUT", "/ttt?restype=share", "", 201);
    ck_done(s, "PUT", "/sss/f", FILE_OF(5) "\nx-ms-file-permission: O:SYG:SYD:(A;;FA;;;SY)", 201);
    ck_done(s, "PUT", "/sss/plain", FILE_OF(5), 201);
    ck_done(s, "PUT", "/ttt/f",
            "x-ms-copy-source: " SOURCE "f\nx-ms-file-permission-copy-mode: source", 202);
    ck_done(s, "HEAD", "/ttt/f", "", 200);
    ck_done(s, "GET", "/ttt?restype=share&comp=filepermission",
            arena_printf(s->arena, "x-ms-file-permission-key: %s",
                         answer_header(s, "x-ms-file-permission-key")),
            200);
    ck_assert_str_eq(answer_body(s), "{\"permission\":\"O:SYG:SYD:(A;;FA;;;SY)\"}");
    ck_done(s, "HEAD", "/sss/plain", "", 200);
    const char *inherited = answer_header(s, "x-ms-file-permission-key");
    ck_done(s, "PUT", "/ttt/f",
            "x-ms-copy-source: " SOURCE "plain\nx-ms-file-permission-copy-mode: source", 202);
    ck_done(s, "HEAD", "/ttt/f", "", 200);
    ck_header(s, "x-ms-file-permission-key", inherited);
}
END_TEST

START_TEST(a_file_changed_when_it_is_said_to_have_until_it_changes)
{
    static const char *const changes[] = {"?comp=metadata", "?comp=properties", "?comp=range"};
    service_at(s, 5);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        ck_done(s, "PUT", "/sss/f", FILE_OF(5) "\n" TIMES_ABC, 201);
        ck_header(s, "x-ms-file-change-time", TIME_C);
        ck_header(s, "Last-Modified", "Wed, 18 Jul 2018 17:45:05 GMT");
        ck_done(s, "PUT", "/sss/f?comp=lease",
                "x-ms-lease-action: acquire\nx-ms-lease-duration: -1", 201);
        const char *lease = answer_header(s, "x-ms-lease-id");
        ck_done(s, "HEAD", "/sss/f", "", 200);
        ck_header(s, "x-ms-file-change-time", TIME_C); // a lease changes nothing
        ck_done(s, "GET", "/sss?restype=directory&comp=list&include=timestamps", "", 200);
        ck_assert_str_eq(xml_at("Entries/File/Properties/ChangeTime"), TIME_C);
        const int32_t status =
            service_ask(s, "PUT", arena_printf(s->arena, "/sss/f%s", changes[i]),
                        arena_printf(s->arena,
                                     "x-ms-lease-id: %s\nx-ms-write: clear\nRange: bytes=0-1\n"
                                     "x-ms-file-last-write-time: preserve",
                                     lease));
        ck_assert_msg(status < 300, "%s: %d", changes[i], status);
        ck_done(s, "HEAD", "/sss/f", "", 200);
        ck_header(s, "x-ms-file-change-time", "2018-07-18T17:45:05.0000000Z");
        ck_header(s, "x-ms-file-last-write-time", TIME_B);
        ck_done(s, "DELETE", "/sss/f", arena_printf(s->arena, "x-ms-lease-id: %s", lease), 202);
    }
    ck_done(s, "PUT", "/sss/d?restype=directory", TIMES_ABC, 201);
    ck_header(s, "x-ms-file-change-time", TIME_C);
    ck_done(s, "PUT", "/sss/d?restype=directory&comp=metadata", "x-ms-meta-a: b", 200);
    ck_done(s, "GET", "/sss/d?restype=directory", "", 200);
    ck_header(s, "x-ms-file-change-time", "2018-07-18T17:45:05.0000000Z");
    ck_done(s, "PUT", "/sss/d?restype=directory&comp=properties", "x-ms-file-change-time: " TIME_A,
            200);
    ck_header(s, "x-ms-file-change-time", TIME_A);
    ck_done(s, "PUT", "/sss/e?restype=directory&comp=rename",
            "x-ms-file-rename-source: " SOURCE "d", 200);
    ck_header(s, "x-ms-file-change-time", "2018-07-18T17:45:05.0000000Z");
}
END_TEST

START_TEST(a_copy_that_is_set_or_made_anew_is_none)
{
    put_text("/sss/f", "hello");
    ck_done(s, "PUT", "/sss/g", "x-ms-copy-source: " SOURCE "f", 202);
    ck_done(s, "PUT", "/sss/g?comp=metadata", "x-ms-meta-a: b", 200);
    ck_done(s, "HEAD", "/sss/g", "", 200);
    ck_header(s, "x-ms-copy-status", "success");
    ck_done(s, "PUT", "/sss/g?comp=properties", "x-ms-content-type: text/plain", 200);
    ck_done(s, "HEAD", "/sss/g", "", 200);
    ck_header(s, "x-ms-copy-status", "");
    ck_header(s, "x-ms-copy-id", "");
    ck_header(s, "x-ms-copy-completion-time", "");
    ck_done(s, "PUT", "/sss/g", "x-ms-copy-source: " SOURCE "f", 202);
    ck_done(s, "PUT", "/sss/g", FILE_OF(1), 201);
    ck_done(s, "HEAD", "/sss/g", "", 200);
    ck_header(s, "x-ms-copy-status", "");
}
END_TEST

START_TEST(copying_needs_a_source_that_may_be_read)
{
    static const struct {
        const char *source;
        int status;
    } rows[] = {
        {"https://example.org/sss/f", 400},
        {"https://pathacct.blob.core.windows.net/sss/f", 400},
        {SOURCE, 400},
        {"nowhere", 400},
        {SOURCE "none", 404},
        {SOURCE "d", 404},
        {"https://pathacct.file.core.windows.net/ttt/f", 404},
        {"https://other.file.core.windows.net/sss/f", 403},
        {"https://nobody.file.core.windows.net/sss/f", 403},
        {SOURCE "f?sv=2018-03-28&sr=f&sp=r&se=2030-01-01&sig=AAAA", 403},
    };
    put_text("/sss/f", "hello");
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_answer(s, "PUT", "/sss/g",
                  arena_printf(s->arena, "x-ms-copy-source: %s", rows[i].source), rows[i].status,
                  "CannotVerifyCopySource");
        ck_assert_ptr_null(strstr(answer_body(s), "AAAA"));
    }
    ck_answer(s, "HEAD", "/sss/g", "", 404, "ResourceNotFound");
    ck_answer(s, "PUT", "/sss/g",
              "x-ms-copy-source: " SOURCE "f\nx-ms-copy-source-authorization: Bearer x", 400,
              "UnsupportedHeader");
}
END_TEST

START_TEST(a_signed_source_is_read_from_another_account_and_its_signature_kept_nowhere)
{
    const ShareName other = {.account = "other", .share = "sss"};
    ck_assert_int_eq(files_share_create(s->files, other, 5120, ""), FILES_OK);
    ck_assert_int_eq(files_file_create(s->files, other, "f", 5, "", ""), FILES_OK);
    ck_assert_int_eq(files_write(s->files, other, "f", 0, 5, "there"), FILES_OK);
    const char *url = files_sas_url(&s->azure, s->arena, FILES_HOST, "other", "sss", "f", "r",
                                    real_unix_ms + 60000);
    ck_done(s, "PUT", "/sss/g", arena_printf(s->arena, "x-ms-copy-source: %s", url), 202);
    ck_done(s, "GET", "/sss/g", "", 200);
    ck_assert_str_eq(answer_body(s), "there");
    ck_header(s, "x-ms-copy-source", "http://127.0.0.1:8080/other/sss/f");
    const char *write_only = files_sas_url(&s->azure, s->arena, FILES_HOST, "other", "sss", "f",
                                           "w", real_unix_ms + 60000);
    ck_answer(s, "PUT", "/sss/g", arena_printf(s->arena, "x-ms-copy-source: %s", write_only), 403,
              "CannotVerifyCopySource");
}
END_TEST

START_TEST(a_range_is_written_from_another_file)
{
    put_text("/sss/f", "0123456789");
    ck_done(s, "PUT", "/sss/g", FILE_OF(4), 201);
    static const char *from =
        "x-ms-write: update\nx-ms-range: bytes=1-3\nx-ms-source-range: bytes=5-7\n"
        "x-ms-copy-source: " SOURCE "f";
    ck_done(s, "PUT", "/sss/g?comp=range", from, 201);
    const char *sum = answer_header(s, "x-ms-content-crc64");
    ck_assert_uint_eq(strlen(sum), 12);
    ck_done(s, "GET", "/sss/g", "", 200);
    ck_assert_mem_eq(answer_body(s),
                     "\0"
                     "567",
                     4);
    ck_done(s, "PUT", "/sss/g?comp=range",
            arena_printf(s->arena, "%s\nx-ms-source-content-crc64: %s", from, sum), 201);
    ck_answer(s, "PUT", "/sss/g?comp=range",
              arena_printf(s->arena, "%s\nx-ms-source-content-crc64: AAAAAAAAAAA=", from), 400,
              "Crc64Mismatch");
    ck_answer(s, "PUT", "/sss/g?comp=range",
              arena_printf(s->arena, "%s\nx-ms-source-if-none-match-crc64: %s", from, sum), 412,
              "ConditionNotMet");
#define TO "x-ms-write: update\nx-ms-range: bytes=0-1\nx-ms-copy-source: " SOURCE "f\n"
    ck_answer(s, "PUT", "/sss/g?comp=range", TO "x-ms-source-range: bytes=0-2", 400,
              "InvalidHeaderValue");
    ck_answer(s, "PUT", "/sss/g?comp=range", TO "x-ms-source-range: bytes=9-10", 416,
              "InvalidRange");
    ck_answer(s, "PUT", "/sss/g?comp=range", TO "x-ms-x: y", 400, "MissingRequiredHeader");
    ck_answer(s, "PUT", "/sss/f?comp=range",
              "x-ms-write: clear\nx-ms-range: bytes=0-1\nx-ms-source-range: bytes=0-1\n"
              "x-ms-copy-source: " SOURCE "f",
              400, "InvalidHeaderValue");
}
END_TEST

/* --- Renaming --- */

START_TEST(changes_of_a_renamed_file_are_listed_on_request)
{
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    put_text("/sss/d/f", "hello");
    put_text("/sss/other", "there");
    const char *before = snapshot_made();
    ck_done(s, "PUT", "/sss/e?restype=directory&comp=rename",
            "x-ms-file-rename-source: " SOURCE "d", 200);
    const char *target =
        arena_printf(s->arena, "/sss/e/f?comp=rangelist&prevsharesnapshot=%s", before);
    ck_answer(s, "GET", target, "", 409, "FileGenerationMismatch");
    ck_answer(s, "GET", target, "x-ms-file-support-rename: false", 409, "FileGenerationMismatch");
    ck_done(s, "GET", target, "x-ms-file-support-rename: true", 200);
    ck_assert_str_eq(ranges_told(), "");
    put_range("/sss/e/f", "1-1", "a");
    const char *after = snapshot_made();
    ck_done(s, "GET", target, "x-ms-file-support-rename: true", 200);
    ck_assert_str_eq(ranges_told(), "0-4");
    ck_assert_str_eq(ranges_since("/sss/e/f", after), "");
    // Also if another file had the new name.
    ck_done(s, "PUT", "/sss/other?comp=rename",
            "x-ms-file-rename-source: " SOURCE "e/f\nx-ms-file-rename-replace-if-exists: true",
            200);
    target = arena_printf(s->arena, "/sss/other?comp=rangelist&prevsharesnapshot=%s", after);
    ck_answer(s, "GET", target, "", 409, "FileGenerationMismatch");
    ck_done(s, "GET", target, "x-ms-file-support-rename: true", 200);
    ck_assert_str_eq(ranges_told(), "");
    // Between two snapshots, too; and what is new was nowhere.
    ck_answer(s, "GET",
              arena_printf(s->arena,
                           "/sss/e/f?comp=rangelist&sharesnapshot=%s&prevsharesnapshot=%s", after,
                           before),
              "", 409, "FileGenerationMismatch");
    put_text("/sss/new", "hello");
    ck_assert_str_eq(ranges_since("/sss/new", after), "0-4");
}
END_TEST

START_TEST(a_file_is_renamed)
{
    put_text("/sss/f", "hello");
    put_text("/sss/g", "there");
    the_world.said = "";
    ck_answer(s, "PUT", "/sss/g?comp=rename", "x-ms-file-rename-source: " SOURCE "f", 409,
              "ResourceAlreadyExists");
    ck_done(s, "PUT", "/sss/g?comp=rename",
            "x-ms-file-rename-source: " SOURCE "f\nx-ms-file-rename-replace-if-exists: true\n"
            "x-ms-meta-a: b\nx-ms-content-type: text/plain",
            200);
    ck_assert_str_eq(the_world.said, "{\"do\":\"file.delete\",\"name\":\"pathacct/sss\","
                                     "\"file\":\"f\"}\n"
                                     "{\"do\":\"file.upload\",\"name\":\"pathacct/sss\","
                                     "\"file\":\"g\",\"content\":{\"bytes\":5}}\n");
    ck_done(s, "GET", "/sss/g", "", 200);
    ck_assert_str_eq(answer_body(s), "hello");
    ck_header(s, "x-ms-meta-a", "b");
    ck_header(s, "Content-Type", "text/plain");
    ck_answer(s, "HEAD", "/sss/f", "", 404, "ResourceNotFound");
    ck_answer(s, "PUT", "/sss/h?comp=rename", "", 400, "MissingRequiredHeader");
    ck_answer(s, "PUT", "/sss/h?comp=rename", "x-ms-file-rename-source: " SOURCE "none", 404,
              "ResourceNotFound");
    ck_answer(s, "PUT", "/sss/h?comp=rename",
              "x-ms-file-rename-source: https://other.file.core.windows.net/sss/g", 400,
              "InvalidHeaderValue");
    ck_answer(s, "PUT", "/sss/none/h?comp=rename", "x-ms-file-rename-source: " SOURCE "g", 404,
              "ParentNotFound");
    ck_done(s, "PUT", "/sss/g?comp=lease",
            "x-ms-lease-action: acquire\nx-ms-lease-duration: -1\nx-ms-proposed-lease-id: " LEASE_A,
            201);
    ck_answer(s, "PUT", "/sss/h?comp=rename", "x-ms-file-rename-source: " SOURCE "g", 412,
              "LeaseIdMissing");
    ck_answer(s, "PUT", "/sss/h?comp=rename",
              "x-ms-file-rename-source: " SOURCE "g\nx-ms-source-lease-id: " LEASE_A
              "\nx-ms-destination-lease-id: " LEASE_A,
              412, "LeaseNotPresentWithFileOperation");
    ck_done(s, "PUT", "/sss/h?comp=rename",
            "x-ms-file-rename-source: " SOURCE "g\nx-ms-source-lease-id: " LEASE_A, 200);
}
END_TEST

START_TEST(a_directory_is_renamed_with_all_in_it)
{
    ck_done(s, "PUT", "/sss/d?restype=directory", "", 201);
    ck_done(s, "PUT", "/sss/d/e?restype=directory", "", 201);
    put_text("/sss/d/f", "hello");
    put_text("/sss/d/e/g", "x");
    the_world.said = "";
    ck_done(s, "PUT", "/sss/n?restype=directory&comp=rename",
            "x-ms-file-rename-source: " SOURCE "d", 200);
    ck_header(s, "x-ms-file-attributes", "Directory");
    ck_done(s, "GET", "/sss/n/e/g", "", 200);
    ck_answer(s, "HEAD", "/sss/d/f", "", 404, "ParentNotFound");
    ck_assert_ptr_nonnull(strstr(the_world.said, "\"file.delete\",\"name\":\"pathacct/sss\","
                                                 "\"file\":\"d/e/g\""));
    ck_assert_ptr_nonnull(strstr(the_world.said, "\"file\":\"n/f\",\"content\":{\"bytes\":5}"));
    ck_answer(s, "PUT", "/sss/m?comp=rename", "x-ms-file-rename-source: " SOURCE "n", 409,
              "ResourceTypeMismatch");
    ck_answer(s, "PUT", "/sss/m?restype=directory&comp=rename",
              "x-ms-file-rename-source: " SOURCE "n/f", 409, "ResourceTypeMismatch");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_file");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_directory_is_made_looked_at_and_deleted);
    tcase_add_test(tests, a_directory_is_changed);
    tcase_add_test(tests, the_content_of_a_directory_is_listed_in_pieces);
    tcase_add_test(tests, no_client_holds_handles);
    tcase_add_test(tests, a_file_is_made_looked_at_and_deleted);
    tcase_add_test(tests, making_a_file_is_checked);
    tcase_add_test(tests, a_file_that_the_world_refuses_is_not_there);
    tcase_add_test(tests, making_a_file_again_empties_it);
    tcase_add_test(tests, ranges_are_written_in_any_order);
    tcase_add_test(tests, changes_since_a_snapshot_are_listed);
    tcase_add_test(tests, ranges_are_written_and_cleared_in_pages);
    tcase_add_test(tests, a_cleared_page_is_listed_whether_or_not_it_had_been_written);
    tcase_add_test(tests, writing_a_range_is_checked);
    tcase_add_test(tests, parts_of_a_file_are_read);
    tcase_add_test(tests, a_range_request_with_an_outdated_validator_gets_the_whole_file);
    tcase_add_test(tests, md5_is_of_the_range_or_of_the_whole);
    tcase_add_test(tests, damaged_contents_are_never_sent);
    tcase_add_test(tests, large_files_are_sent_while_they_are_read);
    tcase_add_test(tests, properties_are_set_together_and_sizes_alone);
    tcase_add_test(tests, a_read_only_file_is_not_written);
    tcase_add_test(tests, a_file_was_last_written_when_it_was_or_is_said_to_be);
    tcase_add_test(tests, a_leased_file_is_changed_by_the_lessee_alone);
    tcase_add_test(tests, conditions_are_those_of_http);
    tcase_add_test(tests, a_file_is_copied_with_its_properties);
    tcase_add_test(tests, a_copy_has_the_smb_properties_of_its_source_on_request);
    tcase_add_test(tests, a_permission_is_copied_into_the_share_of_the_copy);
    tcase_add_test(tests, a_file_changed_when_it_is_said_to_have_until_it_changes);
    tcase_add_test(tests, a_copy_that_is_set_or_made_anew_is_none);
    tcase_add_test(tests, copying_needs_a_source_that_may_be_read);
    tcase_add_test(tests,
                   a_signed_source_is_read_from_another_account_and_its_signature_kept_nowhere);
    tcase_add_test(tests, a_range_is_written_from_another_file);
    tcase_add_test(tests, changes_of_a_renamed_file_are_listed_on_request);
    tcase_add_test(tests, a_file_is_renamed);
    tcase_add_test(tests, a_directory_is_renamed_with_all_in_it);
    suite_add_tcase(suite, tests);
    return suite;
}
