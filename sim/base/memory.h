/* The C library's heap for sim/base itself; all other code uses an Arena or a Text. Neither
 * function fails: without memory the program prints a message on stderr and ends with exit code
 * 3. */
#ifndef SIM_BASE_MEMORY_H
#define SIM_BASE_MEMORY_H

#include <stddef.h>

void *memory_zeroed(size_t bytes);                /* free() it */
void *memory_resized(void *memory, size_t bytes); /* as realloc; `bytes` above 0 */
_Noreturn void memory_exhausted(void);

#endif
