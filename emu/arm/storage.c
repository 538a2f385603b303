#include "emu/arm/storage.h"

#include <inttypes.h>
#include <string.h>

#include "emu/arm/call.h"
#include "emu/arm/id.h"
#include "emu/arm/location.h"
#include "emu/arm/resource.h"
#include "emu/files/store/shares.h"
#include "emu/http/crypto.h"
#include "sim/base/ascii.h"
#include "sim/base/invariant.h"

/* --- Keys --- */

#define SECRET_SETTING "storage_secret"
enum { SECRET_BYTES = 32 };

/* Reads the store's secret, and makes it when it is first needed. */
static bool has_secret(Arm *arm, Arena *arena, Status *status)
{
    if (*arm->storage_secret != '\0')
        return true;
    unsigned char bytes[SECRET_BYTES];
    const char *secret = store_setting(arm->store, arena, SECRET_SETTING);
    if (!secret) {
        if (!crypto_random(bytes, sizeof bytes, status))
            return false;
        secret = base64_encode(arena, bytes, sizeof bytes);
        if (!store_set(arm->store, SECRET_SETTING, secret, status))
            return false;
    }
    invariant(strlen(secret) < sizeof arm->storage_secret);
    memcpy(arm->storage_secret, secret, strlen(secret) + 1);
    return true;
}

/* Returns the number of key `which` in the kept list `name`; `fallback` before the first
 * regeneration. */
static int64_t kept_of_key(const Record *account, const char *name, int which, int64_t fallback)
{
    const Json *kept = json_item(json_member(record_kept(account), name), which);
    return kept ? kept->integer : fallback;
}

static int64_t generation_of(const Record *account, int which)
{
    return kept_of_key(account, "generations", which, 0);
}

/* When the key was made or last regenerated. */
static int64_t key_made_ns(const Record *account, int which)
{
    return kept_of_key(account, "keys_made_ns", which, account->created_ns);
}

/* A key has 64 bytes: two message authentication codes. */
static const char *derive_key(const Arm *arm, Arena *arena, const Record *account, int which)
{
    unsigned char key[STORAGE_KEY_BYTES];
    unsigned char *half = key;
    for (int i = 1; half < key + STORAGE_KEY_BYTES; i++, half += SHA256_BYTES) {
        const char *text =
            arena_printf(arena, "half %d of key%d of %s, generation %" PRId64, i, which + 1,
                         account->path.name, generation_of(account, which));
        crypto_hmac_sha256(arm->storage_secret, strlen(arm->storage_secret), text, strlen(text),
                           half);
    }
    return base64_encode(arena, key, sizeof key);
}

Record *storage_find(const Arm *arm, const char *account)
{
    return session_find(arm->session, RECORD_STORAGE, (ResourcePath){.name = account});
}

const char *arm_storage_key(Arm *arm, Arena *arena, const char *account, int which)
{
    Status status = {0};
    const Record *record = storage_find(arm, account);
    if (!record || !has_secret(arm, arena, &status))
        return NULL;
    return derive_key(arm, arena, record, which);
}

/* --- Bodies --- */

/* The service's defaults; `az storage account update` reads both. */
static void put_defaults(Arena *arena, Json *properties)
{
    static const char *const services[] = {"file", "blob"};
    Json *encryption = json_put_object(arena, properties, "encryption");
    Json *encrypted = json_put_object(arena, encryption, "services");
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        Json *service = json_put_object(arena, encrypted, services[i]);
        json_put_boolean(arena, service, "enabled", true);
        json_put_text(arena, service, "keyType", "Account");
    }
    json_put_text(arena, encryption, "keySource", "Microsoft.Storage");
    Json *network = json_put_object(arena, properties, "networkAcls");
    json_put_text(arena, network, "bypass", "AzureServices");
    json_put_array(arena, network, "virtualNetworkRules");
    json_put_array(arena, network, "ipRules");
    json_put_text(arena, network, "defaultAction", "Allow");
}

static bool is_premium(const char *sku)
{
    return sku && ascii_same_start(sku, "Premium", strlen("Premium"));
}

static Json *show_account(const ArmCall *call, const Record *account)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    const char *sku = arm_kept_text(account, "sku");
    const char *kind = arm_kept_text(account, "kind");
    const char *location = arm_location_of(call, account);
    Json *level = json_put_object(arena, body, "sku");
    json_put_text(arena, level, "name", sku ? sku : "Standard_LRS");
    json_put_text(arena, level, "tier", is_premium(sku) ? "Premium" : "Standard");
    json_put_text(arena, body, "kind", kind ? kind : "StorageV2");
    json_put_text(arena, body, "id", arm_id(call, RECORD_STORAGE, account->path));
    json_put_text(arena, body, "name", account->path.name);
    json_put_text(arena, body, "type", record_type(RECORD_STORAGE));
    json_put_text(arena, body, "location", location);
    Json *tags = arm_kept(arena, record_kept(account), "tags");
    json_set(arena, body, "tags", tags ? tags : json_object(arena));
    Json *properties = json_put_object(arena, body, "properties");
    json_put_boolean(arena, properties, "supportsHttpsTrafficOnly", false);
    json_put_text(arena, properties, "accessTier", "Hot");
    json_put_text(arena, properties, "provisioningState", "Succeeded");
    arm_put_time(call, properties, "creationTime", account->created_ns);
    // Path style, so that a connection string works without a proxy.
    Json *endpoints = json_put_object(arena, properties, "primaryEndpoints");
    json_put_text(
        arena, endpoints, "file",
        arena_printf(arena, "http://%s/%s", call->arm->addresses->plain, account->path.name));
    json_put_text(arena, properties, "primaryLocation", location);
    json_put_text(arena, properties, "statusOfPrimary", "available");
    put_defaults(arena, properties);
    return body;
}

static void answer_keys(const ArmCall *call, const Record *account)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "keys");
    for (int i = 0; i < STORAGE_KEYS; i++) {
        const char *value = arm_storage_key(call->arm, arena, account->path.name, i);
        if (!value) {
            arm_error(call, AZURE_ARM_NO_ROOM_FOR_SECRET);
            return;
        }
        Json *key = json_add(list, json_object(arena));
        arm_put_time(call, key, "creationTime", key_made_ns(account, i));
        json_put_text(arena, key, "keyName", arena_printf(arena, "key%d", i + 1));
        json_put_text(arena, key, "value", value);
        json_put_text(arena, key, "permissions", "FULL");
    }
    arm_answer(call, 200, body);
}

/* --- Names --- */

/* Whether one of the emulator's own paths would hide "/ACCOUNT/SHARE" of such an account. */
static bool is_reserved(const char *name)
{
    static const char *const own[] = {"subscriptions", "providers", "tenants",  "metadata",
                                      "adfs",          "msi",       "trainyard"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

/* Returns why `name` is not valid for an account; NULL if it is. Source: Azure's naming rules,
 * "Microsoft.Storage". */
static const char *name_problem(Arena *arena, const char *name)
{
    const size_t length = strlen(name);
    if (length < 3 || length > 24 || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") != length)
        return arena_printf(arena,
                            "%s is not a valid storage account name. Storage account name must be "
                            "between 3 and 24 characters in length and use numbers and lower-case "
                            "letters only.",
                            name);
    return is_reserved(name) ? arena_printf(arena,
                                            "%s is not a valid storage account name: the emulator "
                                            "uses it in its own paths.",
                                            name)
                             : NULL;
}

void storage_check_name(const ArmCall *call)
{
    Arena *arena = call->arena;
    const Json *body = arm_body(call);
    if (!body)
        return;
    const Json *name = json_member(body, "name");
    if (!name || name->kind != JSON_STRING) {
        arm_error(call, AZURE_ARM_INVALID_CONTENT, "name: expected a string");
        return;
    }
    const char *problem = name_problem(arena, name->text);
    const bool is_taken = !problem && storage_find(call->arm, name->text);
    Json *answer = json_object(arena);
    json_put_boolean(arena, answer, "nameAvailable", !problem && !is_taken);
    if (problem || is_taken)
        json_put_text(arena, answer, "reason", problem ? "AccountNameInvalid" : "AlreadyExists");
    if (problem || is_taken)
        json_put_text(arena, answer, "message",
                      problem
                          ? problem
                          : arena_printf(arena, "The storage account named %s is already taken.",
                                         name->text));
    arm_answer(call, 200, answer);
}

/* --- Accounts --- */

static ResourcePath account_path(const ArmCall *call)
{
    return (ResourcePath){.group = call->match.parts[1], .name = call->match.parts[2]};
}

/* Returns the account if it is in the group of the path. NULL after answering 404. */
static Record *find_account(const ArmCall *call)
{
    ResourcePath path = account_path(call);
    Record *account = storage_find(call->arm, path.name);
    if (account && account->path.group && ascii_same(account->path.group, path.group))
        return account;
    if (arm_has_parents(call, &path))
        arm_not_found(call, RECORD_STORAGE, path);
    return NULL;
}

/* Source: Microsoft.Storage 2022-09-01, storage.json, SkuName and Kind. */
static const char *const sku_names[] = {"Standard_LRS",  "Standard_GRS",    "Standard_RAGRS",
                                        "Standard_ZRS",  "Premium_LRS",     "Premium_ZRS",
                                        "Standard_GZRS", "Standard_RAGZRS", NULL};
static const char *const kind_names[] = {"Storage",     "StorageV2",        "BlobStorage",
                                         "FileStorage", "BlockBlobStorage", NULL};

/* Stores the entry of `names` that equals `value` (NULL: not requested) in `kept`. False after
 * answering 400 if there is none. `parameter` is the service's name of the property. */
static bool keep_choice(const ArmCall *call, const Json *value, const char *parameter,
                        const char *const *names, Json *kept, const char *key)
{
    Arena *arena = call->arena;
    const char *list = "";
    if (!value || value->kind == JSON_NULL)
        return true;
    for (const char *const *name = names; *name; name++) {
        if (value->kind == JSON_STRING && ascii_same(value->text, *name)) {
            json_put_text(arena, kept, key, *name);
            return true;
        }
        list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "", *name);
    }
    return arm_error(call, AZURE_ARM_INVALID_ACCOUNT_CHOICE, parameter, list);
}

/* The kind can only change from an older kind to StorageV2, and the performance level never. False
 * after answering 409. */
static bool stays_what_it_is(const ArmCall *call, const Record *old, const Json *kept)
{
    const char *kind = arm_kept_text(old, "kind"), *sku = arm_kept_text(old, "sku");
    const Json *new_kind = json_member(kept, "kind"), *new_sku = json_member(kept, "sku");
    const bool is_upgrade = kind && new_kind && strcmp(new_kind->text, "StorageV2") == 0 &&
                            (strcmp(kind, "Storage") == 0 || strcmp(kind, "BlobStorage") == 0);
    const char *changed = NULL;
    if (kind && new_kind && strcmp(kind, new_kind->text) != 0 && !is_upgrade)
        changed = "kind";
    else if (sku && new_sku && is_premium(sku) != is_premium(new_sku->text))
        changed = "sku.name";
    return !changed || arm_error(call, AZURE_ARM_FIXED_ACCOUNT_PROPERTY, changed);
}

/* Returns the kept properties of `old`, changed as a PUT or PATCH says. NULL after answering 400 or
 * 409. */
static Json *kept_account(const ArmCall *call, const Record *old, const Json *body)
{
    Arena *arena = call->arena;
    const Json *tags;
    if (!arm_tags(call, body, &tags))
        return NULL;
    Json *kept = old && old->kept ? json_copy(arena, record_kept(old), NULL) : json_object(arena);
    const Json *sku = json_member(body, "sku");
    if (sku && sku->kind == JSON_OBJECT)
        sku = json_member(sku, "name");
    const char *place = old && !json_member(body, "location")
                            ? arm_location_of(call, old)
                            : arm_place(call, RECORD_STORAGE, body, old);
    if (!place || !keep_choice(call, sku, "sku.name", sku_names, kept, "sku") ||
        !keep_choice(call, json_member(body, "kind"), "kind", kind_names, kept, "kind") ||
        (old && !stays_what_it_is(call, old, kept)))
        return NULL;
    json_put_text(arena, kept, "location", place);
    json_put(arena, kept, "tags", tags ? json_copy(arena, tags, NULL) : NULL);
    return kept;
}

static void make_account(const ArmCall *call, ResourcePath path, const Json *kept)
{
    if (arm_do(call, NULL, session_command_about(call->arena, COMMAND_STORAGE_CREATE, path), kept))
        arm_answer(call, 200, show_account(call, storage_find(call->arm, path.name)));
}

void storage_create(const ArmCall *call)
{
    ResourcePath path = account_path(call);
    const Json *body = arm_body(call);
    if (!body || !arm_has_parents(call, &path))
        return;
    const char *problem = name_problem(call->arena, path.name);
    if (problem) {
        arm_error(call, AZURE_ARM_INVALID_ACCOUNT_NAME, problem);
        return;
    }
    Record *account = storage_find(call->arm, path.name);
    if (account && (!account->path.group || !ascii_same(account->path.group, path.group))) {
        arm_error(call, AZURE_ARM_ACCOUNT_TAKEN, path.name);
        return;
    }
    const Json *kept = kept_account(call, account, body);
    if (kept && !account)
        make_account(call, path, kept);
    else if (kept && arm_keep(call, account, kept))
        arm_answer(call, 200, show_account(call, account));
}

void storage_update(const ArmCall *call)
{
    const Json *body = arm_body(call);
    Record *account = body ? find_account(call) : NULL;
    const Json *kept = account ? kept_account(call, account, body) : NULL;
    if (kept && arm_keep(call, account, kept))
        arm_answer(call, 200, show_account(call, account));
}

void storage_get(const ArmCall *call)
{
    const Record *account = find_account(call);
    if (account)
        arm_answer(call, 200, show_account(call, account));
}

void storage_forget_files(const ArmCall *call, ResourcePath scope)
{
    uint32_t at = 0;
    const Record *account;
    while ((account = session_next(call->session, RECORD_STORAGE, scope, &at)))
        files_account_delete(call->arm->files, account->path.name);
}

void storage_delete(const ArmCall *call)
{
    const ResourcePath path = account_path(call);
    const Record *account = storage_find(call->arm, path.name);
    if (!account || !account->path.group || !ascii_same(account->path.group, path.group)) {
        call->response->status = 204;
        return;
    }
    files_account_delete(call->arm->files, account->path.name);
    call->response->status = 200;
    (void)arm_do(call, NULL,
                 session_command_about(call->arena, COMMAND_STORAGE_DELETE,
                                       (ResourcePath){.name = account->path.name}),
                 NULL);
}

void storage_list(const ArmCall *call)
{
    arm_list(call, RECORD_STORAGE, (ResourcePath){0}, show_account);
}

void storage_list_by_group(const ArmCall *call)
{
    ResourcePath scope = {.group = call->match.parts[1]};
    if (arm_has_parents(call, &scope))
        arm_list(call, RECORD_STORAGE, scope, show_account);
}

void storage_list_keys(const ArmCall *call)
{
    const Record *account = find_account(call);
    if (account)
        answer_keys(call, account);
}

void storage_regenerate_key(const ArmCall *call)
{
    Arena *arena = call->arena;
    const Json *body = arm_body(call);
    Record *account = body ? find_account(call) : NULL;
    if (!account)
        return;
    const Json *name = json_member(body, "keyName");
    const bool is_text = name && name->kind == JSON_STRING;
    const int which = is_text && ascii_same(name->text, "key1")   ? 0
                      : is_text && ascii_same(name->text, "key2") ? 1
                                                                  : -1;
    if (which < 0) {
        arm_error(call, AZURE_ARM_INVALID_CONTENT, "keyName: expected \"key1\" or \"key2\"");
        return;
    }
    Json *kept = account->kept ? json_copy(arena, record_kept(account), NULL) : json_object(arena);
    Json *generations = json_put_array(arena, kept, "generations");
    Json *made_ns = json_put_array(arena, kept, "keys_made_ns");
    for (int i = 0; i < STORAGE_KEYS; i++) {
        const bool is_renewed = i == which;
        json_add(generations, json_integer(arena, generation_of(account, i) + is_renewed));
        json_add(made_ns, json_integer(arena, is_renewed ? session_now_ns(call->session)
                                                         : key_made_ns(account, i)));
    }
    if (arm_keep(call, account, kept))
        answer_keys(call, account);
}
