#include "tools/trainyard/sqlite/sqlite_options.h"

#define OWNER SqliteOptions
static const Field sqlite_options[] = {
    OPTION_FILE('o', "output", output, "FILE",
                "write the database to FILE (results.sqlite in DIR)"),
    {0},
};
#undef OWNER

const OptionTable sqlite_option_table = {
    .name = "sqlite",
    .operands = "DIR",
    .summary = "Copies the tables of a sweep into a database of SQLite.",
    .details = "DIR is the folder of `trainyard sweep -o`. The tables results and points have the "
               "columns of results.csv and points.csv; unknown values are NULL. The table study "
               "has the members of study.json, a row each: description, version, hashes. The "
               "database replaces an earlier one.",
    .example = "trainyard sqlite out/nodes",
    .options = sqlite_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FOLDERS,
};
