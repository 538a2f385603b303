/* The work of the kernels: bytes and operations, from the shapes of a launch. Each launch names its
 * work by CUDA_WORK (trainer/cuda/toolkit/toolkit.h). The emulation of a GPU records it with the
 * kernels of a graph, tools/kernel_table.sh prints it and estimates times from it, and tests
 * compare it with operations that are counted while kernels run. Otherwise it costs nothing.
 *
 *     kernel          reads                           writes             operations
 *     input           bytes and labels of images      input, labels      6 a value
 *     multiply        both factors, bias, mask        values, or parts   2 a tap of an output
 *       with a sieve  and backward its places         its result, forward with places
 *     add_parts       parts                           gradients          1 a part
 *     sieve_forward   values                          pools, places      side^2 a pool
 *     sieve_backward  gradients of pools, places      gradient           1 a pool
 *     loss            logits, labels                  both results       5 a class
 *     head            in, kernel, labels, places      all results        2 a tap, both ways
 *     update          gradient, accumulator, weight,  the last two,      10 a parameter
 *                     parts of gradients              weight in bf16     and 1 a part
 *
 * Bytes are counted once for each array, as if caches were perfect. */
#ifndef TRAINER_CUDA_WORK_H
#define TRAINER_CUDA_WORK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CudaWork {
    int64_t read_bytes, written_bytes;
    int64_t operations;       /* of floats; a multiply-add counts 2 */
    int64_t tile_operations;  /* with those on the padding of whole tiles, which also take time */
    int64_t block_operations; /* of these, in the block with the most work */
    bool is_product;          /* may use tensor cores */
} CudaWork;

/* The work of a kernel without tiles, in `blocks` equal blocks. */
static inline CudaWork cuda_work(int64_t read_bytes, int64_t written_bytes, int64_t operations,
                                 int64_t blocks)
{
    const CudaWork work = {
        read_bytes, written_bytes, operations, operations, (operations + blocks - 1) / blocks,
        false};
    return work;
}

static inline CudaWork cuda_work_input(int64_t images, int64_t value_bytes, int64_t blocks)
{
    const int64_t values = images * 32 * 32 * 3;
    return cuda_work(values + images, values * value_bytes + images, 6 * values, blocks);
}

/* `pools`: values of the output; `values`: of the input, of which pools may cover less. */
static inline CudaWork cuda_work_sieve(int64_t values, int64_t pools, int64_t side,
                                       int64_t value_bytes, bool is_backward, int64_t blocks)
{
    const int64_t small = pools * (value_bytes + 1), covered = side * side * pools; // 1: its place
    return is_backward ? cuda_work(small, values * value_bytes, pools, blocks)
                       : cuda_work(covered * value_bytes, small, covered, blocks);
}

static inline CudaWork cuda_work_loss(int64_t images, int64_t classes, int64_t value_bytes,
                                      int64_t blocks)
{
    const int64_t values = images * classes;
    return cuda_work(4 * values + images, values * (4 + value_bytes), 5 * values, blocks);
}

/* `part_bytes`: of gradients in parts, which are added and stored. */
static inline CudaWork cuda_work_update(int64_t parameters, int64_t part_bytes, bool has_bf16,
                                        int64_t blocks)
{
    return cuda_work(12 * parameters + part_bytes, (has_bf16 ? 10 : 8) * parameters,
                     10 * parameters + part_bytes / 4, blocks);
}

#endif
