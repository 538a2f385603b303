#include "sim/scenario/assumed.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/scenario/catalog/fields.h"

#define SOURCE "the scenario"
#define QUOTAS "quotas"

typedef struct {
    Arena *arena;
    Problems *problems;
    const Json *const *roots; /* the catalogues that are read before */
    int32_t root_count;
    Json *made;
} Assumer;

/* --- Names of the catalogues --- */

typedef struct {
    const char **items;
    uint32_t count, capacity;
} Names;

/* Adds the name unless it is there already: many VM sizes are of one family. */
static void add_name(const Assumer *assumer, Names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    names->items = array_room(assumer->arena, names->items, names->count + 1, &names->capacity,
                              sizeof *names->items);
    names->items[names->count++] = name;
}

/* Calls `add` for each entry of `section` in `root` and in the catalogues that it includes. */
static void each_entry(const Assumer *assumer, const Json *root, const char *section, Names *names,
                       void (*add)(const Assumer *, Names *, const Json *entry))
{
    const Json *entries = json_member(root, section), *included = json_member(root, "include");
    const bool is_object = entries != NULL && entries->kind == JSON_OBJECT;
    for (const Json *entry = is_object ? entries->first : NULL; entry != NULL; entry = entry->next)
        add(assumer, names, entry);
    for (const Json *item = included != NULL ? included->first : NULL; item; item = item->next)
        each_entry(assumer, item, section, names, add);
}

static Names names_of(const Assumer *assumer, const char *section,
                      void (*add)(const Assumer *, Names *, const Json *entry))
{
    Names names = {0};
    for (int32_t i = 0; i < assumer->root_count; i++)
        each_entry(assumer, assumer->roots[i], section, &names, add);
    return names;
}

static void add_key(const Assumer *assumer, Names *names, const Json *entry)
{
    add_name(assumer, names, entry->key);
}

static void add_family(const Assumer *assumer, Names *names, const Json *vm_size)
{
    const Json *family = json_member(json_member(vm_size, "family"), "value");
    if (family != NULL && family->kind == JSON_STRING)
        add_name(assumer, names, family->text);
}

static bool has_name(Names names, const char *name)
{
    for (uint32_t i = 0; i < names.count; i++)
        if (ascii_same(names.items[i], name))
            return true;
    return false;
}

static bool check_name(const Assumer *assumer, Names names, const char *kind, const char *name,
                       Place at)
{
    if (!has_name(names, name))
        bind_unknown_name(assumer->problems, at, kind, name, names.items, (int32_t)names.count);
    return has_name(names, name);
}

/* --- The catalogue --- */

/* The member `key` of `object`, an object; made at the first use. */
static Json *inner(const Assumer *assumer, Json *object, const char *key, Place at)
{
    Json *found = json_member(object, key);
    if (found != NULL)
        return found;
    found = json_put_object(assumer->arena, object, key);
    found->at = found->key_at = at;
    return found;
}

/* Adds SECTION/ENTRY/FIELD; `entry` NULL: the section has no entries. */
static void add_value(const Assumer *assumer, const char *section, const char *entry,
                      const char *field, const Json *value, Place at)
{
    Arena *arena = assumer->arena;
    Json *object = inner(assumer, assumer->made, section, at);
    if (entry != NULL)
        object = inner(assumer, object, entry, at);
    Json *described = inner(assumer, object, field, at);
    described->at = value->at;
    json_set(arena, described, "value", json_copy(arena, value, NULL));
    json_put_text(arena, described, "source", SOURCE);
    json_put_boolean(arena, described, "assumption", true);
    json_put_text(arena, described, "note", "set by the scenario");
}

/* The section called `name`; CATALOG_SECTION_COUNT, with a problem at `at`, when there is none. */
static int32_t section_find(const Assumer *assumer, const char *name, Place at)
{
    const char *names[CATALOG_SECTION_COUNT];
    for (int32_t i = 0; i < CATALOG_SECTION_COUNT; i++) {
        names[i] = catalog_shapes[i].type.name;
        if (strcmp(names[i], name) == 0)
            return i;
    }
    bind_unknown_name(assumer->problems, at, "section of the catalogue", name, names,
                      CATALOG_SECTION_COUNT);
    return CATALOG_SECTION_COUNT;
}

/* Reads one member of "assume", "vm_sizes/Standard_NC6/vcpus": VALUE. */
static void add_assumption(const Assumer *assumer, const Json *value)
{
    const char *path = value->key, *slash = strchr(path, '/'), *last = strrchr(path, '/');
    const Place at = value->key_at;
    if (slash == NULL) {
        status_hint(problems_add(assumer->problems, STATUS_BAD_INPUT, at,
                                 "\"%s\" is not a value of the catalogue", path),
                    "as in \"vm_sizes/Standard_NC6/vcpus\"; `trainyard explain` lists all");
        return;
    }
    const char *section = arena_strndup(assumer->arena, path, (size_t)(slash - path));
    const int32_t shape = section_find(assumer, section, at);
    if (shape == CATALOG_SECTION_COUNT)
        return;
    const char *entry =
        slash < last ? arena_strndup(assumer->arena, slash + 1, (size_t)(last - slash - 1)) : NULL;
    if (catalog_shapes[shape].is_single != (entry == NULL)) {
        problems_add(assumer->problems, STATUS_BAD_INPUT, at,
                     "\"%s\" is not a value of the catalogue, expected %s/%sVALUE", path, section,
                     entry == NULL ? "NAME/" : "");
        return;
    }
    if (entry == NULL ||
        check_name(assumer, names_of(assumer, section, add_key), section, entry, at))
        add_value(assumer, section, entry, last + 1, value, at);
}

static void add_quota(const Assumer *assumer, const char *family, bool is_low_priority,
                      const Json *vcpus, Place at)
{
    add_value(assumer, QUOTAS, family, is_low_priority ? "low_priority_vcpus" : "dedicated_vcpus",
              vcpus, at);
}

static bool is_unlimited(const Json *value)
{
    return value->kind == JSON_STRING && strcmp(value->text, "unlimited") == 0;
}

static const Json *no_limit(const Assumer *assumer, Place at)
{
    Json *vcpus = json_integer(assumer->arena, QUOTA_VCPUS_MOST);
    vcpus->at = at;
    return vcpus;
}

/* The quota of one family: a number, "unlimited", or an object of both numbers. */
static void add_family_quota(const Assumer *assumer, const char *family, const Json *value,
                             Place at)
{
    const Json *vcpus = is_unlimited(value) ? no_limit(assumer, value->at) : value;
    if (vcpus->is_integer && vcpus->integer >= 0 && vcpus->integer <= QUOTA_VCPUS_MOST) {
        add_quota(assumer, family, false, vcpus, at);
        add_quota(assumer, family, true, vcpus, at);
        return;
    }
    if (vcpus->kind != JSON_OBJECT) {
        status_hint(problems_add(assumer->problems, STATUS_BAD_INPUT, value->at,
                                 "the quota of %s is not a number of cores from 0 to %d", family,
                                 QUOTA_VCPUS_MOST),
                    "or \"unlimited\", or {\"dedicated\": 96, \"low_priority\": 0}");
        return;
    }
    const QuotaText *quota = bind_object(assumer->arena, value, &quota_type, assumer->problems);
    if (quota->dedicated.node != NULL && !quota->dedicated.is_refused)
        add_quota(assumer, family, false, quota->dedicated.node, at);
    if (quota->low_priority.node != NULL && !quota->low_priority.is_refused)
        add_quota(assumer, family, true, quota->low_priority.node, at);
}

static void add_quotas(const Assumer *assumer, const Json *quotas)
{
    Names families = names_of(assumer, "vm_sizes", add_family);
    const Names limited = names_of(assumer, QUOTAS, add_key);
    for (uint32_t i = 0; i < limited.count; i++)
        add_name(assumer, &families, limited.items[i]);
    if (is_unlimited(quotas)) {
        for (uint32_t i = 0; i < limited.count; i++)
            add_family_quota(assumer, limited.items[i], quotas, quotas->key_at);
        return;
    }
    if (quotas->kind != JSON_OBJECT) {
        status_hint(problems_add(assumer->problems, STATUS_BAD_INPUT, quotas->at,
                                 "quotas are neither \"unlimited\" nor an object"),
                    "as in {\"NC\": 96, \"total\": 200}");
        return;
    }
    for (const Json *value = quotas->first; value != NULL; value = value->next)
        if (check_name(assumer, families, "family of VM sizes", value->key, value->key_at))
            add_family_quota(assumer, value->key, value, value->key_at);
}

const Json *assumed_catalog(Arena *arena, const ScenarioText *text, const Json *const *roots,
                            int32_t count, Problems *problems)
{
    const Assumer assumer = {.arena = arena,
                             .problems = problems,
                             .roots = roots,
                             .root_count = count,
                             .made = json_object(arena)};
    if (text->quotas == NULL && text->assume == NULL)
        return NULL;
    json_put_integer(arena, assumer.made, "catalog", 1);
    Json *sources = json_put_object(arena, assumer.made, "sources");
    Json *source = json_put_object(arena, sources, SOURCE);
    json_put_text(arena, source, "title", SOURCE);
    json_put_text(arena, source, "date", "this run");
    if (text->quotas != NULL)
        add_quotas(&assumer, text->quotas);
    const bool is_object = text->assume != NULL && text->assume->kind == JSON_OBJECT;
    if (text->assume != NULL && !is_object)
        problems_add(problems, STATUS_BAD_INPUT, text->assume->at,
                     "assume is %s, expected an object", json_kind_name(text->assume->kind));
    for (const Json *value = is_object ? text->assume->first : NULL; value; value = value->next)
        add_assumption(&assumer, value);
    return assumer.made;
}
