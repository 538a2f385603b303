/* `trainyard make-cifar`: writes a synthetic set in the format of CIFAR-10. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/train/make_cifar_options.h"
#include "trainer/data/make_cifar.h"

static int make(const MakeCifarOptions *options, const char *folder, Arena *arena)
{
    const MakeCifar request = {.folder = folder,
                               .encoding = (CifarEncoding)options->encoding,
                               .seed = (uint64_t)options->seed,
                               .images_per_file = (int32_t)options->images,
                               .may_overwrite = options->may_overwrite};
    Status status = {0};
    if (!make_cifar(&request, arena, &status))
        return report_status(&status);
    if (!options->is_quiet)
        printf("%s: %" PRId32 " synthetic training images, %" PRId32
               " test images, %s, seed %" PRId64 "\n",
               folder, CIFAR_TRAIN_FILES * request.images_per_file, request.images_per_file,
               cifar_encoding_name(request.encoding), options->seed);
    return EXIT_FINE;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    MakeCifarOptions options = make_cifar_option_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&make_cifar_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = make(&options, operands.items[0], arena);
    arena_destroy(arena);
    return exit_code;
}
