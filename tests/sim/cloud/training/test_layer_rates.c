#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/training/layer_rates.h"
#include "sim/cloud/training/training.h"
#include "tests/support/suite.h"

#define US NS_PER_US
#define CURVE(...)                                                                                 \
    {                                                                                              \
        .count = sizeof((CurvePoint[]){__VA_ARGS__}) / sizeof(CurvePoint),                         \
        .points = (const CurvePoint[])                                                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* A core on which the seen shape takes 10 us and 2 us an image forward, twice that backward; its
 * kind 1 us, 1 us a million parameters, 3 us a million multiply-adds, 5 us a million values. */
static const StageTime stages[] = {
    {"core fp32 forward convolution seen", CURVE({10, 30 * US}, {110, 230 * US})},
    {"core fp32 backward convolution seen", CURVE({10, 60 * US}, {110, 460 * US})},
    {"core fp32 input", CURVE({10, 10 * US}, {20, 20 * US})},
    {"core fp32 loss", CURVE({1, 7 * US})},
    {"core fp32 update", CURVE({1000000, 100 * US}, {2000000, 200 * US})},
    {"other fp32 input", CURVE({1, 1})},
    {"core bf16 input", CURVE({1, 1})},
};
static const KindTime kinds[] = {
    {"core fp32 forward convolution", US, US, 3 * US, 5 * US},
    {"core fp32 backward convolution", 2 * US, 2 * US, 6 * US, 10 * US},
};
static const SideBySide sides[] = {
    {"core fp32 forward", CURVE({1, 1000000}, {2, 1100000})},
    {"core fp32 backward", CURVE({1, 1000000}, {2, 1200000})},
    {"core fp32 input", CURVE({1, 1000000}, {2, 1000000})},
    {"core fp32 update", CURVE({1, 1000000}, {2, 2000000})},
};
static const DeviceTimes times = {
    .stage_count = 7,
    .kind_count = 2,
    .side_count = 4,
    .stages = (const StageTime *const[]){&stages[0], &stages[1], &stages[2], &stages[3], &stages[4],
                                         &stages[5], &stages[6]},
    .kinds = (const KindTime *const[]){&kinds[0], &kinds[1]},
    .sides = (const SideBySide *const[]){&sides[0], &sides[1], &sides[2], &sides[3]}};
static const GpuModel core = {
    .name = "core", .peak_flops = 1, .efficiency_ppm = 1, .times = &times};

static const NetworkLayer layers[] = {
    {.name = "conv_1", .kind = NETWORK_LAYER_CONVOLUTION, .shape = "seen", .forward_macs = 1},
    {.name = "conv_2",
     .kind = NETWORK_LAYER_CONVOLUTION,
     .shape = "unseen",
     .forward_macs = 2000000,
     .input_values = 600000,
     .output_values = 400000,
     .tensor_count = 2,
     .tensor_values = (const int64_t[]){1000000, 2000000}},
};
static const NetworkModel network = {.name = "two",
                                     .layer_count = 2,
                                     .layers = layers,
                                     .parameters = 1500000,
                                     .gradient_bytes = 6000000,
                                     .forward_macs_per_sample = 2000001,
                                     .training_flops_per_sample = 12000006,
                                     .tensors = 2};
static const VmSize machine = {
    .name = "local", .vcpus = 2, .gpus = 2, .gpu = &core, .network_bytes_per_s = 1};
static const Framework framework = {.name = "trainyard", .input_parallelism_ppm = 1000000};
static const RanksTime sums[] = {
    {2, CURVE({1000000, 1000 * US}, {11000000, 11000 * US})},
    {4, CURVE({1000000, 2000 * US}, {11000000, 22000 * US})},
};
static const ExchangeMethod exchange = {
    .name = "trainyard-mpi", .measured_count = 2, .measured = sums};
static const DataSet images = {.name = "images", .train_samples = 50000, .test_samples = 10000};

static const LayerRates alone = {
    .device = &core, .precision = STEP_FP32, .ranks = 1, .ranks_on_one = 1};

static const QuantileKnot as_modelled = {.value = PPM};

static Program program(void)
{
    return (Program){.kind = PROGRAM_TRAIN,
                     .name = "two",
                     .network = &network,
                     .data_set = &images,
                     .framework = &framework,
                     .exchange = &exchange,
                     .step_jitter_ppm = {1, &as_modelled},
                     .batch_per_rank = 20,
                     .epochs = 1,
                     .steps_per_epoch = 10};
}

START_TEST(a_layer_takes_what_its_shape_took_or_what_its_kind_takes)
{
    // Seen: 10 + 20 * 2. Unseen: 1 + 3 M parameters * 1 + 20 * (2 M * 3 + 1 M * 5) = 224. Loss: 7.
    ck_assert_int_eq(layer_rates_pass_ns(&alone, &network, PASS_FORWARD, 20), (50 + 224 + 7) * US);
    ck_assert_int_eq(layer_rates_pass_ns(&alone, &network, PASS_BACKWARD, 20), (100 + 448) * US);
    ck_assert_int_eq(layer_rates_input_ns(&alone, 20), 20 * US);
    ck_assert_int_eq(layer_rates_update_ns(&alone, &network), 150 * US);
}
END_TEST

START_TEST(the_plan_of_a_step_adds_the_stages_up)
{
    const Program job = program();
    const StepPlan plan = step_plan(&job, &machine, rank_places_spread(1, 1));
    ck_assert_int_eq(plan.compute_ns, (20 + 281 + 548) * US);
    ck_assert_int_eq(plan.update_ns, 150 * US);
    ck_assert_int_eq(plan.input_ns, 0); // within the step
    ck_assert_int_eq(plan.exchange_ns, 0);
}
END_TEST

START_TEST(ranks_on_one_node_slow_each_other_down)
{
    const Program job = program();
    const StepPlan plan = step_plan(&job, &machine, rank_places_spread(1, 2));
    // 20 + 281 * 1.1 + 548 * 1.2
    ck_assert_int_eq(plan.compute_ns, INT64_C(986700));
    ck_assert_int_eq(plan.update_ns, 300 * US);
    ck_assert_int_eq(plan.exchange_ns, 6000 * US);
}
END_TEST

START_TEST(more_ranks_than_cores_take_turns)
{
    const Program job = program();
    const StepPlan two = step_plan(&job, &machine, rank_places_spread(1, 2)),
                   four = step_plan(&job, &machine, rank_places_spread(1, 4));
    ck_assert_int_eq(four.compute_ns, 2 * two.compute_ns);
    ck_assert_int_eq(four.exchange_ns, 12000 * US);
    // Three ranks were not measured; the result is half-way between two and four.
    ck_assert_int_eq(step_plan(&job, &machine, rank_places_spread(1, 3)).exchange_ns, 9000 * US);
}
END_TEST

static void check_fails(const LayerRates *rates, const NetworkModel *of, const char *message)
{
    Status status = {0};
    ck_assert(!layer_rates_check(rates, of, place_in("a.json", 3, 4), &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_int_eq(status.at.line, 3);
    ck_assert_msg(strstr(status.message, message) != NULL, "%s", status.message);
}

START_TEST(a_missing_measurement_is_named)
{
    Status status = {0};
    ck_assert(layer_rates_check(&alone, &network, place_in("a.json", 3, 4), &status));
    LayerRates other = alone;
    other.precision = STEP_BF16;
    check_fails(&other, &network, "was measured on core in bf16");
    NetworkModel strange = network;
    strange.layer_count = 0;
    check_fails(&alone, &strange, "network \"two\" has no layers");
    const NetworkLayer pool = {.name = "pool_1", .kind = NETWORK_LAYER_POOLING, .shape = "seen"};
    strange.layer_count = 1;
    strange.layers = &pool;
    check_fails(&alone, &strange, "layer pool_1 of \"two\": no pooling was measured on core");
}
END_TEST

START_TEST(a_training_on_an_unmeasured_device_is_refused)
{
    Status status = {0};
    Program job = program();
    JobSpec spec = {.nodes = 1, .processes = 2, .program = &job};
    ck_assert(training_check(&spec, &machine, place_in("a.json", 1, 1), &status));
    job.precision = STEP_BF16;
    ck_assert(!training_check(&spec, &machine, place_in("a.json", 1, 1), &status));
    job.precision = STEP_FP32;
    spec.nodes = 2;
    ck_assert(!training_check(&spec, &machine, place_in("a.json", 1, 1), &status));
    ck_assert_msg(strstr(status.message, "on one machine") != NULL, "%s", status.message);
    spec.nodes = 1;
    spec.processes = 8;
    ck_assert(!training_check(&spec, &machine, place_in("a.json", 1, 1), &status));
    ck_assert_msg(strstr(status.message, "over at most 4 ranks") != NULL, "%s", status.message);
    ck_assert_str_eq(status.hint, "trainyard calibrate --ranks 8");
}
END_TEST

START_TEST(a_device_that_is_known_by_its_peak_trains_in_fp32)
{
    Status status = {0};
    const GpuModel peak = {.name = "peak", .peak_flops = 1000000000, .efficiency_ppm = PPM};
    VmSize size = machine;
    size.gpu = &peak;
    Program job = program();
    const JobSpec spec = {.nodes = 1, .processes = 1, .program = &job};
    ck_assert(training_check(&spec, &size, place_in("a.json", 1, 1), &status));
    job.precision = STEP_BF16;
    ck_assert(!training_check(&spec, &size, place_in("a.json", 1, 1), &status));
    ck_assert_msg(strstr(status.message, "only the fp32 speed") != NULL, "%s", status.message);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("layer_rates");
    TCase *tests = tcase_create("layer_rates");
    tcase_add_test(tests, a_layer_takes_what_its_shape_took_or_what_its_kind_takes);
    tcase_add_test(tests, the_plan_of_a_step_adds_the_stages_up);
    tcase_add_test(tests, ranks_on_one_node_slow_each_other_down);
    tcase_add_test(tests, more_ranks_than_cores_take_turns);
    tcase_add_test(tests, a_missing_measurement_is_named);
    tcase_add_test(tests, a_training_on_an_unmeasured_device_is_refused);
    tcase_add_test(tests, a_device_that_is_known_by_its_peak_trains_in_fp32);
    suite_add_tcase(suite, tests);
    return suite;
}
