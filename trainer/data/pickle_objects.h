/* The callables and classes that a pickle of CIFAR-10 may name, and the checks that replace calling
 * them. The functions return NULL, or the problem as the end of a sentence that begins with the
 * opcode. */
#ifndef TRAINER_PICKLE_OBJECTS_H
#define TRAINER_PICKLE_OBJECTS_H

#include "trainer/data/pickle.h"

typedef enum {
    GLOBAL_RECONSTRUCT, /* an array without content, which BUILD fills in */
    GLOBAL_FROMBUFFER,  /* an array at once: numpy with protocol 5 */
    GLOBAL_NDARRAY,     /* the class, only as an argument of the first */
    GLOBAL_DTYPE,
    GLOBAL_ENCODE, /* how Python 3 stores bytes in protocol 2 */
    GLOBAL_COUNT
} PickleGlobal;

/* Returns GLOBAL_COUNT for any other name. */
PickleGlobal pickle_global_find(const char *module, size_t module_length, const char *name,
                                size_t name_length);

/* Replaces callable(*arguments): fills in `made`, whose `at` is already set. */
const char *pickle_object_call(const PickleValue *callable, const PickleValue *arguments,
                               PickleValue *made);
/* Replaces object.__setstate__(state). */
const char *pickle_object_build(PickleValue *object, const PickleValue *state);

#endif
