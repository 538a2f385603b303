/* Private to sim/scenario/catalog: checks and completes a catalogue once all files are read. */
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/units.h"
#include "sim/model/price.h"
#include "sim/scenario/catalog/sections.h"

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

/* Factors by hour need what they are factors on. */
static void energy_check(const Entry *entry, Problems *problems)
{
    const SectionShape *shape = &catalog_shapes[CATALOG_ENERGY];
    static const struct {
        const char *hours, *of;
        size_t hours_at, of_at;
    } rows[] = {{"price_hours", "price_per_kwh", offsetof(EnergyTerms, price_hour_ppm),
                 offsetof(EnergyTerms, micro_usd_per_kwh)},
                {"carbon_hours", "carbon_g_per_kwh", offsetof(EnergyTerms, carbon_hour_ppm),
                 offsetof(EnergyTerms, carbon_g_per_kwh)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (has_value_at(shape, entry, rows[i].hours_at) &&
            !has_value_at(shape, entry, rows[i].of_at))
            problems_add(problems, STATUS_BAD_INPUT, entry->at,
                         "energy: \"%s\" are factors on \"%s\", which is missing", rows[i].hours,
                         rows[i].of);
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

static void bind_power(const Catalog *catalog, Problems *problems)
{
    const Section *powers = &catalog->sections[CATALOG_POWER];
    for (int32_t i = 0; i < powers->count; i++) {
        const NodePower *power = powers->entries[i]->item;
        const Entry *size = section_find(&catalog->sections[CATALOG_VM_SIZES], power->vm_size);
        if (power->busy_mw < power->idle_mw)
            problems_add(problems, STATUS_BAD_INPUT, powers->entries[i]->at,
                         "power/%s: a busy node draws less than an idle one", power->vm_size);
        if (size == NULL)
            problems_add(problems, STATUS_BAD_INPUT, powers->entries[i]->at,
                         "power/%s: there is no VM size \"%s\"", power->vm_size, power->vm_size);
        else
            ((VmSize *)size->item)->power = power;
    }
}

void catalog_complete(Arena *arena, Catalog *catalog, Place at, Problems *problems)
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
    bind_power(catalog, problems);
    const Section *energy = &catalog->sections[CATALOG_ENERGY];
    if (energy->count > 0)
        energy_check(energy->entries[0], problems);
    Throughput *rows = ARENA_ARRAY(arena, Throughput, catalog->row_count);
    bool are_fine = true;
    for (int32_t i = 0; i < catalog->row_count; i++)
        are_fine &= catalog_throughput_read(catalog, catalog->rows[i].row, catalog->rows[i].sources,
                                            &rows[i], problems);
    if (are_fine)
        catalog->throughputs = (Throughputs){.count = catalog->row_count, .rows = rows};
}
