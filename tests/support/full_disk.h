/* A disk that is full, as a limit on the size of this process's files feigns it. */
#ifndef TESTS_SUPPORT_FULL_DISK_H
#define TESTS_SUPPORT_FULL_DISK_H

#include <stdint.h>

/* Writes of files beyond `bytes` fail from now on, in the middle where they begin before it. Assert
 * nothing until the end: libcheck writes to a file, too. */
void disk_full_begin(int64_t bytes);
void disk_full_end(void);

#endif
