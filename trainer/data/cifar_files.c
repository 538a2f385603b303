#include "trainer/data/cifar_files.h"

#include <unistd.h>

typedef struct {
    const char *name, *folder, *suffix;
} Encoding;

static const Encoding encodings[] = {
    [CIFAR_BINARY] = {"binary", "cifar-10-batches-bin", ".bin"},
    [CIFAR_PICKLE] = {"pickle", "cifar-10-batches-py", ""},
};
_Static_assert(sizeof(encodings) / sizeof(encodings[0]) == CIFAR_ENCODING_COUNT,
               "one row per encoding");

const char *cifar_encoding_name(CifarEncoding encoding)
{
    return encodings[encoding].name;
}

const char *cifar_encoding_folder(CifarEncoding encoding)
{
    return encodings[encoding].folder;
}

const char *cifar_file_path(Arena *arena, const char *folder, CifarEncoding encoding, int file)
{
    const char *suffix = encodings[encoding].suffix;
    if (file == CIFAR_TEST_FILE)
        return arena_printf(arena, "%s/test_batch%s", folder, suffix);
    return arena_printf(arena, "%s/data_batch_%d%s", folder, file + 1, suffix);
}

bool cifar_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool find_in(const char *folder, Arena *arena, CifarFile *found)
{
    for (int encoding = 0; encoding < CIFAR_ENCODING_COUNT; encoding++) {
        for (int file = 0; file < CIFAR_FILES; file++) {
            const char *path = cifar_file_path(arena, folder, (CifarEncoding)encoding, file);
            if (!cifar_file_exists(path))
                continue;
            *found = (CifarFile){path, folder, (CifarEncoding)encoding};
            return true;
        }
    }
    return false;
}

bool cifar_file_find(const char *folder, Arena *arena, CifarFile *found)
{
    bool is_found = find_in(folder, arena, found);
    for (int encoding = 0; encoding < CIFAR_ENCODING_COUNT && !is_found; encoding++)
        is_found =
            find_in(arena_printf(arena, "%s/%s", folder, encodings[encoding].folder), arena, found);
    return is_found;
}
