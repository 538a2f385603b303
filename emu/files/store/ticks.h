/* Times of files in units of 100 ns since 1601, as in NTFS and Azure Files. */
#ifndef EMU_TICKS_H
#define EMU_TICKS_H

#include <stdint.h>

int64_t ticks_of(int64_t unix_ms);
int64_t ticks_unix_ms(int64_t ticks); /* rounded towards 1970 */

enum { TICKS_TEXT = 32 };
void ticks_print(int64_t ticks, char out[TICKS_TEXT]); /* "2018-06-15T21:57:57.0000000Z" */

#endif
