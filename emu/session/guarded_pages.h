/* Pages of the address space that are kept without memory, so that whatever follows an address in
 * them ends the process. */
#ifndef EMU_SESSION_GUARDED_PAGES_H
#define EMU_SESSION_GUARDED_PAGES_H

#include "sim/base/heap.h"
#include "sim/base/status.h"

enum { GUARDED_PAGES_MAX = 256 };

typedef struct {
    uint64_t count;
    uint64_t pages[GUARDED_PAGES_MAX]; /* their addresses, each once */
} GuardedPages;

/* Adds the page that has the address; false: there are too many. Guards nothing yet. */
MUST_CHECK bool guarded_pages_add(GuardedPages *guarded, uintptr_t address);
/* Makes them inaccessible. STATUS_CONFLICT if the process has other memory in one of them, which
 * `memory` (process_memory) lists; then it guards none. */
MUST_CHECK bool guarded_pages_begin(const GuardedPages *guarded, const HeapRoot *memory,
                                    int32_t memory_count, Status *status);
/* Ends that, and leaves it empty. */
void guarded_pages_end(GuardedPages *guarded);

#endif
