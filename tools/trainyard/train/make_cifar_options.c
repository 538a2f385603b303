#include "tools/trainyard/train/make_cifar_options.h"

enum { IMAGES_MAX = 10000 }; // in each of the published files

static const char *const encodings[] = {"binary", "pickle", NULL};

#define OWNER MakeCifarOptions
static const Field options[] = {
    OPTION_INTEGER('s', "seed", seed, "N", 0, 0, "make other classes and images (1)"),
    OPTION_CHOICE('e', "encoding", encoding, "binary|pickle", encodings,
                  "files as for C programs or for Python (binary)"),
    OPTION_INTEGER('n', "images", images, "N", 1, IMAGES_MAX,
                   "only the first N images of each of the six files (10000)"),
    OPTION_FLAG('f', "force", may_overwrite, "replace a set that is there"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing"),
    {0},
};
#undef OWNER

const MakeCifarOptions make_cifar_option_defaults = {.seed = 1, .images = IMAGES_MAX};

const OptionTable make_cifar_option_table = {
    .name = "make-cifar",
    .operands = "FOLDER",
    .summary = "Makes a synthetic set in the files of CIFAR-10, for where the real one is not.",
    .details = "Ten classes of coloured, textured blobs, which the tutorial's network takes tens "
               "of epochs to learn, as with CIFAR-10. The same seed gives the same bytes on every "
               "machine. All "
               "of it takes 184 MB and some seconds.",
    .example = "trainyard make-cifar cifar10\n"
               "trainyard make-cifar --encoding pickle --images 500 cifar-10-batches-py",
    .options = options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FOLDERS,
};
