#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"

/* The parts of a product that a library does not compute. Memory limits their speed, so values are
 * read in 16 bytes if their number allows. */

enum {
    REST_THREADS = 256,
    SQUARE = 32,     // side of the square that a block transposes
    SQUARE_ROWS = 8, // rows of threads in that block
    PART_ROWS = 256, // least rows of a block that sums columns
    PARTS_MAX = 128, // blocks for the same columns
    SUMMED = 32,     // columns of such a block
    SUM_GROUPS = 8,  // threads of such a block per column
};

/* --- Transposing --- */

template <typename Type>
static __global__ void __launch_bounds__(SQUARE *SQUARE_ROWS)
    transpose_kernel(int32_t rows, int32_t columns, const Type *__restrict__ in,
                     Type *__restrict__ out)
{
    __shared__ Type
        square[SQUARE][SQUARE + 1]; // padded, so that a column is spread over memory banks
    const int32_t first_row = (int32_t)blockIdx.y * SQUARE;
    const int32_t first_column = (int32_t)blockIdx.x * SQUARE;
    const int32_t across = (int32_t)threadIdx.x;
    for (int32_t i = (int32_t)threadIdx.y; i < SQUARE; i += SQUARE_ROWS)
        if (first_row + i < rows && first_column + across < columns)
            square[i][across] = in[(int64_t)(first_row + i) * columns + first_column + across];
    __syncthreads();
    for (int32_t i = (int32_t)threadIdx.y; i < SQUARE; i += SQUARE_ROWS)
        if (first_column + i < columns && first_row + across < rows)
            out[(int64_t)(first_column + i) * rows + first_row + across] = square[across][i];
}

template <typename Type>
static void transpose(cudaStream_t stream, int32_t rows, int32_t columns, const void *in, void *out)
{
    const dim3 grid(blocks_for(columns, SQUARE), blocks_for(rows, SQUARE));
    CUDA_LAUNCH((transpose_kernel<Type>), grid, dim3(SQUARE, SQUARE_ROWS), stream, rows, columns,
                (const Type *)in, (Type *)out);
}

void cuda_transpose(cudaStream_t stream, bool is_bf16, int32_t rows, int32_t columns,
                    const void *in, void *out)
{
    if (is_bf16)
        transpose<uint16_t>(stream, rows, columns, in, out);
    else
        transpose<float>(stream, rows, columns, in, out);
}

/* --- Bias and ReLU --- */

/* COUNT values of one row for each thread. */
template <typename Type, int COUNT>
static __global__ void __launch_bounds__(REST_THREADS)
    bias_kernel(int64_t count, int32_t columns, const float *__restrict__ bias, bool has_relu,
                Type *__restrict__ values)
{
    const int64_t first = ((int64_t)blockIdx.x * REST_THREADS + threadIdx.x) * COUNT;
    if (first >= count)
        return;
    const int32_t column = (int32_t)(first % columns);
    Pack<Type, COUNT> pack = pack_load<COUNT>(values + first);
    UNROLLED
    for (int32_t i = 0; i < COUNT; i++) {
        const float sum = __fadd_rn(to_float(pack.value[i]), bias[column + i]);
        pack.value[i] = from_float<Type>(has_relu && sum < 0.0f ? 0.0f : sum); // keeps NaN
    }
    pack_store<COUNT>(values + first, pack);
}

template <typename Type, int COUNT>
static void add_bias(cudaStream_t stream, int64_t count, int32_t columns, const float *bias,
                     bool has_relu, void *values)
{
    const dim3 grid(blocks_for(count, REST_THREADS * COUNT));
    CUDA_LAUNCH((bias_kernel<Type, COUNT>), grid, dim3(REST_THREADS), stream, count, columns, bias,
                has_relu, (Type *)values);
}

void cuda_add_bias(cudaStream_t stream, bool is_bf16, int64_t rows, int32_t columns,
                   const float *bias, bool has_relu, void *values)
{
    const int64_t count = rows * columns;
    if (is_bf16 && columns % VectorOf<uint16_t>::COUNT == 0)
        add_bias<uint16_t, VectorOf<uint16_t>::COUNT>(stream, count, columns, bias, has_relu,
                                                      values);
    else if (is_bf16)
        add_bias<uint16_t, 1>(stream, count, columns, bias, has_relu, values);
    else if (columns % VectorOf<float>::COUNT == 0)
        add_bias<float, VectorOf<float>::COUNT>(stream, count, columns, bias, has_relu, values);
    else
        add_bias<float, 1>(stream, count, columns, bias, has_relu, values);
}

/* --- Back through a ReLU --- */

template <typename Type, int COUNT>
static __global__ void __launch_bounds__(REST_THREADS)
    mask_kernel(int64_t count, const Type *__restrict__ relu_out, Type *__restrict__ gradient)
{
    const int64_t first = ((int64_t)blockIdx.x * REST_THREADS + threadIdx.x) * COUNT;
    if (first >= count)
        return;
    const Pack<Type, COUNT> passed = pack_load<COUNT>(relu_out + first);
    Pack<Type, COUNT> pack = pack_load<COUNT>(gradient + first);
    UNROLLED
    for (int32_t i = 0; i < COUNT; i++)
        pack.value[i] = to_float(passed.value[i]) != 0.0f ? pack.value[i] : (Type)0;
    pack_store<COUNT>(gradient + first, pack);
}

template <typename Type, int COUNT>
static void mask(cudaStream_t stream, int64_t count, const void *relu_out, void *gradient)
{
    const dim3 grid(blocks_for(count, REST_THREADS * COUNT));
    CUDA_LAUNCH((mask_kernel<Type, COUNT>), grid, dim3(REST_THREADS), stream, count,
                (const Type *)relu_out, (Type *)gradient);
}

void cuda_mask_by_relu(cudaStream_t stream, bool is_bf16, int64_t count, const void *relu_out,
                       void *gradient)
{
    if (is_bf16 && count % VectorOf<uint16_t>::COUNT == 0)
        mask<uint16_t, VectorOf<uint16_t>::COUNT>(stream, count, relu_out, gradient);
    else if (is_bf16)
        mask<uint16_t, 1>(stream, count, relu_out, gradient);
    else if (count % VectorOf<float>::COUNT == 0)
        mask<float, VectorOf<float>::COUNT>(stream, count, relu_out, gradient);
    else
        mask<float, 1>(stream, count, relu_out, gradient);
}

/* --- Gradient of the bias --- */

/* The number of rows that a block sums; it depends only on the shape. */
static int64_t rows_of_part(int64_t rows)
{
    const int64_t least = PART_ROWS, wanted = (rows + PARTS_MAX - 1) / PARTS_MAX;
    return wanted < least ? least : wanted;
}

/* Sums SUMMED columns over one part: each group of threads adds every eighth row, then the groups'
 * sums are added in order. */
template <typename Type>
static __global__ void __launch_bounds__(SUMMED *SUM_GROUPS)
    sum_rows_kernel(int64_t rows, int32_t columns, int64_t part_rows,
                    const Type *__restrict__ values, float *__restrict__ sums)
{
    __shared__ float shared[SUM_GROUPS][SUMMED];
    const int32_t across = (int32_t)threadIdx.x, group = (int32_t)threadIdx.y;
    const int32_t column = (int32_t)blockIdx.x * SUMMED + across;
    const int64_t first = (int64_t)blockIdx.y * part_rows;
    const int64_t end = first + part_rows < rows ? first + part_rows : rows;
    float sum = 0.0f;
    if (column < columns)
        for (int64_t row = first + group; row < end; row += SUM_GROUPS)
            sum = __fadd_rn(sum, to_float(values[row * columns + column]));
    shared[group][across] = sum;
    __syncthreads();
    if (group > 0 || column >= columns)
        return;
    for (int32_t i = 1; i < SUM_GROUPS; i++)
        sum = __fadd_rn(sum, shared[i][across]);
    sums[(int64_t)blockIdx.y * columns + column] = sum;
}

template <typename Type>
static void sum_rows(cudaStream_t stream, int64_t rows, int32_t columns, const void *values,
                     float *sums)
{
    const int64_t part_rows = rows_of_part(rows);
    const dim3 grid(blocks_for(columns, SUMMED), blocks_for(rows, (unsigned)part_rows));
    CUDA_LAUNCH((sum_rows_kernel<Type>), grid, dim3(SUMMED, SUM_GROUPS), stream, rows, columns,
                part_rows, (const Type *)values, sums);
}

int64_t cuda_bias_gradient_scratch(int64_t rows, int32_t columns)
{
    const int64_t parts = blocks_for(rows, (unsigned)rows_of_part(rows));
    return parts > 1 ? parts * columns : 0;
}

void cuda_bias_gradient(cudaStream_t stream, bool is_bf16, int64_t rows, int32_t columns,
                        const void *out_gradient, float *bias_gradient, float *scratch)
{
    const int64_t parts = blocks_for(rows, (unsigned)rows_of_part(rows));
    float *const sums = parts > 1 ? scratch : bias_gradient;
    if (is_bf16)
        sum_rows<uint16_t>(stream, rows, columns, out_gradient, sums);
    else
        sum_rows<float>(stream, rows, columns, out_gradient, sums);
    if (parts > 1) // at most PARTS_MAX rows, which fit in one part
        sum_rows<float>(stream, parts, columns, scratch, bias_gradient);
}
