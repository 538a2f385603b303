#include "trainer/data/dataset.h"

#include <string.h>
#include <sys/stat.h>

#include "sim/cli/files.h"
#include "trainer/data/cifar_files.h"

typedef bool (*Parser)(const char *file, const uint8_t *bytes, size_t length, int32_t capacity,
                       ImageSet *set, Status *status);
static const Parser parsers[] = {
    [CIFAR_BINARY] = cifar_binary_read,
    [CIFAR_PICKLE] = cifar_pickle_read,
};
_Static_assert(sizeof(parsers) / sizeof(parsers[0]) == CIFAR_ENCODING_COUNT,
               "one parser per encoding");

// A pickle may need two bytes for one byte of an image (Python 3 with protocol 2, values above
// 127), and contains a file name for each image.
static const size_t file_bytes_max = (size_t)CIFAR_FILE_IMAGES_MAX * (2 * IMAGE_BYTES + 1024);

/* --- One image --- */

void image_set_add(ImageSet *set, uint8_t label, const uint8_t planes[IMAGE_BYTES])
{
    enum { PLANE_BYTES = IMAGE_SIDE * IMAGE_SIDE };
    uint8_t *image = set->images + (size_t)set->count * IMAGE_BYTES;
    for (int pixel = 0; pixel < PLANE_BYTES; pixel++) {
        for (int channel = 0; channel < IMAGE_CHANNELS; channel++)
            image[pixel * IMAGE_CHANNELS + channel] = planes[channel * PLANE_BYTES + pixel];
    }
    set->labels[set->count] = label;
    set->count++;
}

bool image_set_fail_full(const char *file, size_t count, int32_t room, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, place_in(file, 0, 0),
                       "the file has %zu images, expected at most %d", count, (int)room);
}

/* --- One file --- */

/* An upper limit of the images in the file: each takes at least IMAGE_BYTES. */
static bool count_at_most(const char *path, int32_t *count, Status *status)
{
    struct stat facts;
    *count = 0;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) // file_read reports the error
        return true;
    if ((uint64_t)facts.st_size > file_bytes_max)
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                           "the file is larger than the %zu bytes allowed", file_bytes_max);
    *count = (int32_t)(facts.st_size / IMAGE_BYTES);
    if (*count > CIFAR_FILE_IMAGES_MAX)
        *count = CIFAR_FILE_IMAGES_MAX;
    return true;
}

static ImageSet image_set_create(Arena *arena, int32_t capacity)
{
    return (ImageSet){.images = ARENA_ARRAY(arena, uint8_t, (size_t)capacity * IMAGE_BYTES),
                      .labels = ARENA_ARRAY(arena, uint8_t, capacity)};
}

/* Reads and parses one file. The file's bytes are released after parsing. */
static bool read_file(const char *path, CifarEncoding encoding, int32_t capacity, ImageSet *set,
                      Status *status)
{
    Arena *scratch = arena_create();
    char *bytes;
    size_t length;
    const bool is_read =
        file_read(scratch, path, file_bytes_max, &bytes, &length, status) &&
        parsers[encoding](path, (const uint8_t *)bytes, length, capacity, set, status);
    arena_destroy(scratch);
    return is_read;
}

/* --- All files --- */

typedef struct {
    const char *paths[CIFAR_FILES];
    int train_count;
} Paths;

static bool fail_missing(const char *path, const char *other, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                "the file is missing, though there is \"%s\"", other);
    return status_hint(
        status,
        "a set consists of data_batch_1, data_batch_2 and so on, without a gap, and test_batch");
}

static bool list_paths(const CifarFile *found, Arena *arena, Paths *paths, Status *status)
{
    *paths = (Paths){0};
    for (int file = 0; file < CIFAR_FILES; file++)
        paths->paths[file] = cifar_file_path(arena, found->folder, found->encoding, file);
    for (int file = 0; file < CIFAR_TRAIN_FILES; file++) {
        if (!cifar_file_exists(paths->paths[file]))
            continue;
        if (file > paths->train_count)
            return fail_missing(paths->paths[paths->train_count], paths->paths[file], status);
        paths->train_count++;
    }
    if (paths->train_count == 0 || !cifar_file_exists(paths->paths[CIFAR_TEST_FILE]))
        return fail_missing(paths->paths[paths->train_count ? CIFAR_TEST_FILE : 0], found->path,
                            status);
    return true;
}

/* Every training file must have as many images as data_batch_1. */
static bool check_equal(const char *path, int32_t count, int32_t count_each, Status *status)
{
    return count == count_each || status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                                              "the file has %d images, but data_batch_1 has %d",
                                              (int)count, (int)count_each);
}

static bool read_train(const Paths *paths, CifarEncoding encoding, Arena *arena, ImageSet *set,
                       Status *status)
{
    int32_t capacity = 0;
    for (int file = 0; file < paths->train_count; file++) {
        int32_t count;
        if (!count_at_most(paths->paths[file], &count, status))
            return false;
        capacity += count;
    }
    *set = image_set_create(arena, capacity);
    int32_t count_each = 0;
    for (int file = 0; file < paths->train_count; file++) {
        const int32_t before = set->count;
        if (!read_file(paths->paths[file], encoding, capacity, set, status))
            return false;
        if (file == 0)
            count_each = set->count;
        if (!check_equal(paths->paths[file], set->count - before, count_each, status))
            return false;
    }
    return true;
}

static bool read_test(const Paths *paths, CifarEncoding encoding, Arena *arena, ImageSet *set,
                      Status *status)
{
    const char *path = paths->paths[CIFAR_TEST_FILE];
    int32_t capacity;
    if (!count_at_most(path, &capacity, status))
        return false;
    *set = image_set_create(arena, capacity);
    return read_file(path, encoding, capacity, set, status);
}

static bool fail_none(const char *folder, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                "there is no CIFAR-10 set: no data_batch_1.bin or data_batch_1, neither here "
                "nor in %s or %s",
                cifar_encoding_folder(CIFAR_BINARY), cifar_encoding_folder(CIFAR_PICKLE));
    return status_hint(status,
                       "--data-dir names another folder; \"trainyard make-cifar %s\" makes a "
                       "synthetic set; the real one is at "
                       "https://www.cs.toronto.edu/~kriz/cifar.html",
                       folder);
}

bool dataset_read(const char *folder, Arena *arena, Dataset *dataset, Status *status)
{
    folder = arena_strdup(arena, folder);
    CifarFile found;
    if (!cifar_file_find(folder, arena, &found))
        return fail_none(folder, status);
    *dataset = (Dataset){.folder = found.folder, .encoding = cifar_encoding_name(found.encoding)};
    Paths paths;
    return list_paths(&found, arena, &paths, status) &&
           read_train(&paths, found.encoding, arena, &dataset->train, status) &&
           read_test(&paths, found.encoding, arena, &dataset->test, status);
}

/* --- Counting --- */

/* Counts the images by the file's size; the contents are not read. */
static bool count_binary(const char *path, size_t *count, Status *status)
{
    struct stat facts = {0};
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0), "is %s, expected a file",
                           S_ISDIR(facts.st_mode) ? "a folder" : "something else");
    return cifar_binary_count(path, (size_t)facts.st_size, count, status);
}

static bool count_pickle(const char *path, size_t *count, Status *status)
{
    Arena *scratch = arena_create();
    char *bytes;
    size_t length;
    const bool is_read = file_read(scratch, path, file_bytes_max, &bytes, &length, status) &&
                         cifar_pickle_count(path, (const uint8_t *)bytes, length, count, status);
    arena_destroy(scratch);
    return is_read;
}

static bool count_file(const char *path, CifarEncoding encoding, int32_t *images, Status *status)
{
    size_t count = 0;
    if (!(encoding == CIFAR_BINARY ? count_binary : count_pickle)(path, &count, status))
        return false;
    *images = (int32_t)count;
    return count <= CIFAR_FILE_IMAGES_MAX ||
           image_set_fail_full(path, count, CIFAR_FILE_IMAGES_MAX, status);
}

static bool count_train(const Paths *paths, CifarEncoding encoding, int32_t *train, Status *status)
{
    int32_t count_each = 0;
    *train = 0;
    for (int file = 0; file < paths->train_count; file++) {
        int32_t count;
        if (!count_file(paths->paths[file], encoding, &count, status))
            return false;
        if (file == 0)
            count_each = count;
        if (!check_equal(paths->paths[file], count, count_each, status))
            return false;
        *train += count;
    }
    return true;
}

bool dataset_count(const char *folder, Arena *arena, int32_t *train, int32_t *test, Status *status)
{
    folder = arena_strdup(arena, folder);
    CifarFile found;
    Paths paths;
    if (!cifar_file_find(folder, arena, &found))
        return fail_none(folder, status);
    return list_paths(&found, arena, &paths, status) &&
           count_train(&paths, found.encoding, train, status) &&
           count_file(paths.paths[CIFAR_TEST_FILE], found.encoding, test, status);
}
