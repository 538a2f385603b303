/* Private to emu/files: permissions of files (security descriptors in SDDL), which a share stores
 * under keys derived from them in its property "permissions", {KEY: SDDL}. They are not enforced:
 * there is no SMB. */
#include <inttypes.h>
#include <string.h>

#include "emu/files/properties.h"
#include "emu/files/store/shares.h"
#include "emu/http/crypto.h"

enum { SDDL_MAX = 8 << 10, PERMISSIONS_MAX = 1000 };

/* The permission that a file inherits: all rights for administrators, the system and its creator.
 */
static const char inherited[] = "O:SYG:SYD:(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;OICIIO;GA;;;CO)";
/* The result of key_of for it. */
static const char inherited_key[] = "12398064941523911634*14316923933238331526";

/* Two numbers, like the service's keys. */
static const char *key_of(Arena *arena, const char *sddl)
{
    unsigned char digest[SHA256_BYTES];
    uint64_t numbers[2];
    crypto_sha256(sddl, strlen(sddl), digest);
    memcpy(numbers, digest, sizeof numbers);
    return arena_printf(arena, "%" PRIu64 "*%" PRIu64, numbers[0], numbers[1]);
}

const char *permission_default_key(void)
{
    return inherited_key;
}

/* An owner, a group and a list: "O:...G:...D:...". */
static bool is_sddl(const char *text)
{
    const char *group = strstr(text, "G:");
    const char *list = group ? strstr(group, "D:") : NULL;
    if (strncmp(text, "O:", 2) != 0 || !list || strlen(text) > SDDL_MAX)
        return false;
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

static Json *properties_of(const FilesCall *call, ShareName share)
{
    FilesEntry entry;
    const FilesFailure failure = files_look(call->files, call->arena, share, "", &entry);
    return files_json_read(call->arena, failure == FILES_OK ? entry.properties : "");
}

static Json *share_properties(const FilesCall *call)
{
    return properties_of(call, call->share);
}

bool permission_has(const FilesCall *call, const char *key)
{
    return strcmp(key, permission_default_key()) == 0 ||
           json_member(json_member(share_properties(call), "permissions"), key);
}

bool permission_keep(FilesCall *call, const char *sddl, const char **key)
{
    if (!is_sddl(sddl))
        return call_refuse(call, AZURE_FILES_INVALID_PERMISSION);
    *key = key_of(call->arena, sddl);
    if (permission_has(call, *key))
        return true;
    Json *properties = share_properties(call);
    Json *permissions = json_member(properties, "permissions");
    if (!permissions)
        permissions = json_put_object(call->arena, properties, "permissions");
    if (permissions->count == PERMISSIONS_MAX)
        return call_refuse_for(call, AZURE_FILES_OUT_OF_RANGE,
                               "(a share keeps up to %d permissions)", PERMISSIONS_MAX);
    files_json_put(call->arena, permissions, *key, sddl);
    const FilesFailure failure =
        files_share_keep(call->files, call->share, files_json_print(call->arena, properties));
    return failure == FILES_OK || call_refuse_failure(call, failure);
}

bool permission_copy(FilesCall *call, ShareName from, const char *key, const char **to)
{
    const Json *kept = json_member(json_member(properties_of(call, from), "permissions"), key);
    *to = "";
    return !kept || permission_keep(call, kept->text, to);
}

/* --- Operations --- */

void op_permission_create(FilesCall *call)
{
    FilesEntry share;
    if (!call_look(call, FILES_SHARE, &share))
        return;
    Problems problems = problems_create(call->arena);
    const Json *body = json_parse(call->arena, "body", call->request->body,
                                  call->request->body_bytes, JSON_STRICT, &problems);
    const Json *sddl = json_member(body, "permission");
    const char *key = NULL;
    if (!sddl || sddl->kind != JSON_STRING) {
        call_refuse_for(call, AZURE_FILES_INVALID_INPUT, "(expected {\"permission\": SDDL})");
        return;
    }
    if (!permission_keep(call, sddl->text, &key))
        return;
    call->response->status = 201;
    http_set(call->response, "x-ms-file-permission-key", key);
    call_stamp_path(call, "");
}

void op_permission_get(FilesCall *call)
{
    FilesEntry share;
    const char *key = NULL;
    if (!call_look(call, FILES_SHARE, &share) ||
        !call_has_header(call, "x-ms-file-permission-key", &key))
        return;
    if (!permission_has(call, key)) {
        call_refuse(call, AZURE_FILES_NO_PERMISSION_KEY);
        return;
    }
    const Json *kept = json_member(json_member(share_properties(call), "permissions"), key);
    Json *body = json_object(call->arena);
    files_json_put(call->arena, body, "permission", kept ? kept->text : inherited);
    const char *text = files_json_print(call->arena, body);
    http_body(call->response, "application/json", text, strlen(text));
}
