/* Prints the kernels of a training step, from the captured graph, for tools/kernel_table.sh:
 *
 *     kernel_table PRECISION IMAGES
 *
 * A row has tabs between: the function's place in this program (its address after
 * __executable_start, hexadecimal), grid, threads, bytes read, bytes written, operations, those of
 * whole tiles, those of the largest block, 1 for a product, and the rows that it waits for. The
 * kernels do not run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "tests/trainer/cuda/emulation/emulation.h"
#include "trainer/compute/backend.h"

extern const Backend backend_cuda_emulated;
extern const char executable_start[] __asm__("__executable_start");

enum { KERNELS_MAX = 128 };

static void print_kernel(const CudaEmulationKernel *kernel)
{
    const CudaWork *work = &kernel->work;
    printf("%" PRIxPTR "\t(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\t%" PRIu32,
           (uintptr_t)kernel->function - (uintptr_t)executable_start, kernel->grid[0],
           kernel->grid[1], kernel->grid[2], kernel->threads);
    printf("\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%d\t",
           work->read_bytes, work->written_bytes, work->operations, work->tile_operations,
           work->block_operations, work->is_product);
    for (int32_t i = 0; i < kernel->after_count; i++)
        printf("%s%" PRId32, i > 0 ? "," : "", kernel->after[i]);
    printf("\n");
}

/* Makes two steps: the first runs kernel by kernel, the second is captured. */
static bool capture_step(const BackendSettings *settings, Status *status)
{
    const Backend *cuda = &backend_cuda_emulated;
    const RmsProp optimizer = {.learning_rate = 1e-3, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7};
    const int32_t images = settings->batch_max;
    uint8_t *bytes = memory_zeroed((size_t)images * (IMAGE_BYTES + 1));
    const ImageSet set = {.images = bytes, .labels = bytes, .count = images};
    StepRun run = {.set = &set,
                   .count = 1,
                   .batch_size = images,
                   .is_augmented = true,
                   .optimizer = &optimizer,
                   .gradient_scale = 1.0f};
    Arena *arena = arena_create();
    Comm *alone = NULL;
    void *model = NULL;
    Score score;
    int64_t bad_step;
    const bool is_made = comm_open("local", arena, &alone, status) &&
                         cuda->open(settings, &model, status) &&
                         cuda->steps(model, &run, alone, &score, &bad_step, status) &&
                         cuda->steps(model, &run, alone, &score, &bad_step, status);
    cuda->close(model);
    comm_close(alone);
    arena_destroy(arena);
    free(bytes);
    return is_made;
}

static bool precision_named(const char *name, Precision *precision)
{
    static const char *const names[PRECISION_COUNT] = {
        [PRECISION_FP32] = "fp32", [PRECISION_BF16] = "bf16", [PRECISION_TF32] = "tf32"};
    for (*precision = 0; *precision < PRECISION_COUNT; (*precision)++)
        if (strcmp(name, names[*precision]) == 0)
            return true;
    return false;
}

int main(int count, char **words)
{
    BackendSettings settings = {.threads = 1, .seed = 1, .engine = ENGINE_OWN};
    static CudaEmulationKernel kernels[KERNELS_MAX];
    Net net;
    Status status;
    settings.net = &net;
    settings.batch_max = count == 3 ? atoi(words[2]) : 0;
    if (count != 3 || !precision_named(words[1], &settings.precision) || settings.batch_max < 1) {
        fprintf(stderr, "usage: kernel_table fp32|tf32|bf16 IMAGES\n");
        return 2;
    }
    cuda_emulation_set_devices(1, 9, 0);
    cuda_emulation_set_memory(INT64_C(80) << 30);
    cuda_emulation_set_idle(true);
    if (!net_build("keras_cifar10_cnn", &net, &status) || !capture_step(&settings, &status)) {
        fprintf(stderr, "kernel_table: %s\n", status.message);
        return 3;
    }
    const int32_t made = cuda_emulation_kernels(kernels, KERNELS_MAX);
    if (made == 0 || made > KERNELS_MAX) {
        fprintf(stderr, "kernel_table: a graph of %" PRId32 " kernels\n", made);
        return 3;
    }
    for (int32_t i = 0; i < made; i++) {
        if (!kernels[i].has_work) {
            fprintf(stderr, "kernel_table: no CUDA_WORK before %s\n", kernels[i].name);
            return 3;
        }
        print_kernel(&kernels[i]);
    }
    return 0;
}
