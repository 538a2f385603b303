/* Private to emu/files: operations of shares, except for access policies (acl.c) and permissions
 * (permission.c). */
#include <inttypes.h>
#include <string.h>

#include "emu/files/call.h"
#include "emu/files/metadata.h"
#include "emu/files/properties.h"
#include "emu/files/store/shares.h"
#include "emu/files/store/ticks.h"
#include "sim/base/ascii.h"
#include "sim/base/units.h"

enum { QUOTA_GIB_MAX = 102400 };

static const char *const tiers[] = {"TransactionOptimized", "Hot", "Cool", "Premium"};
static const char *const squashes[] = {"NoRootSquash", "RootSquash", "AllSquash"};

/* Reads the properties, except for the quota, of Create Share and Set Share Properties. */
static bool take_properties(FilesCall *call, Json *properties)
{
    const char *tier, *squash;
    if (!call_word(call, "x-ms-access-tier", tiers, sizeof tiers / sizeof *tiers, &tier) ||
        !call_word(call, "x-ms-root-squash", squashes, sizeof squashes / sizeof *squashes, &squash))
        return false;
    const char *protocols = call_header(call, "x-ms-enabled-protocols");
    if (protocols && !ascii_same(protocols, "SMB"))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                               "(x-ms-enabled-protocols: this emulator has only SMB shares)");
    if (tier) {
        char now[HTTP_DATE];
        http_date_print(call_now_ms(call), now);
        files_json_put(call->arena, properties, "access-tier", tier);
        files_json_put(call->arena, properties, "access-tier-change-time", now);
    }
    if (squash)
        files_json_put(call->arena, properties, "root-squash", squash);
    return true;
}

void op_share_create(FilesCall *call)
{
    int64_t quota_gib = SHARE_QUOTA_GIB;
    const char *metadata;
    Json *properties = json_object(call->arena);
    if (!call_number(call, "x-ms-share-quota", 1, QUOTA_GIB_MAX, &quota_gib) ||
        !metadata_take(call, &metadata) || !take_properties(call, properties))
        return;
    FilesFailure failure = files_share_create(call->files, call->share, quota_gib, metadata);
    if (failure == FILES_OK && !call_report_share(call, true)) {
        files_share_delete(call->files, call->share, false);
        return;
    }
    if (failure == FILES_OK && properties->count > 0)
        failure = files_change(call->files, call->share, "", -1,
                               files_json_print(call->arena, properties), NULL, NULL);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    call->response->status = 201;
    call_stamp_path(call, "");
}

void op_share_get(FilesCall *call)
{
    FilesEntry share;
    if (!call_look_to_read(call, &share))
        return;
    const Json *properties = files_json_read(call->arena, share.properties);
    const char *tier = files_json_text(properties, "access-tier");
    call_stamp(call, &share);
    call_set(call, "x-ms-share-quota", "%" PRId64, share.quota_gib);
    http_set(call->response, "x-ms-access-tier", *tier ? tier : "TransactionOptimized");
    if (*files_json_text(properties, "access-tier-change-time"))
        http_set(call->response, "x-ms-access-tier-change-time",
                 files_json_text(properties, "access-tier-change-time"));
    http_set(call->response, "x-ms-enabled-protocols", "SMB");
    if (*files_json_text(properties, "root-squash"))
        http_set(call->response, "x-ms-root-squash", files_json_text(properties, "root-squash"));
    call_answer_lease(call, &share);
    metadata_answer(call, share.metadata);
}

/* Whether one of the share's snapshots has an active lease. */
static bool has_leased_snapshot(FilesCall *call)
{
    int32_t count;
    bool more;
    // A share follows its snapshots, and precedes other shares whose names begin with its name.
    const FilesEntry *rows = files_shares(call->files, call->arena, call->address.account,
                                          call->address.share, "", INT32_MAX, true, &count, &more);
    for (int32_t i = 0; i < count && strcmp(rows[i].name, call->address.share) == 0; i++) {
        const Lease lease = lease_read(call->arena, rows[i].lease);
        if (*rows[i].snapshot && lease_is_locked(&lease, call_now_ms(call)))
            return true;
    }
    return false;
}

/* "include" also deletes snapshots, if none is leased, and "include-leased" all of them. A snapshot
 * has no snapshots. */
typedef enum { SNAPSHOTS_STAY, SNAPSHOTS_GO, LEASED_SNAPSHOTS_GO } WithSnapshots;

static bool read_with_snapshots(FilesCall *call, WithSnapshots *with)
{
    static const char *const words[] = {"include", "include-leased"};
    const char *word;
    if (!call_word(call, "x-ms-delete-snapshots", words, 2, &word))
        return false;
    *with = !word ? SNAPSHOTS_STAY : word == words[0] ? SNAPSHOTS_GO : LEASED_SNAPSHOTS_GO;
    return !word || !call->share.snapshot ||
           call_refuse_for(call, AZURE_FILES_UNSUPPORTED_HEADER, "(x-ms-delete-snapshots)");
}

void op_share_delete(FilesCall *call)
{
    FilesEntry share;
    WithSnapshots with;
    if (!read_with_snapshots(call, &with) || !call_look_to_change(call, &share))
        return;
    if (with == SNAPSHOTS_GO && has_leased_snapshot(call)) {
        call_refuse(call, AZURE_FILES_SNAPSHOT_LEASED);
        return;
    }
    const FilesFailure failure =
        files_share_delete(call->files, call->share, with != SNAPSHOTS_STAY);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else if (call->share.snapshot || call_report_share(call, false))
        call->response->status = 202;
}

void op_share_snapshot(FilesCall *call)
{
    const char *metadata;
    char snapshot[TICKS_TEXT];
    if (!metadata_take(call, &metadata))
        return;
    const FilesFailure failure =
        files_share_snapshot(call->files, call->share, *metadata ? metadata : NULL, snapshot);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    call->response->status = 201;
    call_set(call, "x-ms-snapshot", "%s", snapshot);
    call_stamp_path(call, "");
}

void op_share_set(FilesCall *call)
{
    FilesEntry share;
    int64_t quota_gib = -1;
    if (!call_look_to_change(call, &share))
        return;
    Json *properties = files_json_read(call->arena, share.properties);
    if (!call_number(call, "x-ms-share-quota", 1, QUOTA_GIB_MAX, &quota_gib) ||
        !take_properties(call, properties))
        return;
    FilesFailure failure = files_share_change(call->files, call->share, quota_gib, NULL);
    if (failure == FILES_OK)
        failure = files_change(call->files, call->share, "", -1,
                               files_json_print(call->arena, properties), NULL, NULL);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else
        call_stamp_path(call, "");
}

void op_share_stats(FilesCall *call)
{
    FilesEntry share;
    if (!call_look(call, FILES_SHARE, &share))
        return;
    const int64_t bytes = files_share_bytes(call->files, call->share);
    call_stamp(call, &share);
    XmlWriter *xml = xml_begin(call->arena, "ShareStats");
    // Older versions count in whole GiB.
    if (strcmp(call->version, "2019-02-02") < 0)
        xml_number(xml, "ShareUsage", (bytes + GIB - 1) / GIB);
    else
        xml_number(xml, "ShareUsageBytes", bytes);
    call_answer_xml(call, xml);
}
