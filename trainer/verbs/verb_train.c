#include "sim/cli/report.h"
#include "trainer/options/train_options.h"
#include "trainer/verbs/program.h"

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    TrainOptions options = train_option_defaults;
    Operands operands;
    int exit_code = EXIT_MACHINE;
    if (options_read(&train_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = EXIT_MACHINE;
    arena_destroy(arena);
    return exit_code;
}
