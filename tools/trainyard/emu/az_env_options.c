#define _XOPEN_SOURCE 700 // realpath
#include "tools/trainyard/emu/az_env_options.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/files.h"

const AzEnvOptions az_env_option_defaults = {.state_folder = "trainyard-state", .has_proxy = true};

#define OWNER AzEnvOptions
// No backquotes here and below: a shell that evaluates the help would run what is between them.
static const Field options[] = {
    OPTION_FOLDER(0, "state", state_folder, "DIR",
                  "the folder that trainyard serve keeps its state in (trainyard-state)"),
    OPTION_FLAG_OFF(0, "no-proxy", has_proxy,
                    "do without HTTPS_PROXY: enough for az, but for SAS tokens and older commands"),
    OPTION_FLAG(0, "check", checks,
                "print nothing for the shell, but ask the emulator as az would and say what came"),
    OPTION_FLAG(0, "off", is_off, "print what undoes it in a shell"),
    OPTION_CHOICE(0, "shell", shell, "NAME", code_shell_names, "print for that shell (sh)"),
    OPTION_FLAG(0, "json", is_json,
                "print the variables as JSON, for a program that starts clients; null: unset it"),
    {0},
};
#undef OWNER

const char *az_env_guard(Arena *arena, CodeShell shell, Text *out)
{
    Status ignored;
    const char *made = folder_create_temporary(arena, "trainyard-az", &ignored);
    char *absolute = made ? realpath(made, NULL) : NULL;
    // Without a folder: a path below a file, where no folder can ever be.
    const char *folder = absolute ? arena_strdup(arena, absolute) : "/dev/null/az";
    free(absolute);
    code_set(shell, "AZURE_CONFIG_DIR", folder, out);
    code_expect_more(shell, out);
    return folder;
}

static void print_guard(const char *reason, int argc, char **argv)
{
    Text text = {0};
    Arena *arena = arena_create();
    const CodeShell shell = code_shell_of(argc, argv);
    az_env_guard(arena, shell, &text);
    code_fail(shell, reason, &text);
    fputs(text_string(&text), stdout);
    arena_destroy(arena);
    text_free(&text);
}

const OptionTable az_env_option_table = {
    .name = "az-env",
    .operands = "",
    .summary = "Prints what makes the Azure CLI and SDKs of a shell talk to the emulator.",
    .details =
        "Writes a configuration folder for az inside the state folder and prints variables that "
        "lead to it. Your own login in ~/.azure is not touched: where az-env fails, the evaluation "
        "fails too, and az has an empty folder. In such a shell other HTTPS sites "
        "are out of reach, because the proxy leads only to the emulator; --off undoes it.",
    .example = "eval \"$(trainyard az-env)\"\n"
               "trainyard az-env --check\n"
               "trainyard az-env --shell fish | source",
    .options = options,
    .print_guard = print_guard,
};
