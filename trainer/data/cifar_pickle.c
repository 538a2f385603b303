/* Private to trainer/data: CIFAR-10 in the encoding for Python, files of pickles. */
#include <inttypes.h>

#include "trainer/data/dataset.h"
#include "trainer/data/pickle.h"

static bool fail(const char *file, const char *message, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0), "%s", message);
    return false;
}

static bool find(const char *file, const PickleValue *dict, const char *key, PickleKind kind,
                 const PickleValue **value, Status *status)
{
    *value = pickle_find(dict, key);
    if (!*value) {
        status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0), "the pickle has no \"%s\"",
                    key);
        if (pickle_find(dict, "fine_labels"))
            status_hint(status, "\"fine_labels\" are CIFAR-100's");
        return false;
    }
    if ((*value)->kind == kind)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                       "\"%s\" at byte %zu is not a %s", key, (*value)->at,
                       kind == PICKLE_LIST ? "list" : "numpy array");
}

static bool check_labels(const char *file, const PickleValue *labels, Status *status)
{
    for (size_t i = 0; i < labels->count; i++) {
        const PickleValue *label = labels->items[i];
        if (label->kind != PICKLE_INTEGER)
            return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                               "the label at byte %zu is not a whole number", label->at);
        if (label->integer < 0 || label->integer >= CLASS_COUNT)
            return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                               "the label at byte %zu is %" PRId64 ", expected 0 to %d", label->at,
                               label->integer, CLASS_COUNT - 1);
    }
    return true;
}

static bool check_shape(const char *file, const PickleValue *data, size_t count, Status *status)
{
    const PickleValue *shape = data->shape;
    if (!shape)
        return fail(file, "\"data\" is an array without content", status);
    if (shape->count != 2 || shape->items[0]->kind != PICKLE_INTEGER ||
        shape->items[1]->kind != PICKLE_INTEGER || shape->items[1]->integer != IMAGE_BYTES)
        return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                           "the shape of \"data\" at byte %zu is not (images, %d)", shape->at,
                           IMAGE_BYTES);
    if (shape->items[0]->integer != (int64_t)count)
        return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                           "\"data\" at byte %zu has %" PRId64 " images for %zu labels", shape->at,
                           shape->items[0]->integer, count);
    return true;
}

/* The planes of `count` images, in the file or in `arena`. */
static bool find_planes(const char *file, const PickleValue *data, size_t count, Arena *arena,
                        const uint8_t **planes, Status *status)
{
    size_t length;
    if (!pickle_decode(data->content, arena, planes, &length))
        return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                           "the content of \"data\" at byte %zu is not bytes in Latin-1",
                           data->content->at);
    if (length != count * IMAGE_BYTES)
        return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                           "the content of \"data\" at byte %zu has %zu bytes, expected %zu",
                           data->content->at, length, count * IMAGE_BYTES);
    return true;
}

/* Finds the labels and the images in the pickle; there must be as many of each. */
static bool find_images(const char *file, const PickleValue *dict, const PickleValue **labels,
                        const PickleValue **data, Status *status)
{
    if (dict->kind != PICKLE_DICT)
        return fail(file, "the pickle is not a dict", status);
    if (!find(file, dict, "labels", PICKLE_LIST, labels, status) ||
        !find(file, dict, "data", PICKLE_ARRAY, data, status) ||
        !check_labels(file, *labels, status) || !check_shape(file, *data, (*labels)->count, status))
        return false;
    return (*labels)->count > 0 || fail(file, "the pickle has no images", status);
}

static bool add_images(const char *file, const PickleValue *dict, int32_t capacity, Arena *arena,
                       ImageSet *set, Status *status)
{
    const PickleValue *labels, *data;
    const uint8_t *planes = NULL;
    if (!find_images(file, dict, &labels, &data, status) ||
        !find_planes(file, data, labels->count, arena, &planes, status))
        return false;
    if (labels->count > (size_t)(capacity - set->count))
        return image_set_fail_full(file, labels->count, capacity - set->count, status);
    for (size_t i = 0; i < labels->count; i++)
        image_set_add(set, (uint8_t)labels->items[i]->integer, planes + i * IMAGE_BYTES);
    return true;
}

bool cifar_pickle_read(const char *file, const uint8_t *bytes, size_t length, int32_t capacity,
                       ImageSet *set, Status *status)
{
    Arena *arena = arena_create();
    const PickleValue *value;
    const bool is_read = pickle_read(file, bytes, length, arena, &value, status) &&
                         add_images(file, value, capacity, arena, set, status);
    arena_destroy(arena);
    return is_read;
}

bool cifar_pickle_count(const char *file, const uint8_t *bytes, size_t length, size_t *count,
                        Status *status)
{
    Arena *arena = arena_create();
    const PickleValue *value, *labels, *data;
    const bool is_read = pickle_read(file, bytes, length, arena, &value, status) &&
                         find_images(file, value, &labels, &data, status);
    *count = is_read ? labels->count : 0;
    arena_destroy(arena);
    return is_read;
}
