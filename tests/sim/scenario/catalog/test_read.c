#include <stdio.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/catalog/read.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static Problems problems;

static void setup(void)
{
    arena = arena_create();
    problems = problems_create(arena);
}

static void teardown(void)
{
    arena_destroy(arena);
}

static const Json *parse(const char *source, const char *text)
{
    const Json *root = json_parse(arena, source, text, strlen(text), JSON_WITH_COMMENTS, &problems);
    ck_assert_msg(root != NULL, "%s: %s", source, problems.count ? problems.items[0].message : "");
    return root;
}

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t capacity = 1 << 20;
    char *text = arena_alloc(arena, capacity);
    size_t length = fread(text, 1, capacity - 1, file);
    fclose(file);
    ck_assert(length > 0 && length < capacity - 1);
    return text;
}

static Catalog *read_all(const Json *const *roots, int32_t count)
{
    Catalog *catalog = catalog_read(arena, roots, count, &problems);
    for (int32_t i = 0; i < problems.kept; i++)
        fprintf(stderr, "%s:%d:%d: %s\n", problems.items[i].at.source, problems.items[i].at.line,
                problems.items[i].at.column, problems.items[i].message);
    ck_assert(catalog != NULL && problems.count == 0);
    return catalog;
}

static Catalog *shipped(void)
{
    const Json *root = shipped_catalog(arena);
    return read_all(&root, 1);
}

/* The shipped catalogue with `changes` after it, which is wrong: the first problem. */
static const Status *first_problem(const char *changes)
{
    const Json *roots[] = {shipped_catalog(arena), parse("mine.json", changes)};
    ck_assert_msg(catalog_read(arena, roots, 2, &problems) == NULL, "%s is taken", changes);
    ck_assert_int_ge(problems.count, 1);
    return &problems.items[0];
}

/* --- The shipped catalogue -----------------------------------------------------------------------
 */

START_TEST(the_shipped_catalogue_contains_the_entries_that_the_tutorial_needs)
{
    const Catalog *catalog = shipped();
    const VmSize *size = catalog_vm_size(catalog, "STANDARD_NC6");
    ck_assert(size != NULL);
    ck_assert_str_eq(size->name, "Standard_NC6");
    ck_assert_str_eq(size->family, "NC");
    ck_assert_int_eq(size->vcpus, 6);
    ck_assert_int_eq(size->gpus, 1);
    ck_assert_int_eq(size->network_bytes_per_s, 125000000); // 1 Gbit/s
    ck_assert_int_eq(size->network_latency_ns, 50 * NS_PER_US);
    ck_assert_int_eq(size->dedicated_micro_usd_per_hour, 900000);
    ck_assert_int_eq(size->low_priority_micro_usd_per_hour, 180000);
    ck_assert_ptr_eq(size->gpu, catalog_gpu(catalog, "k80"));
    ck_assert_int_eq(size->gpu->peak_flops, INT64_C(4370000000000));
    ck_assert_int_eq(size->gpu->efficiency_ppm, 280000);

    const CoreQuota *total = catalog_quota(catalog, "total");
    ck_assert_int_eq(total->dedicated_vcpus, 24);
    ck_assert_int_eq(catalog_quota(catalog, size->family)->dedicated_vcpus, 24);
    ck_assert_int_eq(catalog_quota(catalog, "NCv3")->dedicated_vcpus, 0);

    // 2 x 3 x 20,741,120 - 2 x 884,736 for the input gradient that the first layer does not need.
    const NetworkModel *network = catalog_network(catalog, "keras_cifar10_cnn");
    ck_assert_int_eq(network->parameters, 1250858);
    ck_assert_int_eq(network->gradient_bytes, INT64_C(4) * 1250858);
    ck_assert_int_eq(network->training_flops_per_sample, 122677248);
    ck_assert_int_eq(network->tensors, 12);

    ck_assert_int_eq(catalog_data_set(catalog, "cifar10")->download_bytes, 170498071);
    const Framework *framework = catalog_framework(catalog, "keras-2.2-tf-1.8-augmented");
    ck_assert_int_eq(framework->input_cpu_ns_per_sample, 1200 * NS_PER_US);
    ck_assert_int_eq(framework->input_parallelism_ppm, 3 * PPM / 2);
    const ExchangeMethod *exchange = catalog_exchange(catalog, "horovod-0.13-mpi");
    ck_assert_int_eq(exchange->fusion_bytes, 64 << 20);
    ck_assert(exchange->via_host && !exchange->sleeps_whole_cycle);
    ck_assert(catalog_exchange(catalog, "horovod-0.13.2-mpi")->sleeps_whole_cycle);
    // Up to 0.13.2 each request is a message, which rank 0 receives in 2.63 us and reads in 2 us.
    ck_assert_int_eq(catalog_exchange(catalog, "horovod-0.13.2-mpi")->request_ns, 4600);
    ck_assert_int_eq(catalog_exchange(catalog, "horovod-0.15.1-mpi")->request_ns, 2000);
    ck_assert(!catalog_exchange(catalog, "horovod-0.15.1-nccl")->via_host);
    const VmSize *fast = catalog_vm_size(catalog, "Standard_NC24rs_v3");
    ck_assert_int_eq(fast->rdma_bytes_per_s, INT64_C(5400000000));
    ck_assert_int_eq(fast->rdma_latency_ns, 2630);
    ck_assert_int_eq(catalog_vm_size(catalog, "Standard_NC24s_v3")->rdma_bytes_per_s, 0);
    ck_assert_int_eq(catalog_gpu(catalog, "K80")->rings, 2);

    const ServiceModel *service = catalog_service(catalog);
    ck_assert_int_eq(service->nodes_per_cluster_max, 100);
    ck_assert_int_eq(service->billing_granularity_ns, NS_PER_MIN);
    ck_assert_int_eq(service->default_max_wall_clock_ns, 7 * NS_PER_DAY);
    ck_assert_int_eq(service->allocation_create_ns.count, 3);
    ck_assert_int_eq(service->allocation_create_ns.knots[1].probability_ppm, PPM / 2);
    ck_assert_int_eq(service->allocation_create_ns.knots[1].value, 134 * NS_PER_S);
    ck_assert_int_eq(service->cluster_delete_empty_ns.count, 1);
    ck_assert_int_eq(service->cluster_delete_empty_ns.knots[0].value, 30600 * NS_PER_MS);
}
END_TEST

/* Those of the two families without GPUs that the service's usages counted; quotas allow each once.
 */
START_TEST(sizes_without_gpus_have_their_values_and_a_quota)
{
    static const struct {
        const char *name, *family;
        int64_t vcpus, network_bytes_per_s, micro_usd_per_hour;
    } rows[] = {
        {"STANDARD_D1", "D", 1, 57187500, 77000}, // 0.4575 Gbit/s
        {"STANDARD_D2", "D", 2, 114375000, 154000},
        {"Standard_D14", "D", 16, 915000000, 1542000},
        {"Standard_D2_v2", "Dv2", 2, 170500000, 146000}, // 2 x 0.682 Gbit/s
        {"Standard_D4_v2", "Dv2", 8, 682250000, 585000},
        {"Standard_D15_v2", "Dv2", 20, 1705000000, 1853000},
    };
    const Catalog *catalog = shipped();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const VmSize *size = catalog_vm_size(catalog, rows[i].name);
        ck_assert_msg(size != NULL, "%s", rows[i].name);
        ck_assert_str_eq(size->family, rows[i].family);
        ck_assert_int_eq(size->vcpus, rows[i].vcpus);
        ck_assert_int_eq(size->gpus, 0);
        ck_assert_ptr_null(size->gpu);
        ck_assert_int_eq(size->network_bytes_per_s, rows[i].network_bytes_per_s);
        ck_assert_int_eq(size->dedicated_micro_usd_per_hour, rows[i].micro_usd_per_hour);
        ck_assert_int_eq(size->low_priority_micro_usd_per_hour, rows[i].micro_usd_per_hour / 5);
        ck_assert_int_le(size->vcpus, catalog_quota(catalog, size->family)->dedicated_vcpus);
    }
}
END_TEST

START_TEST(the_learning_curve_matches_the_keras_example)
{
    const LearningCurve *curve = catalog_learning_curve(shipped(), "keras_cifar10_cnn");
    ck_assert_int_eq(curve->count, 4);
    ck_assert_int_eq(curve->knots[2].epochs_milli, 25000);
    ck_assert_int_eq(curve->knots[2].accuracy_ppm, 750000);
    ck_assert_int_eq(curve->knots[3].epochs_milli, 50000);
    ck_assert_int_eq(curve->knots[3].accuracy_ppm, 790000);
    ck_assert_int_eq(curve->loss_at_chance_micro, 2302585); // ln 10
    ck_assert_int_eq(curve->accuracy_loss_per_doubling_ppm, 10000);
}
END_TEST

START_TEST(jitter_does_not_change_the_mean)
{
    // The area under the inverse distribution: trapezoids between knots, doubled to stay integer.
    const Quantiles *jitter = catalog_jitter(shipped(), "shared-cluster");
    int64_t doubled_mean = 0;
    for (int32_t i = 1; i < jitter->count; i++) {
        QuantileKnot a = jitter->knots[i - 1], b = jitter->knots[i];
        doubled_mean += (b.probability_ppm - a.probability_ppm) * (a.value + b.value);
    }
    ck_assert_int_eq(doubled_mean, 2 * PPM * PPM);
}
END_TEST

START_TEST(preparations_are_found_by_the_longest_glob_that_matches)
{
    static const struct {
        const char *command, *glob;
    } rows[] = {
        {"apt update; apt install mpi-default-dev mpi-default-bin -y; pip install keras horovod",
         "*mpi-default*pip install keras horovod*"},
        {"apt update; apt install mpi-default-dev mpi-default-bin -y; pip install horovod",
         "*mpi-default*pip install horovod*"},
        {"pip install keras", "*pip install*"},
        {"apt-get install -y tree", "*apt*install*"},
        {"echo hello", "*"},
        {"", "*"},
    };
    const Catalog *catalog = shipped();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *glob = NULL;
        ck_assert(catalog_preparation(catalog, rows[i].command, &glob) != NULL);
        ck_assert_str_eq(glob, rows[i].glob);
    }
}
END_TEST

START_TEST(unknown_names_are_not_found_and_known_ones_are_listed)
{
    const Catalog *catalog = shipped();
    ck_assert(catalog_vm_size(catalog, "Standard_NC7") == NULL);
    ck_assert(catalog_vm_size(catalog, "Standard_NC") == NULL);
    ck_assert(catalog_vm_size(catalog, "") == NULL);
    ck_assert(catalog_jitter(catalog, "none") == NULL);
    int32_t count;
    const char *const *names = catalog_names(catalog, CATALOG_VM_SIZES, &count);
    ck_assert_int_gt(count, 25);
    ck_assert_str_eq(names[0], "Standard_NC6");
    ck_assert_str_eq(nearest_name("Standard_NC60", names, count), "Standard_NC6");
}
END_TEST

typedef struct {
    int32_t count;
    int32_t assumptions;
    const char *last_path;
} Tally;

static void tally_value(void *context, const CatalogValue *value)
{
    Tally *tally = context;
    ck_assert(value->path && value->value && value->source[0] && value->date[0]);
    ck_assert_str_eq(value->at.source, strncmp(value->path, "networks/", 9) == 0
                                           ? "networks.json"
                                           : "azure-2018.json");
    ck_assert_int_gt(value->at.line, 1);
    ck_assert_msg(!value->is_assumption || value->note[0], "%s gives no reason", value->path);
    tally->count++;
    tally->assumptions += value->is_assumption;
    tally->last_path = value->path;
}

START_TEST(every_value_has_a_source_a_date_and_a_place)
{
    Tally tally = {0};
    catalog_each_value(shipped(), &tally, tally_value);
    ck_assert_int_gt(tally.count, 400);
    ck_assert_int_gt(tally.assumptions, 50);
    ck_assert_str_eq(tally.last_path, "preparations/*/duration");
}
END_TEST

START_TEST(the_source_of_a_value_can_be_found)
{
    const CatalogValue *value = catalog_value(shipped(), "vm_sizes/standard_nc6/network_rate");
    ck_assert(value != NULL);
    ck_assert_str_eq(value->path, "vm_sizes/Standard_NC6/network_rate");
    ck_assert_str_eq(value->value, "1Gbit/s");
    ck_assert(value->is_assumption);
    ck_assert_str_eq(value->date, "2018");
    value = catalog_value(shipped(), "service/allocation_create");
    ck_assert_str_eq(value->value, "{\"min\":\"111.1s\",\"median\":\"134.0s\",\"max\":\"176.7s\"}");
    ck_assert(catalog_value(shipped(), "vm_sizes/Standard_NC6/colour") == NULL);
}
END_TEST

/* --- A second file -------------------------------------------------------------------------------
 */

#define HEAD "{\"catalog\": 1, \"sources\": {\"s\": {\"title\": \"me\", \"date\": \"today\"}}, "
#define VALUE(value) "{\"value\": " value ", \"source\": \"s\"}"

START_TEST(a_later_file_changes_single_values_and_adds_entries)
{
    const char *changes = HEAD "\"vm_sizes\": {\"standard_nc6\": {\"network_rate\": " VALUE(
        "\"10Gbit/s\"") "}},"
                        "\"images\": {\"mine\": {\"compressed_size\": " VALUE(
                            "\"1GB\"") "}},"
                                       "\"service\": {\"release\": " VALUE("\"5s\"") "}}";
    const Json *roots[] = {shipped_catalog(arena), parse("mine.json", changes)};
    const Catalog *catalog = read_all(roots, 2);
    const VmSize *size = catalog_vm_size(catalog, "Standard_NC6");
    ck_assert_int_eq(size->network_bytes_per_s, 1250000000);
    ck_assert_int_eq(size->vcpus, 6); // as before
    const CatalogValue *value = catalog_value(catalog, "vm_sizes/Standard_NC6/network_rate");
    ck_assert_str_eq(value->source, "me");
    ck_assert_str_eq(value->at.source, "mine.json");
    ck_assert_int_eq(catalog_service(catalog)->release_ns.knots[0].value, 5 * NS_PER_S);
    bool is_listed;
    ck_assert_int_eq(catalog_image(arena, catalog, "mine", &is_listed)->compressed_bytes,
                     1000000000);
}
END_TEST

START_TEST(every_shipped_vm_size_has_a_power_in_the_catalogue_of_powers)
{
    const char *path = TRAINYARD_SOURCE_DIR "/scenarios/catalog/power.json";
    const Json *roots[] = {shipped_catalog(arena), parse("power.json", file_text(path))};
    const Catalog *catalog = read_all(roots, 2);
    int32_t count;
    const char *const *names = catalog_names(catalog, CATALOG_VM_SIZES, &count);
    for (int32_t i = 0; i < count; i++) {
        const VmSize *size = catalog_vm_size(catalog, names[i]);
        ck_assert_msg(size->power != NULL, "%s", names[i]);
        // An idle GPU draws a tenth or more of its limit, and no node of these needs more than 10.2
        // kW.
        ck_assert_int_lt(size->power->idle_mw, size->power->busy_mw);
        ck_assert_int_gt(size->power->idle_mw * 12, size->power->busy_mw);
        ck_assert_int_lt(size->power->busy_mw, 10200000);
    }
    ck_assert_int_eq(catalog_vm_size(catalog, "Standard_NC6")->power->busy_mw, 176000);
    const EnergyTerms terms = catalog_energy(catalog);
    ck_assert_int_eq(terms.pue_ppm, 1185000);
    ck_assert_int_eq(terms.carbon_g_per_kwh, 379);
    ck_assert_int_eq(terms.micro_usd_per_kwh, 0);
    // Without the file nothing is known, and nothing is added.
    ck_assert(catalog_vm_size(shipped(), "Standard_NC6")->power == NULL);
    const EnergyTerms none = catalog_energy(shipped());
    ck_assert_int_eq(none.pue_ppm, PPM);
    ck_assert_int_eq(none.exchange_load_ppm, PPM);
    ck_assert_int_eq(none.carbon_g_per_kwh, 0);
    ck_assert_int_eq(none.cycle_hours, 0);
    ck_assert_int_eq(none.price_hour_ppm[HOURS_A_WEEK - 1], PPM);
}
END_TEST

/* --- Invalid files ------------------------------------------------------------------------------
 */

#define NC6(field, value) HEAD "\"vm_sizes\": {\"Standard_NC6\": {\"" field "\": " value "}}}"
#define IMAGE(value) HEAD "\"images\": {\"i\": {\"compressed_size\": " value "}}}"
#define RELEASE(value) HEAD "\"service\": {\"release\": " VALUE(value) "}}"
#define SIX(factor) factor ", " factor ", " factor ", " factor ", " factor ", " factor
#define HOURS(factor) SIX(factor) ", " SIX(factor) ", " SIX(factor) ", " SIX(factor)
#define POWER(size, idle, busy)                                                                    \
    HEAD "\"power\": {\"" size "\": {\"idle\": " VALUE(idle) ", \"busy\": " VALUE(busy) "}}}"
#define CURVE(value)                                                                               \
    HEAD "\"learning_curves\": {\"keras_cifar10_cnn\": {\"accuracy\": " VALUE(value) "}}}"

START_TEST(mistakes_are_reported_with_their_position)
{
    static const struct {
        const char *changes;
        const char *message; // a part of the message
    } rows[] = {
        {"[]", "a catalogue must be an object, not an array"},
        {"{}", "a catalogue starts with \"catalog\": 1"},
        {"{\"catalog\": 2}", "a catalogue starts with \"catalog\": 1"},
        {"{\"catalog\": 1, \"gpu\": {}}", "a catalogue has no \"gpu\""},
        {"{\"catalog\": 1, \"gpus\": []}", "gpus must be an object, not an array"},
        {"{\"catalog\": 1, \"gpus\": {\"G\": 1}}", "gpus/G must be an object, not a number"},
        {"{\"catalog\": 1, \"sources\": 3}", "sources must be an object"},
        {"{\"catalog\": 1, \"sources\": {\"a\": {\"title\": \"t\"}}}", "\"date\" is missing"},
        {"{\"catalog\": 1, \"sources\": {\"a\": {\"title\": \"\", \"date\": \"d\"}}}",
         "\"title\" must be a text that is not empty"},
        {NC6("vcpu", VALUE("6")), "vm_sizes/Standard_NC6 has no \"vcpu\""},
        {NC6("vcpus", "6"), "vm_sizes/Standard_NC6/vcpus must be an object, not a number"},
        {NC6("vcpus", "{\"source\": \"s\"}"), "\"value\" is missing"},
        {NC6("vcpus", "{\"value\": 6}"), "\"source\" is missing"},
        {NC6("vcpus", "{\"value\": 6, \"source\": \"t\"}"), "there is no source \"t\""},
        {NC6("vcpus", "{\"value\": 6, \"source\": \"s\", \"assumption\": true}"),
         "\"note\" is missing"},
        {NC6("vcpus", "{\"value\": 6, \"source\": \"s\", \"assumption\": 1}"),
         "\"assumption\" must be true or false"},
        {NC6("vcpus", "{\"value\": 6, \"source\": \"s\", \"unit\": \"\"}"), "has no \"unit\""},
        {NC6("vcpus", VALUE("0")), "vcpus is 0, expected 1 to 1000000"},
        {NC6("vcpus", VALUE("-6")), "vcpus is -6"},
        {HEAD "\"data_sets\": {\"mine\": {\"train_samples\": " VALUE("1") ", \"download\": " VALUE(
             "\"1B\"") ", \"test_samples\": " VALUE("0") "}}}",
         "test_samples is 0, expected 1 to"},
        {NC6("vcpus", VALUE("3000000000")), "vcpus is 3000000000"},
        {NC6("vcpus", VALUE("6.5")), "expected a whole number, found a number"},
        {NC6("vcpus", VALUE("\"6\"")), "expected a whole number, found a string"},
        {NC6("gpus", VALUE("0")), "0 gpus, but \"gpu\" names K80"},
        {NC6("gpu", VALUE("\"K90\"")), "\"K90\" is not among the gpus"},
        {NC6("gpu", VALUE("null")), "1 gpus, but \"gpu\" names none"},
        {POWER("Standard_NC6", "\"60\"", "\"193W\""), "\"60\" is not a power such as"},
        {POWER("Standard_NC6", "\"60W\"", "\"1001kW\""), "busy is 1001kW, out of range"},
        {POWER("Standard_NC6", "\"193W\"", "\"60W\""), "a busy node draws less than an idle one"},
        {POWER("Standard_NC7", "\"60W\"", "\"193W\""), "there is no VM size \"Standard_NC7\""},
        {HEAD "\"energy\": {\"pue\": " VALUE("\"0.9\"") "}}", "pue is 0.9, out of range"},
        {HEAD "\"energy\": {\"price_hours\": " VALUE("[1, 2]") "}}",
         "hours are 24 factors in an array, one for each hour of the day, or 168"},
        {HEAD "\"energy\": {\"price_hours\": " VALUE("[" HOURS("1") ", " HOURS("1") "]") "}}",
         "hours are 24 factors"},
        {HEAD "\"energy\": {\"price_hours\": " VALUE("[" HOURS("0") "]") "}}",
         "all hours have the factor 0"},
        {HEAD "\"energy\": {\"carbon_hours\": " VALUE("[" HOURS("-1") "]") "}}",
         "the factor of hour 0 is not a number from 0 to 100"},
        {HEAD "\"energy\": {\"carbon_hours\": " VALUE("[" HOURS("1") "]") "}}",
         "energy: \"carbon_hours\" are factors on \"carbon_g_per_kwh\", which is missing"},
        {NC6("network_rate", VALUE("\"fast\"")), "vm_sizes/Standard_NC6/network_rate: "},
        {NC6("network_rate", VALUE("\"0Gbit/s\"")), "network_rate is 0Gbit/s, out of range"},
        {NC6("network_rate", VALUE("1000000000")), "expected a string with a unit"},
        {NC6("dedicated_price_per_hour", VALUE("\"0.90\"")), "\"0.90\" is not an amount"},
        {NC6("dedicated_price_per_hour", VALUE("\"0.1234567USD\"")), "is not an amount"},
        {NC6("dedicated_price_per_hour", VALUE("\"9999999999999999999USD\"")), "is not an amount"},
        {NC6("dedicated_price_per_hour", VALUE("\"USD\"")), "is not an amount"},
        {NC6("dedicated_price_per_hour", VALUE("\".5USD\"")), "is not an amount"},
        {NC6("dedicated_price_per_hour", VALUE("\"5.USD\"")), "is not an amount"},
        {NC6("dedicated_price_per_hour", VALUE("\"-1USD\"")), "is not an amount"},
        {IMAGE(VALUE("\"1 GB\"")), "images/i/compressed_size: "},
        {HEAD "\"images\": {\"i\": {}}}", "images/i: \"compressed_size\" is missing"},
        {HEAD "\"gpus\": {\"K80\": {\"efficiency\": " VALUE("\"101%\"") "}}}",
         "efficiency is 101%, out of range"},
        {HEAD "\"gpus\": {\"K80\": {\"efficiency\": " VALUE("\"0.05%\"") "}}}",
         "efficiency is 0.05%, out of range"},
        {HEAD "\"gpus\": {\"K80\": {\"peak\": " VALUE("\"1flop/s\"") "}}}",
         "peak is 1flop/s, out of range"},
        {HEAD "\"gpus\": {\"K80\": {\"peak\": " VALUE("\"4Tflops\"") "}}}", "is not a speed"},
        {RELEASE("7"), "expected a string with a unit or an object of quantiles, found a number"},
        {RELEASE("{}"), "quantiles go from \"0\" to \"1\""},
        {RELEASE("{\"0\": \"1s\"}"), "quantiles go from"},
        {RELEASE("{\"0\": \"1s\", \"0.5\": \"2s\"}"), "quantiles go from"},
        {RELEASE("{\"0.1\": \"1s\", \"1\": \"2s\"}"), "quantiles go from"},
        {RELEASE("{\"0\": \"1s\", \"half\": \"2s\", \"1\": \"3s\"}"), "\"half\" is not a ratio"},
        {RELEASE("{\"0\": \"3s\", \"1\": \"2s\"}"), "does not come after the point before it"},
        {RELEASE("{\"0\": \"1s\", \"1\": \"2s\", \"0.5\": \"2s\"}"), "does not come after"},
        {RELEASE("{\"min\": \"1s\", \"0\": \"2s\", \"max\": \"3s\"}"), "does not come after"},
        {RELEASE("{\"0\": \"1s\", \"1\": 2}"), "expected a string with a unit"},
        {CURVE("\"75%\""), "expected an object of epochs and accuracies"},
        {CURVE("{\"0\": \"10%\"}"), "starts at epoch \"0\" and has a second point"},
        {CURVE("{\"1\": \"10%\", \"2\": \"20%\"}"), "starts at epoch \"0\""},
        {CURVE("{\"0\": \"10%\", \"9\": \"101%\"}"), "out of range"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        problems = problems_create(arena);
        const Status *problem = first_problem(rows[i].changes);
        ck_assert_msg(strstr(problem->message, rows[i].message) != NULL, "%s\n  says %s",
                      rows[i].changes, problem->message);
        ck_assert_int_eq(problem->code, STATUS_BAD_INPUT);
        ck_assert_int_ge(problem->at.line, 1);
    }
}
END_TEST

START_TEST(all_problems_of_a_file_are_reported_at_once)
{
    const Status *first = first_problem("{\"catalog\": 1,\n"
                                        " \"vm_size\": {},\n"
                                        " \"gpus\": {\"K80\": {\n"
                                        "   \"peek\": 1,\n"
                                        "   \"memory\": {\"value\": 12, \"source\": \"x\"}}}}");
    // The two faults of "memory" in line 5, then "peek" in line 4, then the unknown section.
    ck_assert_int_eq(problems.count, 4);
    ck_assert_int_eq(first[0].at.line, 5);
    ck_assert_int_eq(first[1].at.line, 5);
    ck_assert_int_eq(first[2].at.line, 4);
    ck_assert_int_eq(first[2].at.column, 4);
    ck_assert_str_eq(first[2].hint, "did you mean \"peak\"?");
    ck_assert_int_eq(first[3].at.line, 2);
    ck_assert_str_eq(first[3].hint, "did you mean \"vm_sizes\"?");
}
END_TEST

START_TEST(a_catalogue_without_service_is_incomplete)
{
    const Json *root = parse("small.json", "{\"catalog\": 1}");
    ck_assert(catalog_read(arena, &root, 1, &problems) == NULL);
    ck_assert_int_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].message, "the catalogue has no \"service\"");
}
END_TEST

START_TEST(every_missing_value_of_an_entry_is_named)
{
    first_problem(HEAD "\"data_sets\": {\"mine\": {\"train_samples\": " VALUE("5") "}}}");
    ck_assert_int_eq(problems.count, 2);
    ck_assert_str_eq(problems.items[0].message, "data_sets/mine: \"test_samples\" is missing");
    ck_assert_str_eq(problems.items[1].message, "data_sets/mine: \"download\" is missing");
    ck_assert_str_eq(problems.items[0].at.source, "mine.json");
}
END_TEST

/* --- Durations ------------------------------------------------------------------------------ */

START_TEST(distributions_are_durations_or_a_formula)
{
    Status status = {0};
    Distribution d;
    ck_assert(distribution_read(arena, parse("d", "\"90s\""), &d, &status));
    ck_assert_int_eq(d.kind, DISTRIBUTION_QUANTILES);
    ck_assert_int_eq(d.quantiles.count, 1);
    ck_assert_int_eq(d.quantiles.knots[0].value, 90 * NS_PER_S);
    ck_assert(distribution_read(
        arena, parse("d", "{\"0\": \"1s\", \"0.25\": \"2s\", \"1\": \"2s\"}"), &d, &status));
    ck_assert_int_eq(d.kind, DISTRIBUTION_QUANTILES);
    ck_assert_int_eq(d.quantiles.count, 3);
    ck_assert_int_eq(d.quantiles.knots[1].probability_ppm, 250000);
    ck_assert_int_eq(d.quantiles.knots[2].value, 2 * NS_PER_S);
    ck_assert(distribution_read(
        arena, parse("d", "{\"min\": \"1s\", \"median\": \"2s\", \"max\": \"9s\"}"), &d, &status));
    ck_assert_int_eq(d.kind, DISTRIBUTION_QUANTILES);
    ck_assert_int_eq(d.quantiles.count, 3);
    ck_assert(distribution_read(arena, parse("d", "{\"exponential\": \"2h\"}"), &d, &status));
    ck_assert_int_eq(d.kind, DISTRIBUTION_EXPONENTIAL);
    ck_assert_int_eq(d.scale, 2 * NS_PER_HOUR);
    ck_assert(distribution_read(
        arena, parse("d", "{\"weibull\": {\"scale\": \"300h\", \"shape\": 0.75}}"), &d, &status));
    ck_assert_int_eq(d.kind, DISTRIBUTION_WEIBULL);
    ck_assert_int_eq(d.scale, 300 * NS_PER_HOUR);
    ck_assert_int_eq(d.shape_ppm, 750000);
    ck_assert(distribution_read(
        arena, parse("d", "{\"lognormal\": {\"sigma\": 2, \"median\": \"54m\"}}"), &d, &status));
    ck_assert_int_eq(d.kind, DISTRIBUTION_LOGNORMAL);
    ck_assert_int_eq(d.scale, 54 * NS_PER_MIN);
    ck_assert_int_eq(d.shape_ppm, 2 * PPM);
}
END_TEST

START_TEST(invalid_distributions_are_refused)
{
    static const struct {
        const char *text, *message, *hint;
    } rows[] = {
        {"7", "expected a string with a unit or an object of quantiles, found a number", ""},
        {"[]", "expected a string with a unit or an object of quantiles, found an array", ""},
        {"{}", "quantiles go from", ""},
        {"{\"exponetial\": \"2h\"}", "there is no distribution \"exponetial\"", "exponential"},
        {"{\"exponential\": 2}", "expected a string with a unit", ""},
        {"{\"exponential\": {\"mean\": \"2h\"}}", "expected a string with a unit", ""},
        {"{\"exponential\": \"40000d\"}", "out of range", ""},
        {"{\"exponential\": \"-1s\"}", "", ""},
        {"{\"exponential\": \"1s\", \"weibull\": \"1s\"}", "is not a ratio", ""},
        {"{\"weibull\": \"2h\"}", "\"scale\": \"54m\", \"shape\": 1.9", ""},
        {"{\"weibull\": {\"scale\": \"2h\"}}", "write \"weibull\" as", ""},
        {"{\"weibull\": {\"scale\": \"2h\", \"sigma\": 1}}", "write \"weibull\" as", ""},
        {"{\"weibull\": {\"scale\": \"2h\", \"shape\": 1, \"x\": 1}}", "write \"weibull\" as", ""},
        {"{\"weibull\": {\"scale\": \"2h\", \"shape\": \"1\"}}", "expected a number", ""},
        {"{\"weibull\": {\"scale\": \"2h\", \"shape\": 0.04}}", "expected 0.05 to 20", ""},
        {"{\"weibull\": {\"scale\": \"2h\", \"shape\": 21}}", "expected 0.05 to 20", ""},
        {"{\"lognormal\": {\"median\": \"2h\", \"sigma\": -1}}", "expected 0.05 to 20", ""},
        {"{\"lognormal\": {\"median\": \"2h\", \"sigma\": 1.2345678}}", "6 decimals", ""},
        {"{\"lognormal\": {\"median\": 2, \"sigma\": 1}}", "expected a string with a unit", ""},
        {"{\"lognormal\": {\"median\": \"2h\", \"sigma\": 1e400}}", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Status status = {0};
        Distribution d;
        Problems unheard = problems_create(arena);
        const Json *json =
            json_parse(arena, "d", rows[i].text, strlen(rows[i].text), JSON_STRICT, &unheard);
        if (json == NULL)
            continue; // refused even earlier
        ck_assert_msg(!distribution_read(arena, json, &d, &status), "%s", rows[i].text);
        ck_assert_msg(strstr(status.message, rows[i].message) != NULL, "%s\n  says %s",
                      rows[i].text, status.message);
        ck_assert_msg(strstr(status.hint, rows[i].hint) != NULL, "%s\n  hints %s", rows[i].text,
                      status.hint);
        ck_assert_int_eq(status.at.line, 1);
    }
}
END_TEST

/* --- Failure models ------------------------------------------------------------------------------
 */

static const Catalog *shipped_with_failures(void)
{
    const char *path = TRAINYARD_SOURCE_DIR "/scenarios/catalog/failures.json";
    const Json *roots[] = {shipped_catalog(arena), parse("failures.json", file_text(path))};
    return read_all(roots, 2);
}

START_TEST(failure_models_match_the_published_ones)
{
    const Catalog *catalog = shipped_with_failures();
    static const struct {
        const char *name;
        double between_h, within; /* mean */
    } rows[] = {
        // 419 interruptions of 2,048 nodes in 54 days.
        {"llama3-2024", 2048 * 54 * 24 / 419.0, 1},
        {"meta-rsc1", 24000 / 6.5, 1},
        {"meta-rsc2", 24000 / 2.34, 1},
        {"alibaba-aegis-a100", 9600, 0.01},
        {"kepler-titan", 18688 * 33, 0.01},
        {"blue-waters-gpu-node", 63598, 0.01},
        {"lanl-weibull", 63598, 1},
        {"gce-preemptible-k80", 19.46, 0.01},
        {"gce-preemptible-p100", 21.01, 0.01},
        {"gce-preemptible-v100", 22.82, 0.02},
        {"aws-spot-k80", 1375 / 178.0, 0.01},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const FailureModel *model = catalog_failure_model(catalog, rows[i].name);
        ck_assert_msg(model != NULL, "%s", rows[i].name);
        double mean_h = (double)distribution_mean(model->between) / (double)NS_PER_HOUR;
        ck_assert_msg(mean_h > rows[i].between_h - rows[i].within &&
                          mean_h < rows[i].between_h + rows[i].within,
                      "%s: %g h", rows[i].name, mean_h);
        ck_assert_str_eq(model->name, rows[i].name);
        ck_assert(model->reason[0] != '\0');
    }
    const FailureModel *lanl = catalog_failure_model(catalog, "LANL-Weibull");
    ck_assert_int_eq(lanl->recovery, RECOVERY_REBOOT);
    ck_assert_int_eq(lanl->between.shape_ppm, 750000);
    // Median 54 and mean 355 minutes.
    ck_assert_int_eq(lanl->repair.scale, 54 * NS_PER_MIN);
    double repair_min = (double)distribution_mean(lanl->repair) / (double)NS_PER_MIN;
    ck_assert(repair_min > 354 && repair_min < 356);
    ck_assert(catalog_failure_model(catalog, "lanl") == NULL);
}
END_TEST

START_TEST(failure_models_are_checked)
{
#define MODEL(between, recovery)                                                                   \
    HEAD "\"failure_models\": {\"m\": {\"between\": " VALUE(between) ", \"repair\": " VALUE(       \
        "\"1h\"") ", \"recovery\": " VALUE(recovery) ", \"reason\": " VALUE("\"r\"") "}}}"
    static const struct {
        const char *text, *message;
    } rows[] = {
        {MODEL("\"0.5s\"", "\"stays\""), "failure_models/m/between: between is 0.5s, out of range"},
        {MODEL("{\"exponential\": \"0s\"}", "\"stays\""), "out of range"},
        {MODEL("{\"0\": \"0s\", \"1\": \"2s\"}", "\"stays\""), "out of range"},
        {MODEL("\"1d\"", "\"stay\""),
         "expected \"stays\", \"reboot\" or \"replace\", found a string"},
        {MODEL("\"1d\"", "1"), "found a number"},
        {HEAD "\"failure_models\": {\"m\": {}}}", "failure_models/m: \"between\" is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        problems = problems_create(arena);
        const Status *problem = first_problem(rows[i].text);
        ck_assert_msg(strstr(problem->message, rows[i].message) != NULL, "%s\n  says %s",
                      rows[i].text, problem->message);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("catalog_read");
    TCase *cases = tcase_create("catalog_read");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_shipped_catalogue_contains_the_entries_that_the_tutorial_needs);
    tcase_add_test(cases, sizes_without_gpus_have_their_values_and_a_quota);
    tcase_add_test(cases, the_learning_curve_matches_the_keras_example);
    tcase_add_test(cases, jitter_does_not_change_the_mean);
    tcase_add_test(cases, preparations_are_found_by_the_longest_glob_that_matches);
    tcase_add_test(cases, unknown_names_are_not_found_and_known_ones_are_listed);
    tcase_add_test(cases, every_value_has_a_source_a_date_and_a_place);
    tcase_add_test(cases, the_source_of_a_value_can_be_found);
    tcase_add_test(cases, a_later_file_changes_single_values_and_adds_entries);
    tcase_add_test(cases, every_shipped_vm_size_has_a_power_in_the_catalogue_of_powers);
    tcase_add_test(cases, mistakes_are_reported_with_their_position);
    tcase_add_test(cases, all_problems_of_a_file_are_reported_at_once);
    tcase_add_test(cases, a_catalogue_without_service_is_incomplete);
    tcase_add_test(cases, every_missing_value_of_an_entry_is_named);
    tcase_add_test(cases, distributions_are_durations_or_a_formula);
    tcase_add_test(cases, invalid_distributions_are_refused);
    tcase_add_test(cases, failure_models_match_the_published_ones);
    tcase_add_test(cases, failure_models_are_checked);
    suite_add_tcase(suite, cases);
    return suite;
}
