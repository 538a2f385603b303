#include "sim/output/summary/percentile.h"

#include <stdlib.h>

#include "sim/base/invariant.h"

static int by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

enum { FEW = 16, ROUNDS_MAX = 64 };

static void sort_few(int64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const int64_t value = values[i];
        uint32_t place = i;
        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

static int64_t median_of_three(int64_t a, int64_t b, int64_t c)
{
    const int64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* A part of the values that contains the place: values[begin] to values[end - 1]. */
typedef struct {
    uint32_t begin, end;
} Part;

static void swap(int64_t *a, int64_t *b)
{
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts values below the pivot first and values above it last. The result is the range of the values
 * that are equal to it. */
static Part divide(int64_t *values, Part part, int64_t pivot)
{
    uint32_t low = part.begin, high = part.end;
    for (uint32_t i = part.begin; i < high;) {
        if (values[i] < pivot)
            swap(&values[i++], &values[low++]);
        else if (values[i] > pivot)
            swap(&values[i], &values[--high]);
        else
            i++;
    }
    return (Part){low, high};
}

static int64_t pivot_of(const int64_t *values, Part part)
{
    return median_of_three(values[part.begin], values[part.begin + (part.end - part.begin) / 2],
                           values[part.end - 1]);
}

static void sort_part(int64_t *values, Part part, int32_t rounds)
{
    const uint32_t count = part.end - part.begin;
    if (count <= FEW) {
        sort_few(values + part.begin, count);
    } else if (rounds == 0) { // some orders of the values defeat every choice of the pivot
        qsort(values + part.begin, count, sizeof *values, by_value);
    } else {
        const Part equal = divide(values, part, pivot_of(values, part));
        sort_part(values, (Part){part.begin, equal.begin}, rounds - 1);
        sort_part(values, (Part){equal.end, part.end}, rounds - 1);
    }
}

void sort_values(int64_t *values, uint32_t count)
{
    sort_part(values, (Part){0, count}, ROUNDS_MAX);
}

int64_t select_nth(int64_t *values, uint32_t count, uint32_t place)
{
    invariant(place < count);
    Part part = {0, count};
    int32_t round = 0;
    for (; part.end - part.begin > FEW && round < ROUNDS_MAX; round++) {
        const int64_t pivot = pivot_of(values, part);
        const Part equal = divide(values, part, pivot);
        if (place < equal.begin)
            part.end = equal.begin;
        else if (place >= equal.end)
            part.begin = equal.end;
        else
            return pivot;
    }
    sort_part(values, part, ROUNDS_MAX - round);
    return values[place];
}

uint32_t percentile_place(uint32_t count, int64_t percent)
{
    const uint64_t whole = 100 * (uint64_t)PERCENT_PARTS;
    invariant(count >= 1);
    invariant(percent > 0 && (uint64_t)percent <= whole);
    return (uint32_t)(((uint64_t)count * (uint64_t)percent + whole - 1) / whole - 1);
}

int64_t percentile_of(int64_t *values, uint32_t count, int32_t percent)
{
    return select_nth(values, count, percentile_place(count, percent * PERCENT_PARTS));
}
