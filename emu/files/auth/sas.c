#include "emu/files/auth/sas.h"

#include <string.h>

#include "emu/files/auth/sas_fields.h"
#include "emu/files/store/json.h"
#include "sim/base/civil_time.h"

/* --- Fields --- */

/* A parameter of the URL; "" if it is missing. */
static const char *field(const HttpRequest *request, const char *name)
{
    const char *value = http_query(request, name);
    return value ? value : "";
}

/* --- What is signed --- */

static const char *joined(Arena *arena, const char *const *lines, int32_t count)
{
    Text text = {0};
    for (int32_t i = 0; i < count; i++) {
        text_add(&text, lines[i]);
        text_add(&text, i + 1 < count ? "\n" : "");
    }
    const char *out = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return out;
}

typedef struct {
    const char *permissions, *start, *expiry;
    const char *policy, *addresses, *protocol, *version;
    const char *cache_control, *disposition, *encoding, *language,
        *type; /* headers of the answer */
} SasFields;

/* `resource`: "/file/ACCOUNT/SHARE/path". */
static const char *service_string(Arena *arena, const SasFields *sas, const char *resource)
{
    const char *const lines[] = {sas->permissions,   sas->start,       sas->expiry,   resource,
                                 sas->policy,        sas->addresses,   sas->protocol, sas->version,
                                 sas->cache_control, sas->disposition, sas->encoding, sas->language,
                                 sas->type};
    return joined(arena, lines, sizeof lines / sizeof *lines);
}

/* Versions before 2015-04-05 have no addresses and protocol. */
static const char *old_service_string(Arena *arena, const SasFields *sas, const char *resource)
{
    const char *const lines[] = {sas->permissions,   sas->start,       sas->expiry,
                                 resource,           sas->policy,      sas->version,
                                 sas->cache_control, sas->disposition, sas->encoding,
                                 sas->language,      sas->type};
    return joined(arena, lines, sizeof lines / sizeof *lines);
}

static const char *account_string(const HttpRequest *request, const SasFields *sas,
                                  const char *account)
{
    const char *const lines[] = {
        account,     sas->permissions, field(request, "ss"), field(request, "srt"), sas->start,
        sas->expiry, sas->addresses,   sas->protocol,        sas->version};
    const char *text = joined(request->arena, lines, sizeof lines / sizeof *lines);
    // Since version 2020-12-06 the encryption scope follows, which files do not have.
    const bool has_scope = strcmp(sas->version, "2020-12-06") >= 0;
    return arena_printf(request->arena, "%s\n%s%s", text, has_scope ? field(request, "ses") : "",
                        has_scope ? "\n" : "");
}

static SasFields read_fields(const HttpRequest *request)
{
    return (SasFields){.permissions = field(request, "sp"),
                       .start = field(request, "st"),
                       .expiry = field(request, "se"),
                       .policy = field(request, "si"),
                       .addresses = field(request, "sip"),
                       .protocol = field(request, "spr"),
                       .version = field(request, "sv"),
                       .cache_control = field(request, "rscc"),
                       .disposition = field(request, "rscd"),
                       .encoding = field(request, "rsce"),
                       .language = field(request, "rscl"),
                       .type = field(request, "rsct")};
}

/* --- Checking --- */

static bool deny(FilesDenial *denial, const char *detail)
{
    return files_deny(denial, AZURE_FILES_AUTHENTICATION_FAILED, detail);
}

/* A stored access policy of the share gives the fields that the URL leaves out. A field in both is
 * refused, as by the service. */
static bool take_policy(const AzureFiles *service, const HttpRequest *request,
                        const FilesAddress *address, SasFields *sas, FilesDenial *denial)
{
    if (*sas->policy == '\0')
        return true;
    const ShareName share = {.account = address->account, .share = address->share};
    FilesEntry entry;
    const Json *policy = NULL;
    if (files_look(service->files, request->arena, share, "", &entry) == FILES_OK) {
        Problems problems = problems_create(request->arena);
        const Json *properties = json_parse(request->arena, "properties", entry.properties,
                                            strlen(entry.properties), JSON_STRICT, &problems);
        const Json *policies = json_member(properties, "policies");
        for (policy = policies ? policies->first : NULL; policy; policy = policy->next)
            if (strcmp(files_json_text(policy, "id"), sas->policy) == 0)
                break;
    }
    if (!policy)
        return deny(denial, "The share has no stored access policy of that identifier.");
    const struct {
        const char *name;
        const char **value;
    } fields[] = {
        {"start", &sas->start}, {"expiry", &sas->expiry}, {"permission", &sas->permissions}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const Json *said = json_member(policy, fields[i].name);
        if (said && **fields[i].value != '\0')
            return deny(denial, "Access policy fields can be associated with signature or SAS "
                                "identifier but not both.");
        if (said)
            *fields[i].value = said->text;
    }
    return true;
}

/* By the machine's clock, which is the clock of the signer. */
static bool check_times(const AzureFiles *service, const SasFields *sas, FilesDenial *denial)
{
    const int64_t now_ms = service->machine_ms(service->owner);
    int64_t start_ms = now_ms, expiry_ms;
    if (*sas->start != '\0' && !sas_time_parse(sas->start, &start_ms))
        return deny(denial, "The start time (st) is not a valid time.");
    if (!sas_time_parse(sas->expiry, &expiry_ms))
        return deny(denial, "The expiry time (se) is missing or not a valid time.");
    return (start_ms <= now_ms && now_ms < expiry_ms) ||
           deny(denial, "Signature not valid in the specified time frame.");
}

static bool check_way(const HttpRequest *request, const SasFields *sas, FilesDenial *denial)
{
    const bool is_protocol = *sas->protocol == '\0' || strcmp(sas->protocol, "https") == 0 ||
                             strcmp(sas->protocol, "https,http") == 0;
    if (!is_protocol)
        return deny(denial, "The protocol (spr) is \"https\" or \"https,http\".");
    if (strcmp(sas->protocol, "https") == 0 && request->listener == LISTENER_PLAIN)
        return files_deny(denial, AZURE_FILES_PROTOCOL_MISMATCH, "");
    if (*sas->addresses != '\0' &&
        (!request->peer || !sas_addresses_have(sas->addresses, request->peer)))
        return files_deny(denial, AZURE_FILES_SOURCE_IP_MISMATCH, "");
    return true;
}

static bool check_account_sas(const AzureFiles *service, const HttpRequest *request,
                              const FilesAddress *address, const SasFields *sas,
                              FilesDenial *denial)
{
    const char *text = account_string(request, sas, address->account);
    if (!files_signature_is_valid(service, request->arena, address->account, text,
                                  field(request, "sig")))
        return deny(denial, "Signature did not match.");
    const char letter = address->host == FILES_HOST ? 'f' : 'b';
    return strchr(field(request, "ss"), letter) ||
           files_deny(denial, AZURE_FILES_SERVICE_MISMATCH, "");
}

static bool check_service_sas(const AzureFiles *service, const HttpRequest *request,
                              const FilesAddress *address, const SasFields *sas,
                              FilesDenial *denial)
{
    const char *kind = field(request, "sr");
    const bool is_share = strcmp(kind, "s") == 0, is_file = strcmp(kind, "f") == 0;
    const bool is_blob = strcmp(kind, "b") == 0;
    if (address->host == FILES_HOST ? !is_share && !is_file : !is_blob)
        return deny(denial, "The resource (sr) of a SAS for files is \"s\", a share, or \"f\", a "
                            "file; for blobs it is \"b\", a blob.");
    Arena *arena = request->arena;
    const char *resource =
        is_share ? arena_printf(arena, "/file/%s/%s", address->account, address->share)
                 : arena_printf(arena, "/%s/%s%s", is_blob ? "blob" : "file", address->account,
                                address->resource);
    const char *text = strcmp(sas->version, "2015-04-05") >= 0
                           ? service_string(arena, sas, resource)
                           : old_service_string(arena, sas, resource);
    return files_signature_is_valid(service, arena, address->account, text,
                                    field(request, "sig")) ||
           deny(denial, "Signature did not match.");
}

bool files_sas_check(const AzureFiles *service, const HttpRequest *request,
                     const FilesAddress *address, FilesAccess *access, FilesDenial *denial)
{
    SasFields sas = read_fields(request);
    const bool is_account = http_query(request, "ss") != NULL;
    if (!files_is_version(sas.version))
        return deny(denial, "The version (sv) is a date as 2018-03-28, and is needed.");
    if (http_query(request, "skoid"))
        return deny(denial, "User delegation is not supported: sign with a key of the account.");
    // The signature covers the URL only, before a policy gives the missing fields.
    if (!(is_account ? check_account_sas(service, request, address, &sas, denial)
                     : check_service_sas(service, request, address, &sas, denial)))
        return false;
    if (!is_account && !take_policy(service, request, address, &sas, denial))
        return false;
    if (*sas.permissions == '\0')
        return deny(denial, "The permissions (sp) are missing.");
    if (!check_times(service, &sas, denial) || !check_way(request, &sas, denial))
        return false;
    *access = (FilesAccess){.permissions = sas.permissions,
                            .kinds = is_account ? field(request, "srt") : NULL,
                            .is_of_file = !is_account && strcmp(field(request, "sr"), "s") != 0};
    return true;
}

/* --- Making --- */

const char *files_sas_url(const AzureFiles *service, Arena *arena, FilesHost host,
                          const char *account, const char *share, const char *path,
                          const char *permissions, int64_t expires_unix_ms)
{
    enum { SECOND_MS = 1000 };
    char expiry[CIVIL_TEXT];
    iso_time_print(expires_unix_ms / SECOND_MS * SECOND_MS, expiry);
    const SasFields sas = {.permissions = permissions,
                           .start = "",
                           .expiry = expiry,
                           .policy = "",
                           .addresses = "",
                           .protocol = "",
                           .version = "2016-05-31",
                           .cache_control = "",
                           .disposition = "",
                           .encoding = "",
                           .language = "",
                           .type = ""};
    const bool is_blob = host == BLOB_HOST;
    const char *resource =
        arena_printf(arena, "/%s/%s/%s/%s", is_blob ? "blob" : "file", account, share, path);
    const char *signature =
        files_signature(service, arena, account, 0, service_string(arena, &sas, resource));
    if (!signature)
        return NULL;
    return arena_printf(arena, "http://%s/%s/%s/%s?sv=%s&sr=%s&sig=%s&se=%s&sp=%s",
                        service->addresses->plain, account, share, http_encode(arena, path, "/"),
                        sas.version, is_blob ? "b" : "f", http_encode(arena, signature, ""),
                        http_encode(arena, expiry, ""), permissions);
}
