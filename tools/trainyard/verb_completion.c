#include <stdio.h>
#include <string.h>

#include "sim/cli/completion.h"
#include "tools/trainyard/verbs.h"

#define X(name) #name,
static const char *const shells[] = {COMPLETION_SHELLS(X) NULL};
#undef X

typedef void CompletionScript(const OptionTable *const *tables, int32_t count, Text *out);

#define X(name) completion_##name,
static CompletionScript *const scripts[] = {COMPLETION_SHELLS(X)};
#undef X

static const OptionTable completion_table = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "Prints a script that lets a shell complete verbs, options and files.",
    .details = "An installed trainyard has the scripts where the shells look for them.",
    .example = "eval \"$(trainyard completion bash)\"\n"
               "trainyard completion zsh >_trainyard\n"
               "trainyard completion fish | source",
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_WORDS,
    .operand_words = shells,
};

static void print_script(Arena *arena, const char *shell)
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
    for (int i = 0; shells[i]; i++)
        if (strcmp(shells[i], shell) == 0)
            scripts[i](tables, count, &script);
    fputs(text_string(&script), stdout);
    text_free(&script);
}

static int run_completion(int argc, char **argv)
{
    Arena *arena = arena_create();
    Operands operands;
    int exit_code = EXIT_FINE;
    if (options_read(&completion_table, arena, argc, argv, NULL, &operands, &exit_code))
        print_script(arena, operands.items[0]);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_completion = {.options = &completion_table, .run = run_completion};
