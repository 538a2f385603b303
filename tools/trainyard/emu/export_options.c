#include "tools/trainyard/emu/export_options.h"

const ExportOptions export_option_defaults = {.state_folder = "trainyard-state"};

#define OWNER ExportOptions
static const Field options[] = {
    OPTION_FOLDER(0, "state", state_folder, "DIR",
                  "the folder that `trainyard serve` kept its state in (trainyard-state)"),
    OPTION_FILE('o', "output", output, "FILE", "write the scenario to FILE instead of stdout"),
    {0},
};
#undef OWNER

const OptionTable export_option_table = {
    .name = "export",
    .operands = "",
    .summary = "Writes a session of the emulator as a scenario.",
    .details =
        "The scenario needs no other file. Its run by `trainyard run` has the same trace as the "
        "emulator, byte for byte, up to the present time of the session. A running emulator "
        "has its session at http://ADDRESS/trainyard/session.",
    .example = "trainyard export --state trainyard-state -o session.json\n"
               "trainyard run session.json -o out/session",
    .options = options,
};
