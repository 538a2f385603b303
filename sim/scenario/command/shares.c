#include "sim/scenario/command/shares.h"

#include <string.h>

#include "sim/cloud/storage/share.h"
#include "sim/scenario/command/check.h"

/* The tier called `name`; NULL when it is not known, which is reported. */
static const ShareTier *find_tier(const ConfigContext *context, BoundText name)
{
    if (context->catalog == NULL || name.value == NULL)
        return NULL;
    const ShareTier *tier = catalog_share_tier(context->catalog, name.value);
    if (tier == NULL)
        config_unknown_entry(context, CATALOG_SHARE_TIERS, "share tier", name);
    return tier;
}

/* The limits of a share of `tier` (NULL: unknown) with the size `provisioned`. */
static const ShareTier *tier_of_size(const ConfigContext *context, const ShareTier *tier,
                                     BoundInteger provisioned)
{
    if (tier == NULL)
        return NULL;
    bool grows = share_tier_grows(tier);
    if (provisioned.node != NULL && !provisioned.is_refused && !grows)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(provisioned.node),
                                 "the limits of tier \"%s\" do not depend on a provisioned size",
                                 tier->name),
                    "those of tier \"premium\" do");
    else if (provisioned.node != NULL && !provisioned.is_refused && provisioned.value == 0)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(provisioned.node),
                     "provisioned is 0 bytes");
    ShareTier *of_size = ARENA_NEW(context->arena, ShareTier);
    *of_size = share_tier_of_size(tier, provisioned.value);
    return of_size;
}

/* The tier that a share names, or else the default tier of its kind. */
static BoundText tier_name(const ShareText *share)
{
    if (share->tier.node != NULL || share->kind.is_refused)
        return share->tier;
    return (BoundText){.node = share->name.node,
                       .value = share->kind.value == SHARE_BLOB ? "blob" : "standard"};
}

static bool may_upload(const CommandText *command)
{
    return command->action.is_refused || command_is(command, COMMAND_FILE_UPLOAD);
}

/* Appends the files that commands upload to `share`; false when there may be others. */
static bool add_uploads(const ScenarioText *text, KnownShare *share)
{
    bool is_complete = true;
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        bool is_elsewhere =
            command->name.value != NULL && strcmp(command->name.value, share->name) != 0;
        if (!may_upload(command) || is_elsewhere)
            continue;
        if (command_is(command, COMMAND_FILE_UPLOAD) && command->name.value != NULL &&
            command->file.value != NULL) {
            share->files[share->file_count++] = command->file.value;
            share->is_listed = true;
        } else {
            is_complete = false;
        }
    }
    return is_complete;
}

static KnownShare known_share(ConfigContext *context, const ScenarioText *text, const char *name,
                              const Json *files)
{
    bool has_list = files != NULL && files->kind == JSON_OBJECT;
    int32_t listed = has_list ? files->count : 0;
    KnownShare share = {
        .name = name,
        .is_listed = has_list,
        .files = ARENA_ARRAY(context->arena, const char *, listed + text->commands.count)};
    for (const Json *file = has_list ? files->first : NULL; file != NULL; file = file->next)
        share.files[share.file_count++] = file->key;
    bool is_complete = add_uploads(text, &share);
    share.is_listed = share.is_listed && is_complete && (files == NULL || has_list);
    return share;
}

/* Whether a command deletes the share or its account, after which it may be created again. */
static bool may_be_deleted(const ScenarioText *text, const char *name)
{
    size_t account_length = strcspn(name, "/");
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        const char *deleted = command->name.value;
        if (deleted != NULL &&
            ((command_is(command, COMMAND_SHARE_DELETE) && strcmp(deleted, name) == 0) ||
             (command_is(command, COMMAND_STORAGE_DELETE) && strlen(deleted) == account_length &&
              strncmp(deleted, name, account_length) == 0)))
            return true;
    }
    return false;
}

static void add_share(ConfigContext *context, const ScenarioText *text, KnownShare share,
                      KnownShare *shares, Place at)
{
    if (config_share(context, share.name) != NULL && !may_be_deleted(text, share.name))
        problems_add(context->problems, STATUS_BAD_INPUT, at, "share \"%s\" is created twice",
                     share.name);
    shares[context->share_count++] = share;
}

/* NULL when there is no account, or its name was refused. */
static const char *first_account(const ScenarioText *text)
{
    if (text->storage.count > 0)
        return ((const StorageText *)text->storage.items[0])->account.value;
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_is(scenario_command(text, i), COMMAND_STORAGE_CREATE))
            return scenario_command(text, i)->name.value;
    return NULL;
}

/* Whether a name cannot be that of a share or account: it has been refused, or will be. */
static bool is_invalid_name(BoundText name, const char *more, size_t length_max)
{
    return name.is_refused || !name_is_formed(name.value, more, length_max);
}

/* Whether accounts or shares may be missing from the list because their names were refused. */
static bool has_unlisted(const ScenarioText *text)
{
    if (text->storage.is_refused || text->commands.is_refused)
        return true;
    for (int32_t i = 0; i < text->storage.count; i++) {
        const StorageText *storage = text->storage.items[i];
        if (storage->shares.is_refused ||
            is_invalid_name(storage->account, ACCOUNT_NAME_MORE, ACCOUNT_NAME_MAX))
            return true;
        for (int32_t j = 0; j < storage->shares.count; j++)
            if (is_invalid_name(((const ShareText *)storage->shares.items[j])->name,
                                SHARE_NAME_MORE, SHARE_NAME_MAX))
                return true;
    }
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        bool creates = command_is(command, COMMAND_STORAGE_CREATE) ||
                       command_is(command, COMMAND_SHARE_CREATE) ||
                       command_is(command, COMMAND_FILE_SERVER_CREATE);
        if (command->action.is_refused || (creates && command->name.is_refused))
            return true;
    }
    return false;
}

const char *stored_share_name(Arena *arena, const StorageText *storage, const ShareText *share)
{
    const char *account = storage->account.value, *name = share->name.value;
    return share->kind.value == SHARE_BLOB ? share_name_of_blob(arena, account, name)
                                           : arena_printf(arena, "%s/%s", account, name);
}

static void read_storage(ConfigContext *context, const ScenarioText *text,
                         const StorageText *storage, KnownShare *shares)
{
    for (int32_t i = 0; i < storage->shares.count; i++) {
        const ShareText *share = storage->shares.items[i];
        const ShareTier *tier =
            tier_of_size(context, find_tier(context, tier_name(share)), share->provisioned);
        if (storage->account.is_refused || share->name.is_refused)
            continue;
        const char *name = stored_share_name(context->arena, storage, share);
        KnownShare known = known_share(context, text, name, share->files);
        known.tier = tier;
        add_share(context, text, known, shares, json_at(share->name.node));
    }
}

/* The limits of the catalogue's tier `name` for a share without a stated size. */
static const ShareTier *tier_named(const ConfigContext *context, const char *name)
{
    if (context->catalog == NULL || name == NULL)
        return NULL;
    return tier_of_size(context, catalog_share_tier(context->catalog, name), (BoundInteger){0});
}

void share_command_check(const ConfigContext *context, const CommandText *command)
{
    find_tier(context, command->tier);
}

const ShareTier *share_command_tier(const ConfigContext *context, const CommandText *command)
{
    return tier_named(context, command->tier.value);
}

static void read_share_command(ConfigContext *context, const ScenarioText *text,
                               const CommandText *command, KnownShare *shares)
{
    share_command_check(context, command);
    add_share(context, text, known_share(context, text, command->name.value, NULL), shares,
              json_at(command->name.node));
}

/* The tier that a file server names, or else "nfs". */
static BoundText file_server_tier_name(const CommandText *command)
{
    if (command->tier.node != NULL || command->tier.is_refused)
        return command->tier;
    return (BoundText){.node = command->node, .value = "nfs"};
}

const ShareTier *file_server_tier(const ConfigContext *context, const CommandText *command)
{
    return tier_named(context, file_server_tier_name(command).value);
}

/* Adds the share of a file server. A file server may be created again after its deletion. */
static void read_file_server(ConfigContext *context, const ScenarioText *text,
                             const CommandText *command, KnownShare *shares)
{
    const ResourcePath path = command_path(text, command);
    find_tier(context, file_server_tier_name(command));
    if (config_file_server(context, path) != NULL)
        return;
    KnownShare known = known_share(context, text, file_server_share(context, path), NULL);
    known.server = path;
    add_share(context, text, known, shares, json_at(command->name.node));
}

void scenario_shares(ConfigContext *context, const ScenarioText *text)
{
    int32_t capacity = text->commands.count;
    for (int32_t i = 0; i < text->storage.count; i++)
        capacity += ((const StorageText *)text->storage.items[i])->shares.count;
    KnownShare *shares = ARENA_ARRAY(context->arena, KnownShare, capacity);
    context->shares = shares;
    context->scope =
        (ResourcePath){.group = text->resource_group.value, .workspace = text->workspace.value};
    context->account = first_account(text);
    context->unlisted.shares = has_unlisted(text);
    for (int32_t i = 0; i < text->storage.count; i++)
        read_storage(context, text, text->storage.items[i], shares);
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        if (command->name.is_refused)
            continue;
        if (command_is(command, COMMAND_SHARE_CREATE))
            read_share_command(context, text, command, shares);
        if (command_is(command, COMMAND_FILE_SERVER_CREATE))
            read_file_server(context, text, command, shares);
    }
}
