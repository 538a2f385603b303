#include "sim/scenario/config/mounts.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/cloud/storage/share.h"

#define ACCOUNT_PLACEHOLDER "<AZURE_BATCHAI_STORAGE_ACCOUNT>"

/* Whether `text` contains the placeholder for an account, and no account is known. */
static bool has_unknown_account(const ConfigContext *context, BoundText text)
{
    return context->account == NULL && text.value != NULL &&
           strstr(text.value, ACCOUNT_PLACEHOLDER) != NULL;
}

/* `text` with the storage account instead of its placeholder, which az replaces before it sends a
 * file. */
static const char *with_account(const ConfigContext *context, BoundText text)
{
    const char *found = strstr(text.value, ACCOUNT_PLACEHOLDER);
    if (found == NULL)
        return text.value;
    if (context->account == NULL && !context->unlisted.shares)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text.node),
                                 "there is no storage account for " ACCOUNT_PLACEHOLDER),
                    "name one in the scenario's \"storage\"");
    return arena_printf(context->arena, "%.*s%s%s", (int)(found - text.value), text.value,
                        context->account != NULL ? context->account : "account",
                        found + strlen(ACCOUNT_PLACEHOLDER));
}

/* Whether `text` begins with `word`, which has `length` small letters, in any case. */
static bool is_same_without_case(const char *text, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (ascii_lower(text[i]) != word[i])
            return false;
    return true;
}

/* The share called `full` ("account/share"); NULL when it was refused, or when it may exist without
 * being listed. In a session a share that does not exist is valid. */
static const KnownShare *find_share(const ConfigContext *context, const char *full,
                                    const char *kind, Place at)
{
    if (context->is_of_session && config_share(context, full) == NULL) {
        KnownShare *missing = ARENA_NEW(context->arena, KnownShare);
        missing->name = full;
        return missing;
    }
    config_check_share(context, kind, full, at);
    return config_share(context, full);
}

static void check_account(const ConfigContext *context, const FileShareMountText *text,
                          const char *account)
{
    if (text->account_name.value != NULL && !has_unknown_account(context, text->account_name) &&
        strcmp(with_account(context, text->account_name), account) != 0)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->account_name.node),
                     "accountName is \"%s\", but azureFileUrl is in account \"%s\"",
                     text->account_name.value, account);
}

/* The parts of a URL that name a share. */
typedef struct {
    const char *account, *share; /* NULL: the URL does not name a share */
} UrlShare;

/* Takes the text up to the next slash or the end; NULL if it is empty. */
static const char *url_step(Arena *arena, const char **at)
{
    const size_t length = strcspn(*at, "/");
    const char *step = length > 0 ? arena_strndup(arena, *at, length) : NULL;
    *at += length;
    return step;
}

/* Whether a host is an address or "localhost": emulators have accounts as the first step of the
 * path, which Azure's tools call path-style. */
static bool is_path_style(const char *host)
{
    static const char local[] = "localhost";
    const size_t name = strspn(host, "0123456789."), length = strcspn(host, ":/");
    return *host == '[' || (name > 0 && name == length) ||
           (length == sizeof local - 1 && strncmp(host, local, length) == 0);
}

/* "https://ACCOUNT.file.core.windows.net/SHARE", or "http://127.0.0.1:10444/ACCOUNT/SHARE". */
static UrlShare parse_share_url(Arena *arena, const char *url)
{
    const bool is_plain = strncmp(url, "http://", 7) == 0;
    const char *at = url + (is_plain ? 7 : 8);
    UrlShare found = {0};
    if (!is_plain && strncmp(url, "https://", 8) != 0)
        return found;
    if (is_path_style(at)) {
        at += strcspn(at, "/");
        at += *at == '/';
        found.account = url_step(arena, &at);
    } else if (!is_plain) {
        const char *host = at, *dot = strchr(host, '.');
        found.account =
            dot != NULL && dot > host ? arena_strndup(arena, host, (size_t)(dot - host)) : NULL;
        at = dot != NULL ? dot + strcspn(dot, "/") : at;
    }
    at += *at == '/';
    const char *share = found.account != NULL ? url_step(arena, &at) : NULL;
    found.share = share != NULL && at[strspn(at, "/")] == '\0' ? share : NULL;
    return found;
}

/* The share that azureFileUrl names; NULL as find_share. */
static const KnownShare *share_of_url(const ConfigContext *context, const FileShareMountText *text)
{
    if (text->url.value == NULL)
        return NULL;
    const char *url = with_account(context, text->url);
    const UrlShare named = parse_share_url(context->arena, url);
    if (named.share == NULL) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->url.node),
                                 "azureFileUrl \"%s\" does not name a share", url),
                    "as in https://ACCOUNT.file.core.windows.net/SHARE or "
                    "http://127.0.0.1:10444/ACCOUNT/SHARE");
        return NULL;
    }
    if (has_unknown_account(context, text->url))
        return NULL;
    check_account(context, text, named.account);
    return find_share(context, arena_printf(context->arena, "%s/%s", named.account, named.share),
                      "file share", json_at(text->url.node));
}

/* In sessions of earlier versions a container was the file share of its name. */
static const KnownShare *earlier_container(const ConfigContext *context, const char *account,
                                           const char *container)
{
    return context->is_of_session
               ? config_share(context, arena_printf(context->arena, "%s/%s", account, container))
               : NULL;
}

static const KnownShare *share_of_blob(const ConfigContext *context, const BlobMountText *text)
{
    if (text->account_name.value == NULL || text->container_name.value == NULL)
        return NULL;
    const char *account = with_account(context, text->account_name);
    if (has_unknown_account(context, text->account_name))
        return NULL;
    const char *container = text->container_name.value;
    const char *full = share_name_of_blob(context->arena, account, container);
    const KnownShare *earlier =
        config_share(context, full) == NULL ? earlier_container(context, account, container) : NULL;
    return earlier != NULL
               ? earlier
               : find_share(context, full, "blob container", json_at(text->container_name.node));
}

/* The part after `folder` ("/workspaces/") in an id; NULL when the id does not contain the
 * folder. */
static const char *part_of_id(const ConfigContext *context, const char *id, const char *folder)
{
    size_t length = strlen(folder);
    while (*id != '\0' && !is_same_without_case(id, folder, length))
        id++;
    return *id != '\0' ? arena_strndup(context->arena, id + length, strcspn(id + length, "/"))
                       : NULL;
}

/* The path that an id names. A missing group or workspace is the scenario's. */
static ResourcePath path_of_id(const ConfigContext *context, const char *id)
{
    ResourcePath path = {.group = part_of_id(context, id, "/resourcegroups/"),
                         .workspace = part_of_id(context, id, "/workspaces/"),
                         .name = strrchr(id, '/') + 1};
    if (path.group == NULL)
        path.group = context->scope.group;
    if (path.workspace == NULL)
        path.workspace = context->scope.workspace;
    return path;
}

/* The file server at `path`. Outside of sessions it may be the first of that name in any group and
 * workspace, because a file that was written for Azure has ids of other ones. */
static const KnownShare *find_file_server(const ConfigContext *context, ResourcePath path)
{
    const KnownShare *found = config_file_server(context, path);
    for (int32_t i = 0; found == NULL && !context->is_of_session && i < context->share_count; i++)
        if (context->shares[i].server.name != NULL &&
            ascii_same(context->shares[i].server.name, path.name))
            found = &context->shares[i];
    return found;
}

/* The file server at the end of ".../fileServers/NAME"; NULL as find_share. */
static const KnownShare *share_of_file_server(const ConfigContext *context,
                                              const FileServerMountText *text)
{
    static const char folder[] = "/fileservers/";
    if (text->file_server == NULL || text->file_server->id.value == NULL)
        return NULL;
    const char *id = text->file_server->id.value;
    const char *slash = strrchr(id, '/');
    size_t before = slash != NULL ? (size_t)(slash - id) + 1 : 0;
    size_t length = strlen(folder);
    bool is_sound = before >= length && slash[1] != '\0' &&
                    is_same_without_case(id + before - length, folder, length);
    if (!is_sound) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT,
                                 json_at(text->file_server->id.node),
                                 "id \"%s\" does not name a file server", id),
                    "as in .../workspaces/WORKSPACE/fileservers/NAME");
        return NULL;
    }
    ResourcePath path = path_of_id(context, id);
    const KnownShare *found = find_file_server(context, path);
    if (!context->is_of_session)
        path = (ResourcePath){.name = path.name};
    if (found == NULL)
        config_check_share(context, "file server", file_server_share(context, path),
                           json_at(text->file_server->id.node));
    return found;
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

/* The mounts under one root while they are read. */
typedef struct {
    const ConfigContext *context;
    const char *root, *variable;
    Mounts mounts;
} MountReader;

/* Member by member: a copy of the whole would copy padding from the stack, and a session's memory
 * must not have what looks like an address of it (emu/session/session_image.h). */
static void add_mount(MountReader *reader, Mount mount)
{
    Mount *added = &reader->mounts.items[reader->mounts.count++];
    added->path = mount.path;
    added->variable = mount.variable;
    added->share = mount.share;
    added->is_blob = mount.is_blob;
    added->folder = mount.folder;
    added->is_unread = mount.is_unread;
}

/* Records that there is a mount under the root whose path is not known. */
static void add_unread(MountReader *reader)
{
    add_mount(reader,
              (Mount){.path = reader->root, .variable = reader->variable, .is_unread = true});
}

/* Appends the mount of `folder` of `share` at `relative`. Refuses an invalid or taken path. */
static void read_mount(MountReader *reader, BoundText relative, const KnownShare *share,
                       const char *folder, bool is_blob, bool is_unread)
{
    const ConfigContext *context = reader->context;
    const char *path = relative.value;
    if (path == NULL) {
        add_unread(reader);
        return;
    }
    const char *below = path_tidy(context->arena, arena_printf(context->arena, "/%s", path));
    if (strcmp(below, "/") == 0 || path[0] == '/' || has_parent_step(path)) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(relative.node),
                                 "relativeMountPath \"%s\" is not a path below the mount root",
                                 path),
                    "a name such as \"data\" appears as %s/data", reader->variable);
        add_unread(reader);
        return;
    }
    Mount mount = {
        .path = arena_printf(context->arena, "%s%s", reader->root, below),
        .variable = arena_printf(context->arena, "%s%s", reader->variable, below),
        .share = share,
        .folder = folder,
        .is_blob = is_blob,
        .is_unread = is_unread,
    };
    for (int32_t i = 0; i < reader->mounts.count; i++)
        if (strcmp(reader->mounts.items[i].path, mount.path) == 0) {
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(relative.node),
                         "relativeMountPath \"%s\" is taken by another mount", path);
            return;
        }
    add_mount(reader, mount);
}

/* sourceDirectory without redundant parts: "", "." and "/" are the root of the file server. */
static const char *source_folder(const ConfigContext *context, const FileServerMountText *text)
{
    const char *folder = text->source_directory.value != NULL ? text->source_directory.value : "";
    if (has_parent_step(folder)) {
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->source_directory.node),
                     "sourceDirectory \"%s\" leads out of the file server", folder);
        return "";
    }
    while (folder[0] == '/' || (folder[0] == '.' && (folder[1] == '/' || folder[1] == '\0')))
        folder++;
    size_t length = strlen(folder);
    while (length > 0 && folder[length - 1] == '/')
        length--;
    return arena_strndup(context->arena, folder, length);
}

static void read_volumes(MountReader *reader, const MountVolumesText *volumes)
{
    const ConfigContext *context = reader->context;
    for (int32_t i = 0; i < volumes->file_shares.count; i++) {
        const FileShareMountText *text = volumes->file_shares.items[i];
        const KnownShare *share = share_of_url(context, text);
        read_mount(reader, text->relative_mount_path, share, "", false, share == NULL);
    }
    for (int32_t i = 0; i < volumes->blobs.count; i++) {
        const BlobMountText *text = volumes->blobs.items[i];
        const KnownShare *share = share_of_blob(context, text);
        read_mount(reader, text->relative_mount_path, share, "", true, share == NULL);
    }
    for (int32_t i = 0; i < volumes->file_servers.count; i++) {
        const FileServerMountText *text = volumes->file_servers.items[i];
        const KnownShare *share = share_of_file_server(context, text);
        read_mount(reader, text->relative_mount_path, share, source_folder(context, text), false,
                   share == NULL);
    }
    for (int32_t i = 0; i < volumes->unmanaged.count; i++) {
        const UnmanagedMountText *text = volumes->unmanaged.items[i];
        read_mount(reader, text->relative_mount_path, NULL, "", false, false);
    }
    if (volumes->file_shares.is_refused || volumes->blobs.is_refused ||
        volumes->file_servers.is_refused || volumes->unmanaged.is_refused)
        add_unread(reader);
}

Mounts mounts_read(const ConfigContext *context, const MountVolumesText *volumes, const char *root,
                   const char *variable, const Mounts *outer)
{
    static const MountVolumesText nothing;
    static const Mounts none;
    if (volumes == NULL)
        volumes = &nothing;
    if (outer == NULL)
        outer = &none;
    int32_t capacity = outer->count + volumes->file_shares.count + volumes->blobs.count +
                       volumes->file_servers.count + volumes->unmanaged.count + 1;
    MountReader reader = {.context = context, .root = root, .variable = variable};
    reader.mounts.items = ARENA_ARRAY(context->arena, Mount, capacity);
    for (int32_t i = 0; i < outer->count; i++)
        add_mount(&reader, outer->items[i]);
    read_volumes(&reader, volumes);
    return reader.mounts;
}

Mounts mounts_unread(Arena *arena, const char *root, const char *variable)
{
    Mount *mount = ARENA_NEW(arena, Mount);
    *mount = (Mount){.path = root, .variable = variable, .is_unread = true};
    return (Mounts){.count = 1, .items = mount};
}

const char *const *mounts_shares(Arena *arena, const Mounts *mounts, int32_t first, int32_t *count,
                                 const bool **is_blob)
{
    const char **names = ARENA_ARRAY(arena, const char *, mounts->count);
    bool *blobs = ARENA_ARRAY(arena, bool, mounts->count);
    *count = 0;
    for (int32_t i = first; i < mounts->count; i++)
        if (mounts->items[i].share != NULL) {
            blobs[*count] = mounts->items[i].is_blob;
            names[(*count)++] = mounts->items[i].share->name;
        }
    *is_blob = blobs;
    return names;
}

const ShellMount *mounts_shell(Arena *arena, const Mounts *mounts, int32_t *count)
{
    ShellMount *items = ARENA_ARRAY(arena, ShellMount, mounts->count);
    *count = 0;
    for (int32_t i = 0; i < mounts->count; i++) {
        const Mount *mount = &mounts->items[i];
        if (mount->share != NULL)
            items[(*count)++] = (ShellMount){
                .path = mount->path, .share = mount->share->name, .folder = mount->folder};
    }
    return items;
}

const char *path_tidy(Arena *arena, const char *path)
{
    char *tidy = arena_strdup(arena, path);
    char *out = tidy;
    for (const char *in = tidy; *in != '\0'; in++) {
        size_t part = strcspn(in + 1, "/");
        bool is_redundant = part == 0 || (part == 1 && in[1] == '.');
        if (*in == '/' && is_redundant)
            in += part;
        else
            *out++ = *in;
    }
    if (out == tidy && path[0] == '/')
        *out++ = '/';
    *out = '\0';
    return tidy;
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

bool mounts_begin(const Mounts *mounts, const char *path)
{
    for (int32_t i = 0; i < mounts->count; i++)
        if (strncmp(mounts->items[i].path, path, strlen(path)) == 0)
            return true;
    return false;
}

void mounts_hint(Status *problem, const Mounts *mounts)
{
    Text list = {0};
    for (int32_t i = 0; i < mounts->count; i++)
        text_printf(&list, "%s%s", i == 0 ? "" : ", ", mounts->items[i].variable);
    if (mounts->count == 0)
        status_hint(problem, "nothing is mounted: \"mountVolumes\" of the job or of the cluster's "
                             "\"nodeSetup\" mounts a share, such as {\"azureFileShares\": [...]}");
    else
        status_hint(problem, "mounted: %s", text_string(&list));
    text_free(&list);
}
