/* Private to sim/study/design: designs that draw coordinates. */
#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/base/philox.h"
#include "sim/study/design/make.h"
#include "sim/study/design/sobol.h"

/* The purpose of a random word of a design; it is part of the word's address. */
typedef enum {
    DRAW_STRATUM = 1, /* the order of strata of an axis */
    DRAW_JITTER,      /* the place within a stratum */
    DRAW_SHIFT,       /* the digital shift of a Sobol' sequence */
    DRAW_ORDER,       /* the order of the steps of a trajectory */
    DRAW_START,       /* where it begins on an axis, and in which direction it goes */
} DrawPurpose;

/* A 32-bit word at an address. The last word of the counter is outside of those that runs use
 * (sim/engine/rng.h), so a design and a run with the same seed share no word. */
static uint32_t draw(const Design *design, DrawPurpose purpose, int64_t point, int32_t axis)
{
    const uint32_t of_designs = UINT32_C(0xde510000);
    const PhiloxBlock counter = {
        .word = {(uint32_t)point, (uint32_t)axis, 0, of_designs | (uint32_t)purpose}};
    return philox(design->plan.seed, counter).word[0];
}

static double *unit_at(Design *design, int64_t point, int32_t axis)
{
    return &design->units[point * design->axis_count + axis];
}

/* --- Latin hypercube (M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21, 1979) --- */

/* The key by which the points of an axis are put into a random order. */
typedef struct {
    uint32_t word;
    int32_t point;
} OrderKey;

static int by_word(const void *left, const void *right)
{
    const OrderKey *a = left, *b = right;
    if (a->word != b->word)
        return a->word < b->word ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

void make_latin_hypercube(Design *design)
{
    const int32_t count = design->point_count;
    Arena *scratch = arena_create();
    OrderKey *keys = ARENA_ARRAY(scratch, OrderKey, count);
    for (int32_t axis = 0; axis < design->axis_count; axis++) {
        for (int32_t p = 0; p < count; p++)
            keys[p] = (OrderKey){.word = draw(design, DRAW_STRATUM, p, axis), .point = p};
        qsort(keys, (size_t)count, sizeof *keys, by_word);
        for (int32_t stratum = 0; stratum < count; stratum++) {
            int32_t p = keys[stratum].point;
            // 24 bits: the sum is exact, so rounding never reaches the next stratum.
            double within = ((draw(design, DRAW_JITTER, p, axis) >> 8) + 0.5) * 0x1p-24;
            *unit_at(design, p, axis) = (stratum + within) / count;
        }
    }
    arena_destroy(scratch);
}

/* --- Sobol' sequences --- */

/* Coordinate `dimension` of point `index`, with a random digital shift (exclusive or), which keeps
 * how evenly the points are spread, and makes designs of different seeds independent. */
static double sobol_unit(const Design *design, int32_t index, int32_t dimension)
{
    uint32_t shift = draw(design, DRAW_SHIFT, 0, dimension);
    return ((sobol_word((uint32_t)index, dimension) ^ shift) + 0.5) * 0x1p-32;
}

void make_sobol(Design *design)
{
    for (int32_t p = 0; p < design->point_count; p++)
        for (int32_t axis = 0; axis < design->axis_count; axis++)
            *unit_at(design, p, axis) = sobol_unit(design, p, axis);
}

/* Base point i of the matrices A and B has the dimensions of the axes and the dimensions after
 * them. Its points: A, B, and for each axis A with the axis' coordinate of B. */
void make_saltelli(Design *design)
{
    const int32_t axes = design->axis_count;
    int64_t point = 0;
    for (int32_t base = 0; base < design->plan.size; base++)
        for (int32_t kind = 0; kind < axes + 2; kind++, point++)
            for (int32_t axis = 0; axis < axes; axis++) {
                bool is_b = kind == 1 || kind - 2 == axis;
                *unit_at(design, point, axis) = sobol_unit(design, base, is_b ? axes + axis : axis);
            }
}

/* --- Morris --- */

enum { MORRIS_LEVELS = 4, MORRIS_STEP = MORRIS_LEVELS / 2 };

/* The axes in the order in which a trajectory changes them. */
static void order_axes(const Design *design, int32_t trajectory, OrderKey *keys)
{
    for (int32_t axis = 0; axis < design->axis_count; axis++)
        keys[axis] = (OrderKey){.word = draw(design, DRAW_ORDER, trajectory, axis), .point = axis};
    qsort(keys, (size_t)design->axis_count, sizeof *keys, by_word);
}

/* A trajectory begins on a grid of 4 levels (0, 1/3, 2/3, 1) and moves each axis once, by 2 levels
 * up or down, whichever stays inside. */
void make_morris(Design *design)
{
    const int32_t axes = design->axis_count;
    Arena *scratch = arena_create();
    OrderKey *keys = ARENA_ARRAY(scratch, OrderKey, axes);
    int64_t point = 0;
    for (int32_t t = 0; t < design->plan.size; t++) {
        order_axes(design, t, keys);
        for (int32_t moved = 0; moved <= axes; moved++, point++)
            for (int32_t i = 0; i < axes; i++) {
                int32_t axis = keys[i].point;
                int32_t level = (int32_t)(draw(design, DRAW_START, t, axis) % MORRIS_LEVELS);
                if (i < moved)
                    level += level < MORRIS_STEP ? MORRIS_STEP : -MORRIS_STEP;
                *unit_at(design, point, axis) = (double)level / (MORRIS_LEVELS - 1);
            }
    }
    arena_destroy(scratch);
}
