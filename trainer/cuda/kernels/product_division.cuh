/* The division of a product among blocks and parts (the comment of product_pass.cuh explains it),
 * and the work of its kernels. */
#ifndef TRAINER_CUDA_PRODUCT_DIVISION_CUH
#define TRAINER_CUDA_PRODUCT_DIVISION_CUH

#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/product_tile.cuh"
#include "trainer/cuda/kernels/work.h"

namespace
{

enum {
    TILES_WANTED = 264, // two for each of 132 multiprocessors
    TILES_ENOUGH = 132, // with so many tiles, sums are not divided
    CHUNK = 32,         // parts are whole chunks of the sum: one or two steps of a tile
    LARGE_PART = 16,    // chunks of a block's work if tiles are large
    SMALL_PART = 2,     // the least chunks of a part
    PARTS_MAX = 256,    // adding more parts takes longer than they save
};

struct Division {
    int32_t columns; // of a tile
    int32_t row_tiles, column_tiles;
    int32_t part_chunks, parts;
    int64_t part_size; // floats of scratch for each part
};

inline int64_t divided_up(int64_t number, int64_t by)
{
    return (number + by - 1) / by;
}

inline int64_t at_least_1(int64_t number)
{
    return number < 1 ? 1 : number;
}

inline Division divide(Pass pass, int64_t rows, int64_t columns, int64_t sum)
{
    const int64_t chunks = divided_up(sum, CHUNK), row_tiles = divided_up(rows, TILE_ROWS);
    const int64_t large_tiles = row_tiles * divided_up(columns, 64);
    const bool is_large =
        columns > 32 && large_tiles * at_least_1(chunks / LARGE_PART) >= TILES_WANTED;
    Division division;
    division.columns = is_large ? 64 : 32;
    const int64_t column_tiles = divided_up(columns, division.columns);
    const int64_t tiles = row_tiles * column_tiles;
    int64_t parts = tiles >= TILES_ENOUGH ? 1 : divided_up(TILES_WANTED, tiles);
    if (parts > at_least_1(chunks / SMALL_PART))
        parts = at_least_1(chunks / SMALL_PART);
    if (parts > PARTS_MAX)
        parts = PARTS_MAX;
    const int64_t part_chunks = divided_up(chunks, parts);
    division.row_tiles = static_cast<int32_t>(row_tiles);
    division.column_tiles = static_cast<int32_t>(column_tiles);
    division.part_chunks = static_cast<int32_t>(part_chunks);
    division.parts = static_cast<int32_t>(divided_up(chunks, part_chunks)); // without empty parts
    division.part_size = (rows + (pass == PASS_WEIGHTS ? 1 : 0)) * columns;
    return division;
}

/* Products that are read value by value have no large tiles: they are few, and kernels take long to
 * compile. Parts are the same. */
inline void narrow_tiles(int32_t columns, Division *division)
{
    division->columns = 32;
    division->column_tiles = static_cast<int32_t>(divided_up(columns, 32));
}

/* --- The sizes of a pass --- */

struct Sizes {
    int32_t rows, columns, sum;
};

inline Sizes sizes_of(Pass pass, const CudaProduct *product)
{
    const int32_t taps = product->side * product->side;
    const int32_t in_pixels = product->count * product->in_height * product->in_width;
    const int32_t out_pixels = product->count * product->out_height * product->out_width;
    if (pass == PASS_FORWARD)
        return Sizes{out_pixels, product->out_channels, taps * product->in_channels};
    if (pass == PASS_DATA)
        return Sizes{in_pixels, product->in_channels, taps * product->out_channels};
    return Sizes{taps * product->in_channels, product->out_channels, out_pixels};
}

inline Division divided(Pass pass, const CudaProduct *product)
{
    const Sizes sizes = sizes_of(pass, product);
    return divide(pass, sizes.rows, sizes.columns, sizes.sum);
}

/* The side of the pools that a pass computes in the same kernel; 1: none. */
inline int32_t pool_of(Pass pass, const CudaSieve &sieve)
{
    return pass == PASS_FORWARD && sieve.side > 1 ? sieve.side : 1;
}

/* Without the pixels of the output that no pool covers. */
inline CudaProduct covered_by(int32_t pool, CudaProduct product)
{
    product.out_height -= product.out_height % pool;
    product.out_width -= product.out_width % pool;
    return product;
}

/* Floats for the parts of a pass. */
inline int64_t scratch_of(Pass pass, const CudaProduct *product)
{
    if (product->out_height == 0 || product->out_width == 0) // no pixel is covered
        return 0;
    const Division division = divided(pass, product);
    return division.parts > 1 ? division.parts * division.part_size : 0;
}

/* --- Work --- */

/* The parts of a pass that determine its work. */
struct WorkShape {
    Pass pass;
    Sizes sizes;
    int64_t factors; // values of both factors
    int64_t operations;
    int32_t value_bytes; // of the factors and of relu_out
    int32_t out_bytes;
    int32_t step; // values that a tile takes of the sum
    bool has_mask;
    int64_t sieve_read, sieve_size; // of a sieve: bytes read, bytes written instead of the result
};

/* Sets the bytes of a sieve. */
inline void add_sieve(const CudaFused &fused, const Sizes &sizes, WorkShape *shape)
{
    const CudaSieve &sieve = fused.sieve;
    const int64_t values = static_cast<int64_t>(sizes.rows) * sizes.columns;
    shape->sieve_read = shape->sieve_size = 0;
    if (sieve.side == 0)
        return;
    if (shape->pass == PASS_FORWARD) {
        shape->sieve_size = values / (sieve.side * sieve.side) *
                            (shape->out_bytes + (fused.is_training ? 1 : 0)); // 1: its place
    } else {
        shape->sieve_read = values;
        shape->sieve_size = static_cast<int64_t>(sieve.count) * sieve.in_height * sieve.in_width *
                            sieve.channels * shape->out_bytes;
    }
}

inline WorkShape work_shape(Pass pass, CudaPrecision precision, const CudaProduct &product,
                            const Sizes &sizes, bool is_out_bf16, bool has_mask,
                            const CudaFused &fused)
{
    const int64_t ins = static_cast<int64_t>(product.in_height) * product.in_width *
                        product.in_channels * product.count;
    const int64_t outs = static_cast<int64_t>(product.out_height) * product.out_width *
                         product.out_channels * product.count;
    const int64_t kernel = static_cast<int64_t>(product.side) * product.side * product.in_channels *
                           product.out_channels;
    const bool is_bf16 = precision == CUDA_BF16;
    WorkShape shape;
    shape.pass = pass;
    shape.sizes = sizes;
    shape.factors = pass == PASS_FORWARD ? ins + kernel
                    : pass == PASS_DATA  ? outs + kernel
                                         : ins + outs;
    shape.operations = 2 * kernel * product.count * product.out_height * product.out_width;
    shape.value_bytes = is_bf16 ? 2 : 4;
    shape.out_bytes = is_out_bf16 ? 2 : 4;
    shape.step = TILE_WORDS * (is_bf16 ? 2 : 1);
    shape.has_mask = has_mask;
    add_sieve(fused, sizes, &shape);
    return shape;
}

/* The bytes that finishing the sums reads and writes: bias or mask, and results. */
inline void add_finishing(const WorkShape &shape, CudaWork *work)
{
    const int64_t values = static_cast<int64_t>(shape.sizes.rows) * shape.sizes.columns;
    if (shape.pass == PASS_FORWARD)
        work->read_bytes += 4 * static_cast<int64_t>(shape.sizes.columns);
    if (shape.has_mask)
        work->read_bytes += values * shape.value_bytes;
    work->read_bytes += shape.sieve_read;
    work->written_bytes += shape.sieve_size > 0 ? shape.sieve_size : values * shape.out_bytes;
    if (shape.pass == PASS_WEIGHTS)
        work->written_bytes += 4 * static_cast<int64_t>(shape.sizes.columns);
}

inline CudaWork work_of_multiply(const Division &division, const WorkShape &shape)
{
    const int64_t part = static_cast<int64_t>(division.part_chunks) * CHUNK;
    const int64_t last = shape.sizes.sum - part * (division.parts - 1);
    const int64_t steps = // of all parts
        (divided_up(part, shape.step) * (division.parts - 1) + divided_up(last, shape.step)) *
        shape.step;
    const int64_t columns = division.columns, tiles_across = division.column_tiles;
    const int64_t bias_sums = shape.pass == PASS_WEIGHTS ? 1 : 0; // a row more in the first tiles
    CudaWork work = CudaWork();
    work.is_product = true;
    work.read_bytes = shape.factors * shape.value_bytes;
    work.operations = shape.operations;
    work.tile_operations =
        2 * steps * columns * tiles_across * (division.row_tiles * TILE_ROWS + bias_sums);
    work.block_operations = 2 * divided_up(division.parts > 1 ? part : last, shape.step) *
                            shape.step * columns * (TILE_ROWS + bias_sums);
    const int64_t parts = division.parts > 1 ? 4 * division.parts * division.part_size : 0;
    work.written_bytes = parts; // the kernel that has written parts finds them in a cache
    if (parts == 0 || shape.pass != PASS_WEIGHTS)
        add_finishing(shape, &work);
    return work;
}

} // namespace

#endif
