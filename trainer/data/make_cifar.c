#include "trainer/data/make_cifar.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/files.h"
#include "sim/cli/progress.h"
#include "trainer/data/cifar_write.h"
#include "trainer/data/synthetic_cifar.h"

/* --- Existing files --- */

static bool check_free(const MakeCifar *request, Arena *arena, Status *status)
{
    CifarFile found;
    if (!cifar_file_find(request->folder, arena, &found))
        return true;
    const bool is_ours =
        strcmp(found.folder, request->folder) == 0 && found.encoding == request->encoding;
    if (is_ours && request->may_overwrite)
        return true;
    status_fail(status, STATUS_CONFLICT, place_in(request->folder, 0, 0),
                "there is a CIFAR-10 set already: \"%s\"", found.path);
    return is_ours ? status_hint(status, "--force replaces it; it might be the real one")
                   : status_hint(status, "it would hide the new one: choose another folder");
}

/* A set cannot be read without test_batch. Removing it first keeps old and new files from passing
 * for one set if the run is interrupted. */
static bool remove_test_batch(const MakeCifar *request, Arena *arena, Status *status)
{
    const char *path = cifar_file_path(arena, request->folder, request->encoding, CIFAR_TEST_FILE);
    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "removing it failed: %s",
                       strerror(errno));
}

/* --- The files --- */

typedef struct {
    const MakeCifar *request;
    const SyntheticCifar *set;
    Arena *arena;
    Progress progress;
    int64_t done; /* images */
} Making;

static void write_images(Making *making, FILE *stream, int file)
{
    const MakeCifar *request = making->request;
    const SyntheticSplit split = file == CIFAR_TEST_FILE ? SYNTHETIC_TEST : SYNTHETIC_TRAIN;
    const int32_t first = file == CIFAR_TEST_FILE ? 0 : file * CIFAR_FILE_IMAGES;
    const int32_t count = request->images_per_file;
    uint8_t *labels = ARENA_ARRAY(making->arena, uint8_t, count);
    for (int32_t i = 0; i < count; i++)
        labels[i] = synthetic_cifar_label(making->set, split, first + i);
    const CifarContents contents = {
        .title = file == CIFAR_TEST_FILE
                     ? "synthetic testing batch 1 of 1"
                     : arena_printf(making->arena, "synthetic training batch %d of %d", file + 1,
                                    CIFAR_TRAIN_FILES),
        .name_stem = "synthetic",
        .labels = labels,
        .count = count,
    };
    cifar_write_begin(stream, request->encoding, &contents);
    for (int32_t i = 0; i < count && !ferror(stream); i++) {
        uint8_t planes[IMAGE_BYTES];
        synthetic_cifar_image(making->set, split, first + i, planes);
        cifar_write_image(stream, request->encoding, labels[i], planes);
        progress_update(&making->progress, ++making->done);
    }
    cifar_write_end(stream, request->encoding, &contents);
}

static bool make_file(Making *making, int file, Status *status)
{
    FileWriter writer;
    const char *path =
        cifar_file_path(making->arena, making->request->folder, making->request->encoding, file);
    if (!file_writer_open(&writer, path, status))
        return false;
    write_images(making, writer.stream, file);
    return file_writer_commit(&writer, status);
}

static bool make_notice(const Making *making, Status *status)
{
    const char *path = arena_printf(making->arena, "%s/SYNTHETIC.txt", making->request->folder);
    const char *text = arena_printf(
        making->arena,
        "This is not CIFAR-10. The files have its layout, but the images were computed:\n"
        "coloured, textured blobs of ten made-up classes, which have no names.\n"
        "\n"
        "Made by: trainyard make-cifar --seed %" PRIu64 " --encoding %s --images %" PRId32 "\n"
        "CIFAR-10 itself: https://www.cs.toronto.edu/~kriz/cifar.html\n",
        making->request->seed, cifar_encoding_name(making->request->encoding),
        making->request->images_per_file);
    return file_write(path, text, strlen(text), status);
}

static bool make_files(Making *making, Status *status)
{
    if (!make_notice(making, status))
        return false;
    bool is_made = true;
    making->progress = progress_start(
        "make-cifar", (int64_t)CIFAR_FILES * making->request->images_per_file, false);
    for (int file = 0; file < CIFAR_FILES && is_made; file++)
        is_made = make_file(making, file, status);
    progress_end(&making->progress);
    return is_made;
}

bool make_cifar(const MakeCifar *request, Arena *arena, Status *status)
{
    Making making = {
        .request = request, .arena = arena, .set = synthetic_cifar_create(arena, request->seed)};
    return check_free(request, arena, status) && folder_create(request->folder, status) &&
           remove_test_batch(request, arena, status) && make_files(&making, status);
}
