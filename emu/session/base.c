#define _XOPEN_SOURCE 700 // realpath

#include "emu/session/base.h"

#include <stdlib.h>
#include <string.h>

#include "emu/session/base_assets.h"
#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/built_in_catalog.h"

/* Under this name the store has {"path", "files": [{"path", "text" or "bytes"}], "overrides",
 * "params"}; older states have no "params". */
#define SETTING "base"

/* The path of the compiled-in file, next to its catalogue. */
#define BUILT_IN_FOLDER "emulator/"
#define BUILT_IN_PATH BUILT_IN_FOLDER "scenario.json"

/* --- Compiled in --- */

static const AssetFolder built_in_folders[] = {
    {.path = BUILT_IN_FOLDER, .assets = base_assets, .count = &base_assets_count},
    BUILT_IN_CATALOG(BUILT_IN_FOLDER "catalog/"),
};
static const AssetFiles built_in = {.folder_count = 2, .folders = built_in_folders};

/* Absolute paths name files of this machine, such as a catalogue that an option adds. */
static bool begin_read(void *context, Arena *arena, const char *path, const char **text,
                       size_t *length, Status *status)
{
    (void)context;
    const FileSource from = path[0] == '/' ? disk_files : asset_files(&built_in);
    return from.read(from.context, arena, path, text, length, status);
}

static bool begin_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    (void)context;
    const FileSource from = path[0] == '/' ? disk_files : asset_files(&built_in);
    return from.size(from.context, path, bytes, status);
}

static const FileSource built_in_files = {.read = begin_read, .size = begin_size};

/* --- A source that notes what is read from another one --- */

typedef struct {
    Arena *arena;
    FileSource from;
    Json *files;
} Recorder;

static Json *note_file(Recorder *recorder, const char *path)
{
    Json *file = json_add(recorder->files, json_object(recorder->arena));
    json_put_text(recorder->arena, file, "path", path);
    return file;
}

static bool recorder_read(void *context, Arena *arena, const char *path, const char **text,
                          size_t *length, Status *status)
{
    Recorder *recorder = context;
    if (!recorder->from.read(recorder->from.context, arena, path, text, length, status))
        return false;
    if (strlen(*text) == *length) // the reader reports a text with a NUL in it
        json_put_text(recorder->arena, note_file(recorder, path), "text", *text);
    return true;
}

static bool recorder_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    Recorder *recorder = context;
    if (!recorder->from.size(recorder->from.context, path, bytes, status))
        return false;
    json_put_integer(recorder->arena, note_file(recorder, path), "bytes", *bytes);
    return true;
}

/* --- Files that the store has --- */

static const Json *kept_member(const Json *kept, const char *path, const char *key)
{
    for (const Json *file = json_member(kept, "files")->first; file != NULL; file = file->next)
        if (strcmp(json_member(file, "path")->text, path) == 0 && json_member(file, key) != NULL)
            return json_member(file, key);
    return NULL;
}

static bool kept_read(void *context, Arena *arena, const char *path, const char **text,
                      size_t *length, Status *status)
{
    (void)arena;
    const Json *found = kept_member(context, path, "text");
    if (found == NULL)
        return file_is_missing(path, status);
    *text = found->text;
    *length = strlen(found->text);
    return true;
}

static bool kept_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    const Json *found = kept_member(context, path, "bytes");
    if (found == NULL)
        return file_is_missing(path, status);
    *bytes = found->integer;
    return true;
}

/* --- Opening --- */

static void put_texts(Arena *arena, Json *kept, const char *key, const char *const *items,
                      int32_t count)
{
    Json *list = json_put_array(arena, kept, key);
    for (int32_t i = 0; i < count; i++)
        json_add(list, json_string(arena, items[i]));
}

static const ScenarioFile *begin(Arena *arena, Store *store, const char *path,
                                 ScenarioOverrides overrides, Problems *problems)
{
    Recorder recorder = {.arena = arena,
                         .from = path != NULL ? disk_files : built_in_files,
                         .files = json_array(arena)};
    const FileSource recording = {
        .context = &recorder, .read = recorder_read, .size = recorder_size};
    const char *name = path != NULL ? path : BUILT_IN_PATH;
    const ScenarioFile *file = scenario_read(arena, recording, name, overrides, problems);
    if (file == NULL || store == NULL)
        return file;
    Json *kept = json_object(arena);
    json_put_text(arena, kept, "path", name);
    json_set(arena, kept, "files", recorder.files);
    put_texts(arena, kept, "overrides", overrides.items, overrides.count);
    put_texts(arena, kept, "params", overrides.params, overrides.param_count);
    Text text = {0};
    Status status = {0};
    json_print(&text, kept, JSON_COMPACT);
    bool is_kept = store_set(store, SETTING, text_string(&text), &status);
    text_free(&text);
    if (!is_kept)
        problems_add_status(problems, &status);
    return is_kept ? file : NULL;
}

static const char *const *kept_texts(Arena *arena, const Json *kept, const char *key,
                                     int32_t *count)
{
    const Json *list = json_member(kept, key);
    *count = 0;
    if (list == NULL)
        return NULL;
    const char **items = ARENA_ARRAY(arena, const char *, list->count);
    for (const Json *item = list->first; item != NULL; item = item->next)
        items[(*count)++] = item->text;
    return items;
}

static ScenarioOverrides kept_overrides(Arena *arena, const Json *kept)
{
    ScenarioOverrides overrides = {0};
    overrides.items = kept_texts(arena, kept, "overrides", &overrides.count);
    overrides.params = kept_texts(arena, kept, "params", &overrides.param_count);
    return overrides;
}

/* Warns about files that have changed since the session began. */
static void compare(Arena *arena, const Json *kept, const char *path, Problems *warnings)
{
    const char *begun = json_member(kept, "path")->text;
    if (strcmp(begun, path) != 0) {
        status_hint(problems_add(warnings, STATUS_CONFLICT, place_in(path, 0, 0),
                                 "this session began with %s and continues with it", begun),
                    "another folder for --state begins a new session");
        return;
    }
    for (const Json *file = json_member(kept, "files")->first; file != NULL; file = file->next) {
        const char *name = json_member(file, "path")->text;
        const Json *before = json_member(file, "text");
        const char *now;
        size_t length;
        Status status = {0};
        if (before == NULL)
            continue;
        bool is_there = disk_files.read(disk_files.context, arena, name, &now, &length, &status);
        if (is_there && strlen(before->text) == length && memcmp(before->text, now, length) == 0)
            continue;
        status_hint(
            problems_add(warnings, STATUS_CONFLICT, place_in(name, 0, 0),
                         "%s since this session began; the session continues with the old content",
                         is_there ? "it has changed" : "it is gone"),
            "another folder for --state begins a new session");
    }
}

static bool are_same_texts(const char *const *a, int32_t a_count, const char *const *b,
                           int32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (int32_t i = 0; i < a_count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool are_same(ScenarioOverrides a, ScenarioOverrides b)
{
    return are_same_texts(a.items, a.count, b.items, b.count) &&
           are_same_texts(a.params, a.param_count, b.params, b.param_count);
}

static bool has_text(const Json *object, const char *key)
{
    const Json *member = object->kind == JSON_OBJECT ? json_member(object, key) : NULL;
    return member != NULL && member->kind == JSON_STRING;
}

/* Whether it is what `begin` has written: a database that has lost pages may return something else.
 */
static bool is_whole(const Json *kept)
{
    const Json *files = has_text(kept, "path") ? json_member(kept, "files") : NULL;
    if (files == NULL || files->kind != JSON_ARRAY)
        return false;
    for (const Json *file = files->first; file != NULL; file = file->next)
        if (!has_text(file, "path") ||
            (!has_text(file, "text") && json_member(file, "bytes") == NULL))
            return false;
    return true;
}

/* The stored begin of the session, compared with `path` and `overrides`. */
static Json *kept_base(Arena *arena, const char *text, const char *path,
                       ScenarioOverrides overrides, Problems *problems, Problems *warnings)
{
    Json *kept = json_parse(arena, "state", text, strlen(text), JSON_STRICT, problems);
    if (kept == NULL)
        return NULL;
    if (!is_whole(kept)) {
        problems_add(problems, STATUS_MACHINE, place_in("state", 0, 0),
                     "the scenario that this session began with is damaged");
        return NULL;
    }
    if (path != NULL)
        compare(arena, kept, path, warnings);
    if (overrides.count + overrides.param_count > 0 &&
        !are_same(overrides, kept_overrides(arena, kept)))
        problems_add(warnings, STATUS_CONFLICT, place_in("state", 0, 0),
                     "this session began with other settings and continues with them");
    return kept;
}

/* Seen from whatever folder the session is opened in next. */
static const char *absolute_path(Arena *arena, const char *path)
{
    char *absolute = path != NULL ? realpath(path, NULL) : NULL;
    if (absolute != NULL)
        path = arena_strdup(arena, absolute);
    free(absolute);
    return path;
}

/* The scenario that the store has. */
static const ScenarioFile *read_kept(Arena *arena, Json *kept, const char *folder,
                                     Problems *problems)
{
    const FileSource files = {.context = kept, .read = kept_read, .size = kept_size};
    Problems own = problems_create(arena);
    const ScenarioFile *file = scenario_read(arena, files, json_member(kept, "path")->text,
                                             kept_overrides(arena, kept), &own);
    if (file == NULL)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                                 "another version of trainyard wrote this state, and this one does "
                                 "not read the scenario and catalogue that are stored in it"),
                    "use that version, or choose another folder for --state");
    problems_merge(problems, &own);
    return file;
}

const ScenarioFile *base_open(Arena *arena, Store *store, const char *path,
                              ScenarioOverrides overrides, Problems *problems, Problems *warnings)
{
    path = absolute_path(arena, path);
    const char *text = store != NULL ? store_setting(store, arena, SETTING) : NULL;
    if (text == NULL)
        return begin(arena, store, path, overrides, problems);
    Json *kept = kept_base(arena, text, path, overrides, problems, warnings);
    if (kept == NULL)
        return NULL;
    return read_kept(arena, kept, store_folder(store), problems);
}

void base_compare(Arena *arena, Store *store, const char *path, ScenarioOverrides overrides,
                  Problems *problems, Problems *warnings)
{
    if (path == NULL && overrides.count + overrides.param_count == 0)
        return;
    const char *text = store_setting(store, arena, SETTING);
    if (text != NULL)
        kept_base(arena, text, absolute_path(arena, path), overrides, problems, warnings);
}
