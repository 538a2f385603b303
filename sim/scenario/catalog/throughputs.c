#include "sim/scenario/catalog/throughputs.h"

#include <string.h>

/* A row while it is read. */
typedef struct {
    const Catalog *catalog;
    const Json *row;
    Problems *problems;
} RowReader;

static const char *const keys[] = {"gpu",           "network",    "framework", "exchange", "batch",
                                   "samples_per_s", "calibrates", "source",    "note"};
enum { KEYS = sizeof keys / sizeof keys[0] };

static void check_keys(const RowReader *reader)
{
    for (const Json *member = reader->row->first; member != NULL; member = member->next) {
        bool is_known = false;
        for (int32_t i = 0; i < KEYS && !is_known; i++)
            is_known = strcmp(member->key, keys[i]) == 0;
        if (is_known)
            continue;
        Status *problem = problems_add(reader->problems, STATUS_BAD_INPUT, member->key_at,
                                       "a throughput has no \"%s\"", member->key);
        const char *nearest = nearest_name(member->key, keys, KEYS);
        if (nearest != NULL)
            status_hint(problem, "did you mean \"%s\"?", nearest);
    }
}

/* The text member `key`; NULL, with a problem, when it is missing or not a text. */
static const char *text_of(const RowReader *reader, const char *key)
{
    const Json *member = json_member(reader->row, key);
    if (member != NULL && member->kind == JSON_STRING)
        return member->text;
    problems_add(reader->problems, STATUS_BAD_INPUT, json_at(member != NULL ? member : reader->row),
                 "a throughput needs a text \"%s\"", key);
    return NULL;
}

typedef const void *Find(const Catalog *catalog, const char *name);

static const void *find_gpu(const Catalog *catalog, const char *name)
{
    return catalog_gpu(catalog, name);
}

static const void *find_network(const Catalog *catalog, const char *name)
{
    return catalog_network(catalog, name);
}

static const void *find_framework(const Catalog *catalog, const char *name)
{
    return catalog_framework(catalog, name);
}

static const void *find_exchange(const Catalog *catalog, const char *name)
{
    return catalog_exchange(catalog, name);
}

/* The entry of `section` that the member `key` names. */
static const void *entry_of(const RowReader *reader, const char *key, CatalogSection section,
                            Find *find)
{
    const char *name = text_of(reader, key);
    if (name == NULL)
        return NULL;
    const void *entry = find(reader->catalog, name);
    if (entry != NULL)
        return entry;
    int32_t count;
    const char *const *names = catalog_names(reader->catalog, section, &count);
    const char *nearest = nearest_name(name, names, count);
    Status *problem = problems_add(
        reader->problems, STATUS_BAD_INPUT, json_at(json_member(reader->row, key)),
        "\"%s\" is not among the %s of the catalogue", name, catalog_section_name(section));
    if (nearest != NULL)
        status_hint(problem, "did you mean \"%s\"?", nearest);
    return NULL;
}

/* The member `key`, a number above 0 and up to a billion, times 10^decimals. */
static int64_t number_of(const RowReader *reader, const char *key, int32_t decimals)
{
    const Json *member = json_member(reader->row, key);
    int64_t value;
    if (member != NULL && json_scaled(member, decimals, &value) && value >= 1 &&
        member->number <= 1e9)
        return value;
    problems_add(
        reader->problems, STATUS_BAD_INPUT, json_at(member != NULL ? member : reader->row),
        "a throughput needs \"%s\", a number above 0 and up to 1e9 with at most %d decimals", key,
        (int)decimals);
    return 0;
}

static const char *source_of(const RowReader *reader, const Json *sources)
{
    const char *name = text_of(reader, "source");
    if (name == NULL)
        return NULL;
    const Json *title = json_member(json_member(sources, name), "title");
    if (title != NULL && title->kind == JSON_STRING)
        return title->text;
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT,
                             json_at(json_member(reader->row, "source")),
                             "there is no source \"%s\"", name),
                "list it under \"sources\" with \"title\" and \"date\"");
    return NULL;
}

static bool calibrates(const RowReader *reader)
{
    const Json *member = json_member(reader->row, "calibrates");
    if (member == NULL)
        return true;
    if (member->kind != JSON_BOOLEAN)
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(member),
                     "\"calibrates\" must be true or false");
    return member->boolean;
}

bool catalog_throughput_read(const Catalog *catalog, const Json *row, const Json *sources,
                             Throughput *throughput, Problems *problems)
{
    const int32_t before = problems->count;
    RowReader reader = {.catalog = catalog, .row = row, .problems = problems};
    if (row->kind != JSON_OBJECT) {
        problems_add(problems, STATUS_BAD_INPUT, json_at(row), "a throughput must be an object");
        return false;
    }
    check_keys(&reader);
    *throughput = (Throughput){
        .gpu = entry_of(&reader, "gpu", CATALOG_GPUS, find_gpu),
        .network = entry_of(&reader, "network", CATALOG_NETWORKS, find_network),
        .framework = entry_of(&reader, "framework", CATALOG_FRAMEWORKS, find_framework),
        .exchange = json_member(row, "exchange") != NULL
                        ? entry_of(&reader, "exchange", CATALOG_EXCHANGES, find_exchange)
                        : NULL,
        .batch = number_of(&reader, "batch", 0),
        .micro_samples_per_s = number_of(&reader, "samples_per_s", 6),
        .calibrates = calibrates(&reader),
        .note = json_member(row, "note") != NULL ? text_of(&reader, "note") : "",
        .source = source_of(&reader, sources)};
    return problems->count == before;
}
