#include "tools/trainyard/emu/az_env_options.h"

const AzEnvOptions az_env_option_defaults = {.state_folder = "trainyard-state", .has_proxy = true};

static const char *const shells[] = {"sh", "fish", "powershell", NULL}; // AZ_SHELLS

static const Option options[] = {
    {.name = "state",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "the folder that `trainyard serve` keeps its state in (trainyard-state)",
     .offset = offsetof(AzEnvOptions, state_folder)},
    {.name = "no-proxy",
     .kind = OPTION_FLAG_OFF,
     .help = "do without HTTPS_PROXY: enough for az, but for SAS tokens and older commands",
     .offset = offsetof(AzEnvOptions, has_proxy)},
    {.name = "check",
     .kind = OPTION_FLAG,
     .help = "print nothing for the shell, but ask the emulator as az would and say what came",
     .offset = offsetof(AzEnvOptions, checks)},
    {.name = "off",
     .kind = OPTION_FLAG,
     .help = "print what undoes it in a shell",
     .offset = offsetof(AzEnvOptions, is_off)},
    {.name = "shell",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "print for that shell (sh)",
     .offset = offsetof(AzEnvOptions, shell),
     .choices = shells},
    {0},
};

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
