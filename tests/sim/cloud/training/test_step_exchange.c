#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/training/step_exchange.h"
#include "sim/cloud/training/step_layers.h"
#include "sim/scenario/catalog/read.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

#define MB INT64_C(1000000)

/* A world of round numbers: 1 TFLOP/s reached, two layers. */
static const GpuModel gpu = {.name = "round",
                             .peak_flops = INT64_C(4000000000000),
                             .efficiency_ppm = 250000,
                             .host_link_bytes_per_s = 5000 * MB,
                             .peer_bytes_per_s = 6000 * MB,
                             .rings = 2};
static const VmSize vm_size = {.name = "Round_4",
                               .vcpus = 24,
                               .gpus = 4,
                               .gpu = &gpu,
                               .network_bytes_per_s = 1000 * MB,
                               .network_latency_ns = 50 * NS_PER_US,
                               .rdma_bytes_per_s = 5000 * MB,
                               .rdma_latency_ns = 2 * NS_PER_US};
static const NetworkLayer layers[] = {
    {.name = "early",
     .kind = NETWORK_LAYER_CONVOLUTION,
     .forward_macs = 5 * MB,
     .input_values = 3000,
     .output_values = 10000,
     .tensor_count = 1,
     .tensor_values = (const int64_t[]){250}},
    {.name = "between",
     .kind = NETWORK_LAYER_ACTIVATION,
     .input_values = 10000,
     .output_values = 10000},
    {.name = "late",
     .kind = NETWORK_LAYER_DENSE,
     .forward_macs = 15 * MB,
     .input_values = 10000,
     .output_values = 10,
     .tensor_count = 2,
     .tensor_values = (const int64_t[]){10, 1249740}},
};
static const NetworkModel network = {.name = "cnn",
                                     .layer_count = 3,
                                     .layers = layers,
                                     .parameters = 1250000,
                                     .gradient_bytes = 5 * MB,
                                     .forward_macs_per_sample = 20 * MB,
                                     .training_flops_per_sample = 110 * MB,
                                     .tensors = 3};
static const Framework framework = {.name = "framework", .step_overhead_ns = 6 * NS_PER_MS};
static const ExchangeMethod mpi = {.name = "mpi",
                                   .fusion_bytes = 64 * MB,
                                   .via_host = true,
                                   .uses_rdma = true,
                                   .rdma_efficiency_ppm = PPM,
                                   .network_efficiency_ppm = 500000,
                                   .copy_bytes_per_s = 8000 * MB};
static const ExchangeMethod nccl = {.name = "nccl",
                                    .fusion_bytes = 64 * MB,
                                    .network_efficiency_ppm = PPM,
                                    .connection_bytes_per_s = 200 * MB,
                                    .further_ring_ppm = 250000,
                                    .node_latency_ns = 7 * NS_PER_US};

static Program program_with(const ExchangeMethod *method)
{
    return (Program){.kind = PROGRAM_TRAIN,
                     .network = &network,
                     .framework = &framework,
                     .exchange = method,
                     .batch_per_rank = 50};
}

START_TEST(gradients_are_ready_at_the_end_of_their_layers)
{
    // 50 x 110 MFLOP in 5.5 ms after 6 ms of overhead; 50 x 40 MFLOP of it forward: the backward
    // pass takes the last 3.5 of 11.5 ms. The late layer has twice 15 parts of 35, the early one 5,
    // its input needing no gradient: 0.5 ms before the end, and the end.
    Program program = program_with(&mpi);
    StepCompute compute = step_compute(&program, &vm_size, 1);
    Gradient gradients[3];
    step_gradients(&compute, gradients);
    ck_assert_int_eq(step_compute_ns(&compute), 11500 * NS_PER_US);
    ck_assert_int_eq(gradients[0].ready_ns, 11000 * NS_PER_US);
    ck_assert_int_eq(gradients[0].bytes, 40);
    ck_assert_int_eq(gradients[1].ready_ns, 11000 * NS_PER_US);
    ck_assert_int_eq(gradients[1].bytes, 4998960);
    ck_assert_int_eq(gradients[2].ready_ns, 11500 * NS_PER_US);
    ck_assert_int_eq(gradients[2].bytes, 1000);
}
END_TEST

START_TEST(memory_holds_up_layers_that_only_move)
{
    // 20,000 values of 4 bytes at 8 GB/s: 10 us a sample, as long as the early layer's 5 M
    // multiply-adds. Twice that, after the late layer's 30 and before the early one's 5 again:
    // parts 60, 20 and 10 of 90, in 3.5 ms.
    GpuModel slow_memory = gpu;
    slow_memory.memory_bytes_per_s = 8000 * MB;
    VmSize slow = vm_size;
    slow.gpu = &slow_memory;
    Program program = program_with(&mpi);
    StepCompute compute = step_compute(&program, &slow, 1);
    Gradient gradients[3];
    step_gradients(&compute, gradients);
    // 30 of 90 are left after the late layer: 1,166.6 us.
    ck_assert_int_eq(gradients[1].ready_ns, 11500 * NS_PER_US - 3500 * NS_PER_US * 30 / 90);
    ck_assert_int_eq(gradients[2].ready_ns, 11500 * NS_PER_US);
}
END_TEST

static StepPlan plan_of(const ExchangeMethod *method, const VmSize *size, int32_t nodes,
                        int32_t ranks)
{
    Program program = program_with(method);
    StepCompute compute =
        step_compute(&program, size, rank_places_spread(nodes, ranks).ranks_on_fullest);
    StepPlan plan = {.ranks = ranks};
    step_exchange(&compute, size, nodes, &plan);
    return plan;
}

START_TEST(mpi_uses_infiniband_if_the_size_has_it)
{
    // The links: 8 GB/s of copying, in and out, is 4 GB/s in a node.
    Exchange exchange = step_exchange_model(&mpi, &vm_size, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.within.bytes_per_s, 4000 * MB);
    ck_assert_int_eq(exchange.ring.between.bytes_per_s, 5000 * MB);
    ck_assert_int_eq(exchange.message_ns, 2 * NS_PER_US);
    StepPlan plan = plan_of(&mpi, &vm_size, 2, 8);
    ck_assert_int_gt(plan.exchange_ns, 0);
    ck_assert_int_eq(plan.wire_bytes, 0); // no other job shares that wire
    // Half of the Ethernet's bits are payload.
    VmSize without = vm_size;
    without.rdma_bytes_per_s = 0;
    exchange = step_exchange_model(&mpi, &without, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.between.bytes_per_s, 500 * MB);
    ck_assert_int_eq(exchange.message_ns, 50 * NS_PER_US);
    StepPlan slower = plan_of(&mpi, &without, 2, 8);
    ck_assert_int_gt(slower.exchange_ns, plan.exchange_ns);
    // 2 x 7/8 of 5 MB, all of it after the backward pass but what fits into its last 0.5 ms.
    ck_assert_int_eq(slower.wire_bytes_per_s, 500 * MB);
    ck_assert_int_eq(slower.wire_bytes, 8750000);
    ck_assert_int_eq(slower.wire_ns, 17500 * NS_PER_US);
}
END_TEST

START_TEST(ranks_that_talk_through_the_adapter_share_it)
{
    // 4 ranks of each node send to the next one by an adapter of 5 GB/s, 3 of them to themselves.
    ExchangeMethod looping = mpi;
    looping.loops_back = true;
    Exchange exchange = step_exchange_model(&looping, &vm_size, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.within.bytes_per_s, 1250 * MB);
    ck_assert_int_eq(exchange.ring.between.bytes_per_s, 1250 * MB);
    exchange = step_exchange_model(&looping, &vm_size, (Gang){2, 1}, 2);
    ck_assert_int_eq(exchange.ring.within.bytes_per_s, 2500 * MB);
    ck_assert_int_eq(exchange.ring.within.latency_ns, 2 * NS_PER_US);
    // Without an adapter there is shared memory.
    VmSize without = vm_size;
    without.rdma_bytes_per_s = 0;
    exchange = step_exchange_model(&looping, &without, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.within.bytes_per_s, 4000 * MB);
}
END_TEST

START_TEST(software_reaches_a_part_of_the_adapter_with_its_own_latency)
{
    ExchangeMethod nccl_over_rdma = nccl;
    nccl_over_rdma.uses_rdma = true;
    nccl_over_rdma.rdma_efficiency_ppm = 750000;
    nccl_over_rdma.rdma_latency_ns = 30 * NS_PER_US;
    Exchange exchange = step_exchange_model(&nccl_over_rdma, &vm_size, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.between.bytes_per_s, 3750 * MB);
    ck_assert_int_eq(exchange.ring.between.latency_ns, 30 * NS_PER_US);
    ck_assert_int_eq(exchange.ring.within.bytes_per_s, 6000 * MB);
    // No software is faster than the adapter.
    nccl_over_rdma.rdma_latency_ns = NS_PER_US;
    exchange = step_exchange_model(&nccl_over_rdma, &vm_size, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.between.latency_ns, 2 * NS_PER_US);
}
END_TEST

START_TEST(each_ring_of_nccl_has_a_connection)
{
    Exchange exchange = step_exchange_model(&nccl, &vm_size, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.within.bytes_per_s, 6000 * MB);
    ck_assert_int_eq(exchange.ring.within.latency_ns, 7 * NS_PER_US);
    ck_assert_int_eq(exchange.ring.between.bytes_per_s, 250 * MB); // two of them
    GpuModel one_ring = gpu;
    one_ring.rings = 1;
    VmSize single = vm_size;
    single.gpu = &one_ring;
    exchange = step_exchange_model(&nccl, &single, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.between.bytes_per_s, 200 * MB);
    VmSize slow = vm_size;
    slow.network_bytes_per_s = 220 * MB; // both rings share it
    exchange = step_exchange_model(&nccl, &slow, (Gang){8, 2}, 4);
    ck_assert_int_eq(exchange.ring.between.bytes_per_s, 220 * MB);
}
END_TEST

/* Without overlap, the exchange takes the time of its reductions, all of it after the backward
 * pass. */
START_TEST(an_exchange_after_the_backward_pass_overlaps_with_nothing)
{
    Program program = program_with(&mpi);
    program.batch_per_rank = 5000; // the late layer's 5 MB are ready 50 ms before the end
    ExchangeMethod after = mpi;
    after.after_backward = true;
    Program late = program;
    late.exchange = &after;
    const StepCompute overlapping = step_compute(&program, &vm_size, 1);
    const StepCompute sequential = step_compute(&late, &vm_size, 1);
    StepPlan with = {.ranks = 2}, without = {.ranks = 2};
    step_exchange(&overlapping, &vm_size, 1, &with);
    step_exchange(&sequential, &vm_size, 1, &without);
    // 5 MB at 5 GB/s off the device and back, copied once at 8 GB/s, and the ring at 4 GB/s.
    const int64_t all_ns = (1000 + 625 + 1250 + 1000) * NS_PER_US;
    ck_assert_int_le(llabs(without.exchange_ns - all_ns), 2 * NS_PER_US);
    ck_assert_int_lt(with.exchange_ns, 2 * NS_PER_US); // the early layer's kilobyte
}
END_TEST

START_TEST(a_node_without_ranks_takes_no_part)
{
    StepPlan two = plan_of(&nccl, &vm_size, 2, 2);
    StepPlan idle = plan_of(&nccl, &vm_size, 5, 2);
    ck_assert_int_eq(two.exchange_ns, idle.exchange_ns);
    ck_assert_int_eq(plan_of(&nccl, &vm_size, 1, 1).exchange_ns, 0);
    ck_assert_int_eq(plan_of(&mpi, &vm_size, 5, 1).exchange_ns, 0);
}
END_TEST

/* --- One process with itself, compared with measurements
 * ------------------------------------------------ */

/* tf_cnn_benchmarks of TensorFlow 1.8, batch 64: images per second without Horovod 0.13.2, with one
 * process of it on Intel MPI, and with NCCL (msalvaris/BatchAIHorovodBenchmark@2c42ed7). Those on
 * K80 are left out: with and without differ by 0 to 60 ms, whatever the transport. */
typedef struct {
    const char *vm_size;
    const char *network;
    double without;
    double with_mpi;
    double with_nccl;
} Alone;

static const Alone rows[] = {
    {"Standard_ND24rs", "resnet50", 173.19, 169.15, 171.6},
    {"Standard_ND24rs", "resnet50_v2", 176.92, 172.66, 174.87},
    {"Standard_ND24rs", "resnet101", 106.91, 105.69, 105.41},
    {"Standard_ND24rs", "resnet101_v2", 108.59, 107.04, 107},
    {"Standard_ND24rs", "resnet152", 75.21, 74.46, 74.09},
    {"Standard_NC24rs_v2", "resnet50", 234.33, 226.37, 230.09},
    {"Standard_NC24rs_v2", "resnet50_v2", 237.63, 229.4, 235.33},
    {"Standard_NC24rs_v2", "resnet101", 135.62, 131.93, 133.41},
    {"Standard_NC24rs_v2", "resnet101_v2", 137.24, 133.14, 135.57},
    {"Standard_NC24rs_v2", "resnet152", 94.07, 92.29, 93.54},
    {"Standard_NC24rs_v3", "resnet50", 357.2, 335.61, 349.44},
    {"Standard_NC24rs_v3", "resnet50_v2", 364.74, 344.67, 357.08},
    {"Standard_NC24rs_v3", "resnet101", 205.95, 201.56, 204.54},
    {"Standard_NC24rs_v3", "resnet101_v2", 208.37, 203.49, 206.78},
    {"Standard_NC24rs_v3", "resnet152", 144.15, 141.82, 141.44},
};

enum { BATCH = 64 };

/* The time that the exchange adds to the step of one process; the row fixes the step without it. */
static int64_t added_ns(const Catalog *catalog, const Alone *row, const char *method_name)
{
    const VmSize *size = catalog_vm_size(catalog, row->vm_size);
    const ExchangeMethod *method = catalog_exchange(catalog, method_name);
    const NetworkModel *model = catalog_network(catalog, row->network);
    const Framework *software = catalog_framework(catalog, "tf-1.8");
    ck_assert(size && method && model && software);
    const Throughput measured = {.gpu = size->gpu,
                                 .network = model,
                                 .framework = software,
                                 .batch = BATCH,
                                 .micro_samples_per_s = llround(row->without * 1e6)};
    const Program program = {.kind = PROGRAM_TRAIN,
                             .network = model,
                             .framework = software,
                             .exchange = method,
                             .throughputs = {.count = 1, .rows = &measured},
                             .batch_per_rank = BATCH};
    StepCompute compute = step_compute(&program, size, 1);
    Exchange exchange = step_exchange_model(method, size, (Gang){1, 1}, 1);
    Gradient gradients[1024];
    ck_assert_int_le(model->tensors, 1024);
    step_gradients(&compute, gradients);
    return exchange_ns(&exchange, (Gang){1, 1}, gradients, model->tensors,
                       step_compute_ns(&compute));
}

/* The relative error of the step with the exchange. */
static double error_of(const Catalog *catalog, const Alone *row, const char *method, double with)
{
    double without_ms = BATCH / row->without * 1e3;
    double added_ms = (double)added_ns(catalog, row, method) / NS_PER_MS;
    double error = (without_ms + added_ms) / (BATCH / with * 1e3) - 1;
    printf("%-19s %-12s %-19s adds %5.2f ms, measured %5.2f; %+4.1f %% of the step\n", row->vm_size,
           row->network, method, added_ms, BATCH / with * 1e3 - without_ms, 100 * error);
    ck_assert_msg(fabs(error) < 0.02, "%s, %s, %s: %+.1f %%", row->vm_size, row->network, method,
                  100 * error);
    return fabs(error);
}

START_TEST(one_process_adds_the_measured_time)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    const Json *root = shipped_catalog(arena);
    const Catalog *catalog = catalog_read(arena, &root, 1, &problems);
    ck_assert(catalog != NULL);
    double total = 0;
    int32_t count = (int32_t)(sizeof rows / sizeof rows[0]);
    for (int32_t i = 0; i < count; i++) {
        total += error_of(catalog, &rows[i], "horovod-0.13.2-mpi", rows[i].with_mpi);
        total += error_of(catalog, &rows[i], "horovod-0.13.2-nccl", rows[i].with_nccl);
    }
    ck_assert_double_lt(total / (2 * count), 0.006);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("step_exchange");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, gradients_are_ready_at_the_end_of_their_layers);
    tcase_add_test(tests, memory_holds_up_layers_that_only_move);
    tcase_add_test(tests, mpi_uses_infiniband_if_the_size_has_it);
    tcase_add_test(tests, ranks_that_talk_through_the_adapter_share_it);
    tcase_add_test(tests, software_reaches_a_part_of_the_adapter_with_its_own_latency);
    tcase_add_test(tests, each_ring_of_nccl_has_a_connection);
    tcase_add_test(tests, an_exchange_after_the_backward_pass_overlaps_with_nothing);
    tcase_add_test(tests, a_node_without_ranks_takes_no_part);
    tcase_add_test(tests, one_process_adds_the_measured_time);
    suite_add_tcase(suite, tests);
    return suite;
}
