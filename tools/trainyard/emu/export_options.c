#include "tools/trainyard/emu/export_options.h"

const ExportOptions export_option_defaults = {.state_folder = "trainyard-state"};

static const Option options[] = {
    {.name = "state",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "the folder that `trainyard serve` kept its state in (trainyard-state)",
     .offset = offsetof(ExportOptions, state_folder)},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_FILE,
     .argument = "FILE",
     .help = "write the scenario to FILE instead of stdout",
     .offset = offsetof(ExportOptions, output)},
    {0},
};

const OptionTable export_option_table = {
    .name = "export",
    .operands = "",
    .summary = "Writes a session of the emulator as a scenario.",
    .details = "The scenario needs no other file. `trainyard run` tells of it what the emulator "
               "told, byte for byte, up to where the session stands. A session that is being "
               "served is at http://ADDRESS/trainyard/session.",
    .example = "trainyard export --state trainyard-state -o session.json\n"
               "trainyard run session.json -o out/session",
    .options = options,
};
