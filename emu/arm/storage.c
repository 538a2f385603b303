#include "emu/arm/storage.h"

#include <inttypes.h>
#include <string.h>

#include "emu/arm/arm.h"
#include "emu/files/store/shares.h"
#include "emu/http/crypto.h"
#include "sim/base/ascii.h"
#include "sim/base/invariant.h"

/* --- Keys --- */

#define SECRET_SETTING "storage_secret"
enum { SECRET_BYTES = 32 };

/* The store's secret, made when it is first needed. */
static bool has_secret(Emulator *emulator, Arena *arena, Status *status)
{
    if (*emulator->storage_secret != '\0')
        return true;
    unsigned char bytes[SECRET_BYTES];
    const char *secret = store_setting(emulator->store, arena, SECRET_SETTING);
    if (!secret) {
        if (!crypto_random(bytes, sizeof bytes, status))
            return false;
        secret = base64_encode(arena, bytes, sizeof bytes);
        if (!store_set(emulator->store, SECRET_SETTING, secret, status))
            return false;
    }
    invariant(strlen(secret) < sizeof emulator->storage_secret);
    memcpy(emulator->storage_secret, secret, strlen(secret) + 1);
    return true;
}

/* What is kept of key `which` under `name`; `fallback` before it was first made anew. */
static int64_t kept_of_key(const Record *account, const char *name, int which, int64_t fallback)
{
    const Json *kept = json_item(json_member(account->kept, name), which);
    return kept ? kept->integer : fallback;
}

static int64_t generation_of(const Record *account, int which)
{
    return kept_of_key(account, "generations", which, 0);
}

/* When it was made, last. */
static int64_t key_made_ns(const Record *account, int which)
{
    return kept_of_key(account, "keys_made_ns", which, account->created_ns);
}

/* Two message codes make the 64 bytes that a key has. */
static const char *derive_key(const Emulator *emulator, Arena *arena, const Record *account,
                              int which)
{
    unsigned char key[STORAGE_KEY_BYTES];
    unsigned char *half = key;
    for (int i = 1; half < key + STORAGE_KEY_BYTES; i++, half += SHA256_BYTES) {
        const char *text =
            arena_printf(arena, "half %d of key%d of %s, generation %" PRId64, i, which + 1,
                         account->path.name, generation_of(account, which));
        crypto_hmac_sha256(emulator->storage_secret, strlen(emulator->storage_secret), text,
                           strlen(text), half);
    }
    return base64_encode(arena, key, sizeof key);
}

Record *storage_find(const Emulator *emulator, const char *account)
{
    return session_find(emulator->session, RECORD_STORAGE, (ResourcePath){.name = account});
}

const char *arm_storage_key(Emulator *emulator, Arena *arena, const char *account, int which)
{
    Status status = {0};
    const Record *record = storage_find(emulator, account);
    if (!record || !has_secret(emulator, arena, &status))
        return NULL;
    return derive_key(emulator, arena, record, which);
}

/* --- Bodies --- */

/* As they are where nobody has asked for anything else; `az storage account update` looks into
 * both. */
static void put_defaults(Arena *arena, Json *properties)
{
    static const char *const services[] = {"file", "blob"};
    Json *encryption = json_put_object(arena, properties, "encryption");
    Json *encrypted = json_put_object(arena, encryption, "services");
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        Json *service = json_put_object(arena, encrypted, services[i]);
        json_put_boolean(arena, service, "enabled", true);
        arm_put_text(arena, service, "keyType", "Account");
    }
    arm_put_text(arena, encryption, "keySource", "Microsoft.Storage");
    Json *network = json_put_object(arena, properties, "networkAcls");
    arm_put_text(arena, network, "bypass", "AzureServices");
    json_put_array(arena, network, "virtualNetworkRules");
    json_put_array(arena, network, "ipRules");
    arm_put_text(arena, network, "defaultAction", "Allow");
}

static bool is_premium(const char *sku)
{
    return sku && ascii_same_start(sku, "Premium", strlen("Premium"));
}

static Json *show_account(Emulator *emulator, const HttpRequest *request, const Record *account)
{
    Arena *arena = request->arena;
    Json *body = json_object(arena);
    const char *sku = arm_kept_text(account, "sku");
    const char *kind = arm_kept_text(account, "kind");
    const char *location = arm_location_of(emulator, account);
    Json *level = json_put_object(arena, body, "sku");
    arm_put_text(arena, level, "name", sku ? sku : "Standard_LRS");
    arm_put_text(arena, level, "tier", is_premium(sku) ? "Premium" : "Standard");
    arm_put_text(arena, body, "kind", kind ? kind : "StorageV2");
    arm_put_text(arena, body, "id", arm_id(emulator, arena, RECORD_STORAGE, account->path));
    arm_put_text(arena, body, "name", account->path.name);
    arm_put_text(arena, body, "type", record_type(RECORD_STORAGE));
    arm_put_text(arena, body, "location", location);
    Json *tags = arm_kept(arena, account->kept, "tags");
    json_set(arena, body, "tags", tags ? tags : json_object(arena));
    Json *properties = json_put_object(arena, body, "properties");
    json_put_boolean(arena, properties, "supportsHttpsTrafficOnly", false);
    arm_put_text(arena, properties, "accessTier", "Hot");
    arm_put_text(arena, properties, "provisioningState", "Succeeded");
    arm_put_time(emulator, arena, properties, "creationTime", account->created_ns);
    // Path style: a connection string made of it works without any help from the environment.
    Json *endpoints = json_put_object(arena, properties, "primaryEndpoints");
    arm_put_text(arena, endpoints, "file",
                 arena_printf(arena, "http://%s/%s", emulator->settings.addresses.plain,
                              account->path.name));
    arm_put_text(arena, properties, "primaryLocation", location);
    arm_put_text(arena, properties, "statusOfPrimary", "available");
    put_defaults(arena, properties);
    return body;
}

static void answer_keys(Emulator *emulator, const HttpRequest *request, const Record *account,
                        HttpResponse *response)
{
    Arena *arena = request->arena;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "keys");
    for (int i = 0; i < STORAGE_KEYS; i++) {
        const char *value = arm_storage_key(emulator, arena, account->path.name, i);
        if (!value) {
            arm_error(request, response, 507, "InsufficientStorage",
                      "The emulator's disk has no room for the secret of its keys.");
            return;
        }
        Json *key = json_add(list, json_object(arena));
        arm_put_time(emulator, arena, key, "creationTime", key_made_ns(account, i));
        arm_put_text(arena, key, "keyName", arena_printf(arena, "key%d", i + 1));
        arm_put_text(arena, key, "value", value);
        arm_put_text(arena, key, "permissions", "FULL");
    }
    arm_answer(request, response, 200, body);
}

/* --- Names --- */

/* The emulator's own paths would hide such an account's, "/ACCOUNT/SHARE". */
static bool is_reserved(const char *name)
{
    static const char *const own[] = {"subscriptions", "providers", "tenants",  "metadata",
                                      "adfs",          "msi",       "trainyard"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

/* NULL: it may be an account's name. Source: Azure's naming rules, "Microsoft.Storage". */
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

void storage_check_name(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                        HttpResponse *response)
{
    (void)match;
    Arena *arena = request->arena;
    const Json *body = arm_body(request, response);
    if (!body)
        return;
    const Json *name = json_member(body, "name");
    if (!name || name->kind != JSON_STRING) {
        arm_error(request, response, 400, "InvalidRequestContent", "name: expected a string");
        return;
    }
    const char *problem = name_problem(arena, name->text);
    const bool is_taken = !problem && storage_find(emulator, name->text);
    Json *answer = json_object(arena);
    json_put_boolean(arena, answer, "nameAvailable", !problem && !is_taken);
    if (problem || is_taken)
        arm_put_text(arena, answer, "reason", problem ? "AccountNameInvalid" : "AlreadyExists");
    if (problem || is_taken)
        arm_put_text(arena, answer, "message",
                     problem ? problem
                             : arena_printf(arena, "The storage account named %s is already taken.",
                                            name->text));
    arm_answer(request, response, 200, answer);
}

/* --- Accounts --- */

static ResourcePath account_path(const RouteMatch *match)
{
    return (ResourcePath){.group = match->parts[1], .name = match->parts[2]};
}

/* The account, if it is in that group; NULL after 404. */
static Record *find_account(const Emulator *emulator, const HttpRequest *request,
                            const RouteMatch *match, HttpResponse *response)
{
    ResourcePath path = account_path(match);
    Record *account = storage_find(emulator, path.name);
    if (account && account->path.group && ascii_same(account->path.group, path.group))
        return account;
    if (arm_has_parents(emulator, request, response, &path))
        arm_not_found(request, response, RECORD_STORAGE, path);
    return NULL;
}

/* Source: Microsoft.Storage 2022-09-01, storage.json, SkuName and Kind. */
static const char *const sku_names[] = {"Standard_LRS",  "Standard_GRS",    "Standard_RAGRS",
                                        "Standard_ZRS",  "Premium_LRS",     "Premium_ZRS",
                                        "Standard_GZRS", "Standard_RAGZRS", NULL};
static const char *const kind_names[] = {"Storage",     "StorageV2",        "BlobStorage",
                                         "FileStorage", "BlockBlobStorage", NULL};

/* Puts the one of `names` that `value` (NULL: not asked for) is into `kept`. False after answering
 * 400 where it is none; `parameter` is what the service calls it. */
static bool keep_choice(const HttpRequest *request, HttpResponse *response, const Json *value,
                        const char *parameter, const char *const *names, Json *kept,
                        const char *key)
{
    Arena *arena = request->arena;
    const char *list = "";
    if (!value || value->kind == JSON_NULL)
        return true;
    for (const char *const *name = names; *name; name++) {
        if (value->kind == JSON_STRING && ascii_same(value->text, *name)) {
            arm_put_text(arena, kept, key, *name);
            return true;
        }
        list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "", *name);
    }
    arm_error(request, response, 400, "InvalidValuesForRequestParameters",
              "Values for request parameters are invalid: %s. Expected is one of %s.", parameter,
              list);
    return false;
}

/* A kind is changed to StorageV2 only, from those that came before it, and a level never. False
 * after answering 409. */
static bool stays_what_it_is(const HttpRequest *request, HttpResponse *response, const Record *old,
                             const Json *kept)
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
    if (changed)
        arm_error(request, response, 409, "AccountPropertyCannotBeUpdated",
                  "The property '%s' of a storage account cannot be changed to this.", changed);
    return !changed;
}

/* What a PUT or PATCH says, over what was kept before; NULL after answering 400 or 409. */
static Json *kept_account(const Emulator *emulator, const HttpRequest *request, const Record *old,
                          const Json *body, HttpResponse *response)
{
    Arena *arena = request->arena;
    const Json *tags;
    if (!arm_tags(request, response, body, &tags))
        return NULL;
    Json *kept = old && old->kept ? json_copy(arena, old->kept, NULL) : json_object(arena);
    const Json *sku = json_member(body, "sku");
    if (sku && sku->kind == JSON_OBJECT)
        sku = json_member(sku, "name");
    const char *place = old && !json_member(body, "location")
                            ? arm_location_of(emulator, old)
                            : arm_place(emulator, request, response, RECORD_STORAGE, body, old);
    if (!place || !keep_choice(request, response, sku, "sku.name", sku_names, kept, "sku") ||
        !keep_choice(request, response, json_member(body, "kind"), "kind", kind_names, kept,
                     "kind") ||
        (old && !stays_what_it_is(request, response, old, kept)))
        return NULL;
    arm_put_text(arena, kept, "location", place);
    arm_put(arena, kept, "tags", tags ? json_copy(arena, tags, NULL) : NULL);
    return kept;
}

static void make_account(Emulator *emulator, const HttpRequest *request, ResourcePath path,
                         const Json *kept, HttpResponse *response)
{
    Arena *arena = request->arena;
    Problems problems = problems_create(arena);
    Json *command = json_object(arena);
    arm_put_text(arena, command, "do", command_name(COMMAND_STORAGE_CREATE));
    arm_put_text(arena, command, "name", path.name);
    arm_put_text(arena, command, "resource_group", path.group);
    if (!session_command(emulator->session, command, kept, &problems))
        arm_refusal(request, response, NULL, &problems);
    else
        arm_answer(request, response, 200,
                   show_account(emulator, request, storage_find(emulator, path.name)));
}

void storage_create(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                    HttpResponse *response)
{
    ResourcePath path = account_path(match);
    const Json *body = arm_body(request, response);
    if (!body || !arm_has_parents(emulator, request, response, &path))
        return;
    const char *problem = name_problem(request->arena, path.name);
    if (problem) {
        arm_error(request, response, 400, "AccountNameInvalid", "%s", problem);
        return;
    }
    Record *account = storage_find(emulator, path.name);
    if (account && (!account->path.group || !ascii_same(account->path.group, path.group))) {
        arm_error(request, response, 409, "StorageAccountAlreadyTaken",
                  "The storage account named %s is already taken.", path.name);
        return;
    }
    const Json *kept = kept_account(emulator, request, account, body, response);
    if (kept && !account)
        make_account(emulator, request, path, kept, response);
    else if (kept && arm_keep(emulator, request, response, account, kept))
        arm_answer(request, response, 200, show_account(emulator, request, account));
}

void storage_update(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                    HttpResponse *response)
{
    const Json *body = arm_body(request, response);
    Record *account = body ? find_account(emulator, request, match, response) : NULL;
    const Json *kept = account ? kept_account(emulator, request, account, body, response) : NULL;
    if (kept && arm_keep(emulator, request, response, account, kept))
        arm_answer(request, response, 200, show_account(emulator, request, account));
}

void storage_get(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                 HttpResponse *response)
{
    const Record *account = find_account(emulator, request, match, response);
    if (account)
        arm_answer(request, response, 200, show_account(emulator, request, account));
}

void storage_forget_files(Emulator *emulator, ResourcePath scope)
{
    uint32_t at = 0;
    const Record *account;
    while ((account = session_next(emulator->session, RECORD_STORAGE, scope, &at)))
        files_account_delete(emulator->files, account->path.name);
}

void storage_delete(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                    HttpResponse *response)
{
    Arena *arena = request->arena;
    const ResourcePath path = account_path(match);
    const Record *account = storage_find(emulator, path.name);
    if (!account || !account->path.group || !ascii_same(account->path.group, path.group)) {
        response->status = 204;
        return;
    }
    files_account_delete(emulator->files, account->path.name);
    Problems problems = problems_create(arena);
    Json *command = json_object(arena);
    arm_put_text(arena, command, "do", command_name(COMMAND_STORAGE_DELETE));
    arm_put_text(arena, command, "name", account->path.name);
    response->status = 200;
    if (!session_command(emulator->session, command, NULL, &problems))
        arm_refusal(request, response, NULL, &problems);
}

void storage_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                  HttpResponse *response)
{
    (void)match;
    arm_list(emulator, request, response, RECORD_STORAGE, (ResourcePath){0}, show_account);
}

void storage_list_by_group(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                           HttpResponse *response)
{
    ResourcePath scope = {.group = match->parts[1]};
    if (arm_has_parents(emulator, request, response, &scope))
        arm_list(emulator, request, response, RECORD_STORAGE, scope, show_account);
}

void storage_list_keys(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    const Record *account = find_account(emulator, request, match, response);
    if (account)
        answer_keys(emulator, request, account, response);
}

void storage_regenerate_key(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                            HttpResponse *response)
{
    Arena *arena = request->arena;
    const Json *body = arm_body(request, response);
    Record *account = body ? find_account(emulator, request, match, response) : NULL;
    if (!account)
        return;
    const Json *name = json_member(body, "keyName");
    const bool is_text = name && name->kind == JSON_STRING;
    const int which = is_text && ascii_same(name->text, "key1")   ? 0
                      : is_text && ascii_same(name->text, "key2") ? 1
                                                                  : -1;
    if (which < 0) {
        arm_error(request, response, 400, "InvalidRequestContent",
                  "keyName: expected \"key1\" or \"key2\"");
        return;
    }
    Json *kept = account->kept ? json_copy(arena, account->kept, NULL) : json_object(arena);
    Json *generations = json_put_array(arena, kept, "generations");
    Json *made_ns = json_put_array(arena, kept, "keys_made_ns");
    for (int i = 0; i < STORAGE_KEYS; i++) {
        const bool is_renewed = i == which;
        json_add(generations, json_integer(arena, generation_of(account, i) + is_renewed));
        json_add(made_ns, json_integer(arena, is_renewed ? session_now_ns(emulator->session)
                                                         : key_made_ns(account, i)));
    }
    if (arm_keep(emulator, request, response, account, kept))
        answer_keys(emulator, request, account, response);
}
