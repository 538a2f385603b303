/* The names of the tensors in a Keras file. For keras_file_read.c and keras_file_write.c. */
#ifndef SIM_FORMATS_KERAS_NAMES_H
#define SIM_FORMATS_KERAS_NAMES_H

#include "sim/formats/keras_file.h"

/* In the group of its layer: "conv2d_1/kernel:0". */
static inline const char *keras_weight_name(Arena *arena, const KerasWeight *weight)
{
    return arena_printf(arena, "%s/%s:0", weight->layer, weight->role);
}

/* In the group of the optimizer, its count of steps. */
static inline const char *keras_iterations_name(Arena *arena, const KerasOptimizer *optimizer)
{
    return arena_printf(arena, "%s/iterations:0", optimizer->class_name);
}

/* In the group of the optimizer, its variable `index` from 0. Loaders go by the order in
 * weight_names; names are as TensorFlow gives them in Keras' own code. */
static inline const char *keras_slot_name(Arena *arena, const KerasOptimizer *optimizer,
                                          KerasVersion version, int32_t index)
{
    const char *class_name = optimizer->class_name;
    if (version == KERAS_2_3_1)
        return arena_printf(arena, "training/%s/accumulator_%d:0", class_name, (int)index);
    if (index == 0)
        return arena_printf(arena, "training/%s/Variable:0", class_name);
    return arena_printf(arena, "training/%s/Variable_%d:0", class_name, (int)index);
}

#endif
