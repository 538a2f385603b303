/* Private to sim/scenario/catalog: finds entries and values of a catalogue (read.h). */
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/name_table.h"
#include "sim/scenario/catalog/sections.h"
#include "sim/scenario/catalog/transformer_fields.h"
#include "sim/schema/glob.h"

Entry *section_find(const Section *section, const char *name)
{
    for (int32_t i = 0; i < section->count; i++) {
        if (ascii_same(section->entries[i]->name, name))
            return section->entries[i];
    }
    return NULL;
}
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

/* Fills in the factors of hours, which are 0 if they are absent. Returns the hours after which they
 * repeat; 0: they were absent. */
static int32_t fill_hours(int64_t *ppm)
{
    if (week_factors_most(ppm) > 0)
        return week_factors_cycle(ppm);
    for (int hour = 0; hour < HOURS_A_WEEK; hour++)
        ppm[hour] = PPM;
    return 0;
}

EnergyTerms catalog_energy(const Catalog *catalog)
{
    const Section *section = &catalog->sections[CATALOG_ENERGY];
    EnergyTerms terms = {0};
    if (section->count > 0)
        terms = *(const EnergyTerms *)section->entries[0]->item;
    if (terms.pue_ppm == 0)
        terms.pue_ppm = PPM; // absent, as the next one
    if (terms.exchange_load_ppm == 0)
        terms.exchange_load_ppm = PPM;
    const int32_t price = fill_hours(terms.price_hour_ppm);
    const int32_t carbon = fill_hours(terms.carbon_hour_ppm);
    terms.cycle_hours = price > carbon ? price : carbon;
    return terms;
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

const TransformerRouting *catalog_transformer_routing(const Catalog *catalog, const char *name)
{
    return item_find(catalog, CATALOG_TRANSFORMER_ROUTING, name);
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
