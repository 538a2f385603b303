#include "sim/scenario/catalog/read.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/scenario/catalog/layers.h"
#include "sim/scenario/catalog/sections.h"
#include "sim/scenario/catalog/value.h"

/* One file while it is read. */
typedef struct {
    Arena *arena;
    Catalog *catalog;
    const Json *sources;
    Problems *problems;
} Reader;

/* --- Entries --- */

static Entry *section_add(Arena *arena, Section *section, size_t item_size)
{
    if (section->count == section->capacity) {
        int32_t capacity = section->capacity ? 2 * section->capacity : 16;
        Entry **entries = ARENA_ARRAY(arena, Entry *, capacity);
        if (section->count)
            memcpy(entries, section->entries, (size_t)section->count * sizeof entries[0]);
        section->entries = entries;
        section->capacity = capacity;
    }
    Entry *entry = ARENA_NEW(arena, Entry);
    entry->item = arena_alloc(arena, item_size);
    section->entries[section->count++] = entry;
    return entry;
}

static Entry *entry_named(Reader *reader, CatalogSection section_index, const Json *json)
{
    Section *section = &reader->catalog->sections[section_index];
    const SectionShape *shape = &catalog_shapes[section_index];
    const char *name = shape->is_single ? "" : json->key;
    Entry *entry = section_find(section, name);
    if (entry)
        return entry;
    entry = section_add(reader->arena, section, shape->type.size);
    entry->name = name;
    entry->at = json->key_at;
    if (!shape->is_single)
        *(const char **)entry->item = name;
    return entry;
}

/* --- Values with their sources --- */

static void hint_nearest(Status *problem, const char *typed, const char *const *names,
                         int32_t count)
{
    const char *nearest = nearest_name(typed, names, count);
    if (nearest)
        status_hint(problem, "did you mean \"%s\"?", nearest);
}

/* Every member of `json` must be one of `names`. */
static void check_keys(Problems *problems, const Json *json, const char *what,
                       const char *const *names, int32_t count)
{
    for (const Json *member = json->first; member; member = member->next) {
        bool is_known = false;
        for (int32_t i = 0; i < count && !is_known; i++)
            is_known = strcmp(member->key, names[i]) == 0;
        if (!is_known)
            hint_nearest(problems_add(problems, STATUS_BAD_INPUT, member->key_at,
                                      "%s has no \"%s\"", what, member->key),
                         member->key, names, count);
    }
}

/* The same for an object of `type`. */
static void check_fields(Arena *arena, Problems *problems, const Json *json, const char *what,
                         const ObjectType *type)
{
    const Json *member = json->first;
    while (member && field_find(type, member->key))
        member = member->next;
    if (!member)
        return;
    int32_t count;
    const char *const *names = field_names(arena, type, &count);
    check_keys(problems, json, what, names, count);
}

const char *path_below(Arena *arena, const char *path, const char *name)
{
    return arena_join(arena, (const char *const[]){path, name}, 2, '/');
}

static bool is_object(Problems *problems, const Json *json, const char *what)
{
    if (json->kind == JSON_OBJECT)
        return true;
    problems_add(problems, STATUS_BAD_INPUT, json_at(json), "%s must be an object, not %s", what,
                 json_kind_name(json->kind));
    return false;
}

/* The string member `key`; NULL, with a problem, when it is missing and `is_needed`, or is not a
 * string. */
static const char *string_member(Problems *problems, const Json *json, const char *what,
                                 const char *key, bool is_needed)
{
    const Json *member = json_member(json, key);
    if (member && member->kind == JSON_STRING && member->text[0])
        return member->text;
    if (member)
        problems_add(problems, STATUS_BAD_INPUT, json_at(member),
                     "%s: \"%s\" must be a text that is not empty", what, key);
    else if (is_needed)
        problems_add(problems, STATUS_BAD_INPUT, json_at(json), "%s: \"%s\" is missing", what, key);
    return NULL;
}

static bool boolean_member(Problems *problems, const Json *json, const char *what, const char *key)
{
    const Json *member = json_member(json, key);
    if (member && member->kind != JSON_BOOLEAN)
        problems_add(problems, STATUS_BAD_INPUT, json_at(member),
                     "%s: \"%s\" must be true or false", what, key);
    return member && member->boolean;
}

/* `json` as the file writes it; for a list of layers a summary. */
static const char *value_text(Arena *arena, const Field *field, const Json *json,
                              const Entry *entry)
{
    if (field->custom == &layers_kind)
        return catalog_layers_summary(arena, entry->item);
    return json_bare_text(arena, json);
}

/* Fills in source and date from the file's list of sources. */
static void source_find(const Reader *reader, const Json *json, CatalogValue *value)
{
    const char *name = string_member(reader->problems, json, value->path, "source", true);
    if (!name)
        return;
    const Json *source = json_member(reader->sources, name);
    if (source && source->kind == JSON_OBJECT) {
        value->source = json_member(source, "title") ? json_member(source, "title")->text : NULL;
        value->date = json_member(source, "date") ? json_member(source, "date")->text : NULL;
        return;
    }
    Status *problem =
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(json_member(json, "source")),
                     "%s: there is no source \"%s\"", value->path, name);
    status_hint(problem, "list it under \"sources\" with \"title\" and \"date\"");
}

/* Reads "error" and "range": how far a repeated measurement may differ, and the range that was
 * measured. */
static void error_read(const Reader *reader, const Json *json, CatalogValue *value)
{
    const char *error = string_member(reader->problems, json, value->path, "error", false);
    const char *range = string_member(reader->problems, json, value->path, "range", false);
    Status status = {0};
    int64_t ppm;
    value->error = error ? error : "";
    value->range = range ? range : "";
    if (error && !ratio_parse(error, json_at(json_member(json, "error")), &ppm, &status))
        problems_add_status(reader->problems, &status);
}

/* Reads one {"value", "source", ...}. A wrong value is kept too, so that it is not also reported as
 * missing. Any problem refuses the catalogue, so the value is never used. */
static void value_read(Reader *reader, const Field *field, const char *path, const Json *json,
                       Entry *entry, int32_t field_index)
{
    static const char *const keys[] = {"value", "source", "note", "assumption", "error", "range"};
    CatalogValue *value = ARENA_NEW(reader->arena, CatalogValue);
    entry->values[field_index] = value;
    value->path = path;
    value->at = json_at(json);
    if (!is_object(reader->problems, json, path))
        return;
    check_keys(reader->problems, json, path, keys, (int32_t)(sizeof keys / sizeof keys[0]));
    source_find(reader, json, value);
    value->is_assumption = boolean_member(reader->problems, json, path, "assumption");
    const char *note = string_member(reader->problems, json, path, "note", value->is_assumption);
    value->note = note ? note : "";
    error_read(reader, json, value);
    const Json *inner = json_member(json, "value");
    if (!inner) {
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(json), "%s: \"value\" is missing",
                     path);
        return;
    }
    Status status = {0};
    if (catalog_value_read(reader->arena, reader->catalog, field, inner, entry->item, &status)) {
        value->value = value_text(reader->arena, field, inner, entry);
        return;
    }
    Status *problem =
        problems_add(reader->problems, status.code, status.at, "%s: %s", path, status.message);
    if (status.hint[0])
        status_hint(problem, "%s", status.hint);
}

/* --- Entries, sections, files --- */

static void entry_read(Reader *reader, CatalogSection section, const char *path, const Json *json)
{
    if (!is_object(reader->problems, json, path))
        return;
    const SectionShape *shape = &catalog_shapes[section];
    Entry *entry = entry_named(reader, section, json);
    for (int32_t i = 0; shape->type.fields[i].name; i++) {
        const Field *field = &shape->type.fields[i];
        const Json *value = json_member(json, field->name);
        if (value)
            value_read(reader, field, path_below(reader->arena, path, field->name), value, entry,
                       i);
    }
    check_fields(reader->arena, reader->problems, json, path, &shape->type);
}

static void section_read(Reader *reader, CatalogSection section, const Json *json)
{
    const SectionShape *shape = &catalog_shapes[section];
    if (shape->is_single) {
        entry_read(reader, section, shape->type.name, json);
        return;
    }
    if (!is_object(reader->problems, json, shape->type.name))
        return;
    for (const Json *entry = json->first; entry; entry = entry->next)
        entry_read(reader, section, path_below(reader->arena, shape->type.name, entry->key), entry);
}

static void rows_read(Reader *reader, const Json *json)
{
    Catalog *catalog = reader->catalog;
    if (json->kind != JSON_ARRAY) {
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(json),
                     "throughputs must be an array, not %s", json_kind_name(json->kind));
        return;
    }
    if (json->count > THROUGHPUTS_MAX - catalog->row_count) {
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(json),
                     "with these %d, the catalogue has more than %d throughputs", (int)json->count,
                     THROUGHPUTS_MAX);
        return;
    }
    for (const Json *row = json->first; row; row = row->next)
        catalog->rows[catalog->row_count++] = (Row){.row = row, .sources = reader->sources};
}

static void sources_check(Reader *reader)
{
    if (!reader->sources || !is_object(reader->problems, reader->sources, "sources"))
        return;
    for (const Json *source = reader->sources->first; source; source = source->next) {
        const char *path = path_below(reader->arena, "sources", source->key);
        if (!is_object(reader->problems, source, path))
            continue;
        check_keys(reader->problems, source, path, catalog_source_keys, CATALOG_SOURCE_KEY_COUNT);
        for (int32_t i = 0; i < CATALOG_SOURCE_KEY_COUNT; i++)
            (void)string_member(reader->problems, source, path, catalog_source_keys[i], true);
    }
}

static void version_check(const Json *root, Problems *problems)
{
    const Json *version = json_member(root, "catalog");
    if (!version || version->kind != JSON_NUMBER || version->integer != CATALOG_VERSION)
        problems_add(problems, STATUS_BAD_INPUT, json_at(version ? version : root),
                     "a catalogue starts with \"catalog\": %d", CATALOG_VERSION);
}

static void sections_read(Arena *arena, Catalog *catalog, const Json *root, Problems *problems)
{
    enum { OTHERS = 5 };
    const char *names[CATALOG_SECTION_COUNT + OTHERS] = {"catalog", "description", "sources",
                                                         "include", "throughputs"};
    version_check(root, problems);
    Reader reader = {arena, catalog, json_member(root, "sources"), problems};
    sources_check(&reader);
    // In the order of the table, not of the file, because vm_sizes name gpus.
    for (int32_t i = 0; i < CATALOG_SECTION_COUNT; i++) {
        names[i + OTHERS] = catalog_shapes[i].type.name;
        const Json *section = json_member(root, catalog_shapes[i].type.name);
        if (section)
            section_read(&reader, (CatalogSection)i, section);
    }
    const Json *rows = json_member(root, "throughputs");
    if (rows)
        rows_read(&reader, rows);
    check_keys(problems, root, "a catalogue", names, CATALOG_SECTION_COUNT + OTHERS);
}

/* A file that another one includes. */
static void included_read(Arena *arena, Catalog *catalog, const Json *root, Problems *problems)
{
    if (!is_object(problems, root, "an included catalogue"))
        return;
    const Json *more = json_member(root, "include");
    if (more)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, more->key_at,
                                 "an included catalogue cannot include others"),
                    "list all of them in \"include\" of the first catalogue");
    sections_read(arena, catalog, root, problems);
}

static void file_read(Arena *arena, Catalog *catalog, const Json *root, Problems *problems)
{
    if (!is_object(problems, root, "a catalogue"))
        return;
    const Json *include = json_member(root, "include");
    if (include && (include->kind != JSON_ARRAY || include->count > CATALOG_INCLUDES_MOST))
        problems_add(problems, STATUS_BAD_INPUT, json_at(include),
                     "\"include\" must be a list of at most %d catalogue files",
                     CATALOG_INCLUDES_MOST);
    else if (include)
        for (const Json *item = include->first; item; item = item->next)
            included_read(arena, catalog, item, problems);
    sections_read(arena, catalog, root, problems);
}

Catalog *catalog_read(Arena *arena, const Json *const *roots, int32_t count, Problems *problems)
{
    invariant(count >= 1);
    int32_t before = problems->count;
    Catalog *catalog = ARENA_NEW(arena, Catalog);
    for (int32_t i = 0; i < count; i++)
        file_read(arena, catalog, roots[i], problems);
    // Not after other problems: those that follow from a wrong value would only hide the cause.
    if (problems->count == before)
        catalog_complete(arena, catalog, json_at(roots[count - 1]), problems);
    return problems->count == before ? catalog : NULL;
}

/* --- Durations outside a catalogue --- */

bool distribution_read(Arena *arena, const Json *json, Distribution *distribution, Status *status)
{
    static const Field field = {.name = "duration",
                                .kind = VALUE_CUSTOM,
                                .custom = &distribution_kind,
                                .maximum = CATALOG_LIFETIME_MOST};
    return catalog_value_read(arena, NULL, &field, json, distribution, status);
}
