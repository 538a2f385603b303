#include "sim/scenario/load.h"

#include <string.h>

#include "sim/scenario/catalog/built_in_catalog.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/format/types.h"
#include "sim/schema/json_load.h"

typedef struct {
    JsonLoader json;
    const char *path; /* of the scenario */
    Parameters *parameters;
    const ScenarioFile *like; /* whose catalogue may be used again; NULL: none */
} Loader;

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
    return arena_strndup(arena, folder, path_folder_length(without_slash));
}

/* --- Catalogues --- */

/* Reports that the catalogue that `node` names cannot be read; `path` is the last path tried. */
static void refuse_catalog(Loader *loader, const Json *node, const char *path, const Status *why)
{
    Status *problem = why->code == STATUS_NOT_FOUND
                          ? problems_add(loader->json.problems, STATUS_BAD_INPUT, node->at,
                                         "there is no catalogue \"%s\"", node->text)
                          : problems_add(loader->json.problems, why->code, node->at,
                                         "catalogue \"%s\": %s", path, why->message);
    const char *nearest = built_in_catalog_nearest(loader->json.arena, node->text);
    if (node->text[0] == '/')
        status_hint(problem,
                    "only a relative path is looked for next to \"%s\" and in the folders above it",
                    loader->path);
    else if (why->code == STATUS_NOT_FOUND && nearest != NULL)
        status_hint(problem, "did you mean \"%s\", which is in the program?", nearest);
    else
        status_hint(problem,
                    "catalogues are looked for next to \"%s\" and in the folders above it, then in "
                    "the program, which has \"catalog/azure-2018.json\" and others",
                    loader->path);
}

/* Loads the compiled-in catalogue of that name, so that a scenario can be in any folder; false when
 * there is none. */
static bool load_built_in(Loader *loader, Json *parent, Json *node)
{
    const CatalogFile file = {built_in_catalog(), node->text};
    Problems missing = problems_create(loader->json.arena);
    const Json *tree = catalog_file_load(loader->json.arena, &file, &missing);
    if (tree != NULL)
        json_replace(parent, node, json_copy(loader->json.arena, tree, NULL));
    return tree != NULL;
}

/* A relative path is looked for next to the scenario, then in the folders above, until a file or
 * folder of that name is found; at last among the compiled-in files. */
static void load_catalog(Loader *loader, Json *parent, Json *node)
{
    enum { FOLDERS_MAX = 16 };
    if (node->kind != JSON_STRING)
        return;
    const char *folder =
        arena_strndup(loader->json.arena, loader->path, path_folder_length(loader->path));
    const char *path = NULL;
    Status status = {.code = STATUS_NOT_FOUND};
    for (int32_t i = 0; i < FOLDERS_MAX && folder != NULL && status.code == STATUS_NOT_FOUND; i++) {
        path = path_beside(loader->json.arena, folder, node->text);
        status = (Status){0};
        Json *tree = json_load(&loader->json, path, JSON_WITH_COMMENTS, &status);
        if (tree != NULL)
            json_replace(parent, node, tree);
        folder = node->text[0] == '/' ? NULL : folder_above(loader->json.arena, folder);
    }
    if (status.code == STATUS_NOT_FOUND && load_built_in(loader, parent, node))
        return;
    if (status.code != STATUS_OK) // otherwise it is loaded, or its content has been refused
        refuse_catalog(loader, node, path, &status);
}

/* --- Files that a scenario names --- */

/* The "config" of each item of `list` (NULL: none). */
static void load_configs(Loader *loader, Json *list)
{
    for (Json *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        const Json *name = json_member(item, "config");
        if (name == NULL)
            continue;
        json_load_reference(&loader->json, loader->path, JSON_STRICT, item,
                            json_member(item, "config"));
        if (json_member(item, "config") != name)
            parameters_apply(loader->parameters, json_member(item, "config"));
    }
}

/* The names of the catalogues in `root`, a line each; NULL when one is not a name. */
static const char *catalog_names_in(Arena *arena, const Json *root)
{
    const Json *catalogs = json_member(root, "catalog");
    const char *names = "";
    for (const Json *item = catalogs != NULL ? catalogs->first : NULL; item != NULL;
         item = item->next) {
        if (item->kind != JSON_STRING)
            return NULL;
        names = arena_printf(arena, "%s%s\n", names, item->text);
    }
    return names;
}

/* The values on which the catalogue of `root` depends: `names`, and the members that change its
 * values (sim/scenario/assumed.h). NULL if `names` is NULL. */
static const char *catalog_key(Arena *arena, const char *names, const Json *root)
{
    static const char *const members[] = {"assume", "quotas"};
    if (names == NULL)
        return NULL;
    Text key = {0};
    text_add(&key, names);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        const Json *value = json_member(root, members[i]);
        text_printf(&key, "%s ", members[i]);
        if (value != NULL)
            json_print(&key, value, JSON_COMPACT);
        text_add(&key, "\n");
    }
    const char *copy = arena_strdup(arena, text_string(&key));
    text_free(&key);
    return copy;
}

/* Whether the catalogue is that of `like`: the tree then keeps the names of its files. */
static bool catalog_is_known(const Loader *loader, const Json *root)
{
    if (loader->like == NULL || loader->like->catalog_key == NULL)
        return false;
    Arena *arena = loader->json.arena;
    const char *key = catalog_key(arena, catalog_names_in(arena, root), root);
    return key != NULL && strcmp(key, loader->like->catalog_key) == 0;
}

/* The most catalogue files of a scenario, with those that they include. */
enum { CATALOG_FILES_MOST = 64 };

static int32_t count_of(const Json *list)
{
    return list != NULL ? list->count : 0;
}

/* Refuses a list of catalogues before its files are read. */
static bool is_too_long(const Loader *loader, const Json *catalogs)
{
    int32_t count = count_of(catalogs);
    for (const Json *item = catalogs != NULL ? catalogs->first : NULL; item; item = item->next)
        count += count_of(json_member(item, "include"));
    if (count <= CATALOG_FILES_MOST)
        return false;
    problems_add(loader->json.problems, STATUS_BAD_INPUT, json_at(catalogs),
                 "\"catalog\" has %" PRId32 " files with those that they include; %d are the most",
                 count, CATALOG_FILES_MOST);
    return true;
}

static void load_references(Loader *loader, Json *root)
{
    load_configs(loader, json_member(root, "commands"));
    load_configs(loader, json_member(root, "workloads"));
    if (catalog_is_known(loader, root))
        return;
    Json *catalogs = json_member(root, "catalog");
    if (is_too_long(loader, catalogs))
        return;
    for (Json *item = catalogs != NULL ? catalogs->first : NULL, *next; item != NULL; item = next) {
        next = item->next; // the item itself is about to be replaced
        load_catalog(loader, catalogs, item);
    }
    if (is_too_long(loader, catalogs)) // now that it is known what they include
        return;
    for (Json *item = catalogs != NULL ? catalogs->first : NULL; item != NULL; item = item->next)
        catalog_load_included(&loader->json, item);
}

/* `text` read as JSON; if it is not JSON, the text itself as a string. */
static Json *override_value(Arena *arena, const char *source, const char *text)
{
    Json *value = json_or_text(arena, source, text);
    if (value->first == NULL)
        value->at = place_in(source, 0, 0); // a single value needs no line and column
    return value;
}

/* Makes the list or the object of the scenario that `pointer` leads into, if the file has none: a
 * list if an item is added ("/faults/-"), an object otherwise ("/assume/..."). */
static void make_member(Loader *loader, Json *root, const char *pointer, Place at)
{
    Arena *arena = loader->json.arena;
    const size_t length = strcspn(pointer + (*pointer == '/'), "/");
    const char *name = arena_strndup(arena, pointer + (*pointer == '/'), length);
    const char *rest = pointer + (*pointer == '/') + length;
    const Json *member = json_member(root, name);
    if (root->kind != JSON_OBJECT || *rest == '\0' || field_find(&scenario_type, name) == NULL ||
        (member != NULL && member->kind != JSON_NULL))
        return;
    Json *made = strcmp(rest, "/-") == 0 ? json_put_array(arena, root, name)
                                         : json_put_object(arena, root, name);
    made->at = at;
}

/* Puts `value` where `pointer` says; `source` names the change in messages. */
static void put_value(Loader *loader, Json *root, const char *pointer, Json *value,
                      const char *source)
{
    const Place at = place_in(source, 0, 0);
    Status status = {0};
    make_member(loader, root, pointer, at);
    if (!json_put_at(loader->json.arena, root, pointer, value, at, &status))
        problems_add_status(loader->json.problems, &status);
}

static void apply_override(Loader *loader, Json *root, const char *item)
{
    const char *source = arena_printf(loader->json.arena, "--set %s", item);
    const char *equals = strchr(item, '=');
    if (equals == NULL) {
        status_hint(problems_add(loader->json.problems, STATUS_BAD_INPUT, place_in(source, 0, 0),
                                 "a change needs '='"),
                    "as in /commands/0/name=train");
        return;
    }
    const char *pointer = arena_strndup(loader->json.arena, item, (size_t)(equals - item));
    Json *value = override_value(loader->json.arena, source, equals + 1);
    if (loader->parameters != NULL)
        value = parameters_apply(loader->parameters, value);
    put_value(loader, root, pointer, value, source);
}

static void apply_failures_scale(Loader *loader, Json *root, const char *scale)
{
    const char *source = arena_printf(loader->json.arena, "--failures %s", scale);
    Json *value = json_string(loader->json.arena, scale);
    value->at = place_in(source, 0, 0);
    put_value(loader, root, "/failures/scale", value, source);
}

/* Whether a part of the member is changed by an override. */
static bool is_changed(const ScenarioOverrides *overrides, const char *member)
{
    for (int32_t i = 0; i < overrides->count; i++)
        if (strncmp(overrides->items[i], member, strlen(member)) == 0)
            return true;
    return false;
}

/* Whether an override, "/POINTER=VALUE", changes "parameters" or a part of it. */
static bool is_of_parameters(const char *override)
{
    return text_skip(&override, "/parameters") && (*override == '/' || *override == '=');
}

/* Applies the overrides that change parameters, or all others. */
static void apply_overrides(Loader *loader, Json *root, const ScenarioOverrides *overrides,
                            bool of_parameters)
{
    for (int32_t i = 0; i < overrides->count; i++)
        if (is_of_parameters(overrides->items[i]) == of_parameters)
            apply_override(loader, root, overrides->items[i]);
}

/* Replaces the uses of parameters in the scenario and in the files that it names, which it loads.
 * False, with problems, when a parameter or the use of one is wrong: the tree then has texts
 * instead of values, and later checks would report each of them again. */
static bool apply_parameters(Loader *loader, Json *root, const ScenarioOverrides *overrides,
                             const char **catalog_names)
{
    Arena *arena = loader->json.arena;
    Problems *problems = loader->json.problems, found = problems_create(arena);
    loader->parameters =
        parameters_read(arena, root, overrides->param_count, overrides->params, &found);
    parameters_apply(loader->parameters, root);
    const int32_t problems_before = problems->count;
    *catalog_names = catalog_names_in(arena, root);
    load_references(loader, root);
    if (found.count == 0 && problems->count == problems_before)
        parameters_check_used(loader->parameters);
    problems_merge(problems, &found);
    return found.count == 0;
}

/* Sets the execution of the jobs called `name` (NULL: all jobs) to "training", except of those that
 * state their execution. */
static void set_training(Loader *loader, Json *root, const char *name)
{
    Json *commands = json_member(root, "commands");
    for (Json *item = commands != NULL ? commands->first : NULL; item != NULL; item = item->next) {
        const Json *action = json_member(item, "do"), *own = json_member(item, "name");
        bool is_job = action != NULL && action->kind == JSON_STRING &&
                      strcmp(action->text, command_name(COMMAND_JOB_CREATE)) == 0;
        bool is_called = name == NULL ||
                         (own != NULL && own->kind == JSON_STRING && strcmp(own->text, name) == 0);
        if (is_job && is_called && json_member(item, "execution") == NULL)
            json_set(loader->json.arena, item, "execution",
                     json_string(loader->json.arena, job_execution_word(EXECUTION_TRAINING)))
                ->at = item->at;
    }
}

/* Makes the commands in the file at `path`, which report jobs that ran, the session of the
 * scenario. */
static void apply_ran(Loader *loader, Json *root, const char *path)
{
    Status status = {0};
    Json *ran = json_load(&loader->json, path, JSON_STRICT, &status);
    const Json *session = json_member(root, "session");
    if (ran == NULL && status.code != STATUS_OK)
        problems_add_status(loader->json.problems, &status);
    if (ran != NULL && session != NULL)
        problems_add(loader->json.problems, STATUS_BAD_INPUT, session->key_at,
                     "a scenario with a \"session\" cannot have another one from \"%s\"", path);
    if (ran == NULL || session != NULL)
        return;
    json_set(loader->json.arena, root, "session", ran);
    for (const Json *entry = ran->first; entry != NULL; entry = entry->next) {
        const Json *name = json_member(entry, "name");
        if (name != NULL && name->kind == JSON_STRING)
            set_training(loader, root, name->text);
    }
}

void scenario_hint_folder(Arena *arena, FileSource files, const char *path, Status *status)
{
    const char *end = path + strlen(path);
    bool has_slash = end > path && end[-1] == '/';
    const char *inside = arena_printf(arena, "%s%sscenario.json", path, has_slash ? "" : "/");
    int64_t bytes;
    Status unused = {0};
    if (files.size(files.context, inside, &bytes, &unused))
        status_hint(status, "did you mean \"%s\"?", inside);
}

bool scenario_is_other(const Json *root, Problems *problems)
{
    static const struct {
        const char *member, *kind, *hint;
    } others[] = {
        {"trainyard_study", "a study", "`trainyard sweep` and `trainyard plan` run studies"},
        {"properties", "a cluster.json or job.json",
         "a scenario names it as the \"config\" of a command"},
        {"sources", "a catalogue", "a scenario names it in its \"catalog\""},
    };
    if (json_member(root, "trainyard") != NULL || json_member(root, "commands") != NULL)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (json_member(root, others[i].member) == NULL)
            continue;
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(root),
                                 "this is %s, not a scenario", others[i].kind),
                    "%s", others[i].hint);
        return true;
    }
    return false;
}

Json *scenario_load(Arena *arena, FileSource files, const char *path, ScenarioOverrides overrides,
                    const Parameters **parameters, const char **key, Problems *problems)
{
    const bool changes_catalog = is_changed(&overrides, "/catalog");
    const char *catalog_names;
    Loader loader = {.json = {.arena = arena, .files = files, .problems = problems}, .path = path};
    Status status = {0};
    Json *root = json_load(&loader.json, path, JSON_WITH_COMMENTS, &status);
    if (root == NULL && status.code != STATUS_OK) {
        scenario_hint_folder(arena, files, path, &status);
        problems_add_status(problems, &status);
    }
    if (root == NULL || scenario_is_other(root, problems))
        return NULL;
    loader.like = changes_catalog ? NULL : overrides.like;
    apply_overrides(&loader, root, &overrides, true);
    if (!apply_parameters(&loader, root, &overrides, &catalog_names))
        return NULL;
    *parameters = loader.parameters;
    apply_overrides(&loader, root, &overrides, false);
    if (overrides.failures_scale != NULL)
        apply_failures_scale(&loader, root, overrides.failures_scale);
    if (overrides.trains_for_real)
        set_training(&loader, root, NULL);
    if (overrides.ran_path != NULL && root->kind == JSON_OBJECT)
        apply_ran(&loader, root, overrides.ran_path);
    if (overrides.count > 0)
        load_references(&loader, root); // an override may name another file
    *key = changes_catalog ? NULL : catalog_key(arena, catalog_names, root);
    return root;
}
