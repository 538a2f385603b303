#include "tools/trainyard/emu/az_env_options.h"

const AzEnvOptions az_env_option_defaults = {.state_folder = "trainyard-state", .has_proxy = true};

static const char *const shells[] = {"sh", "fish", "powershell", NULL}; // AZ_SHELLS

#define OWNER AzEnvOptions
static const Field options[] = {
    OPTION_FOLDER(0, "state", state_folder, "DIR",
                  "the folder that `trainyard serve` keeps its state in (trainyard-state)"),
    OPTION_FLAG_OFF(0, "no-proxy", has_proxy,
                    "do without HTTPS_PROXY: enough for az, but for SAS tokens and older commands"),
    OPTION_FLAG(0, "check", checks,
                "print nothing for the shell, but ask the emulator as az would and say what came"),
    OPTION_FLAG(0, "off", is_off, "print what undoes it in a shell"),
    OPTION_CHOICE(0, "shell", shell, "NAME", shells, "print for that shell (sh)"),
    {0},
};
#undef OWNER

const OptionTable az_env_option_table = {
    .name = "az-env",
    .operands = "",
    .summary = "Prints what makes the Azure CLI and SDKs of a shell talk to the emulator.",
    .details =
        "Writes a configuration folder for az inside the state folder and prints variables that "
        "lead to it. Your own login in ~/.azure is not touched. In such a shell other HTTPS sites "
        "are out of reach, because the proxy leads to the emulator alone; `az-env --off` undoes "
        "it.",
    .example = "eval \"$(trainyard az-env)\"\n"
               "trainyard az-env --check\n"
               "trainyard az-env --shell fish | source",
    .options = options,
};
