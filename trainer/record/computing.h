/* The backend, precision and device of a training, as in the row "Backend" that the trainer prints.
 * A real run reads it again (real/launch/hand_off.h). */
#ifndef TRAINER_COMPUTING_H
#define TRAINER_COMPUTING_H

#include "sim/base/arena.h"

typedef struct {
    const char *backend, *precision;
    const char *device; /* the name of rank 0's GPU; NULL: the processor */
} Computing;

/* "cuda, bf16 on NVIDIA H200", or "onednn, fp32" on a processor, in `arena`. */
const char *computing_text(Arena *arena, Computing computing);
/* Reads such a text, up to its end or the end of its line. All members are NULL if it is something
 * else. */
Computing computing_parse(Arena *arena, const char *text);

#endif
