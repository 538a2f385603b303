/* A database of SQLite with tables of text. SQLite is used here and in the emulator only. */
#ifndef TOOLS_TRAINYARD_RESULTS_DATABASE_H
#define TOOLS_TRAINYARD_RESULTS_DATABASE_H

#include "sim/base/status.h"

typedef struct ResultsDatabase ResultsDatabase;

/* Creates a new database in the file `path`, which does not exist. NULL with STATUS_MACHINE. */
ResultsDatabase *results_database_create(Arena *arena, const char *path, Status *status);

/* Adds the table `name` with the content of `csv` (sim/formats/csv.h), whose first row names the
 * columns. A column is INTEGER or REAL if all its known values are such numbers, otherwise TEXT.
 * Rows with another number of fields than the first are STATUS_BAD_INPUT at their line of
 * `source`. */
MUST_CHECK bool results_database_add(ResultsDatabase *database, const char *name,
                                     const char *source, const char *csv, Status *status);

/* Makes everything durable and closes the database. */
MUST_CHECK bool results_database_close(ResultsDatabase *database, Status *status);
/* Closes it instead, after a failure; the caller removes the file. */
void results_database_abandon(ResultsDatabase *database);

#endif
