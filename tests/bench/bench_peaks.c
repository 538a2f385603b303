/* The peaks of one core that limit a training step: products of matrices by oneDNN in float32 and
 * bf16, and copies in the second cache and in memory. Prints one line each; best of the runs, so
 * that other work on the machine matters little. */
#include <stdio.h>
#include <string.h>

#include "trainer/compute/sgemm_rate.h"

#ifdef TRAINYARD_HAVE_ONEDNN

#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>

#include "sim/cli/machine_clock.h"
#include "trainer/base/floats.h"

enum { SIDE = 384, RUNS = 200 };

static int64_t shortest(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* --- Products --- */

/* A product of square matrices in bf16 with a sum in float32; NULL if oneDNN has none. */
static dnnl_primitive_t product_make(dnnl_engine_t engine, dnnl_memory_desc_t layouts[3])
{
    const dnnl_dims_t dimensions = {SIDE, SIDE};
    dnnl_matmul_desc_t operation;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t product = NULL;
    for (int32_t i = 0; i < 3; i++)
        dnnl_memory_desc_init_by_tag(&layouts[i], 2, dimensions, i < 2 ? dnnl_bf16 : dnnl_f32,
                                     dnnl_ab);
    if (dnnl_matmul_desc_init(&operation, &layouts[0], &layouts[1], NULL, &layouts[2]) !=
            dnnl_success ||
        dnnl_primitive_desc_create(&description, &operation, NULL, engine, NULL) != dnnl_success)
        return NULL;
    if (dnnl_primitive_create(&product, description) != dnnl_success)
        product = NULL;
    dnnl_primitive_desc_destroy(description);
    return product;
}

/* The shortest of the runs in nanoseconds; -1 if oneDNN fails. */
static int64_t product_run(dnnl_engine_t engine, dnnl_primitive_t product,
                           const dnnl_memory_desc_t layouts[3])
{
    static const int names[3] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    dnnl_exec_arg_t arguments[3];
    float *values[3];
    int64_t best_ns = INT64_MAX;
    bool is_fine = true;
    dnnl_stream_t stream;
    is_fine = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success;
    for (int32_t i = 0; i < 3; i++) {
        values[i] = floats_zeroed((int64_t)SIDE * SIDE);
        arguments[i].arg = names[i];
        is_fine &= dnnl_memory_create(&arguments[i].memory, &layouts[i], engine, values[i]) ==
                   dnnl_success;
    }
    for (int32_t run = 0; is_fine && run < RUNS; run++) {
        const int64_t begin_ns = machine_clock_ns();
        is_fine = dnnl_primitive_execute(product, stream, 3, arguments) == dnnl_success &&
                  dnnl_stream_wait(stream) == dnnl_success;
        best_ns = shortest(best_ns, machine_clock_ns() - begin_ns);
    }
    for (int32_t i = 0; i < 3; i++) {
        dnnl_memory_destroy(arguments[i].memory);
        free(values[i]);
    }
    dnnl_stream_destroy(stream);
    return is_fine ? best_ns : -1;
}

static void print_bf16(void)
{
    dnnl_engine_t engine;
    dnnl_memory_desc_t layouts[3];
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success)
        return;
    dnnl_primitive_t product = product_make(engine, layouts);
    const int64_t best_ns = product ? product_run(engine, product, layouts) : -1;
    if (best_ns > 0)
        printf("  %-44s %7.1f GFLOP/s\n", "bf16 product of matrices",
               2.0 * SIDE * SIDE * SIDE / (double)best_ns);
    else
        printf("  %-44s skipped: oneDNN has none on this processor\n", "bf16 product of matrices");
    dnnl_primitive_destroy(product);
    dnnl_engine_destroy(engine);
}

/* --- Memory --- */

/* Copies `floats` floats back and forth; counts bytes read and written. */
static void print_copy(const char *name, int64_t floats)
{
    float *from = floats_zeroed(floats), *to = floats_zeroed(floats);
    const size_t bytes = (size_t)floats * sizeof *from;
    int64_t best_ns = INT64_MAX;
    memset(from, 1, bytes);
    memset(to, 1, bytes);
    for (int32_t run = 0; run < RUNS; run++) {
        const int64_t begin_ns = machine_clock_ns();
        memcpy(run % 2 ? from : to, run % 2 ? to : from, bytes);
        best_ns = shortest(best_ns, machine_clock_ns() - begin_ns);
    }
    printf("  %-44s %7.1f GB/s\n", name, 2.0 * (double)bytes / (double)best_ns);
    free(from);
    free(to);
}

int main(void)
{
    SgemmRate rate;
    Status status;
    if (!sgemm_rate(1, &rate, &status)) {
        fprintf(stderr, "bench_peaks: %s\n", status.message);
        return 1;
    }
    printf("  %-44s %7.1f GFLOP/s\n", "fp32 product of matrices", rate.best / 1e9);
    print_bf16();
    print_copy("copy of 256 KiB", 64 << 10);
    print_copy("copy of 128 MiB", 32 << 20);
    return 0;
}

#else

int main(void)
{
    puts("  skipped: this build has no oneDNN (Debian package: libdnnl-dev)");
    return 0;
}

#endif
