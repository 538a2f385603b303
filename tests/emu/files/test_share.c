/* Operations of shares and of the account: requests of Azure's clients and their answers. */
#include <check.h>
#include <string.h>

#include "emu/files/store/shares.h"
#include "emu/files/store/ticks.h"
#include "emu/files/xml.h"
#include "tests/emu/files_service.h"
#include "tests/support/suite.h"

static FilesService service;
static FilesService *s = &service;

static void set_up(void)
{
    service = service_create();
}

static void tear_down(void)
{
    service_remove(&service);
}

#define SHARE "/sss?restype=share"

static void make_share(void)
{
    ck_done(s, "PUT", SHARE, "", 201);
}

/* The text of the element at "A/B/C" below the root of the last answer; "(none)". */
static const char *xml_at(const char *path)
{
    const char *body = answer_body(s);
    const XmlNode *node = xml_read(s->arena, body, strlen(body));
    ck_assert_msg(node != NULL, "%s", body);
    while (node && *path) {
        const size_t length = strcspn(path, "/");
        node = xml_child(node, arena_strndup(s->arena, path, length));
        path += length + (path[length] == '/');
    }
    return node ? node->text : "(none)";
}

START_TEST(a_share_is_made_looked_at_and_deleted)
{
    ck_done(s, "PUT", SHARE, "x-ms-share-quota: 9\nx-ms-meta-Key: val\nx-ms-meta: {'Key': 'val'}",
            201);
    ck_header(s, "x-ms-version", "2021-12-02");
    ck_assert_uint_eq(strlen(answer_header(s, "ETag")), 20);
    ck_header(s, "Last-Modified", "Wed, 18 Jul 2018 17:45:00 GMT");
    ck_header(s, "x-ms-request-id", "0000000d-0000-4000-8000-000000000001");
    ck_assert_str_eq(the_world.said,
                     "{\"do\":\"share.create\",\"name\":\"pathacct/sss\",\"tier\":\"standard\"}\n");
    ck_answer(s, "PUT", SHARE, "", 409, "ShareAlreadyExists");

    ck_done(s, "GET", "/sss/?restype=share", "", 200);
    ck_header(s, "x-ms-share-quota", "9");
    ck_header(s, "x-ms-meta-Key", "val");
    ck_header(s, "x-ms-lease-state", "available");
    ck_header(s, "x-ms-lease-status", "unlocked");
    ck_done(s, "HEAD", SHARE, "", 200);
    ck_done(s, "GET", SHARE, "x-ms-version: 2018-11-09", 200);
    ck_header(s, "x-ms-lease-state", "");

    ck_done(s, "DELETE", SHARE, "", 202);
    ck_assert_ptr_nonnull(
        strstr(the_world.said, "{\"do\":\"share.delete\",\"name\":\"pathacct/sss\"}"));
    ck_answer(s, "GET", SHARE, "", 404, "ShareNotFound");
    ck_answer(s, "HEAD", SHARE, "", 404, "ShareNotFound");
    ck_assert_str_eq(answer_body(s), "");
    ck_answer(s, "DELETE", SHARE, "", 404, "ShareNotFound");
}
END_TEST

START_TEST(a_share_that_the_world_refuses_is_not_there)
{
    the_world.refuses = STATUS_NOT_FOUND;
    ck_answer(s, "PUT", SHARE, "", 404, "ResourceNotFound");
    the_world.refuses = STATUS_MACHINE;
    ck_answer(s, "PUT", SHARE, "", 507, "InsufficientStorage");
    the_world.refuses = STATUS_OK;
    ck_answer(s, "GET", SHARE, "", 404, "ShareNotFound");
}
END_TEST

START_TEST(alone_an_account_is_made_with_its_first_share)
{
    s->azure.is_files_only = true;
    make_share();
    ck_assert_str_eq(the_world.said,
                     "{\"do\":\"storage.create\",\"name\":\"pathacct\"}\n"
                     "{\"do\":\"share.create\",\"name\":\"pathacct/sss\",\"tier\":\"standard\"}\n");
}
END_TEST

START_TEST(quotas_tiers_and_metadata_are_checked)
{
    static const struct {
        const char *header, *code;
    } rows[] = {
        {"x-ms-share-quota: 0", "InvalidHeaderValue"},
        {"x-ms-share-quota: 102401", "InvalidHeaderValue"},
        {"x-ms-share-quota: many", "InvalidHeaderValue"},
        {"x-ms-share-quota: -1", "InvalidHeaderValue"},
        {"x-ms-access-tier: Lukewarm", "InvalidHeaderValue"},
        {"x-ms-root-squash: SomeSquash", "InvalidHeaderValue"},
        {"x-ms-enabled-protocols: NFS", "InvalidHeaderValue"},
        {"x-ms-meta-: x", "EmptyMetadataKey"},
        {"x-ms-meta-a-b: x", "InvalidMetadata"},
        {"x-ms-meta-1a: x", "InvalidMetadata"},
        {"x-ms-meta-a: \xff", "InvalidMetadata"},
        {"x-ms-meta-a: x\nx-ms-meta-a: y", "InvalidMetadata"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_answer(s, "PUT", SHARE, rows[i].header, 400, rows[i].code);
    char *large = arena_alloc(s->arena, 9 << 10);
    memset(large, 'x', (9 << 10) - 1);
    ck_answer(s, "PUT", SHARE, arena_printf(s->arena, "x-ms-meta-a: %s", large), 400,
              "MetadataTooLarge");
    const char *many = "x-ms-meta-a: x";
    for (int i = 0; i < 63; i++)
        many = arena_printf(s->arena, "%s\nx-ms-meta-a%d: x", many, i);
    ck_answer(s, "PUT", SHARE, arena_printf(s->arena, "%s\nx-ms-meta-b: x", many), 400,
              "MetadataTooLarge");
    ck_done(s, "PUT", SHARE, many, 201);
    ck_done(s, "GET", SHARE, "", 200);
    ck_header(s, "x-ms-meta-a62", "x");
}
END_TEST

START_TEST(a_share_is_changed)
{
    make_share();
    const char *etag = answer_header(s, "ETag");
    service_at(s, 1);
    ck_done(s, "PUT", "/sss?restype=share&comp=properties",
            "x-ms-share-quota: 77\nx-ms-access-tier: cool", 200);
    ck_assert_str_ne(answer_header(s, "ETag"), etag);
    ck_header(s, "Last-Modified", "Wed, 18 Jul 2018 17:45:01 GMT");
    ck_done(s, "PUT", "/sss?restype=share&comp=metadata", "x-ms-meta-a: b", 200);
    ck_done(s, "GET", SHARE, "", 200);
    ck_header(s, "x-ms-share-quota", "77");
    ck_header(s, "x-ms-access-tier", "Cool");
    ck_header(s, "x-ms-access-tier-change-time", "Wed, 18 Jul 2018 17:45:01 GMT");
    ck_header(s, "x-ms-meta-a", "b");
    ck_done(s, "GET", "/?comp=list", "", 200);
    ck_assert_str_eq(xml_at("Shares/Share/Properties/AccessTierChangeTime"),
                     "Wed, 18 Jul 2018 17:45:01 GMT");
    ck_done(s, "PUT", "/sss?restype=share&comp=metadata", "", 200);
    ck_done(s, "GET", "/sss?restype=share&comp=metadata", "", 200);
    ck_header(s, "x-ms-meta-a", "");
}
END_TEST

START_TEST(shares_are_listed_in_pieces)
{
    static const char *const names[] = {"aaa", "abc", "abd", "bbb"};
    for (int i = 0; i < 4; i++)
        ck_done(s, "PUT", arena_printf(s->arena, "/%s?restype=share", names[i]), "x-ms-meta-k: v",
                201);
    ck_done(s, "GET", "?comp=list", "", 200);
    ck_header(s, "Content-Type", "application/xml");
    ck_assert_ptr_nonnull(strstr(
        answer_body(s), "<EnumerationResults ServiceEndpoint=\"http://127.0.0.1:8080/pathacct\">"));
    ck_assert_str_eq(xml_at("Prefix"), "(none)");
    ck_assert_str_eq(xml_at("Shares/Share/Name"), "aaa");
    ck_assert_str_eq(xml_at("Shares/Share/Properties/Quota"), "5120");
    ck_assert_str_eq(xml_at("Shares/Share/Metadata"), "(none)");
    ck_assert_str_eq(xml_at("NextMarker"), "");

    ck_done(s, "GET", "/?comp=list&prefix=ab&maxresults=1&include=snapshots,metadata", "", 200);
    ck_assert_str_eq(xml_at("Prefix"), "ab");
    ck_assert_str_eq(xml_at("MaxResults"), "1");
    ck_assert_str_eq(xml_at("Shares/Share/Name"), "abc");
    ck_assert_str_eq(xml_at("Shares/Share/Metadata/k"), "v");
    // The Python SDK sends another prefix than it received; the prefix of the marker is used.
    const char *next = arena_printf(s->arena, "/?comp=list&prefix=%%7B%%7D&maxresults=1&marker=%s",
                                    http_encode(s->arena, xml_at("NextMarker"), ""));
    ck_done(s, "GET", next, "", 200);
    ck_assert_str_eq(xml_at("Shares/Share/Name"), "abd");
    ck_assert_str_eq(xml_at("NextMarker"), "");

    ck_answer(s, "GET", "/?comp=list&maxresults=0", "", 400, "OutOfRangeQueryParameterValue");
    ck_answer(s, "GET", "/?comp=list&maxresults=x", "", 400, "InvalidQueryParameterValue");
    ck_answer(s, "GET", "/?comp=list&marker=abd", "", 400, "InvalidQueryParameterValue");
    ck_answer(s, "GET", "/?comp=list&marker=YWJk", "", 400, "InvalidQueryParameterValue");
}
END_TEST

START_TEST(shares_are_listed_in_pieces_with_their_snapshots)
{
    static const char *const order[] = {"aaa newer", "aaa older", "aaa", "bbb newer", "bbb"};
    const char *marker = "", *names[5];
    for (int i = 0; i < 2; i++) {
        const char *share = arena_printf(s->arena, "/%s?restype=share", i == 0 ? "aaa" : "bbb");
        ck_done(s, "PUT", share, "", 201);
        for (int j = i; j < 2; j++)
            ck_done(s, "PUT", arena_printf(s->arena, "%s&comp=snapshot", share), "", 201);
    }
    for (int i = 0; i < 5; i++) {
        ck_done(s, "GET",
                arena_printf(s->arena, "/?comp=list&include=snapshots&maxresults=1&marker=%s",
                             http_encode(s->arena, marker, "")),
                "", 200);
        marker = xml_at("NextMarker");
        const char *snapshot = xml_at("Shares/Share/Snapshot");
        names[i] = arena_printf(s->arena, "%s %s", xml_at("Shares/Share/Name"), snapshot);
        ck_assert_msg((strchr(order[i], ' ') != NULL) == (strcmp(snapshot, "(none)") != 0) &&
                          strncmp(order[i], names[i], 3) == 0 && (*marker != '\0') == (i < 4),
                      "%d: %s, marker %s", i, names[i], marker);
        ck_assert_ptr_null(strstr(strstr(answer_body(s), "<Share>") + 1, "<Share>"));
    }
    ck_assert_str_gt(names[0], names[1]);
}
END_TEST

START_TEST(a_snapshot_too_many_is_refused)
{
    make_share();
    const ShareName share = {.account = "pathacct", .share = "sss"};
    char snapshot[TICKS_TEXT];
    for (int i = 0; i < 199; i++)
        ck_assert_int_eq(files_share_snapshot(s->files, share, NULL, snapshot), FILES_OK);
    ck_done(s, "PUT", "/sss?restype=share&comp=snapshot", "", 201);
    ck_answer(s, "PUT", "/sss?restype=share&comp=snapshot", "", 409, "ShareSnapshotCountExceeded");
}
END_TEST

START_TEST(a_snapshot_stays_as_it_was)
{
    make_share();
    ck_done(s, "PUT", "/sss/f", "x-ms-type: file\nx-ms-content-length: 3", 201);
    service_at(s, 60);
    ck_done(s, "PUT", "/sss?restype=share&comp=snapshot", "x-ms-meta-a: b", 201);
    const char *snapshot = answer_header(s, "x-ms-snapshot");
    ck_assert_int_eq(strncmp(snapshot, "2018-07-18T17:46:00", 19), 0);
    const char *of = http_encode(s->arena, snapshot, "");
    ck_done(s, "DELETE", "/sss/f", "", 202);
    ck_done(s, "HEAD", arena_printf(s->arena, "/sss/f?sharesnapshot=%s", of), "", 200);
    ck_answer(s, "HEAD", "/sss/f", "", 404, "ResourceNotFound");
    ck_done(s, "GET", arena_printf(s->arena, "/sss?restype=share&sharesnapshot=%s", of), "", 200);
    ck_header(s, "x-ms-meta-a", "b");
    ck_done(s, "GET", "/?comp=list&include=snapshots", "", 200);
    ck_assert_str_eq(xml_at("Shares/Share/Snapshot"), snapshot);
    const char *file = arena_printf(s->arena, "/sss/f?sharesnapshot=%s", of);
    ck_answer(s, "DELETE", file, "", 400, "ShareSnapshotOperationNotSupported");
    ck_answer(s, "PUT", file, "x-ms-type: file\nx-ms-content-length: 3", 400,
              "ShareSnapshotOperationNotSupported");
    ck_answer(s, "GET", "/sss?restype=share&sharesnapshot=2000-01-01T00%3A00%3A00.0000000Z", "",
              404, "ShareNotFound");
    ck_answer(s, "GET", "/sss?restype=share&sharesnapshot=x%2F..", "", 400,
              "InvalidQueryParameterValue");

    ck_answer(s, "DELETE", SHARE, "", 409, "ShareHasSnapshots");
    ck_done(s, "DELETE", arena_printf(s->arena, "/sss?restype=share&sharesnapshot=%s", of), "",
            202);
    ck_assert_ptr_null(strstr(the_world.said, "share.delete"));
    ck_done(s, "PUT", "/sss?restype=share&comp=snapshot", "", 201);
    ck_done(s, "DELETE", SHARE, "x-ms-delete-snapshots: include", 202);
    ck_answer(s, "DELETE", SHARE, "x-ms-delete-snapshots: some", 400, "InvalidHeaderValue");
}
END_TEST

START_TEST(usage_is_reported_in_bytes_or_gib)
{
    make_share();
    ck_done(s, "PUT", "/sss/f", "x-ms-type: file\nx-ms-content-length: 1000", 201);
    ck_done(s, "GET", "/sss?restype=share&comp=stats", "", 200);
    ck_assert_str_eq(xml_at("ShareUsageBytes"), "1000");
    ck_done(s, "GET", "/sss?restype=share&comp=stats", "x-ms-version: 2018-03-28", 200);
    ck_header(s, "x-ms-version", "2018-03-28");
    ck_assert_str_eq(xml_at("ShareUsage"), "1");
}
END_TEST

#define LEASE_A "00000000-0000-0000-0000-00000000000a"
#define LEASE_B "00000000-0000-0000-0000-00000000000b"

START_TEST(a_leased_share_is_changed_by_the_lessee_alone)
{
    static const char *lease = "/sss?restype=share&comp=lease";
    make_share();
    ck_done(s, "PUT", lease,
            "x-ms-lease-action: acquire\nx-ms-lease-duration: 15\nx-ms-proposed-lease-id: " LEASE_A,
            201);
    ck_header(s, "x-ms-lease-id", LEASE_A);
    ck_done(s, "GET", SHARE, "", 200);
    ck_header(s, "x-ms-lease-state", "leased");
    ck_header(s, "x-ms-lease-status", "locked");
    ck_header(s, "x-ms-lease-duration", "fixed");
    ck_answer(s, "DELETE", SHARE, "", 412, "LeaseIdMissing");
    ck_answer(s, "DELETE", SHARE, "x-ms-lease-id: " LEASE_B, 412,
              "LeaseIdMismatchWithContainerOperation");
    ck_answer(s, "GET", SHARE, "x-ms-lease-id: " LEASE_B, 412,
              "LeaseIdMismatchWithContainerOperation");
    ck_answer(s, "PUT", lease, "x-ms-lease-action: acquire\nx-ms-lease-duration: 15", 409,
              "LeaseAlreadyPresent");
    ck_done(s, "PUT", lease,
            "x-ms-lease-action: change\nx-ms-lease-id: " LEASE_A
            "\nx-ms-proposed-lease-id: " LEASE_B,
            200);
    ck_header(s, "x-ms-lease-id", LEASE_B);
    ck_done(s, "PUT", lease, "x-ms-lease-action: renew\nx-ms-lease-id: " LEASE_B, 200);
    ck_done(s, "PUT", lease, "x-ms-lease-action: break\nx-ms-lease-break-period: 10", 202);
    ck_header(s, "x-ms-lease-time", "10");
    service_at(s, 11);
    ck_done(s, "GET", SHARE, "", 200);
    ck_header(s, "x-ms-lease-state", "broken");
    ck_answer(s, "PUT", "/sss?restype=share&comp=metadata", "x-ms-lease-id: " LEASE_B, 412,
              "LeaseLost");
    ck_answer(s, "PUT", "/sss?restype=share&comp=metadata", "x-ms-lease-id: " LEASE_A, 412,
              "LeaseNotPresentWithContainerOperation");
    ck_done(s, "PUT", lease, "x-ms-lease-action: release\nx-ms-lease-id: " LEASE_B, 200);
    ck_done(s, "PUT", lease, "x-ms-lease-action: acquire\nx-ms-lease-duration: -1", 201);
    ck_assert_uint_eq(strlen(answer_header(s, "x-ms-lease-id")), 36);
    service_at(s, 1000000);
    ck_answer(s, "DELETE", SHARE, "", 412, "LeaseIdMissing");
}
END_TEST

START_TEST(requests_for_leases_are_checked)
{
    static const struct {
        const char *headers, *code;
        int status;
    } rows[] = {
        {"", "MissingRequiredHeader", 400},
        {"x-ms-lease-action: borrow", "InvalidHeaderValue", 400},
        {"x-ms-lease-action: acquire", "MissingRequiredHeader", 400},
        {"x-ms-lease-action: acquire\nx-ms-lease-duration: 14", "InvalidHeaderValue", 400},
        {"x-ms-lease-action: acquire\nx-ms-lease-duration: 61", "InvalidHeaderValue", 400},
        {"x-ms-lease-action: acquire\nx-ms-lease-duration: 15\nx-ms-proposed-lease-id: x",
         "InvalidHeaderValue", 400},
        {"x-ms-lease-action: renew", "MissingRequiredHeader", 400},
        {"x-ms-lease-action: release\nx-ms-lease-id: " LEASE_A, "LeaseIdMismatchWithLeaseOperation",
         409},
        {"x-ms-lease-action: change\nx-ms-lease-id: " LEASE_A, "MissingRequiredHeader", 400},
        {"x-ms-lease-action: break", "LeaseNotPresentWithLeaseOperation", 409},
        {"x-ms-lease-action: break\nx-ms-lease-break-period: 61", "InvalidHeaderValue", 400},
    };
    make_share();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_answer(s, "PUT", "/sss?restype=share&comp=lease", rows[i].headers, rows[i].status,
                  rows[i].code);
    ck_answer(s, "PUT", "/ttt?restype=share&comp=lease", "x-ms-lease-action: break", 404,
              "ShareNotFound");
}
END_TEST

static int32_t send_text(const char *method, const char *target, const char *body)
{
    return service_send(s, method, target, "", body, strlen(body));
}

START_TEST(stored_access_policies_are_kept_and_used)
{
    make_share();
    static const char *acl = "/sss?restype=share&comp=acl";
    ck_assert_int_eq(
        send_text("PUT", acl,
                  "<?xml version='1.0' encoding='utf-8'?>\n<SignedIdentifiers><SignedIdentifier>"
                  "<Id>all &amp; one</Id><AccessPolicy><Start>2018-01-01</Start>"
                  "<Expiry>2019-01-01T00:00:00Z</Expiry><Permission>rl</Permission></AccessPolicy>"
                  "</SignedIdentifier><SignedIdentifier><Id>open</Id></SignedIdentifier>"
                  "</SignedIdentifiers>"),
        200);
    ck_done(s, "GET", acl, "", 200);
    ck_assert_str_eq(xml_at("SignedIdentifier/Id"), "all & one");
    ck_assert_str_eq(xml_at("SignedIdentifier/AccessPolicy/Start"), "2018-01-01");
    ck_assert_str_eq(xml_at("SignedIdentifier/AccessPolicy/Permission"), "rl");
    static const char *const bad[] = {
        "<Wrong/>",
        "<SignedIdentifiers>",
        "<SignedIdentifiers><SignedIdentifier><Id></Id></SignedIdentifier></SignedIdentifiers>",
        "<SignedIdentifiers><SignedIdentifier><Id>a</Id></SignedIdentifier>"
        "<SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>",
        "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>soon</Start>"
        "</AccessPolicy></SignedIdentifier></SignedIdentifiers>",
        "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Permission>x</Permission>"
        "</AccessPolicy></SignedIdentifier></SignedIdentifiers>",
        "<SignedIdentifiers><SignedIdentifier><Id>0123456789012345678901234567890123456789"
        "0123456789012345678901234</Id></SignedIdentifier></SignedIdentifiers>",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(send_text("PUT", acl, bad[i]) == 400, "%s", bad[i]);
    const char *six = "";
    for (int i = 0; i < 6; i++)
        six = arena_printf(s->arena, "%s<SignedIdentifier><Id>%d</Id></SignedIdentifier>", six, i);
    ck_assert_int_eq(
        send_text("PUT", acl,
                  arena_printf(s->arena, "<SignedIdentifiers>%s</SignedIdentifiers>", six)),
        400);
    ck_done(s, "GET", acl, "", 200);
    ck_assert_str_eq(xml_at("SignedIdentifier/Id"), "all & one"); // as before
    ck_done(s, "PUT", acl, "", 200);
    ck_done(s, "GET", acl, "", 200);
    ck_assert_str_eq(xml_at("SignedIdentifier"), "(none)");
}
END_TEST

/* Microsoft, "Get Share Properties": operations on files and directories change neither its ETag
 * nor when it was last modified. */
START_TEST(permissions_of_files_do_not_change_their_share)
{
    make_share();
    ck_done(s, "HEAD", "/sss?restype=share", "", 200);
    const char *etag = answer_header(s, "ETag"), *modified = answer_header(s, "Last-Modified");
    service_at(s, 100);
    ck_done(s, "PUT", "/sss/d?restype=directory", "x-ms-file-permission: O:SYG:SYD:(A;;FA;;;SY)",
            201);
    ck_assert_int_eq(send_text("PUT", "/sss?restype=share&comp=filepermission",
                               "{\"permission\": \"O:BAG:BAD:(A;;FA;;;BA)\"}"),
                     201);
    ck_done(s, "HEAD", "/sss?restype=share", "", 200);
    ck_header(s, "ETag", etag);
    ck_header(s, "Last-Modified", modified);
}
END_TEST

START_TEST(permissions_are_kept_under_keys)
{
    make_share();
    static const char *target = "/sss?restype=share&comp=filepermission";
    ck_assert_int_eq(send_text("PUT", target, "{\"permission\": \"O:SYG:SYD:(A;;FA;;;SY)\"}"), 201);
    const char *key = answer_header(s, "x-ms-file-permission-key");
    ck_assert_ptr_nonnull(strchr(key, '*'));
    ck_done(s, "GET", target, arena_printf(s->arena, "x-ms-file-permission-key: %s", key), 200);
    ck_assert_str_eq(answer_body(s), "{\"permission\":\"O:SYG:SYD:(A;;FA;;;SY)\"}");
    ck_header(s, "Content-Type", "application/json");
    ck_done(s, "PUT", "/sss/d?restype=directory",
            arena_printf(s->arena, "x-ms-file-permission-key: %s", key), 201);
    ck_header(s, "x-ms-file-permission-key", key);
    ck_done(s, "PUT", "/sss/e?restype=directory", "x-ms-file-permission: O:SYG:SYD:(A;;FA;;;SY)",
            201);
    ck_header(s, "x-ms-file-permission-key", key);
    ck_done(s, "PUT", "/sss/f?restype=directory", "x-ms-file-permission: inherit", 201);
    const char *own = answer_header(s, "x-ms-file-permission-key");
    ck_assert_str_ne(own, key);
    ck_done(s, "GET", target, arena_printf(s->arena, "x-ms-file-permission-key: %s", own), 200);
    ck_assert_int_eq(send_text("PUT", target, arena_strdup(s->arena, answer_body(s))), 201);
    ck_header(s, "x-ms-file-permission-key", own); // made of the permission like any other

    ck_answer(s, "PUT", "/sss/g?restype=directory", "x-ms-file-permission-key: 1*2", 400,
              "FileInvalidPermissionKey");
    ck_answer(s, "PUT", "/sss/g?restype=directory", "x-ms-file-permission: any client", 400,
              "FileInvalidPermission");
    ck_answer(s, "PUT", "/sss/g?restype=directory",
              "x-ms-file-permission: inherit\nx-ms-file-permission-key: 1*2", 400,
              "InvalidHeaderValue");
    ck_answer(s, "GET", target, "", 400, "MissingRequiredHeader");
    ck_answer(s, "GET", target, "x-ms-file-permission-key: 1*2", 400, "FileInvalidPermissionKey");
    ck_assert_int_eq(send_text("PUT", target, "{}"), 400);
    ck_assert_int_eq(send_text("PUT", target, "{\"permission\": \"\\u0001\"}"), 400);
}
END_TEST

START_TEST(service_properties_are_returned_and_set)
{
    static const char *target = "/?restype=service&comp=properties";
    ck_done(s, "GET", target, "", 200);
    ck_assert_str_eq(xml_at("HourMetrics/Version"), "1.0");
    ck_assert_str_eq(xml_at("Cors"), "");
    ck_assert_str_eq(xml_at("ProtocolSettings/SMB/Multichannel/Enabled"), "false");
    ck_assert_int_eq(
        send_text("PUT", target,
                  "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins>"
                  "<AllowedMethods>GET</AllowedMethods><AllowedHeaders/><ExposedHeaders/>"
                  "<MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule></Cors><HourMetrics>"
                  "<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>"
                  "<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy>"
                  "</HourMetrics></StorageServiceProperties>"),
        202);
    ck_done(s, "GET", target, "", 200);
    ck_assert_str_eq(xml_at("HourMetrics/RetentionPolicy/Days"), "7");
    ck_assert_str_eq(xml_at("MinuteMetrics/Enabled"), "false");
    ck_assert_str_eq(xml_at("Cors/CorsRule/MaxAgeInSeconds"), "60");
    const HttpRequest preflight =
        service_request(s, "OPTIONS", "/pathacct/sss/f",
                        "Origin: http://a.example\nAccess-Control-Request-Method: GET", "", 0);
    ck_assert_int_eq(service_answer(s, &preflight), 200);
    ck_assert_str_eq(answer_header(s, "Access-Control-Max-Age"), "60");
    static const struct {
        const char *body, *code;
    } bad[] = {
        {"", "InvalidXmlDocument"},
        {"<Other/>", "InvalidXmlDocument"},
        {"<!DOCTYPE a><StorageServiceProperties/>", "InvalidXmlDocument"},
        {"<StorageServiceProperties><Logging/></StorageServiceProperties>", "UnsupportedXmlNode"},
        {"<StorageServiceProperties><HourMetrics/></StorageServiceProperties>",
         "InvalidXmlNodeValue"},
        {"<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>yes</Enabled>"
         "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>"
         "</StorageServiceProperties>",
         "InvalidXmlNodeValue"},
        {"<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled>"
         "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>"
         "</StorageServiceProperties>", // which APIs?
         "InvalidXmlNodeValue"},
        {"<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled>"
         "<IncludeAPIs>maybe</IncludeAPIs><RetentionPolicy><Enabled>false</Enabled>"
         "</RetentionPolicy></HourMetrics></StorageServiceProperties>",
         "InvalidXmlNodeValue"},
        {"<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>false</Enabled>"
         "</HourMetrics></StorageServiceProperties>", // kept for how long?
         "InvalidXmlNodeValue"},
        {"<StorageServiceProperties><HourMetrics><Days>1</Days></HourMetrics>"
         "</StorageServiceProperties>",
         "UnsupportedXmlNode"},
        {"<StorageServiceProperties><Cors><Rule/></Cors></StorageServiceProperties>",
         "UnsupportedXmlNode"},
        {"<StorageServiceProperties><ProtocolSettings><SMB><Bogus>x</Bogus></SMB>"
         "</ProtocolSettings></StorageServiceProperties>",
         "UnsupportedXmlNode"},
        {"<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins>"
         "<AllowedMethods><GET/></AllowedMethods></CorsRule></Cors></StorageServiceProperties>",
         "UnsupportedXmlNode"},
        {"<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled>"
         "<IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled>"
         "<Days>366</Days></RetentionPolicy>"
         "</HourMetrics></StorageServiceProperties>",
         "InvalidXmlNodeValue"},
        {"<StorageServiceProperties><Cors><CorsRule/></Cors></StorageServiceProperties>",
         "InvalidXmlNodeValue"},
        {"<StorageServiceProperties><ProtocolSettings><SMB><Multichannel><Enabled>x</Enabled>"
         "</Multichannel></SMB></ProtocolSettings></StorageServiceProperties>",
         "InvalidXmlNodeValue"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(send_text("PUT", target, bad[i].body) == 400, "%s", bad[i].body);
        ck_header(s, "x-ms-error-code", bad[i].code);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_share");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_share_is_made_looked_at_and_deleted);
    tcase_add_test(tests, a_share_that_the_world_refuses_is_not_there);
    tcase_add_test(tests, alone_an_account_is_made_with_its_first_share);
    tcase_add_test(tests, quotas_tiers_and_metadata_are_checked);
    tcase_add_test(tests, a_share_is_changed);
    tcase_add_test(tests, shares_are_listed_in_pieces);
    tcase_add_test(tests, shares_are_listed_in_pieces_with_their_snapshots);
    tcase_add_test(tests, a_snapshot_too_many_is_refused);
    tcase_add_test(tests, a_snapshot_stays_as_it_was);
    tcase_add_test(tests, usage_is_reported_in_bytes_or_gib);
    tcase_add_test(tests, a_leased_share_is_changed_by_the_lessee_alone);
    tcase_add_test(tests, requests_for_leases_are_checked);
    tcase_add_test(tests, stored_access_policies_are_kept_and_used);
    tcase_add_test(tests, permissions_of_files_do_not_change_their_share);
    tcase_add_test(tests, permissions_are_kept_under_keys);
    tcase_add_test(tests, service_properties_are_returned_and_set);
    suite_add_tcase(suite, tests);
    return suite;
}
