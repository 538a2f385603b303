#include "tools/trainyard/train/make_cifar_options.h"

enum { IMAGES_MAX = 10000 }; // in each of the published files

static const char *const encodings[] = {"binary", "pickle", NULL};

static const Option options[] = {
    {.name = "seed",
     .letter = 's',
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "make other classes and images (1)",
     .offset = offsetof(MakeCifarOptions, seed)},
    {.name = "encoding",
     .letter = 'e',
     .kind = OPTION_CHOICE,
     .argument = "binary|pickle",
     .help = "files as for C programs or for Python (binary)",
     .offset = offsetof(MakeCifarOptions, encoding),
     .choices = encodings},
    {.name = "images",
     .letter = 'n',
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "only the first N images of each of the six files (10000)",
     .offset = offsetof(MakeCifarOptions, images),
     .minimum = 1,
     .maximum = IMAGES_MAX},
    {.name = "force",
     .letter = 'f',
     .kind = OPTION_FLAG,
     .help = "replace a set that is there",
     .offset = offsetof(MakeCifarOptions, may_overwrite)},
    {.name = "quiet",
     .letter = 'q',
     .kind = OPTION_FLAG,
     .help = "print nothing",
     .offset = offsetof(MakeCifarOptions, is_quiet)},
    {0},
};

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
