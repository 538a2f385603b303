#include "sim/scenario/load.h"

#include <string.h>

#include "sim/scenario/catalog/read.h"
#include "sim/scenario/types.h"

typedef struct {
    Arena *arena;
    FileSource files;
    const char *path; /* of the scenario */
    Problems *problems;
} Loader;

/* Length of the folder part of `path` with its slash; 0 when there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

const char *path_beside(Arena *arena, const char *path, const char *name)
{
    if (name[0] == '/')
        return name;
    return arena_printf(arena, "%.*s%s", (int)folder_length(path), path, name);
}

/* The folder above `folder` ("" or with a slash at its end); NULL above the root. */
static const char *folder_above(Arena *arena, const char *folder)
{
    size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0)
        return NULL;
    if (length == 0 || strcmp(folder, "../") == 0 ||
        (length > 3 && strcmp(folder + length - 4, "/../") == 0))
        return arena_printf(arena, "%s../", folder);
    char *without_slash = arena_strndup(arena, folder, length - 1);
    return arena_strndup(arena, folder, folder_length(without_slash));
}

static Json *load(Loader *loader, const char *path, JsonDialect dialect, Status *status)
{
    const char *text;
    size_t length;
    if (!loader->files.read(loader->files.context, loader->arena, path, &text, &length, status))
        return NULL;
    return json_parse(loader->arena, path, text, length, dialect, loader->problems);
}

/* Replaces the file name in `node`, a child of `parent`, by the content of the file, which lies
 * beside the one at `path`. */
static void load_reference(Loader *loader, const char *path, JsonDialect dialect, Json *parent,
                           Json *node)
{
    Status status = {0};
    if (node->kind != JSON_STRING)
        return; // the content itself, or a mistake that binding reports
    Json *tree = load(loader, path_beside(loader->arena, path, node->text), dialect, &status);
    if (tree != NULL)
        json_replace(parent, node, tree);
    else if (status.code != STATUS_OK)
        status_hint(problems_add(loader->problems, status.code, node->at, "%s", status.message),
                    "files are looked for beside \"%s\"", path);
}

/* --- Catalogues --- */

static const Json *included(const Json *catalog)
{
    const Json *list = json_member(catalog, "include");
    bool is_list = list != NULL && list->kind == JSON_ARRAY && list->count <= CATALOG_INCLUDES_MOST;
    return is_list ? list : NULL; // or else the catalogue's reader refuses it
}

static void load_included(Loader *loader, Json *catalog)
{
    Json *list = included(catalog) != NULL ? json_member(catalog, "include") : NULL;
    for (Json *item = list != NULL ? list->first : NULL, *next; item != NULL; item = next) {
        next = item->next; // the item itself is about to be replaced
        load_reference(loader, catalog->at.source, JSON_WITH_COMMENTS, list, item);
    }
}

void catalog_load_included(Arena *arena, FileSource files, Json *catalog, Problems *problems)
{
    Loader loader = {.arena = arena, .files = files, .problems = problems};
    load_included(&loader, catalog);
}

bool catalog_is_loaded(const Json *catalog)
{
    const Json *list = included(catalog);
    for (const Json *item = list != NULL ? list->first : NULL; item != NULL; item = item->next)
        if (item->kind == JSON_STRING)
            return false;
    return catalog->kind != JSON_STRING;
}

/* The problem of `node`, which names the catalogue that was last tried at `path`. */
static void refuse_catalog(Loader *loader, const Json *node, const char *path, const Status *why)
{
    Status *problem = why->code == STATUS_NOT_FOUND
                          ? problems_add(loader->problems, STATUS_BAD_INPUT, node->at,
                                         "there is no catalogue \"%s\"", node->text)
                          : problems_add(loader->problems, why->code, node->at,
                                         "catalogue \"%s\": %s", path, why->message);
    status_hint(problem,
                node->text[0] == '/'
                    ? "only a relative path is looked for beside \"%s\" and in the folders above it"
                    : "catalogues are looked for beside \"%s\" and in the folders above it",
                loader->path);
}

/* A relative path is looked for beside the scenario, then in the folders above, until there is
 * something of that name. */
static void load_catalog(Loader *loader, Json *parent, Json *node)
{
    enum { FOLDERS_MAX = 16 };
    if (node->kind != JSON_STRING)
        return;
    const char *folder = arena_strndup(loader->arena, loader->path, folder_length(loader->path));
    const char *path = NULL;
    Status status = {.code = STATUS_NOT_FOUND};
    for (int32_t i = 0; i < FOLDERS_MAX && folder != NULL && status.code == STATUS_NOT_FOUND; i++) {
        path = path_beside(loader->arena, folder, node->text);
        status = (Status){0};
        Json *tree = load(loader, path, JSON_WITH_COMMENTS, &status);
        if (tree != NULL)
            json_replace(parent, node, tree);
        folder = node->text[0] == '/' ? NULL : folder_above(loader->arena, folder);
    }
    if (status.code != STATUS_OK) // otherwise it is loaded, or its text is refused already
        refuse_catalog(loader, node, path, &status);
}

/* --- Whatever a scenario names --- */

/* The "config" of each item of `list` (NULL: none). */
static void load_configs(Loader *loader, Json *list)
{
    for (Json *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        Json *config = json_member(item, "config");
        if (config != NULL)
            load_reference(loader, loader->path, JSON_STRICT, item, config);
    }
}

static void load_references(Loader *loader, Json *root)
{
    load_configs(loader, json_member(root, "commands"));
    load_configs(loader, json_member(root, "workloads"));
    Json *catalogs = json_member(root, "catalog");
    for (Json *item = catalogs != NULL ? catalogs->first : NULL, *next; item != NULL; item = next) {
        next = item->next; // the item itself is about to be replaced
        load_catalog(loader, catalogs, item);
    }
    for (Json *item = catalogs != NULL ? catalogs->first : NULL; item != NULL; item = item->next)
        load_included(loader, item);
}

/* VALUE as JSON, or else the text itself. */
static Json *override_value(Arena *arena, const char *source, const char *text)
{
    Problems unheard = problems_create(arena);
    Json *value = json_parse(arena, source, text, strlen(text), JSON_STRICT, &unheard);
    if (value == NULL)
        value = json_string(arena, text);
    if (value->first == NULL)
        value->at = place_in(source, 0, 0); // the change itself says where a single value is
    return value;
}

static void apply_override(Loader *loader, Json *root, const char *item)
{
    const char *source = arena_printf(loader->arena, "--set %s", item);
    const char *equals = strchr(item, '=');
    Status status = {0};
    if (equals == NULL) {
        status_hint(problems_add(loader->problems, STATUS_BAD_INPUT, place_in(source, 0, 0),
                                 "a change needs '='"),
                    "as in /commands/0/name=train");
        return;
    }
    const char *pointer = arena_strndup(loader->arena, item, (size_t)(equals - item));
    if (!json_put_at(loader->arena, root, pointer,
                     override_value(loader->arena, source, equals + 1), place_in(source, 0, 0),
                     &status))
        problems_add_status(loader->problems, &status);
}

static void apply_failures_scale(Loader *loader, Json *root, const char *scale)
{
    Place at = place_in(arena_printf(loader->arena, "--failures %s", scale), 0, 0);
    Json *failures = json_member(root, "failures");
    if (failures == NULL || failures->kind == JSON_NULL) {
        failures = json_put_object(loader->arena, root, "failures");
        failures->at = at;
    }
    if (failures->kind == JSON_OBJECT) // or else binding refuses it
        json_set(loader->arena, failures, "scale", json_string(loader->arena, scale))->at = at;
}

/* Jobs called `name` (NULL: all), in so far as they do not say what becomes of their commands. */
static void let_train(Loader *loader, Json *root, const char *name)
{
    Json *commands = json_member(root, "commands");
    for (Json *item = commands != NULL ? commands->first : NULL; item != NULL; item = item->next) {
        const Json *action = json_member(item, "do"), *own = json_member(item, "name");
        bool is_job = action != NULL && action->kind == JSON_STRING &&
                      strcmp(action->text, command_name(COMMAND_JOB_CREATE)) == 0;
        bool is_called = name == NULL ||
                         (own != NULL && own->kind == JSON_STRING && strcmp(own->text, name) == 0);
        if (is_job && is_called && json_member(item, "execution") == NULL)
            json_set(loader->arena, item, "execution",
                     json_string(loader->arena, job_execution_word(EXECUTION_TRAINING)))
                ->at = item->at;
    }
}

/* What is told of jobs that ran becomes the session of the file. */
static void apply_ran(Loader *loader, Json *root, const char *path)
{
    Status status = {0};
    Json *ran = load(loader, path, JSON_STRICT, &status);
    const Json *session = json_member(root, "session");
    if (ran == NULL && status.code != STATUS_OK)
        problems_add_status(loader->problems, &status);
    if (ran != NULL && session != NULL)
        problems_add(loader->problems, STATUS_BAD_INPUT, session->key_at,
                     "a scenario with a \"session\" cannot have another one from \"%s\"", path);
    if (ran == NULL || session != NULL)
        return;
    json_set(loader->arena, root, "session", ran);
    for (const Json *entry = ran->first; entry != NULL; entry = entry->next) {
        const Json *name = json_member(entry, "name");
        if (name != NULL && name->kind == JSON_STRING)
            let_train(loader, root, name->text);
    }
}

Json *scenario_load(Arena *arena, FileSource files, const char *path, ScenarioOverrides overrides,
                    Problems *problems)
{
    Loader loader = {.arena = arena, .files = files, .path = path, .problems = problems};
    Status status = {0};
    Json *root = load(&loader, path, JSON_WITH_COMMENTS, &status);
    if (root == NULL && status.code != STATUS_OK)
        problems_add_status(problems, &status);
    if (root == NULL)
        return NULL;
    load_references(&loader, root);
    for (int32_t i = 0; i < overrides.count; i++)
        apply_override(&loader, root, overrides.items[i]);
    if (overrides.failures_scale != NULL && root->kind == JSON_OBJECT)
        apply_failures_scale(&loader, root, overrides.failures_scale);
    if (overrides.trains_for_real)
        let_train(&loader, root, NULL);
    if (overrides.ran_path != NULL && root->kind == JSON_OBJECT)
        apply_ran(&loader, root, overrides.ran_path);
    if (overrides.count > 0)
        load_references(&loader, root); // an override may name another file
    return root;
}
