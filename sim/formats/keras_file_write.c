/* Private to sim/formats: the writer of sim/formats/keras_file.h. */
#include "sim/formats/keras_file.h"

#include <string.h>

#include "sim/formats/hdf5_library.h"
#include "sim/formats/keras_names.h"

static const char *const version_names[] = {[KERAS_2_2_4] = "2.2.4", [KERAS_2_3_1] = "2.3.1"};
static const char backend[] = "tensorflow";

/* The state of the writer. After a failure all further calls are skipped, so they need no
 * checks, and everything that was opened is closed. */
typedef struct {
    bool has_failed;
    Hdf5 h5;
    Arena *arena;
    const KerasFile *content;
    int32_t weight_count;
    KerasWeight weights[KERAS_WEIGHTS_MAX];
    float *zeros; /* as many as the largest tensor has; NULL when there are slots */
} Writer;

static hid_t check_id(Writer *writer, hid_t id)
{
    writer->has_failed |= id < 0;
    return id;
}

static void check(Writer *writer, herr_t outcome)
{
    writer->has_failed |= outcome < 0;
}

/* --- Attributes --- */

static hid_t string_type(Writer *writer, size_t length)
{
    hid_t type = check_id(writer, writer->h5.Tcopy(writer->h5.string));
    check(writer, writer->h5.Tset_size(type, length));
    check(writer, writer->h5.Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

/* Takes ownership of `type` and `space`. `memory_type` is the type of `value`; if `value` is NULL,
 * the attribute stays empty. */
static void write_attribute(Writer *writer, hid_t object, const char *name, hid_t type, hid_t space,
                            hid_t memory_type, const void *value)
{
    hid_t attribute =
        check_id(writer, writer->h5.Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (value)
        check(writer, writer->h5.Awrite(attribute, memory_type, value));
    check(writer, writer->h5.Aclose(attribute));
    check(writer, writer->h5.Sclose(space));
    check(writer, writer->h5.Tclose(type));
}

static void write_string(Writer *writer, hid_t object, const char *name, const char *value)
{
    hid_t type = string_type(writer, strlen(value));
    write_attribute(writer, object, name, type, check_id(writer, writer->h5.Screate(H5S_SCALAR)),
                    type, value);
}

static void write_integer(Writer *writer, hid_t object, const char *name, int64_t value)
{
    write_attribute(writer, object, name, check_id(writer, writer->h5.Tcopy(writer->h5.int64_le)),
                    check_id(writer, writer->h5.Screate(H5S_SCALAR)), writer->h5.native_int64,
                    &value);
}

/* A list of names. An empty one is an array of no doubles, as h5py writes []. */
static void write_names(Writer *writer, hid_t object, const char *name, const char *const *values,
                        int32_t count)
{
    hsize_t size = (hsize_t)count;
    hid_t space = check_id(writer, writer->h5.Screate_simple(1, &size, NULL));
    if (count == 0) {
        write_attribute(writer, object, name,
                        check_id(writer, writer->h5.Tcopy(writer->h5.float64_le)), space, -1, NULL);
        return;
    }
    size_t width = 0;
    for (int32_t i = 0; i < count; i++)
        width = strlen(values[i]) > width ? strlen(values[i]) : width;
    char *cells = arena_alloc(writer->arena, width * (size_t)count);
    for (int32_t i = 0; i < count; i++)
        memcpy(cells + (size_t)i * width, values[i], strlen(values[i]));
    hid_t type = string_type(writer, width);
    write_attribute(writer, object, name, type, space, type, cells);
}

/* --- Datasets --- */

static hid_t group_create(Writer *writer, hid_t parent, const char *name)
{
    // The file has no times: the same model gives the same bytes.
    hid_t settings = check_id(writer, writer->h5.Pcreate(writer->h5.group_creation));
    check(writer, writer->h5.Pset_obj_track_times(settings, false));
    hid_t group =
        check_id(writer, writer->h5.Gcreate2(parent, name, H5P_DEFAULT, settings, H5P_DEFAULT));
    check(writer, writer->h5.Pclose(settings));
    return group;
}

/* `path` may lead through groups that do not exist yet, as in "conv2d_1/kernel:0". Takes over
 * `space`. */
static void write_dataset(Writer *writer, hid_t group, const char *path, hid_t type, hid_t space,
                          hid_t memory_type, const void *values)
{
    hid_t links = check_id(writer, writer->h5.Pcreate(writer->h5.link_creation));
    check(writer, writer->h5.Pset_create_intermediate_group(links, 1));
    hid_t settings = check_id(writer, writer->h5.Pcreate(writer->h5.dataset_creation));
    check(writer, writer->h5.Pset_obj_track_times(settings, false));
    hid_t dataset = check_id(
        writer, writer->h5.Dcreate2(group, path, type, space, links, settings, H5P_DEFAULT));
    check(writer, writer->h5.Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    check(writer, writer->h5.Dclose(dataset));
    check(writer, writer->h5.Pclose(settings));
    check(writer, writer->h5.Pclose(links));
    check(writer, writer->h5.Sclose(space));
}

static void write_tensor(Writer *writer, hid_t group, const char *path, const KerasWeight *weight,
                         const float *values)
{
    hsize_t shape[4];
    for (int32_t i = 0; i < weight->rank; i++)
        shape[i] = (hsize_t)weight->shape[i];
    hid_t space = check_id(writer, writer->h5.Screate_simple((int)weight->rank, shape, NULL));
    write_dataset(writer, group, path, writer->h5.float32_le, space, writer->h5.native_float,
                  values);
}

/* --- Groups --- */

static void write_layer(Writer *writer, hid_t parent, const KerasLayer *layer)
{
    hid_t group = group_create(writer, parent, layer->name);
    const char *names[KERAS_WEIGHTS_MAX];
    int32_t count = 0;
    const float *values = writer->content->weights;
    for (int32_t i = 0; i < writer->weight_count; values += writer->weights[i].count, i++) {
        const KerasWeight *weight = &writer->weights[i];
        if (strcmp(weight->layer, layer->name) != 0)
            continue;
        names[count] = keras_weight_name(writer->arena, weight);
        write_tensor(writer, group, names[count], weight, values);
        count++;
    }
    write_names(writer, group, "weight_names", names, count);
    check(writer, writer->h5.Gclose(group));
}

static void write_model_weights(Writer *writer, hid_t file)
{
    const KerasNetwork *network = writer->content->network;
    hid_t group = group_create(writer, file, "model_weights");
    const char **names = ARENA_ARRAY(writer->arena, const char *, network->layer_count);
    for (int32_t i = 0; i < network->layer_count; i++)
        names[i] = network->layers[i].name;
    write_names(writer, group, "layer_names", names, network->layer_count);
    write_string(writer, group, "backend", backend);
    write_string(writer, group, "keras_version", version_names[writer->content->version]);
    for (int32_t i = 0; i < network->layer_count; i++)
        write_layer(writer, group, &network->layers[i]);
    check(writer, writer->h5.Gclose(group));
}

/* One variable of every tensor, then the next variable. */
static void write_slots(Writer *writer, hid_t group, const char **names)
{
    const KerasFile *content = writer->content;
    const KerasOptimizer *optimizer = &content->network->optimizer;
    const float *values = content->slots;
    for (int32_t i = 0; i < optimizer->slots * writer->weight_count; i++) {
        const KerasWeight *weight = &writer->weights[i % writer->weight_count];
        names[i] = keras_slot_name(writer->arena, optimizer, content->version, i);
        write_tensor(writer, group, names[i], weight, values ? values : writer->zeros);
        if (values)
            values += weight->count;
    }
}

static void write_optimizer_weights(Writer *writer, hid_t file)
{
    const KerasFile *content = writer->content;
    const KerasOptimizer *optimizer = &content->network->optimizer;
    hid_t group = group_create(writer, file, "optimizer_weights");
    int32_t first_slot = content->version == KERAS_2_3_1 ? 1 : 0;
    int32_t count = first_slot + optimizer->slots * writer->weight_count;
    const char **names = ARENA_ARRAY(writer->arena, const char *, count);
    if (first_slot > 0) {
        names[0] = keras_iterations_name(writer->arena, optimizer);
        write_dataset(writer, group, names[0], writer->h5.int64_le,
                      check_id(writer, writer->h5.Screate(H5S_SCALAR)), writer->h5.native_int64,
                      &content->iterations);
    }
    write_slots(writer, group, names + first_slot);
    write_names(writer, group, "weight_names", names, count);
    check(writer, writer->h5.Gclose(group));
}

static void write_root(Writer *writer, hid_t file)
{
    const KerasFile *content = writer->content;
    Text model_config = {0}, training_config = {0};
    keras_model_config(content->network, &model_config);
    keras_training_config(content->network, content->optimizer_settings, &training_config);
    write_string(writer, file, "keras_version", version_names[content->version]);
    write_string(writer, file, "backend", backend);
    write_string(writer, file, "model_config", text_string(&model_config));
    write_string(writer, file, "training_config", text_string(&training_config));
    for (int32_t i = 0; i < content->attribute_count; i++) {
        const KerasAttribute *attribute = &content->attributes[i];
        if (attribute->text)
            write_string(writer, file, attribute->name, attribute->text);
        else
            write_integer(writer, file, attribute->name, attribute->integer);
    }
    text_free(&training_config);
    text_free(&model_config);
}

/* --- The file --- */

/* A file in memory only, in the format that every HDF5 library since 1.8 reads. */
static hid_t file_create(Writer *writer)
{
    hid_t access = check_id(writer, writer->h5.Pcreate(writer->h5.file_access));
    check(writer, writer->h5.Pset_fapl_core(access, 1 << 22, false));
    check(writer, writer->h5.Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    hid_t creation = check_id(writer, writer->h5.Pcreate(writer->h5.file_creation));
    check(writer, writer->h5.Pset_obj_track_times(creation, false));
    hid_t file =
        check_id(writer, writer->h5.Fcreate("trainyard-model.h5", H5F_ACC_TRUNC, creation, access));
    check(writer, writer->h5.Pclose(creation));
    check(writer, writer->h5.Pclose(access));
    return file;
}

static void write_image(Writer *writer, hid_t file, ByteSink sink)
{
    check(writer, writer->h5.Fflush(file, H5F_SCOPE_LOCAL));
    ssize_t size = writer->h5.Fget_file_image(file, NULL, 0);
    writer->has_failed |= size <= 0;
    if (writer->has_failed)
        return;
    char *image = arena_alloc(writer->arena, (size_t)size);
    writer->has_failed |= writer->h5.Fget_file_image(file, image, (size_t)size) != size;
    if (!writer->has_failed && sink.write)
        sink.write(sink.to, image, (size_t)size);
}

static void write_file(Writer *writer, ByteSink sink)
{
    hid_t file = file_create(writer);
    if (writer->has_failed)
        return;
    write_root(writer, file);
    write_model_weights(writer, file);
    write_optimizer_weights(writer, file);
    write_image(writer, file, sink);
    check(writer, writer->h5.Fclose(file));
}

static float *zeros_for_largest(const Writer *writer)
{
    int64_t largest = 0;
    for (int32_t i = 0; i < writer->weight_count; i++)
        largest = writer->weights[i].count > largest ? writer->weights[i].count : largest;
    return ARENA_ARRAY(writer->arena, float, largest);
}

bool keras_file_write(const KerasFile *file, ByteSink sink, Status *status)
{
    Writer writer = {.content = file};
    if (!hdf5_load(&writer.h5, status))
        return false;
    writer.arena = arena_create();
    writer.weight_count = keras_network_weights(file->network, writer.weights);
    if (!file->slots)
        writer.zeros = zeros_for_largest(&writer);
    write_file(&writer, sink);
    arena_destroy(writer.arena);
    return !writer.has_failed ||
           status_fail(status, STATUS_MACHINE, place_in(file->network->name, 0, 0),
                       "the HDF5 library could not make the saved model");
}
