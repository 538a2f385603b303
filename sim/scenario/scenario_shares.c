#include "sim/scenario/scenario_shares.h"

#include <string.h>

static const CommandText *command_at(const ScenarioText *text, int32_t index)
{
    return text->commands.items[index];
}

static const ShareTier *find_tier(const ConfigContext *context, const char *name, Place at)
{
    const ShareTier *tier = catalog_share_tier(context->catalog, name);
    if (tier == NULL) {
        int32_t count;
        const char *const *names = catalog_names(context->catalog, CATALOG_SHARE_TIERS, &count);
        bind_unknown_name(context->problems, at, "share tier", name, names, count);
    }
    return tier;
}

static const char *tier_name(const ShareText *share)
{
    if (share->tier.value != NULL)
        return share->tier.value;
    return share->kind.value == SHARE_BLOB ? "blob" : "standard";
}

static int32_t uploads_to(const ScenarioText *text, const char *share, const char **files)
{
    int32_t count = 0;
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        if (command->action.value == COMMAND_FILE_UPLOAD && command->file.value != NULL &&
            strcmp(command->name.value, share) == 0)
            files[count++] = command->file.value;
    }
    return count;
}

static KnownShare known_share(ConfigContext *context, const ScenarioText *text, const char *name,
                              const Json *files)
{
    int32_t listed = files != NULL && files->kind == JSON_OBJECT ? files->count : 0;
    KnownShare share = {
        .name = name,
        .is_listed = files != NULL,
        .files = ARENA_ARRAY(context->arena, const char *, listed + text->commands.count)};
    for (const Json *file = listed > 0 ? files->first : NULL; file != NULL; file = file->next)
        share.files[share.file_count++] = file->key;
    int32_t uploads = uploads_to(text, name, share.files + share.file_count);
    share.is_listed = share.is_listed || uploads > 0;
    share.file_count += uploads;
    return share;
}

static void add_share(ConfigContext *context, KnownShare share, KnownShare *shares, Place at)
{
    if (config_share(context, share.name) != NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, at, "share \"%s\" is created twice",
                     share.name);
    shares[context->share_count++] = share;
}

static const char *first_account(const ScenarioText *text)
{
    if (text->storage.count > 0)
        return ((const StorageText *)text->storage.items[0])->account.value;
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_at(text, i)->action.value == COMMAND_STORAGE_CREATE)
            return command_at(text, i)->name.value;
    return NULL;
}

void scenario_shares(ConfigContext *context, const ScenarioText *text)
{
    int32_t capacity = text->commands.count;
    for (int32_t i = 0; i < text->storage.count; i++)
        capacity += ((const StorageText *)text->storage.items[i])->shares.count;
    KnownShare *shares = ARENA_ARRAY(context->arena, KnownShare, capacity);
    context->shares = shares;
    context->account = first_account(text);
    for (int32_t i = 0; i < text->storage.count; i++) {
        const StorageText *storage = text->storage.items[i];
        for (int32_t j = 0; j < storage->shares.count; j++) {
            const ShareText *share = storage->shares.items[j];
            Place at = json_at(share->name.node);
            const char *name =
                arena_printf(context->arena, "%s/%s", storage->account.value, share->name.value);
            KnownShare known = known_share(context, text, name, share->files);
            known.tier = find_tier(context, tier_name(share),
                                   share->tier.node != NULL ? json_at(share->tier.node) : at);
            add_share(context, known, shares, at);
        }
    }
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        if (command->action.value != COMMAND_SHARE_CREATE || command->tier.value == NULL)
            continue;
        KnownShare known = known_share(context, text, command->name.value, NULL);
        known.tier = find_tier(context, command->tier.value, json_at(command->tier.node));
        add_share(context, known, shares, json_at(command->name.node));
    }
}
