/* Networks and their weights as HDF5 files in the layout of Keras' model.save. The HDF5 library
 * is wrapped here and used nowhere else.
 *
 * Layout (keras/engine/saving.py): root attributes keras_version, backend, model_config and
 * training_config (JSON); group model_weights with layer_names and one group per layer, whose
 * weight_names lead to datasets such as conv2d_1/kernel:0; group optimizer_weights with the
 * optimizer's variables. Strings have a fixed length: variable-length ones come back from h5py 3
 * as str, which Keras 2.2 cannot decode (tensorflow issue 44467).
 *
 * The same content gives the same bytes: no times in the file, format bounds fixed. */
#ifndef SIM_FORMATS_KERAS_FILE_H
#define SIM_FORMATS_KERAS_FILE_H

#include "sim/base/byte_sink.h"
#include "sim/base/status.h"
#include "sim/formats/keras_network.h"

/* The version whose layout is written. From 2.3 on, the optimizer's variables begin with its
 * count of steps, so a training can continue exactly. Keras 2.2 warns about such a file and
 * restarts its optimizer; Keras 2.3 reads a file of 2.2 with a count of 0. */
typedef enum { KERAS_2_2_4, KERAS_2_3_1 } KerasVersion;

/* An additional attribute of the root, which Keras ignores: a text, or an integer if `text` is
 * NULL. */
typedef struct {
    const char *name;
    const char *text; /* not empty */
    int64_t integer;
} KerasAttribute;

/* --- Writing --- */

/* Everything is borrowed. Tensors follow each other in the order of keras_network_weights. */
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

/* Writes the file in one piece. STATUS_MACHINE when the HDF5 library fails, for example without
 * memory. */
MUST_CHECK bool keras_file_write(const KerasFile *file, ByteSink sink, Status *status);

/* --- Reading --- */

/* The parts to read; each part that is asked for must be in the file. */
typedef struct {
    const KerasNetwork *network;
    float *weights;     /* filled, in the order of keras_network_weights */
    float *slots;       /* filled; NULL: not wanted, `iterations` neither */
    int64_t iterations; /* 0 in a file without */
    /* By name: those whose `text` is not NULL get the file's text, in the arena, the others its
     * integer. */
    KerasAttribute *attributes;
    int32_t attribute_count;
    int32_t optional_count; /* so many of them, the last, keep their value if the file lacks them */
} KerasParts;

/* True when the `length` bytes begin as HDF5 files do and are as many as their header says.
 * STATUS_BAD_INPUT otherwise. `source` (borrowed) names the file in messages. */
MUST_CHECK bool keras_file_check_header(const char *source, const void *bytes, size_t length,
                                        Status *status);

/* Reads the `length` bytes of a file that any version of Keras wrote. STATUS_CONFLICT, naming file
 * and object, when the file belongs to another network: its layers, their names and settings, or
 * the tensors' shapes. STATUS_BAD_INPUT when it lacks a part, has values of another type, or a
 * weight that is not a finite number. The parts may then be partly filled.
 *
 * Values are taken only from the bytes given: links to other files, values kept elsewhere and
 * filters are refused. HDF5 libraries are known to crash on malicious files, so untrusted files
 * are better read in a separate process. */
MUST_CHECK bool keras_file_read(Arena *arena, const char *source, const void *bytes, size_t length,
                                KerasParts *parts, Status *status);

#endif
