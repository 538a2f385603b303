#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/prediction.h"
#include "tests/support/suite.h"

static Arena *arena;
static const Catalog *catalog;

static void set_up(void)
{
    static const char folder[] = TRAINYARD_SOURCE_DIR "/scenarios/catalog";
    arena = arena_create();
    Problems problems = problems_create(arena);
    const CatalogFile files[] = {{disk_files, arena_printf(arena, "%s/azure-2018.json", folder)},
                                 {disk_files, arena_printf(arena, "%s/throughput.json", folder)}};
    catalog = catalog_files_read(arena, files, 2, &problems);
    ck_assert_msg(catalog != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* ResNet-50 on four-GPU nodes with InfiniBand. */
static PredictionRequest resnet50(int32_t gpus)
{
    return (PredictionRequest){.network = "resnet50",
                               .vm_size = "Standard_NC24rs_v3",
                               .stack = "tf1.8-horovod0.13.2",
                               .collective = COLLECTIVE_ANY,
                               .wire = WIRE_ANY,
                               .gpus = gpus,
                               .batch = 64};
}

static Prediction made(PredictionRequest request)
{
    Prediction prediction;
    Status status = {0};
    ck_assert_msg(prediction_make(catalog, request, &prediction, &status), "%s", status.message);
    return prediction;
}

START_TEST(one_gpu_is_as_fast_as_measured)
{
    Prediction alone = made(resnet50(1));
    ck_assert_int_le(llabs(alone.micro_images_per_s - 335610000), 100);
    // Without Horovod 357.20 images per second; its one process adds the exchange.
    ck_assert_int_le(llabs(alone.parts.compute_ns + alone.parts.update_ns - 179171333), 1000);
    ck_assert_int_eq(alone.parts.wait_ns, 0);
    ck_assert_int_eq(alone.wire, WIRE_ANY);
    PredictionRequest request = resnet50(1);
    request.stack = "tf1.8";
    ck_assert_int_le(llabs(made(request).micro_images_per_s - 357200000), 100);
    request = resnet50(1);
    request.collective = COLLECTIVE_NCCL;
    ck_assert_int_le(llabs(made(request).micro_images_per_s - 349440000), 100);
}
END_TEST

/* Horovod's optimizer of PyTorch registers no hooks for a single process, so the rows measured with
 * it contain no exchange. */
START_TEST(one_process_of_pytorch_exchanges_nothing)
{
    PredictionRequest request = resnet50(1);
    request.network = "resnet152";
    static const char *const stacks[] = {"pytorch0.4.0-horovod0.13.2",
                                         "pytorch0.4.1-horovod0.15.1"};
    for (size_t i = 0; i < sizeof stacks / sizeof stacks[0]; i++) {
        request.stack = stacks[i];
        for (int how = 0; how < COLLECTIVE_COUNT; how++) {
            request.collective = (Collective)how;
            const Prediction alone = made(request);
            ck_assert_ptr_nonnull(alone.estimate.row);
            ck_assert_int_le(
                llabs(alone.micro_images_per_s - alone.estimate.row->micro_samples_per_s), 100);
            ck_assert_int_eq(alone.parts.exchange_ns, 0);
            PredictionRequest pair = request;
            pair.gpus = 2;
            const Prediction two = made(pair);
            ck_assert_int_eq(two.parts.compute_ns, alone.parts.compute_ns);
            // 467 tensors of 19 us with NCCL; half a cycle and the hand-over through the host.
            ck_assert_int_ge(two.parts.exchange_ns, INT64_C(467) * 19 * NS_PER_US);
        }
    }
}
END_TEST

/* Up to Horovod 0.13.2 and PyTorch 0.4.0 nothing overlaps: the ring of 240.8 MB over four GPUs
 * takes 1.5 x 240.8 MB / 5.85 GB/s = 61.7 ms, the tensors 8.9 ms and the wait of the optimizer 0.5
 * ms. */
START_TEST(old_pytorch_exchanges_after_the_backward_pass)
{
    PredictionRequest request = resnet50(4);
    request.network = "resnet152";
    request.collective = COLLECTIVE_NCCL;
    request.stack = "pytorch0.4.0-horovod0.13.2";
    const Prediction old = made(request);
    ck_assert_int_ge(old.parts.exchange_ns, 71 * NS_PER_MS);
    ck_assert_int_le(old.parts.exchange_ns, 75 * NS_PER_MS);
    request.stack = "pytorch0.4.1-horovod0.15.1";
    const Prediction new = made(request);
    ck_assert_int_lt(new.parts.exchange_ns, old.parts.exchange_ns / 2);
    // Nothing measured confirms it, so all of the exchange is in doubt, not half.
    ck_assert_int_gt(old.uncertainty_ppm, 130000);
    ck_assert_int_lt(new.uncertainty_ppm, 80000);
    // TensorFlow with the same Horovod has streams that do not wait.
    request.stack = "tf1.8-horovod0.13.2";
    ck_assert_int_lt(made(request).parts.exchange_ns, old.parts.exchange_ns / 2);
}
END_TEST

/* Equal runs of NCCL over Ethernet between K80s differ by up to two times. */
START_TEST(rings_between_k80_nodes_are_uncertain)
{
    PredictionRequest request = resnet50(8);
    request.collective = COLLECTIVE_NCCL;
    request.vm_size = "Standard_NC24r";
    ck_assert_int_ge(made(request).uncertainty_ppm, PPM);
    const PredictionRequest certain[] = {{.network = "resnet50",
                                          .vm_size = "Standard_NC24r",
                                          .gpus = 4,
                                          .collective = COLLECTIVE_NCCL},
                                         {.network = "resnet50",
                                          .vm_size = "Standard_NC24r",
                                          .gpus = 8,
                                          .collective = COLLECTIVE_MPI_HOST},
                                         {.network = "resnet50",
                                          .vm_size = "Standard_ND24rs",
                                          .gpus = 8,
                                          .collective = COLLECTIVE_NCCL}};
    for (size_t i = 0; i < sizeof certain / sizeof certain[0]; i++) {
        request = certain[i];
        request.stack = "tf1.8-horovod0.13.2";
        request.wire = WIRE_ANY;
        request.batch = 64;
        ck_assert_int_lt(made(request).uncertainty_ppm, PPM / 3);
    }
}
END_TEST

/* On two nodes the exchange may take half longer. On eight, the static routes of three quarters of
 * the nodes may meet, which leaves 55 % of the rate. */
START_TEST(infiniband_of_many_nodes_is_less_certain)
{
    for (int32_t nodes = 2; nodes <= 8; nodes *= 2) {
        const Prediction prediction = made(resnet50(4 * nodes));
        ck_assert_int_eq(prediction_may_contend(&prediction), nodes > 2);
        const double exchange = (double)prediction.parts.exchange_ns;
        const double contention = (1 / 0.55 - 1) * (1 - 2.0 / nodes) * exchange;
        const double compute =
            0.03 * (double)(prediction.parts.compute_ns + prediction.parts.update_ns);
        const double errors[] = {0.5 * exchange, contention, compute,
                                 (double)prediction.parts.wait_ns,
                                 0.05 * (double)prediction.step_ns};
        double squares = 0;
        for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
            squares += errors[i] * errors[i];
        const double stated = sqrt(squares) / (double)prediction.step_ns;
        ck_assert_double_eq_tol((double)prediction.uncertainty_ppm / PPM, stated, 1e-4);
    }
}
END_TEST

START_TEST(one_process_has_an_exchange_time_even_if_it_was_not_measured)
{
    static const char *const networks[] = {"resnet50", "alexnet", "inception3", "vgg16",
                                           "resnet164_cifar"};
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        PredictionRequest request = resnet50(1);
        request.network = networks[i];
        const Prediction alone = made(request);
        ck_assert_int_ge(alone.parts.exchange_ns, 9 * NS_PER_MS);
        ck_assert_int_le(alone.parts.exchange_ns, 12 * NS_PER_MS);
        request.stack = "tf1.8";
        ck_assert_int_eq(made(request).parts.exchange_ns, 0);
    }
}
END_TEST

START_TEST(gpus_fill_one_node_after_the_other)
{
    static const struct {
        int32_t gpus, nodes;
    } rows[] = {{1, 1}, {4, 1}, {5, 2}, {8, 2}, {32, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Prediction prediction = made(resnet50(rows[i].gpus));
        ck_assert_int_eq(prediction.nodes, rows[i].nodes);
        ck_assert_int_eq(prediction.wire, rows[i].nodes > 1 ? WIRE_IB_FDR : WIRE_ANY);
        ck_assert_int_eq(step_parts_sum(prediction.parts), prediction.step_ns);
    }
}
END_TEST

/* The thread of an exchange wakes in cycles, and the number of gradients that it finds is chance. A
 * longer negotiation may save one cycle of 5 ms and the negotiation in it, but never more. */
static void check_rise(PredictionRequest request)
{
    int64_t before_ns = 0;
    for (request.gpus = 1; request.gpus <= 17; request.gpus++) {
        Prediction prediction = made(request);
        ck_assert_msg(before_ns <= prediction.step_ns + 2 * prediction.exchange->cycle_ns,
                      "%s on %d GPUs of %s: %lld ns, %lld before", request.network,
                      (int)request.gpus, request.vm_size, (long long)prediction.step_ns,
                      (long long)before_ns);
        before_ns = prediction.step_ns > before_ns ? prediction.step_ns : before_ns;
    }
}

START_TEST(more_gpus_never_make_a_step_shorter)
{
    static const char *const networks[] = {"alexnet", "resnet50", "keras_cifar10_cnn"};
    static const char *const sizes[] = {"Standard_NC6", "Standard_NC12", "Standard_NC24r",
                                        "Standard_NC24rs_v3"};
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            PredictionRequest request = resnet50(1);
            request.network = networks[i];
            request.vm_size = sizes[j];
            check_rise(request);
            request.collective = COLLECTIVE_NCCL;
            check_rise(request);
        }
    }
    // By MPI that talks to itself through the adapter, the ring is as fast as its fullest node.
    PredictionRequest request = resnet50(4);
    request.network = "alexnet";
    const int64_t one_node_ns = made(request).step_ns;
    request.gpus = 5;
    ck_assert_int_gt(made(request).step_ns, one_node_ns);
}
END_TEST

/* Full nodes of one size, then one more GPU, which is on an additional node. A longer negotiation
 * may let the thread of an exchange find more gradients at once. That saves one cycle and the
 * negotiation in it, but never more. */
static void check_nodes(PredictionRequest request)
{
    const int32_t gpus_of_node = catalog_vm_size(catalog, request.vm_size)->gpus;
    int64_t before_ns = 0;
    for (int32_t full = gpus_of_node; full <= 2 * gpus_of_node; full += gpus_of_node) {
        for (request.gpus = full; request.gpus <= full + 1; request.gpus++) {
            const Prediction prediction = made(request);
            const int64_t chance_ns = prediction.exchange->cycle_ns + NS_PER_MS;
            ck_assert_msg(before_ns <= prediction.parts.exchange_ns + chance_ns,
                          "%s on %d GPUs of %s, %s by %s: %lld ns, %lld before", request.network,
                          (int)request.gpus, request.vm_size, prediction.exchange->name,
                          wire_name(request.wire), (long long)prediction.parts.exchange_ns,
                          (long long)before_ns);
            before_ns = prediction.parts.exchange_ns;
        }
    }
}

static void check_nodes_of(const char *network, const char *size)
{
    PredictionRequest request = resnet50(1);
    request.network = network;
    request.vm_size = size;
    const bool has_infiniband = catalog_vm_size(catalog, size)->rdma_bytes_per_s > 0;
    for (int wire = 0; wire < WIRE_COUNT; wire++) {
        request.wire = (Wire)wire;
        for (int how = 0; how < COLLECTIVE_COUNT; how++) {
            request.collective = (Collective)how;
            if (wire != WIRE_IB_FDR || has_infiniband)
                check_nodes(request);
        }
    }
}

/* With the same wire: one node alone uses the wire that would connect it to other nodes. */
START_TEST(an_additional_node_never_shortens_the_exchange)
{
    int32_t count;
    const char *const *size = catalog_names(catalog, CATALOG_VM_SIZES, &count);
    for (int32_t i = 0; i < count; i++) {
        if (catalog_vm_size(catalog, size[i])->gpu == NULL)
            continue;
        check_nodes_of("vgg16", size[i]);
        check_nodes_of("resnet50", size[i]);
        check_nodes_of("keras_cifar10_cnn", size[i]);
    }
}
END_TEST

START_TEST(one_node_does_not_use_its_adapter_if_ethernet_is_requested)
{
    PredictionRequest request = resnet50(4);
    request.network = "vgg16";
    const Prediction through_adapter = made(request);
    ck_assert(through_adapter.loops_back);
    request.wire = WIRE_ETHERNET;
    const Prediction without = made(request);
    ck_assert(!without.loops_back);
    ck_assert_int_eq(without.wire, WIRE_ANY);
    // The same result as on nodes without an adapter.
    request.wire = WIRE_ANY;
    request.vm_size = "Standard_NC24s_v3";
    const Prediction none = made(request);
    ck_assert_int_eq(without.parts.exchange_ns, none.parts.exchange_ns);
    ck_assert_int_lt(without.parts.exchange_ns, through_adapter.parts.exchange_ns);
}
END_TEST

START_TEST(the_wire_is_the_requested_one_or_the_one_the_exchange_chooses)
{
    PredictionRequest request = resnet50(8);
    Prediction fast = made(request);
    request.wire = WIRE_ETHERNET;
    Prediction ethernet = made(request);
    ck_assert_int_eq(ethernet.wire, WIRE_ETHERNET);
    ck_assert_int_lt(ethernet.micro_images_per_s, fast.micro_images_per_s);
    // This is still the exchange that was measured with one process.
    ck_assert_int_eq(ethernet.estimate.alone_ns, fast.estimate.alone_ns);
    request = resnet50(8);
    request.collective = COLLECTIVE_NCCL;
    ck_assert_int_eq(made(request).wire, WIRE_ETHERNET);
    request.wire = WIRE_IB_FDR;
    ck_assert_int_gt(made(request).micro_images_per_s, ethernet.micro_images_per_s);
}
END_TEST

/* Cards in slots have no NVSwitch. */
START_TEST(gpus_in_slots_exchange_more_slowly_than_those_on_a_board)
{
    PredictionRequest request = resnet50(4);
    request.network = "vgg16";
    request.collective = COLLECTIVE_NCCL;
    request.vm_size = "Standard_NC96ads_A100_v4";
    const Prediction cards = made(request);
    request.vm_size = "Standard_ND96amsr_A100_v4";
    ck_assert_int_gt(cards.parts.exchange_ns, 5 * made(request).parts.exchange_ns);
    ck_assert_str_eq(cards.vm_size->gpu->name, "A100-80GB-PCIe");
}
END_TEST

START_TEST(unknown_names_are_refused_with_the_nearest_name)
{
    const struct {
        const char *network, *vm_size, *stack;
        Collective collective;
        Wire wire;
        int32_t gpus;
        const char *message, *hint;
    } rows[] = {
        {"resnet5", "Standard_NC6", "tf1.8", COLLECTIVE_ANY, WIRE_ANY, 1,
         "\"resnet5\" is not among the networks of the catalogue", "did you mean \"resnet50\"?"},
        {"resnet50", "Standard_NC7", "tf1.8", COLLECTIVE_ANY, WIRE_ANY, 1,
         "\"Standard_NC7\" is not among the vm_sizes of the catalogue",
         "did you mean \"Standard_NC6\"?"},
        {"resnet50", "Standard_NC6", "tf1.9", COLLECTIVE_ANY, WIRE_ANY, 1,
         "\"tf1.9\" is not among the stacks of the catalogue", "did you mean \"tf1.8\"?"},
        {"resnet50", "Standard_D1", "tf1.8", COLLECTIVE_ANY, WIRE_ANY, 1, "Standard_D1 has no GPU",
         ""},
        {"resnet50", "Standard_NC6", "tf1.8", COLLECTIVE_ANY, WIRE_ANY, 2,
         "tf1.8 trains on one GPU, not on 2",
         "software with an exchange has it in its name: \"tf1.8-horovod0.13.2\""},
        {"resnet50", "Standard_NC6", "tf1.8", COLLECTIVE_NCCL, WIRE_ANY, 1,
         "tf1.8 does not exchange by nccl", ""},
        {"resnet50", "Standard_NC24", "tf1.8-horovod0.13.2", COLLECTIVE_ANY, WIRE_IB_FDR, 8,
         "Standard_NC24 has no InfiniBand",
         "sizes with it have an r after their number: Standard_NC24r"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const PredictionRequest request = {.network = rows[i].network,
                                           .vm_size = rows[i].vm_size,
                                           .stack = rows[i].stack,
                                           .collective = rows[i].collective,
                                           .wire = rows[i].wire,
                                           .gpus = rows[i].gpus,
                                           .batch = 64};
        Prediction prediction;
        Status status = {0};
        ck_assert(!prediction_make(catalog, request, &prediction, &status));
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.message, rows[i].message);
        ck_assert_str_eq(status.hint, rows[i].hint);
    }
}
END_TEST

/* One network on one size: n GPUs are never faster than n times one GPU, and every result is
 * finite. */
static void check_pair(PredictionRequest request)
{
    int64_t alone = 0;
    for (request.gpus = 1; request.gpus <= 32; request.gpus *= 8) {
        Prediction prediction = made(request);
        if (request.gpus == 1)
            alone = prediction.micro_images_per_s;
        ck_assert_int_gt(prediction.step_ns, 0);
        ck_assert_int_lt(prediction.step_ns, NS_PER_HOUR);
        ck_assert_int_gt(prediction.micro_images_per_s, 0);
        ck_assert_int_gt(prediction.uncertainty_ppm, 0);
        ck_assert_msg(prediction.micro_images_per_s / request.gpus <= alone, "%s on %d %s",
                      request.network, (int)request.gpus, request.vm_size);
    }
}

START_TEST(every_network_trains_on_every_size_with_gpus)
{
    int32_t networks, sizes, pairs = 0;
    const char *const *network = catalog_names(catalog, CATALOG_NETWORKS, &networks);
    const char *const *size = catalog_names(catalog, CATALOG_VM_SIZES, &sizes);
    for (int32_t i = 0; i < networks; i++) {
        for (int32_t j = 0; j < sizes; j++) {
            if (catalog_vm_size(catalog, size[j])->gpu == NULL)
                continue;
            PredictionRequest request = resnet50(1);
            request.network = network[i];
            request.vm_size = size[j];
            request.collective = pairs++ % 2 ? COLLECTIVE_MPI_HOST : COLLECTIVE_NCCL;
            check_pair(request);
        }
    }
    ck_assert_int_ge(pairs, 13 * 28);
}
END_TEST

static bool is_network_measured(const char *name)
{
    const Throughputs rows = catalog_throughputs(catalog);
    for (int32_t i = 0; i < rows.count; i++)
        if (strcmp(rows.rows[i].network->name, name) == 0)
            return true;
    return false;
}

static bool is_gpu_measured(const GpuModel *gpu)
{
    const Throughputs rows = catalog_throughputs(catalog);
    for (int32_t i = 0; i < rows.count; i++)
        if (rows.rows[i].gpu == gpu && rows.rows[i].calibrates)
            return true;
    return false;
}

/* As stated in STATUS.md. */
START_TEST(unmeasured_networks_have_an_uncertainty_of_60_or_98_percent)
{
    int32_t networks, sizes, on_measured = 0, on_others = 0;
    const char *const *network = catalog_names(catalog, CATALOG_NETWORKS, &networks);
    const char *const *size = catalog_names(catalog, CATALOG_VM_SIZES, &sizes);
    for (int32_t i = 0; i < networks; i++) {
        for (int32_t j = 0; j < sizes; j++) {
            const GpuModel *gpu = catalog_vm_size(catalog, size[j])->gpu;
            if (gpu == NULL || is_network_measured(network[i]))
                continue;
            PredictionRequest request = resnet50(1);
            request.network = network[i];
            request.vm_size = size[j];
            request.stack = "tf1.8";
            const int64_t stated_ppm = is_gpu_measured(gpu) ? 600000 : 980000;
            const int64_t found_ppm = made(request).uncertainty_ppm;
            ck_assert_msg(llabs(found_ppm - stated_ppm) < 1000, "%s on %s: %lld", network[i],
                          size[j], (long long)found_ppm);
            request.batch = 8;
            ck_assert_int_gt(made(request).uncertainty_ppm, found_ppm);
            on_measured += is_gpu_measured(gpu);
            on_others += !is_gpu_measured(gpu);
        }
    }
    ck_assert_int_ge(on_measured, 50);
    ck_assert_int_ge(on_others, 10);
}
END_TEST

/* Keras uses the same TensorFlow, so the rows measured with TensorFlow are within the error stated
 * for Keras. */
START_TEST(software_without_rows_uses_those_of_other_software)
{
    const Throughputs rows = catalog_throughputs(catalog);
    int32_t count = 0;
    for (int32_t i = 0; i < rows.count; i++) {
        const Throughput *row = &rows.rows[i];
        if (row->gpu != catalog_gpu(catalog, "K80") || row->exchange != NULL || !row->calibrates)
            continue;
        PredictionRequest request = resnet50(1);
        request.network = row->network->name;
        request.vm_size = "Standard_NC6";
        request.stack = "keras2.2-tf1.8";
        request.batch = row->batch;
        const Prediction prediction = made(request);
        ck_assert_int_eq(prediction.estimate.basis, STEP_BASIS_SOFTWARE);
        const double error =
            (double)prediction.micro_images_per_s / (double)row->micro_samples_per_s - 1;
        ck_assert_msg(fabs(error) * PPM <= (double)prediction.uncertainty_ppm,
                      "%s with %s at batch %lld: %+.0f %%", row->network->name,
                      row->framework->name, (long long)row->batch, 100 * error);
        count++;
    }
    ck_assert_int_eq(count, 27);
}
END_TEST

START_TEST(every_software_trains_resnet50)
{
    int32_t count;
    const char *const *stack = catalog_names(catalog, CATALOG_STACKS, &count);
    for (int32_t i = 0; i < count; i++) {
        PredictionRequest request = resnet50(1);
        request.stack = stack[i];
        ck_assert_int_gt(made(request).micro_images_per_s, 0);
    }
    ck_assert_int_ge(count, 4);
}
END_TEST

/* The sizes that can be rented today, as their sources have them (scenarios/SOURCES.md). */
START_TEST(todays_sizes_are_in_the_catalogue)
{
    static const struct {
        const char *size, *gpu;
        int32_t gpus, vcpus;
        int64_t memory_gib, infiniband_gbit, cents_per_hour;
    } rows[] = {{"Standard_NC24ads_A100_v4", "A100-80GB-PCIe", 1, 24, 220, 0, 367},
                {"Standard_NC96ads_A100_v4", "A100-80GB-PCIe", 4, 96, 880, 0, 1910},
                {"Standard_ND96amsr_A100_v4", "A100-80GB", 8, 96, 1924, 200, 3277},
                {"Standard_NC40ads_H100_v5", "H100-NVL", 1, 40, 320, 0, 698},
                {"Standard_NC80adis_H100_v5", "H100-NVL", 2, 80, 640, 0, 1396},
                {"Standard_ND96isr_H100_v5", "H100", 8, 96, 1900, 400, 9832},
                {"Standard_ND96isr_H200_v5", "H200", 8, 96, 1850, 400, 11024}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const VmSize *size = catalog_vm_size(catalog, rows[i].size);
        ck_assert_msg(size != NULL, "%s", rows[i].size);
        ck_assert_str_eq(size->gpu->name, rows[i].gpu);
        ck_assert_int_eq(size->gpus, rows[i].gpus);
        ck_assert_int_eq(size->vcpus, rows[i].vcpus);
        ck_assert_int_eq(size->memory_bytes >> 30, rows[i].memory_gib);
        ck_assert_int_eq(size->rdma_bytes_per_s, rows[i].infiniband_gbit * 125000000);
        ck_assert_int_eq(size->dedicated_micro_usd_per_hour / 10000, rows[i].cents_per_hour);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("prediction");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, one_gpu_is_as_fast_as_measured);
    tcase_add_test(tests, one_process_of_pytorch_exchanges_nothing);
    tcase_add_test(tests, old_pytorch_exchanges_after_the_backward_pass);
    tcase_add_test(tests, rings_between_k80_nodes_are_uncertain);
    tcase_add_test(tests, infiniband_of_many_nodes_is_less_certain);
    tcase_add_test(tests, one_process_has_an_exchange_time_even_if_it_was_not_measured);
    tcase_add_test(tests, gpus_fill_one_node_after_the_other);
    tcase_add_test(tests, more_gpus_never_make_a_step_shorter);
    tcase_add_test(tests, an_additional_node_never_shortens_the_exchange);
    tcase_add_test(tests, one_node_does_not_use_its_adapter_if_ethernet_is_requested);
    tcase_add_test(tests, the_wire_is_the_requested_one_or_the_one_the_exchange_chooses);
    tcase_add_test(tests, gpus_in_slots_exchange_more_slowly_than_those_on_a_board);
    tcase_add_test(tests, unknown_names_are_refused_with_the_nearest_name);
    tcase_add_test(tests, every_network_trains_on_every_size_with_gpus);
    tcase_add_test(tests, unmeasured_networks_have_an_uncertainty_of_60_or_98_percent);
    tcase_add_test(tests, software_without_rows_uses_those_of_other_software);
    tcase_add_test(tests, every_software_trains_resnet50);
    tcase_add_test(tests, todays_sizes_are_in_the_catalogue);
    suite_add_tcase(suite, tests);
    return suite;
}
