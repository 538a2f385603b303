#include <stdio.h>

#include "sim/cli/completion.h"
#include "tools/trainyard/verbs.h"

static const char *const shells[] = {"bash", NULL};

static const OptionTable completion_table = {
    .name = "completion",
    .operands = "bash",
    .summary = "Prints a script that lets bash complete verbs, options and files.",
    .example = "eval \"$(trainyard completion bash)\"",
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_WORDS,
    .operand_words = shells,
};

static void print_script(Arena *arena)
{
    int32_t verb_count = 0, program_count = 0;
    while (verbs[verb_count])
        verb_count++;
    while (programs[program_count])
        program_count++;
    const int32_t count = verb_count + program_count;
    const OptionTable **tables = ARENA_ARRAY(arena, const OptionTable *, count);
    for (int32_t i = 0; i < verb_count; i++)
        tables[i] = verbs[i]->options;
    for (int32_t i = 0; i < program_count; i++)
        tables[verb_count + i] = programs[i];
    Text script = {0};
    completion_bash(tables, count, &script);
    fputs(text_string(&script), stdout);
    text_free(&script);
}

static int run_completion(int argc, char **argv)
{
    Arena *arena = arena_create();
    Operands operands;
    int exit_code = EXIT_FINE;
    if (options_read(&completion_table, arena, argc, argv, NULL, &operands, &exit_code))
        print_script(arena);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_completion = {.options = &completion_table, .run = run_completion};
