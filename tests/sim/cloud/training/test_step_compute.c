#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/cloud/training/step_compute.h"
#include "sim/cloud/training/training.h"
#include "tests/support/suite.h"

/* 1 TFLOP/s reached. */
static const GpuModel gpu = {
    .name = "round", .peak_flops = INT64_C(4000000000000), .efficiency_ppm = 250000};
static const VmSize vm_size = {.name = "Round_2", .vcpus = 6, .gpus = 2, .gpu = &gpu};
/* A third of the operations is the forward pass. */
static const NetworkModel network = {.name = "cnn",
                                     .parameters = 1000000,
                                     .gradient_bytes = 4000000,
                                     .forward_macs_per_sample = 20000000,
                                     .training_flops_per_sample = 120000000,
                                     .tensors = 12};
static const DataSet data_set = {.name = "images", .train_samples = 50000, .test_samples = 10000};
static const Framework framework = {.name = "framework",
                                    .step_overhead_ns = 6 * NS_PER_MS,
                                    .input_parallelism_ppm = PPM,
                                    .update_flops_per_parameter = 1000};
static const ExchangeMethod ring = {.name = "ring"};
static const QuantileKnot steady[] = {{0, PPM}};

/* 100 samples: 12 ms of operations, 4 of them forward; an update of 1 ms. */
static Program program(Throughputs throughputs)
{
    return (Program){.kind = PROGRAM_TRAIN,
                     .network = &network,
                     .data_set = &data_set,
                     .framework = &framework,
                     .exchange = &ring,
                     .throughputs = throughputs,
                     .step_jitter_ppm = {1, steady},
                     .batch_per_rank = 100,
                     .epochs = 1,
                     .steps_per_epoch = 500};
}

START_TEST(without_measurements_the_rate_of_the_gpu_sets_the_time)
{
    const Program trained = program((Throughputs){0});
    const StepCompute compute = step_compute(&trained, &vm_size, 1);
    ck_assert_int_eq(step_compute_ns(&compute), 18 * NS_PER_MS);
    ck_assert_int_eq(step_compute_backward_ns(&compute), 8 * NS_PER_MS);
    ck_assert_int_eq(step_compute_update_ns(&compute), NS_PER_MS);
    ck_assert_int_eq(step_compute_evaluate_ns(&compute, 1000), (40 + 60) * NS_PER_MS);
    ck_assert_int_eq(step_compute_alone_exchange_ns(&compute), 0);
}
END_TEST

START_TEST(a_measured_step_is_reproduced_and_divided_like_a_computed_one)
{
    // 100 samples in 31 ms: the update, the overhead, and 24 ms of operations, 8 of them forward.
    const Throughput row = {&gpu, &network, &framework, NULL, 100, INT64_C(3225806452),
                            true, "",       ""};
    const Program trained = program((Throughputs){.count = 1, .rows = &row});
    const StepCompute compute = step_compute(&trained, &vm_size, 1);
    ck_assert_int_le(llabs(step_compute_ns(&compute) - 30 * NS_PER_MS), 10);
    ck_assert_int_eq(step_compute_update_ns(&compute), NS_PER_MS);
    ck_assert_int_le(llabs(step_compute_backward_ns(&compute) - 16 * NS_PER_MS), 10);
    ck_assert_int_le(llabs(step_compute_evaluate_ns(&compute, 1000) - (80 + 60) * NS_PER_MS), 100);
    // Two ranks that share the device take twice as long.
    const StepCompute shared = step_compute(&trained, &vm_size, 3);
    ck_assert_int_le(
        llabs(step_compute_ns(&shared) + step_compute_update_ns(&shared) - 62 * NS_PER_MS), 10);
}
END_TEST

START_TEST(a_step_shorter_than_the_stated_overhead_is_reproduced_too)
{
    const Throughput row = {&gpu, &network, &framework, NULL, 100, INT64_C(20000000000),
                            true, "",       ""};
    const Program trained = program((Throughputs){.count = 1, .rows = &row});
    const StepCompute compute = step_compute(&trained, &vm_size, 1);
    ck_assert_int_le(
        llabs(step_compute_ns(&compute) + step_compute_update_ns(&compute) - 5 * NS_PER_MS), 10);
    ck_assert_int_gt(step_compute_backward_ns(&compute), 0);
}
END_TEST

START_TEST(several_processes_add_at_least_the_time_of_one_process)
{
    const Throughput rows[] = {
        {&gpu, &network, &framework, NULL, 100, INT64_C(4000000000), true, "", ""},
        {&gpu, &network, &framework, &ring, 100, INT64_C(2000000000), true, "", ""}};
    const Program trained = program((Throughputs){.count = 2, .rows = rows});
    const StepPlan plan = step_plan(&trained, &vm_size, rank_places_spread(1, 1));
    ck_assert_int_eq(plan.exchange_ns, 25 * NS_PER_MS);
    ck_assert_int_le(llabs(plan.compute_ns + plan.update_ns - 25 * NS_PER_MS), 10);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("step_compute");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, without_measurements_the_rate_of_the_gpu_sets_the_time);
    tcase_add_test(tests, a_measured_step_is_reproduced_and_divided_like_a_computed_one);
    tcase_add_test(tests, a_step_shorter_than_the_stated_overhead_is_reproduced_too);
    tcase_add_test(tests, several_processes_add_at_least_the_time_of_one_process);
    suite_add_tcase(suite, tests);
    return suite;
}
