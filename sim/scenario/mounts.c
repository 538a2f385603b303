#include "sim/scenario/mounts.h"

#include <string.h>

#define ACCOUNT_PLACEHOLDER "<AZURE_BATCHAI_STORAGE_ACCOUNT>"

/* `text` with the storage account in the place of its placeholder, as az does before it sends a
 * file. */
static const char *with_account(const ConfigContext *context, BoundText text)
{
    const char *found = strstr(text.value, ACCOUNT_PLACEHOLDER);
    if (found == NULL)
        return text.value;
    const char *account = context->is_alone ? "account" : context->account;
    if (account == NULL) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text.node),
                                 "no storage account can stand for " ACCOUNT_PLACEHOLDER),
                    "name one in the scenario's \"storage\"");
        return text.value;
    }
    return arena_printf(context->arena, "%.*s%s%s", (int)(found - text.value), text.value, account,
                        found + strlen(ACCOUNT_PLACEHOLDER));
}

static const KnownShare *find_share(const ConfigContext *context, const char *account,
                                    const char *name, const char *kind, Place at)
{
    const char *full = arena_printf(context->arena, "%s/%s", account, name);
    const KnownShare *share = config_share(context, full);
    if (context->is_alone) {
        KnownShare *any = ARENA_NEW(context->arena, KnownShare);
        any->name = full;
        return any;
    }
    if (share == NULL)
        config_unknown_share(context, kind, full, at);
    return share;
}

/* The share that "https://ACCOUNT.file.core.windows.net/SHARE" names. */
static const KnownShare *share_of_url(const ConfigContext *context, const FileShareMountText *text)
{
    static const char scheme[] = "https://";
    const char *url = with_account(context, text->url);
    const char *host = url + strlen(scheme);
    bool has_scheme = strncmp(url, scheme, strlen(scheme)) == 0;
    const char *dot = has_scheme ? strchr(host, '.') : NULL;
    const char *slash = dot != NULL ? strchr(dot, '/') : NULL;
    size_t name_length = slash != NULL ? strcspn(slash + 1, "/") : 0;
    bool is_sound = name_length > 0 && dot > host &&
                    strspn(slash + 1 + name_length, "/") == strlen(slash + 1 + name_length);
    if (!is_sound) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->url.node),
                                 "azureFileUrl \"%s\" names no share", url),
                    "as in https://ACCOUNT.file.core.windows.net/SHARE");
        return NULL;
    }
    const char *account = arena_strndup(context->arena, host, (size_t)(dot - host));
    if (text->account_name.value != NULL &&
        strcmp(with_account(context, text->account_name), account) != 0)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->account_name.node),
                     "accountName is \"%s\", but azureFileUrl is in account \"%s\"",
                     text->account_name.value, account);
    return find_share(context, account, arena_strndup(context->arena, slash + 1, name_length),
                      "file share", json_at(text->url.node));
}

static const KnownShare *share_of_blob(const ConfigContext *context, const BlobMountText *text)
{
    return find_share(context, with_account(context, text->account_name),
                      text->container_name.value, "blob container",
                      json_at(text->container_name.node));
}

static bool has_parent_step(const char *path)
{
    for (const char *step = path; *step != '\0';) {
        size_t length = strcspn(step, "/");
        if (length == 2 && step[0] == '.' && step[1] == '.')
            return true;
        step += length;
        step += strspn(step, "/");
    }
    return false;
}

/* Appends one mount; refuses a bad or taken path. */
static void add_mount(const ConfigContext *context, Mounts *mounts, BoundText relative,
                      const KnownShare *share, const char *root, const char *variable)
{
    const char *path = relative.value;
    if (path == NULL)
        return; // said already by its table
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    if (length == 0 || path[0] == '/' || has_parent_step(path)) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(relative.node),
                                 "relativeMountPath \"%s\" is not a path below the mount root",
                                 path),
                    "a name such as \"data\" appears as %s/data", variable);
        return;
    }
    Mount mount = {
        .path = arena_printf(context->arena, "%s/%.*s", root, (int)length, path),
        .variable = arena_printf(context->arena, "%s/%.*s", variable, (int)length, path),
        .share = share,
    };
    for (int32_t i = 0; i < mounts->count; i++)
        if (strcmp(mounts->items[i].path, mount.path) == 0)
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(relative.node),
                         "relativeMountPath \"%s\" is taken by another mount", path);
    mounts->items[mounts->count++] = mount;
}

Mounts mounts_read(const ConfigContext *context, const MountVolumesText *volumes, const char *root,
                   const char *variable, const Mounts *outer)
{
    static const MountVolumesText nothing;
    int32_t outer_count = outer != NULL ? outer->count : 0;
    if (volumes == NULL)
        volumes = &nothing;
    int32_t capacity = outer_count + volumes->file_shares.count + volumes->blobs.count +
                       volumes->file_servers.count + volumes->unmanaged.count;
    Mounts mounts = {.count = outer_count, .items = ARENA_ARRAY(context->arena, Mount, capacity)};
    if (outer_count > 0)
        memcpy(mounts.items, outer->items, (size_t)outer_count * sizeof(Mount));

    for (int32_t i = 0; i < volumes->file_shares.count; i++) {
        const FileShareMountText *text = volumes->file_shares.items[i];
        if (text->url.value != NULL)
            add_mount(context, &mounts, text->relative_mount_path, share_of_url(context, text),
                      root, variable);
    }
    for (int32_t i = 0; i < volumes->blobs.count; i++) {
        const BlobMountText *text = volumes->blobs.items[i];
        if (text->account_name.value != NULL && text->container_name.value != NULL)
            add_mount(context, &mounts, text->relative_mount_path, share_of_blob(context, text),
                      root, variable);
    }
    for (int32_t i = 0; i < volumes->file_servers.count; i++) {
        const FileServerMountText *text = volumes->file_servers.items[i];
        add_mount(context, &mounts, text->relative_mount_path, NULL, root, variable);
    }
    for (int32_t i = 0; i < volumes->unmanaged.count; i++) {
        const UnmanagedMountText *text = volumes->unmanaged.items[i];
        add_mount(context, &mounts, text->relative_mount_path, NULL, root, variable);
    }
    return mounts;
}

const char *const *mounts_shares(Arena *arena, const Mounts *mounts, int32_t first, int32_t *count)
{
    const char **names = ARENA_ARRAY(arena, const char *, mounts->count);
    *count = 0;
    for (int32_t i = first; i < mounts->count; i++)
        if (mounts->items[i].share != NULL)
            names[(*count)++] = mounts->items[i].share->name;
    return names;
}

const Mount *mounts_find(const Mounts *mounts, const char *path, const char **inside)
{
    const Mount *found = NULL;
    size_t longest = 0;
    for (int32_t i = 0; i < mounts->count; i++) {
        size_t length = strlen(mounts->items[i].path);
        if (length > longest && strncmp(path, mounts->items[i].path, length) == 0 &&
            (path[length] == '/' || path[length] == '\0')) {
            found = &mounts->items[i];
            longest = length;
        }
    }
    if (found != NULL)
        *inside = path + longest + strspn(path + longest, "/");
    return found;
}

void mounts_hint(Status *problem, const Mounts *mounts)
{
    Text list = {0};
    for (int32_t i = 0; i < mounts->count; i++)
        text_printf(&list, "%s%s", i == 0 ? "" : ", ", mounts->items[i].variable);
    if (mounts->count == 0)
        status_hint(problem, "nothing is mounted");
    else
        status_hint(problem, "mounted: %s", text_string(&list));
    text_free(&list);
}
