/* Private to sim/formats: the reader of sim/formats/keras_file.h. */
#include "sim/formats/keras_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/formats/hdf5_library.h"
#include "sim/formats/keras_names.h"

// Of an attribute: HDF5 itself keeps few above 64 KiB. Names of a list.
enum { TEXT_BYTES_MAX = 1 << 20, NAMES_MAX = 1 << 12 };

typedef struct {
    Arena *arena;
    const char *source;
    Status *status;
    Hdf5 h5;
    hid_t file;
    const char *const *layers; /* [layer of the network] its name in the file */
} Reader;

__attribute__((format(printf, 2, 3))) static bool fail(Reader *reader, const char *format, ...);

static bool fail(Reader *reader, const char *format, ...)
{
    char message[sizeof reader->status->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status_fail(reader->status, STATUS_BAD_INPUT, place_in(reader->source, 0, 0), "%s",
                       message);
}

static bool fail_of_another_network(Reader *reader, const char *difference)
{
    return status_fail(reader->status, STATUS_CONFLICT, place_in(reader->source, 0, 0),
                       "is of another network: %s", difference);
}

/* --- The header --- */

static uint64_t little_endian(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* Where the superblock keeps the file's length; 0 for a kind of superblock that is not known here.
 * (HDF5 File Format Specification 3.0, section II.A.) */
static size_t length_place(const unsigned char *bytes)
{
    enum { VERSION = 8, OFFSET_SIZE_OLD = 13, OFFSET_SIZE_NEW = 9 };
    switch (bytes[VERSION]) {
    case 0:
        return bytes[OFFSET_SIZE_OLD] == 8 ? 40 : 0;
    case 1:
        return bytes[OFFSET_SIZE_OLD] == 8 ? 44 : 0;
    case 2:
    case 3:
        return bytes[OFFSET_SIZE_NEW] == 8 ? 28 : 0;
    default:
        return 0;
    }
}

bool keras_file_check_header(const char *source, const void *bytes, size_t length, Status *status)
{
    enum { SUPERBLOCK_MIN = 52 };
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    const size_t signature_length = sizeof signature - 1;
    const Place at = place_in(source, 0, 0);
    if (length < signature_length || memcmp(bytes, signature, signature_length) != 0)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           length == 0 ? "is empty, expected an HDF5 file" : "is not an HDF5 file");
    if (length < SUPERBLOCK_MIN)
        return status_fail(status, STATUS_BAD_INPUT, at, "is cut short: it has %zu bytes", length);
    size_t place = length_place(bytes);
    uint64_t expected = place > 0 ? little_endian((const unsigned char *)bytes + place) : 0;
    if (expected > length)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "is cut short: it has %zu of %" PRIu64 " bytes", length, expected);
    return true;
}

/* --- Attributes --- */

/* Opens an attribute with its type and space; the caller closes those that are not negative. */
typedef struct {
    hid_t id, type, space;
} OpenAttribute;

static bool attribute_open(Reader *reader, hid_t object, const char *name, OpenAttribute *opened)
{
    *opened = (OpenAttribute){-1, -1, -1};
    if (reader->h5.Aexists(object, name) <= 0)
        return fail(reader, "has no attribute \"%s\"", name);
    opened->id = reader->h5.Aopen(object, name, H5P_DEFAULT);
    opened->type = opened->id < 0 ? -1 : reader->h5.Aget_type(opened->id);
    opened->space = opened->id < 0 ? -1 : reader->h5.Aget_space(opened->id);
    return (opened->type >= 0 && opened->space >= 0) ||
           fail(reader, "attribute \"%s\" is damaged", name);
}

static void attribute_close(const Reader *reader, const OpenAttribute *opened)
{
    if (opened->space >= 0)
        reader->h5.Sclose(opened->space);
    if (opened->type >= 0)
        reader->h5.Tclose(opened->type);
    if (opened->id >= 0)
        reader->h5.Aclose(opened->id);
}

/* A text of variable length, as Keras itself writes its JSON by way of h5py. */
static const char *read_variable(Reader *reader, const OpenAttribute *opened)
{
    char *text = NULL;
    const char *copy = NULL;
    if (reader->h5.Aread(opened->id, opened->type, &text) >= 0 && text &&
        strlen(text) <= TEXT_BYTES_MAX)
        copy = arena_strdup(reader->arena, text);
    if (text)
        reader->h5.free_memory(text);
    return copy;
}

static const char *read_fixed(Reader *reader, const OpenAttribute *opened)
{
    size_t size = reader->h5.Tget_size(opened->type);
    if (size == 0 || size > TEXT_BYTES_MAX)
        return NULL;
    char *text = arena_alloc(reader->arena, size + 1);
    return reader->h5.Aread(opened->id, opened->type, text) >= 0 ? text : NULL;
}

/* NULL after a failure. */
static const char *read_text(Reader *reader, hid_t object, const char *name)
{
    OpenAttribute opened;
    const char *text = NULL;
    if (!attribute_open(reader, object, name, &opened)) {
        attribute_close(reader, &opened);
        return NULL;
    }
    if (reader->h5.Tget_class(opened.type) != H5T_STRING ||
        reader->h5.Sget_simple_extent_npoints(opened.space) != 1) {
        fail(reader, "attribute \"%s\" is not a text", name);
    } else {
        text = reader->h5.Tis_variable_str(opened.type) > 0 ? read_variable(reader, &opened)
                                                            : read_fixed(reader, &opened);
        if (!text)
            fail(reader, "attribute \"%s\" is damaged", name);
    }
    attribute_close(reader, &opened);
    return text;
}

static bool read_integer(Reader *reader, hid_t object, const char *name, int64_t *value)
{
    OpenAttribute opened;
    bool is_fine = attribute_open(reader, object, name, &opened);
    if (is_fine && (reader->h5.Tequal(opened.type, reader->h5.int64_le) <= 0 ||
                    reader->h5.Sget_simple_extent_npoints(opened.space) != 1))
        is_fine = fail(reader, "attribute \"%s\" is not a 64-bit integer", name);
    if (is_fine && reader->h5.Aread(opened.id, reader->h5.native_int64, value) < 0)
        is_fine = fail(reader, "attribute \"%s\" is damaged", name);
    attribute_close(reader, &opened);
    return is_fine;
}

/* `count` texts as cells of equal `*width`; NULL when one is too long. */
static const char *cells_of_texts(Arena *arena, char *const *texts, int64_t count, size_t *width)
{
    *width = 1;
    for (int64_t i = 0; i < count; i++)
        if (texts[i] != NULL && strlen(texts[i]) > *width)
            *width = strlen(texts[i]);
    if (*width > TEXT_BYTES_MAX / (size_t)count)
        return NULL;
    char *cells = arena_alloc(arena, *width * (size_t)count);
    for (int64_t i = 0; i < count; i++)
        if (texts[i] != NULL)
            memcpy(cells + (size_t)i * *width, texts[i], strlen(texts[i]));
    return cells;
}

/* A list of texts of variable length, as h5py writes it from version 3 on. */
static const char *read_variable_cells(Reader *reader, const OpenAttribute *opened, int64_t count,
                                       size_t *width)
{
    char **texts = ARENA_ARRAY(reader->arena, char *, count);
    const char *cells = NULL;
    if (reader->h5.Aread(opened->id, opened->type, texts) >= 0)
        cells = cells_of_texts(reader->arena, texts, count, width);
    for (int64_t i = 0; i < count; i++)
        if (texts[i] != NULL)
            reader->h5.free_memory(texts[i]);
    return cells;
}

/* The cells of a list of names, `*width` bytes each; NULL when it is something else. */
static const char *read_cells(Reader *reader, const OpenAttribute *opened, int64_t *count,
                              size_t *width)
{
    *count = reader->h5.Sget_simple_extent_npoints(opened->space);
    *width = reader->h5.Tget_size(opened->type);
    if (reader->h5.Tget_class(opened->type) != H5T_STRING || *count < 1 || *count > NAMES_MAX)
        return NULL;
    if (reader->h5.Tis_variable_str(opened->type) > 0)
        return read_variable_cells(reader, opened, *count, width);
    if (*width == 0 || *width > TEXT_BYTES_MAX / (size_t)*count)
        return NULL;
    char *cells = arena_alloc(reader->arena, *width * (size_t)*count);
    return reader->h5.Aread(opened->id, opened->type, cells) >= 0 ? cells : NULL;
}

/* The text of a cell, in the arena. */
static const char *cell_text(Reader *reader, const char *cell, size_t width)
{
    return arena_strndup(reader->arena, cell, strnlen(cell, width));
}

/* Keeps the names of the layers. They have the network's order, and its names but for the numbers:
 * Keras 2.4 and later call the first layers of their kind "conv2d" and "dense", and count further
 * with each network that a program makes. */
static bool keep_names(Reader *reader, const char *cells, int64_t count, size_t width,
                       const KerasNetwork *network)
{
    if (count != network->layer_count)
        return fail_of_another_network(
            reader, arena_printf(reader->arena, "it has %" PRId64 " layers, expected %d", count,
                                 (int)network->layer_count));
    const char **names = ARENA_ARRAY(reader->arena, const char *, network->layer_count);
    for (int32_t i = 0; i < network->layer_count; i++, cells += width) {
        names[i] = cell_text(reader, cells, width);
        if (!keras_name_is_alike(network->layers[i].name, names[i]))
            return fail_of_another_network(
                reader, arena_printf(reader->arena, "layer \"%s\" where \"%s\" is expected",
                                     names[i], network->layers[i].name));
    }
    reader->layers = names;
    return true;
}

/* The layers that have a group in the file must be those of the network. */
static bool check_layer_names(Reader *reader, hid_t group, const KerasNetwork *network)
{
    OpenAttribute opened;
    int64_t count;
    size_t width;
    bool is_fine = attribute_open(reader, group, "layer_names", &opened);
    if (is_fine) {
        const char *cells = read_cells(reader, &opened, &count, &width);
        is_fine = cells ? keep_names(reader, cells, count, width, network)
                        : fail(reader, "layer_names is not a list of names");
    }
    attribute_close(reader, &opened);
    return is_fine;
}

/* --- Datasets --- */

/* As people read shapes: "3 x 3 x 3 x 32"; "a single value" of rank 0. */
static const char *shape_text(Reader *reader, int rank, const hsize_t *shape)
{
    const char *text = rank == 0 ? "a single value" : "";
    for (int i = 0; i < rank; i++)
        text = arena_printf(reader->arena, "%s%s%" PRIu64, text, i > 0 ? " x " : "",
                            (uint64_t)shape[i]);
    return text;
}

static bool check_shape(Reader *reader, hid_t space, const char *path, int rank,
                        const hsize_t *shape)
{
    hsize_t found[H5S_MAX_RANK];
    int found_rank = reader->h5.Sget_simple_extent_ndims(space);
    if (found_rank < 0 || reader->h5.Sget_simple_extent_dims(space, found, NULL) != found_rank)
        return fail(reader, "%s is damaged", path);
    if (found_rank == rank &&
        (rank == 0 || memcmp(found, shape, (size_t)rank * sizeof *shape) == 0))
        return true;
    return fail_of_another_network(reader, arena_printf(reader->arena, "%s is %s, expected %s",
                                                        path, shape_text(reader, found_rank, found),
                                                        shape_text(reader, rank, shape)));
}

/* Values must be in this file and uncompressed: not in another file, and not left out. */
static bool check_storage(Reader *reader, hid_t dataset, const char *path, size_t bytes)
{
    hid_t settings = reader->h5.Dget_create_plist(dataset);
    H5D_layout_t layout = settings < 0 ? H5D_LAYOUT_ERROR : reader->h5.Pget_layout(settings);
    bool is_plain = (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
                    reader->h5.Pget_external_count(settings) == 0 &&
                    reader->h5.Dget_storage_size(dataset) == bytes;
    if (settings >= 0)
        reader->h5.Pclose(settings);
    return is_plain ||
           fail(reader, "%s is not stored as Keras stores it: in one piece, uncompressed", path);
}

typedef struct {
    const char *path; /* from the root */
    int rank;
    hsize_t shape[4];
    hid_t little, big; /* types that the file may have */
    const char *type_name;
    hid_t memory_type;
    size_t bytes;
} Expected;

static bool read_open_dataset(Reader *reader, hid_t dataset, const Expected *expected, void *values)
{
    hid_t type = reader->h5.Dget_type(dataset), space = reader->h5.Dget_space(dataset);
    bool is_fine = (type >= 0 && space >= 0) || fail(reader, "%s is damaged", expected->path);
    if (is_fine && reader->h5.Tequal(type, expected->little) <= 0 &&
        reader->h5.Tequal(type, expected->big) <= 0)
        is_fine = fail(reader, "%s is not of type %s", expected->path, expected->type_name);
    is_fine = is_fine &&
              check_shape(reader, space, expected->path, expected->rank, expected->shape) &&
              check_storage(reader, dataset, expected->path, expected->bytes);
    if (is_fine &&
        reader->h5.Dread(dataset, expected->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        is_fine = fail(reader, "%s is damaged", expected->path);
    if (space >= 0)
        reader->h5.Sclose(space);
    if (type >= 0)
        reader->h5.Tclose(type);
    return is_fine;
}

static bool read_dataset(Reader *reader, const Expected *expected, void *values)
{
    hid_t dataset = reader->h5.Dopen2(reader->file, expected->path, H5P_DEFAULT);
    if (dataset < 0)
        return fail(reader, "has no values under %s", expected->path);
    bool is_fine = read_open_dataset(reader, dataset, expected, values);
    reader->h5.Dclose(dataset);
    return is_fine;
}

/* The result of a training that diverged: no prediction can be made from it. */
static bool check_finite(Reader *reader, const char *path, const float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return fail(reader,
                        "value %" PRId64 " of %" PRId64 " of %s is %s, which is not a number",
                        i + 1, count, path, isnan(values[i]) ? "NaN" : "infinite");
    return true;
}

static bool read_tensor(Reader *reader, const char *path, const KerasWeight *weight, float *values)
{
    Expected expected = {.path = path,
                         .rank = (int)weight->rank,
                         .little = reader->h5.float32_le,
                         .big = reader->h5.float32_be,
                         .type_name = "float32",
                         .memory_type = reader->h5.native_float,
                         .bytes = (size_t)weight->count * sizeof *values};
    for (int32_t i = 0; i < weight->rank; i++)
        expected.shape[i] = (hsize_t)weight->shape[i];
    return read_dataset(reader, &expected, values) &&
           check_finite(reader, path, values, weight->count);
}

/* --- The parts --- */

/* The name of the layer in the file. */
static const char *layer_in_file(const Reader *reader, const KerasNetwork *network,
                                 const char *name)
{
    int32_t i = 0;
    while (strcmp(network->layers[i].name, name) != 0)
        i++;
    return reader->layers[i];
}

/* Whether a name of weight_names, such as "conv2d/kernel:0" or "sequential/conv2d/kernel" (Keras
 * 3), is that of the role "kernel". */
static bool has_role(const char *name, const char *role)
{
    const char *slash = strrchr(name, '/');
    const char *last = slash != NULL ? slash + 1 : name;
    const size_t length = strlen(role);
    return strncmp(last, role, length) == 0 &&
           (last[length] == '\0' || strcmp(last + length, ":0") == 0);
}

/* The path of a weight in the group of its layer, which lists it; NULL after a failure. */
static const char *weight_in_group(Reader *reader, hid_t group, const char *layer, const char *role)
{
    OpenAttribute opened;
    int64_t count;
    size_t width;
    const char *found = NULL;
    const char *cells = attribute_open(reader, group, "weight_names", &opened)
                            ? read_cells(reader, &opened, &count, &width)
                            : NULL;
    for (int64_t i = 0; cells != NULL && found == NULL && i < count; i++, cells += width)
        if (has_role(cell_text(reader, cells, width), role))
            found = cell_text(reader, cells, width);
    attribute_close(reader, &opened);
    if (found == NULL)
        fail(reader, "has no %s of layer %s", role, layer);
    return found;
}

/* The path of a weight from the root; NULL after a failure. */
static const char *weight_path(Reader *reader, const KerasNetwork *network,
                               const KerasWeight *weight)
{
    const char *layer = layer_in_file(reader, network, weight->layer);
    const char *folder = arena_printf(reader->arena, "/model_weights/%s", layer);
    hid_t group = reader->h5.Gopen2(reader->file, folder, H5P_DEFAULT);
    if (group < 0) {
        fail(reader, "has no values under %s", folder);
        return NULL;
    }
    const char *name = weight_in_group(reader, group, layer, weight->role);
    reader->h5.Gclose(group);
    return name != NULL ? arena_printf(reader->arena, "%s/%s", folder, name) : NULL;
}

static bool read_weights(Reader *reader, const KerasNetwork *network, const KerasWeight *weights,
                         int32_t count, float *values)
{
    for (int32_t i = 0; i < count; values += weights[i].count, i++) {
        const char *path = weight_path(reader, network, &weights[i]);
        if (path == NULL || !read_tensor(reader, path, &weights[i], values))
            return false;
    }
    return true;
}

static bool read_optimizer(Reader *reader, const KerasWeight *weights, int32_t count,
                           KerasParts *parts)
{
    const KerasOptimizer *optimizer = &parts->network->optimizer;
    const Expected iterations = {.path =
                                     arena_printf(reader->arena, "/optimizer_weights/%s",
                                                  keras_iterations_name(reader->arena, optimizer)),
                                 .little = reader->h5.int64_le,
                                 .big = reader->h5.int64_be,
                                 .type_name = "int64",
                                 .memory_type = reader->h5.native_int64,
                                 .bytes = sizeof parts->iterations};
    if (!read_dataset(reader, &iterations, &parts->iterations))
        return false;
    float *values = parts->slots;
    for (int32_t i = 0; i < optimizer->slots * count; values += weights[i % count].count, i++) {
        const char *name = keras_slot_name(reader->arena, optimizer, KERAS_2_3_1, i);
        const char *path = arena_printf(reader->arena, "/optimizer_weights/%s", name);
        if (!read_tensor(reader, path, &weights[i % count], values))
            return false;
    }
    return true;
}

static bool read_attributes(Reader *reader, KerasParts *parts)
{
    for (int32_t i = 0; i < parts->attribute_count; i++) {
        KerasAttribute *wanted = &parts->attributes[i];
        bool is_read;
        const bool is_optional = i >= parts->attribute_count - parts->optional_count;
        if (is_optional && reader->h5.Aexists(reader->file, wanted->name) <= 0)
            continue;
        if (wanted->text)
            is_read = (wanted->text = read_text(reader, reader->file, wanted->name)) != NULL;
        else
            is_read = read_integer(reader, reader->file, wanted->name, &wanted->integer);
        if (!is_read)
            return false;
    }
    return true;
}

static bool check_network(Reader *reader, const KerasNetwork *network)
{
    const char *config = read_text(reader, reader->file, "model_config");
    if (!config ||
        !keras_check_model_config(network, reader->source, config, strlen(config), reader->status))
        return false;
    hid_t group = reader->h5.Gopen2(reader->file, "model_weights", H5P_DEFAULT);
    if (group < 0)
        return fail(reader, "has no group \"model_weights\"");
    bool is_fine = check_layer_names(reader, group, network);
    reader->h5.Gclose(group);
    return is_fine;
}

static bool read_parts(Reader *reader, KerasParts *parts)
{
    KerasWeight weights[KERAS_WEIGHTS_MAX];
    int32_t count = keras_network_weights(parts->network, weights);
    return check_network(reader, parts->network) &&
           read_weights(reader, parts->network, weights, count, parts->weights) &&
           (!parts->slots || read_optimizer(reader, weights, count, parts)) &&
           read_attributes(reader, parts);
}

static hid_t image_open(const Reader *reader, const void *bytes, size_t length)
{
    hid_t access = reader->h5.Pcreate(reader->h5.file_access);
    hid_t file = -1;
    if (reader->h5.Pset_fapl_core(access, 1 << 16, false) >= 0 &&
        reader->h5.Pset_file_image(access, (void *)bytes, length) >= 0) // it copies them
        file = reader->h5.Fopen("trainyard-model.h5", H5F_ACC_RDONLY, access);
    reader->h5.Pclose(access);
    return file;
}

bool keras_file_read(Arena *arena, const char *source, const void *bytes, size_t length,
                     KerasParts *parts, Status *status)
{
    if (!keras_file_check_header(source, bytes, length, status))
        return false;
    Reader reader = {.arena = arena, .source = source, .status = status};
    if (!hdf5_load(&reader.h5, status))
        return false;
    // Without external links a file cannot refer to another file.
    reader.h5.Lunregister(H5L_TYPE_EXTERNAL);
    reader.file = image_open(&reader, bytes, length);
    bool is_fine = reader.file >= 0 || fail(&reader, "is damaged: the HDF5 library cannot open it");
    is_fine = is_fine && read_parts(&reader, parts);
    if (reader.file >= 0)
        reader.h5.Fclose(reader.file);
    return is_fine;
}
