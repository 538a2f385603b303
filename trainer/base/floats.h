/* Arrays of floats for vector instructions. */
#ifndef TRAINER_FLOATS_H
#define TRAINER_FLOATS_H

#include <stdint.h>

/* `count` zeroed floats, aligned to 64 bytes; free with free(). */
float *floats_zeroed(int64_t count);

#endif
