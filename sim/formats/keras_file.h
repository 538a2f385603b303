/* Networks and their weights as HDF5 files in the layout of Keras' model.save. The HDF5 library is
 * wrapped here and seen nowhere else.
 *
 * Layout (keras/engine/saving.py): root attributes keras_version, backend, model_config and
 * training_config (JSON); group model_weights with layer_names and one group per layer, whose
 * weight_names lead to datasets such as conv2d_1/kernel:0; group optimizer_weights with the
 * optimizer's variables. Strings have a fixed length: variable-length ones come back from h5py 3 as
 * str, which Keras 2.2 cannot decode (tensorflow issue 44467).
 *
 * The same content gives the same bytes: no times in the file, format bounds fixed. */
#ifndef SIM_FORMATS_KERAS_FILE_H
#define SIM_FORMATS_KERAS_FILE_H

#include "sim/base/byte_sink.h"
#include "sim/base/status.h"
#include "sim/formats/keras_network.h"

/* Whose layout. From 2.3 on, the optimizer's variables begin with its count of steps, so that a
 * training goes on where it was; Keras 2.2 warns about such a file and starts its optimizer afresh,
 * Keras 2.3 takes one of 2.2 with a count of 0. */
typedef enum { KERAS_2_2_4, KERAS_2_3_1 } KerasVersion;

/* A further attribute of the root, which Keras does not look at: a text, or an integer where `text`
 * is NULL. */
typedef struct {
    const char *name;
    const char *text; /* not empty */
    int64_t integer;
} KerasAttribute;

/* --- Writing --- */

/* Everything is borrowed. Tensors stand one behind the other in the order of keras_network_weights.
 */
typedef struct {
    const KerasNetwork *network;
    KerasVersion version;
    const char *optimizer_settings; /* of keras_training_config */
    int64_t iterations;             /* steps of the optimizer; not in files of 2.2.4 */
    const float *weights;
    const float *slots; /* the optimizer's first variable of every tensor, then its next; NULL: all
                           zero */
    const KerasAttribute *attributes;
    int32_t attribute_count;
} KerasFile;

/* Writes the file in one piece. False with STATUS_MACHINE when the HDF5 library fails, which it
 * does without memory. */
MUST_CHECK bool keras_file_write(const KerasFile *file, ByteSink sink, Status *status);

/* --- Reading --- */

/* What to read; every part that is asked for must be there. */
typedef struct {
    const KerasNetwork *network;
    float *weights;     /* filled, in the order of keras_network_weights */
    float *slots;       /* filled; NULL: not wanted, `iterations` neither */
    int64_t iterations; /* 0 in a file without */
    /* By name: those whose `text` is not NULL get the file's text, in the arena, the others its
     * integer. */
    KerasAttribute *attributes;
    int32_t attribute_count;
} KerasParts;

/* True when the `length` bytes begin as HDF5 files do and are as many as their header says.
 * STATUS_BAD_INPUT otherwise. `source` (borrowed) names the file in messages. */
MUST_CHECK bool keras_file_check_header(const char *source, const void *bytes, size_t length,
                                        Status *status);

/* Reads the `length` bytes of a file, whichever Keras wrote it. STATUS_BAD_INPUT, naming file and
 * object, when it is not of this network (its layers, their names and settings, the tensors' shapes
 * and types), lacks something, or has a weight that is no finite number; the parts may then be half
 * filled.
 *
 * Values are taken only from the bytes given: links to other files, values kept elsewhere and
 * filters are refused. But HDF5 libraries are known to crash on files made for it, so what may come
 * from anyone is better read in a process of its own. */
MUST_CHECK bool keras_file_read(Arena *arena, const char *source, const void *bytes, size_t length,
                                KerasParts *parts, Status *status);

#endif
