#include "sim/scenario/catalog/read.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/model/price.h"
#include "sim/scenario/catalog/fields.h"
#include "sim/scenario/catalog/layers.h"
#include "sim/scenario/catalog/throughputs.h"
#include "sim/scenario/catalog/transformer_fields.h"
#include "sim/scenario/catalog/value.h"
#include "sim/schema/glob.h"

/* --- Entries and sections --- */

typedef struct {
    const char *name; /* "" in a single section */
    Place at;
    void *item;
    CatalogValue *values[CATALOG_FIELDS_MAX]; /* by field; NULL until a file sets it */
} Entry;

typedef struct {
    int32_t count;
    int32_t capacity;
    Entry **entries;    /* in the order of the files */
    const char **names; /* of the entries, filled when all are known */
} Section;

/* A row that is read once all entries that it may name are known. */
typedef struct {
    const Json *row;
    const Json *sources; /* of its file */
} Row;

struct Catalog {
    Section sections[CATALOG_SECTION_COUNT];
    int32_t row_count;
    Row rows[THROUGHPUTS_MAX];
    Throughputs throughputs;
};

/* One file while it is read. */
typedef struct {
    Arena *arena;
    Catalog *catalog;
    const Json *sources;
    Problems *problems;
} Reader;

static Entry *section_find(const Section *section, const char *name)
{
    for (int32_t i = 0; i < section->count; i++) {
        if (ascii_same(section->entries[i]->name, name))
            return section->entries[i];
    }
    return NULL;
}

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

static const char *path_below(Arena *arena, const char *path, const char *name)
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
                     "with these %d the catalogue has more than %d throughputs", (int)json->count,
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

static void entry_check_whole(Arena *arena, const SectionShape *shape, const Entry *entry,
                              Problems *problems)
{
    const char *path =
        shape->is_single ? shape->type.name : path_below(arena, shape->type.name, entry->name);
    bool is_empty = true;
    for (int32_t i = 0; shape->type.fields[i].name; i++)
        is_empty &= entry->values[i] == NULL;
    if (is_empty && shape->may_be_empty)
        return;
    for (int32_t i = 0; shape->type.fields[i].name; i++) {
        if (!entry->values[i] && shape->type.fields[i].is_required)
            problems_add(problems, STATUS_BAD_INPUT, entry->at, "%s: \"%s\" is missing", path,
                         shape->type.fields[i].name);
    }
}

/* Whether the entry has a value of the member at `offset` of its struct. */
static bool has_value_at(const SectionShape *shape, const Entry *entry, size_t offset)
{
    int32_t i = 0;
    while (shape->type.fields[i].offset != offset)
        i++;
    return entry->values[i] != NULL;
}

/* Prices may be absent. */
static void vm_size_complete(const Entry *entry)
{
    const SectionShape *shape = &catalog_shapes[CATALOG_VM_SIZES];
    VmSize *size = entry->item;
    if (!has_value_at(shape, entry, offsetof(VmSize, dedicated_micro_usd_per_hour)))
        size->dedicated_micro_usd_per_hour = PRICE_UNKNOWN;
    if (!has_value_at(shape, entry, offsetof(VmSize, low_priority_micro_usd_per_hour)))
        size->low_priority_micro_usd_per_hour = PRICE_UNKNOWN;
}

static void vm_size_check(const Entry *entry, Problems *problems)
{
    const VmSize *size = entry->item;
    if ((size->gpus > 0) != (size->gpu != NULL))
        problems_add(problems, STATUS_BAD_INPUT, entry->at,
                     "vm_sizes/%s: %d gpus, but \"gpu\" names %s", size->name, (int)size->gpus,
                     size->gpu ? size->gpu->name : "none");
}

/* --- Measurements, and the devices and exchanges that they belong to --- */

static bool is_measured(const Catalog *catalog, const GpuModel *gpu)
{
    const Section *stages = &catalog->sections[CATALOG_STAGE_TIMES];
    const size_t length = strlen(gpu->name);
    for (int32_t i = 0; i < stages->count; i++)
        if (strncmp(stages->entries[i]->name, gpu->name, length) == 0 &&
            stages->entries[i]->name[length] == ' ')
            return true;
    return false;
}

/* The structs of a section's entries. */
static const void **items_of(Arena *arena, const Section *section)
{
    const void **items = ARENA_ARRAY(arena, const void *, section->count);
    for (int32_t i = 0; i < section->count; i++)
        items[i] = section->entries[i]->item;
    return items;
}

static void bind_devices(Arena *arena, Catalog *catalog)
{
    const Section *sections = catalog->sections;
    DeviceTimes *times = ARENA_NEW(arena, DeviceTimes);
    *times = (DeviceTimes){
        .stage_count = sections[CATALOG_STAGE_TIMES].count,
        .kind_count = sections[CATALOG_KIND_TIMES].count,
        .side_count = sections[CATALOG_SIDE_BY_SIDE].count,
        .stages = (const StageTime *const *)items_of(arena, &sections[CATALOG_STAGE_TIMES]),
        .kinds = (const KindTime *const *)items_of(arena, &sections[CATALOG_KIND_TIMES]),
        .sides = (const SideBySide *const *)items_of(arena, &sections[CATALOG_SIDE_BY_SIDE])};
    for (int32_t i = 0; i < sections[CATALOG_GPUS].count; i++) {
        GpuModel *gpu = sections[CATALOG_GPUS].entries[i]->item;
        gpu->times = is_measured(catalog, gpu) ? times : NULL;
    }
}

/* The measurements of one exchange, by increasing number of ranks. */
static void bind_exchange(Arena *arena, const Section *measured, ExchangeMethod *method)
{
    RanksTime *times = ARENA_ARRAY(arena, RanksTime, measured->count);
    int32_t count = 0;
    for (int32_t i = 0; i < measured->count; i++) {
        const ExchangeTime *time = measured->entries[i]->item;
        if (!ascii_same(time->exchange, method->name))
            continue;
        int32_t at = count++;
        for (; at > 0 && times[at - 1].ranks > time->time.ranks; at--)
            times[at] = times[at - 1];
        times[at] = time->time;
    }
    method->measured_count = count;
    method->measured = times;
}

static void bind_exchanges(Arena *arena, Catalog *catalog, Problems *problems)
{
    const Section *measured = &catalog->sections[CATALOG_EXCHANGE_TIMES];
    Section *methods = &catalog->sections[CATALOG_EXCHANGES];
    for (int32_t i = 0; i < methods->count; i++) {
        const Entry *entry = methods->entries[i];
        ExchangeMethod *method = entry->item;
        bind_exchange(arena, measured, method);
        if (method->further_ring_ppm == 0)
            method->further_ring_ppm = PPM; // absent
        if (method->measured_count == 0 && !entry->values[0])
            problems_add(problems, STATUS_BAD_INPUT, entry->at,
                         "exchanges/%s is empty, and has no exchange_times", method->name);
    }
    for (int32_t i = 0; i < measured->count; i++) {
        const ExchangeTime *time = measured->entries[i]->item;
        if (!section_find(methods, time->exchange))
            problems_add(problems, STATUS_BAD_INPUT, measured->entries[i]->at,
                         "exchange_times/%s: there is no exchange \"%s\"", time->name,
                         time->exchange);
        for (int32_t j = 0; j < i; j++) {
            const ExchangeTime *other = measured->entries[j]->item;
            if (ascii_same(other->exchange, time->exchange) &&
                other->time.ranks == time->time.ranks)
                problems_add(problems, STATUS_BAD_INPUT, measured->entries[i]->at,
                             "exchange_times/%s: %d ranks are also in \"%s\"", time->name,
                             (int)time->time.ranks, other->name);
        }
    }
}

static Distribution constant(Arena *arena, int64_t ns)
{
    QuantileKnot *knot = ARENA_NEW(arena, QuantileKnot);
    *knot = (QuantileKnot){.value = ns};
    return (Distribution){.quantiles = {.knots = knot, .count = 1}};
}

static bool is_absent(Distribution distribution)
{
    return distribution.kind == DISTRIBUTION_QUANTILES && distribution.quantiles.count == 0;
}

/* Catalogues that were written before these times existed, such as those in the states of
 * emulators, keep what they meant. */
static void complete_service(Arena *arena, ServiceModel *service)
{
    if (service->allocation_autoscale_ns.count == 0)
        service->allocation_autoscale_ns = service->allocation_resize_ns;
    if (service->host_overhead_prepared_ns.count == 0)
        service->host_overhead_prepared_ns = service->host_overhead_ns;
    if (is_absent(service->unknown_program_ns))
        service->unknown_program_ns = constant(arena, 10 * NS_PER_MIN);
    if (is_absent(service->unknown_tool_ns))
        service->unknown_tool_ns = constant(arena, NS_PER_S);
}

/* The checks that need all files. */
static void catalog_check(Arena *arena, Catalog *catalog, Place at, Problems *problems)
{
    const int32_t before = problems->count;
    Section *service = &catalog->sections[CATALOG_SERVICE];
    if (service->count == 0)
        problems_add(problems, STATUS_BAD_INPUT, at, "the catalogue has no \"service\"");
    for (int32_t i = 0; i < CATALOG_SECTION_COUNT; i++) {
        Section *section = &catalog->sections[i];
        section->names = ARENA_ARRAY(arena, const char *, section->count);
        for (int32_t j = 0; j < section->count; j++) {
            section->names[j] = section->entries[j]->name;
            entry_check_whole(arena, &catalog_shapes[i], section->entries[j], problems);
        }
    }
    if (problems->count > before)
        return;
    complete_service(arena, service->entries[0]->item);
    bind_devices(arena, catalog);
    bind_exchanges(arena, catalog, problems);
    const Section *sizes = &catalog->sections[CATALOG_VM_SIZES];
    for (int32_t i = 0; i < sizes->count; i++) {
        vm_size_complete(sizes->entries[i]);
        vm_size_check(sizes->entries[i], problems);
    }
    Throughput *rows = ARENA_ARRAY(arena, Throughput, catalog->row_count);
    bool are_fine = true;
    for (int32_t i = 0; i < catalog->row_count; i++)
        are_fine &= catalog_throughput_read(catalog, catalog->rows[i].row, catalog->rows[i].sources,
                                            &rows[i], problems);
    if (are_fine)
        catalog->throughputs = (Throughputs){.count = catalog->row_count, .rows = rows};
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
        catalog_check(arena, catalog, json_at(roots[count - 1]), problems);
    return problems->count == before ? catalog : NULL;
}

/* --- Lookups --- */

static const void *item_find(const Catalog *catalog, CatalogSection section, const char *name)
{
    const Entry *entry = section_find(&catalog->sections[section], name);
    return entry ? entry->item : NULL;
}

const GpuModel *catalog_gpu(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_GPUS, name);
}

const VmSize *catalog_vm_size(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_VM_SIZES, name);
}

const CoreQuota *catalog_quota(const Catalog *catalog, const char *family)
{
    return item_find(catalog, CATALOG_QUOTAS, family);
}

const ShareTier *catalog_share_tier(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_SHARE_TIERS, name);
}

const ContainerImage *catalog_image(Arena *arena, const Catalog *catalog, const char *name,
                                    bool *is_listed)
{
    const CatalogImage *sizes = item_find(catalog, CATALOG_IMAGES, name);
    *is_listed = sizes != NULL;
    if (sizes == NULL)
        sizes = item_find(catalog, CATALOG_IMAGES, "*");
    if (sizes == NULL)
        return NULL;
    ContainerImage *image = ARENA_NEW(arena, ContainerImage);
    image->name = arena_strdup(arena, name);
    image->compressed_bytes = quantiles_at(sizes->compressed_bytes, name_hash(name));
    return image;
}

const NetworkModel *catalog_network(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_NETWORKS, name);
}

const DataSet *catalog_data_set(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_DATA_SETS, name);
}

const Framework *catalog_framework(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_FRAMEWORKS, name);
}

const ExchangeMethod *catalog_exchange(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_EXCHANGES, name);
}

const SoftwareStack *catalog_stack(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_STACKS, name);
}

const LearningCurve *catalog_learning_curve(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_LEARNING_CURVES, name);
}

const Quantiles *catalog_jitter(const Catalog *catalog, const char *name)
{
    const NamedQuantiles *jitter = item_find(catalog, CATALOG_JITTERS, name);
    return jitter ? &jitter->values : NULL;
}

const ServiceModel *catalog_service(const Catalog *catalog)
{
    return catalog->sections[CATALOG_SERVICE].entries[0]->item;
}

const FailureModel *catalog_failure_model(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_FAILURE_MODELS, name);
}

const Preemption *catalog_preemption(const Catalog *catalog, const char *family)
{
    return item_find(catalog, CATALOG_PREEMPTIONS, family);
}

const TransformerShape *catalog_transformer(const Catalog *catalog, const char *name)
{
    const CatalogTransformer *entry = item_find(catalog, CATALOG_TRANSFORMERS, name);
    return entry != NULL ? &entry->shape : NULL;
}

const TransformerGpu *catalog_transformer_gpu(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_TRANSFORMER_GPUS, name);
}

const TransformerFabric *catalog_transformer_fabric(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_TRANSFORMER_FABRICS, name);
}

const TransformerSoftware *catalog_transformer_software(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_TRANSFORMER_SOFTWARE, name);
}

Throughputs catalog_throughputs(const Catalog *catalog)
{
    return catalog->throughputs;
}

const Quantiles *catalog_preparation(const Catalog *catalog, const char *command_line,
                                     const char **name)
{
    const Section *globs = &catalog->sections[CATALOG_PREPARATIONS];
    const NamedQuantiles *best = NULL;
    for (int32_t i = 0; i < globs->count; i++) {
        const NamedQuantiles *entry = globs->entries[i]->item;
        if (glob_matches(entry->name, command_line) &&
            (!best || strlen(entry->name) > strlen(best->name)))
            best = entry;
    }
    if (best && name)
        *name = best->name;
    return best ? &best->values : NULL;
}

const char *const *catalog_names(const Catalog *catalog, CatalogSection section, int32_t *count)
{
    *count = catalog->sections[section].count;
    return catalog->sections[section].names;
}

const char *catalog_section_name(CatalogSection section)
{
    return catalog_shapes[section].type.name;
}

/* --- Sources of values --- */

void catalog_each_value(const Catalog *catalog, void *context,
                        void (*value)(void *context, const CatalogValue *value))
{
    for (int32_t i = 0; i < CATALOG_SECTION_COUNT; i++) {
        const Section *section = &catalog->sections[i];
        for (int32_t j = 0; j < section->count; j++) {
            for (int32_t k = 0; catalog_shapes[i].type.fields[k].name; k++)
                if (section->entries[j]->values[k]) // an empty entry has none
                    value(context, section->entries[j]->values[k]);
        }
    }
}

typedef struct {
    const char *path;
    const CatalogValue *found;
} ValueSearch;

static void value_compare(void *context, const CatalogValue *value)
{
    ValueSearch *search = context;
    if (ascii_same(value->path, search->path))
        search->found = value;
}

const CatalogValue *catalog_value(const Catalog *catalog, const char *path)
{
    ValueSearch search = {path, NULL};
    catalog_each_value(catalog, &search, value_compare);
    return search.found;
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
