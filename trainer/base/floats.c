#define _GNU_SOURCE // MADV_HUGEPAGE is Linux's
#include "trainer/base/floats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/memory.h"

/* Large arrays request large pages. With small pages, address translation takes a noticeable part
 * of a pass over an array, especially on virtual machines. madvise has no effect on systems without
 * large pages. */
float *floats_zeroed(int64_t count)
{
    enum { LINE = 64, LARGE_PAGE = 2 << 20 };
    const size_t wanted = (size_t)count * sizeof(float);
    const size_t alignment = wanted >= LARGE_PAGE ? LARGE_PAGE : LINE;
    const size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    float *floats = aligned_alloc(alignment, bytes);
    if (!floats)
        memory_exhausted();
    if (alignment == LARGE_PAGE)
        (void)madvise(floats, bytes, MADV_HUGEPAGE);
    memset(floats, 0, bytes);
    return floats;
}
