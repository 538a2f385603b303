/* The saved model of an emulated training: an HDF5 file in the layout of Keras' model.save, with
 * the right layers, names and shapes. Its weights are random (Glorot-uniform kernels, zero biases,
 * as before the first step), because nothing was trained. The attribute `trainyard_emulated` of its
 * root says so.
 *
 * The layout is that of Keras 2.2.4 (sim/formats/keras_file.h). The optimizer's variables are
 * all zero. The same network, seed and address give the same bytes. */
#ifndef SIM_OUTPUT_KERAS_MODEL_H
#define SIM_OUTPUT_KERAS_MODEL_H

#include "sim/base/byte_sink.h"
#include "sim/base/status.h"

typedef struct {
    const char *network; /* "keras_cifar10_cnn" */
    int32_t ranks;       /* factor of the learning rate, as in Horovod's examples */
    uint64_t seed;
    uint64_t address; /* of the random words of the weights */
} KerasModel;

/* True for networks whose layers are known here. */
bool keras_model_is_known(const char *network);
/* Writes the file of a known network. False with STATUS_MACHINE when the HDF5 library fails, for
 * example without memory. */
MUST_CHECK bool keras_model_write(const KerasModel *model, ByteSink sink, Status *status);

#endif
