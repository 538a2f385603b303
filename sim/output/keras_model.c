#include "sim/output/keras_model.h"

#include <math.h>
#include <string.h>

#include <hdf5.h>

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/core/rng.h"
#include "sim/formats/keras_network.h"

static const char keras_version[] = "2.2.4"; // whose layout this is
static const char backend[] = "tensorflow";
static const char notice[] =
    "emulated by trainyard: nothing was trained; the weights are random (Glorot-uniform)";

/* The writer's state: after a failure everything else is skipped, so that calls need no checks of
 * their own and what was opened is closed all the same. */
typedef struct {
    bool has_failed;
    Arena *arena;
} Writer;

static hid_t opened(Writer *writer, hid_t id)
{
    writer->has_failed |= id < 0;
    return id;
}

static void did(Writer *writer, herr_t outcome)
{
    writer->has_failed |= outcome < 0;
}

/* --- Attributes --- */

static hid_t string_type(Writer *writer, size_t length)
{
    hid_t type = opened(writer, H5Tcopy(H5T_C_S1));
    did(writer, H5Tset_size(type, length));
    did(writer, H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

/* Takes over `type` and `space`. */
static void write_attribute(Writer *writer, hid_t object, const char *name, hid_t type, hid_t space,
                            const void *value)
{
    hid_t attribute =
        opened(writer, H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (value)
        did(writer, H5Awrite(attribute, type, value));
    did(writer, H5Aclose(attribute));
    did(writer, H5Sclose(space));
    did(writer, H5Tclose(type));
}

static void write_string(Writer *writer, hid_t object, const char *name, const char *value)
{
    write_attribute(writer, object, name, string_type(writer, strlen(value)),
                    opened(writer, H5Screate(H5S_SCALAR)), value);
}

/* A list of names. An empty one is an array of no doubles, as h5py writes []. */
static void write_names(Writer *writer, hid_t object, const char *name, const char *const *values,
                        int32_t count)
{
    hsize_t size = (hsize_t)count;
    hid_t space = opened(writer, H5Screate_simple(1, &size, NULL));
    if (count == 0) {
        write_attribute(writer, object, name, opened(writer, H5Tcopy(H5T_IEEE_F64LE)), space, NULL);
        return;
    }
    size_t width = 0;
    for (int32_t i = 0; i < count; i++)
        width = strlen(values[i]) > width ? strlen(values[i]) : width;
    char *cells = arena_alloc(writer->arena, width * (size_t)count);
    for (int32_t i = 0; i < count; i++)
        memcpy(cells + (size_t)i * width, values[i], strlen(values[i]));
    write_attribute(writer, object, name, string_type(writer, width), space, cells);
}

/* --- Tensors --- */

static hid_t group_create(Writer *writer, hid_t parent, const char *name)
{
    // No times are kept in the file: the same model gives the same bytes.
    hid_t settings = opened(writer, H5Pcreate(H5P_GROUP_CREATE));
    did(writer, H5Pset_obj_track_times(settings, false));
    hid_t group = opened(writer, H5Gcreate2(parent, name, H5P_DEFAULT, settings, H5P_DEFAULT));
    did(writer, H5Pclose(settings));
    return group;
}

/* `path` may lead through groups that are not there yet, as in "conv2d_1/kernel:0". */
static void write_tensor(Writer *writer, hid_t group, const char *path, const KerasWeight *weight,
                         const float *values)
{
    hsize_t shape[4];
    for (int32_t i = 0; i < weight->rank; i++)
        shape[i] = (hsize_t)weight->shape[i];
    hid_t links = opened(writer, H5Pcreate(H5P_LINK_CREATE));
    did(writer, H5Pset_create_intermediate_group(links, 1));
    hid_t settings = opened(writer, H5Pcreate(H5P_DATASET_CREATE));
    did(writer, H5Pset_obj_track_times(settings, false));
    hid_t space = opened(writer, H5Screate_simple((int)weight->rank, shape, NULL));
    hid_t tensor = opened(
        writer, H5Dcreate2(group, path, H5T_IEEE_F32LE, space, links, settings, H5P_DEFAULT));
    did(writer, H5Dwrite(tensor, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    did(writer, H5Dclose(tensor));
    did(writer, H5Sclose(space));
    did(writer, H5Pclose(settings));
    did(writer, H5Pclose(links));
}

/* Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
 * AISTATS 2010: uniform within sqrt(6 / (fan_in + fan_out)); biases are zero. */
static void initial_values(const KerasModel *model, const KerasWeight *weight, float *values)
{
    memset(values, 0, (size_t)weight->count * sizeof *values);
    if (weight->fan_sum == 0)
        return;
    double limit = sqrt(6.0 / (double)weight->fan_sum);
    uint64_t entity = bytes_hash(model->address, weight->layer, strlen(weight->layer));
    for (int64_t i = 0; i < weight->count; i++) {
        uint64_t word = rng_word(model->seed, RNG_LEARNING, entity, (uint64_t)i);
        double uniform = (double)(word >> 40) / (double)(1 << 23) - 1.0; // 24 bits in [-1, 1)
        values[i] = (float)(limit * uniform);
    }
}

/* --- Groups --- */

typedef struct {
    const KerasModel *model;
    const KerasNetwork *network;
    int32_t weight_count;
    KerasWeight weights[KERAS_WEIGHTS_MAX];
    float *values; /* room for the largest tensor */
} Contents;

static void write_layer(Writer *writer, hid_t weights, const Contents *contents,
                        const KerasLayer *layer)
{
    hid_t group = group_create(writer, weights, layer->name);
    const char *names[KERAS_WEIGHTS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < contents->weight_count; i++) {
        const KerasWeight *weight = &contents->weights[i];
        if (strcmp(weight->layer, layer->name) != 0)
            continue;
        names[count] = arena_printf(writer->arena, "%s/%s:0", layer->name, weight->role);
        initial_values(contents->model, weight, contents->values);
        write_tensor(writer, group, names[count], weight, contents->values);
        count++;
    }
    write_names(writer, group, "weight_names", names, count);
    did(writer, H5Gclose(group));
}

static void write_model_weights(Writer *writer, hid_t file, const Contents *contents)
{
    const KerasNetwork *network = contents->network;
    hid_t group = group_create(writer, file, "model_weights");
    const char **names = ARENA_ARRAY(writer->arena, const char *, network->layer_count);
    for (int32_t i = 0; i < network->layer_count; i++)
        names[i] = network->layers[i].name;
    write_names(writer, group, "layer_names", names, network->layer_count);
    write_string(writer, group, "backend", backend);
    write_string(writer, group, "keras_version", keras_version);
    for (int32_t i = 0; i < network->layer_count; i++)
        write_layer(writer, group, contents, &network->layers[i]);
    did(writer, H5Gclose(group));
}

/* "training/RMSprop/Variable:0", "training/RMSprop/Variable_1:0", ...: one slot of every tensor,
 * then the next slot. */
static void write_optimizer_weights(Writer *writer, hid_t file, const Contents *contents)
{
    const KerasOptimizer *optimizer = &contents->network->optimizer;
    hid_t group = group_create(writer, file, "optimizer_weights");
    int32_t count = optimizer->slots * contents->weight_count;
    const char **names = ARENA_ARRAY(writer->arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        const KerasWeight *weight = &contents->weights[i % contents->weight_count];
        const char *number = i == 0 ? "" : arena_printf(writer->arena, "_%d", (int)i);
        names[i] =
            arena_printf(writer->arena, "training/%s/Variable%s:0", optimizer->class_name, number);
        memset(contents->values, 0, (size_t)weight->count * sizeof *contents->values);
        write_tensor(writer, group, names[i], weight, contents->values);
    }
    write_names(writer, group, "weight_names", names, count);
    did(writer, H5Gclose(group));
}

static void write_root(Writer *writer, hid_t file, const Contents *contents)
{
    Text model_config = {0}, training_config = {0};
    keras_model_config(contents->network, &model_config);
    keras_training_config(contents->network, contents->model->ranks, &training_config);
    write_string(writer, file, "keras_version", keras_version);
    write_string(writer, file, "backend", backend);
    write_string(writer, file, "model_config", text_string(&model_config));
    write_string(writer, file, "training_config", text_string(&training_config));
    write_string(writer, file, "trainyard_emulated", notice);
    text_free(&training_config);
    text_free(&model_config);
}

/* --- The file --- */

/* A file in memory only, in the format that every HDF5 library since 1.8 reads. */
static hid_t file_create(Writer *writer)
{
    hid_t access = opened(writer, H5Pcreate(H5P_FILE_ACCESS));
    did(writer, H5Pset_fapl_core(access, 1 << 22, false));
    did(writer, H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    hid_t creation = opened(writer, H5Pcreate(H5P_FILE_CREATE));
    did(writer, H5Pset_obj_track_times(creation, false));
    hid_t file = opened(writer, H5Fcreate("trainyard-model.h5", H5F_ACC_TRUNC, creation, access));
    did(writer, H5Pclose(creation));
    did(writer, H5Pclose(access));
    return file;
}

static void pass_on(Writer *writer, hid_t file, ByteSink sink)
{
    did(writer, H5Fflush(file, H5F_SCOPE_LOCAL));
    ssize_t size = H5Fget_file_image(file, NULL, 0);
    writer->has_failed |= size <= 0;
    if (writer->has_failed)
        return;
    char *image = arena_alloc(writer->arena, (size_t)size);
    writer->has_failed |= H5Fget_file_image(file, image, (size_t)size) != size;
    if (!writer->has_failed && sink.write)
        sink.write(sink.to, image, (size_t)size);
}

static void write_file(Writer *writer, const Contents *contents, ByteSink sink)
{
    hid_t file = file_create(writer);
    if (writer->has_failed)
        return;
    write_root(writer, file, contents);
    write_model_weights(writer, file, contents);
    write_optimizer_weights(writer, file, contents);
    pass_on(writer, file, sink);
    did(writer, H5Fclose(file));
}

bool keras_model_is_known(const char *network)
{
    return keras_network_find(network) != NULL;
}

bool keras_model_write(const KerasModel *model, ByteSink sink, Status *status)
{
    Writer writer = {.arena = arena_create()};
    Contents contents = {.model = model, .network = keras_network_find(model->network)};
    invariant(contents.network != NULL);
    contents.weight_count = keras_network_weights(contents.network, contents.weights);
    int64_t largest = 0;
    for (int32_t i = 0; i < contents.weight_count; i++)
        largest = contents.weights[i].count > largest ? contents.weights[i].count : largest;
    contents.values = ARENA_ARRAY(writer.arena, float, largest);
    // The library would print its own stack of errors on stderr; ours is one line.
    H5E_auto2_t print;
    void *print_to;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_to);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_file(&writer, &contents, sink);
    H5Eset_auto2(H5E_DEFAULT, print, print_to);
    arena_destroy(writer.arena);
    return !writer.has_failed || status_fail(status, STATUS_MACHINE, place_in(model->network, 0, 0),
                                             "the HDF5 library could not make the saved model");
}
