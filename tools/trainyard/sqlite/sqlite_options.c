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
    .summary = "Copies the tables of a sweep or a plan into a database of SQLite.",
    .details =
        "DIR is the folder of `trainyard sweep -o` or `trainyard plan -o`. The tables results "
        "and points, and jobs, plan, fresh and winner_jobs if DIR has them, have the "
        "columns of the files of that name. Unknown values are NULL, and a column is "
        "INTEGER or REAL if all others are such numbers. `point` joins the tables, and "
        "`point` and `seed` are a run. The table study has the members of study.json, a row "
        "each: description, version, hashes. The database replaces an earlier one.",
    .example = "trainyard sqlite out/nodes",
    .options = sqlite_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FOLDERS,
};
