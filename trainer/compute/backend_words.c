#include "trainer/compute/backend_words.h"

#include <stddef.h>

const char *const precision_names[] = {"fp32", "bf16", "tf32", NULL};
_Static_assert(sizeof precision_names / sizeof precision_names[0] == PRECISION_COUNT + 1,
               "one name per precision");

const char *const engine_words[] = {"fastest", "own", "cublas", "cudnn", NULL};
_Static_assert(sizeof engine_words / sizeof engine_words[0] == ENGINE_COUNT + 1,
               "one name per engine");

const char *const backend_words[] = {"auto", "cpu", "cuda", "onednn", "ref", NULL};
