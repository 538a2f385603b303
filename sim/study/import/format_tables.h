/* Columns and rows of the formats that are tables with a header line. Private to
 * sim/study/import. */
#ifndef SIM_STUDY_IMPORT_FORMAT_TABLES_H
#define SIM_STUDY_IMPORT_FORMAT_TABLES_H

#include "sim/study/import/format.h"

/* X(prefix, number of columns) */
#define TABLE_FORMATS(X)                                                                           \
    X(philly_csv, 4) X(helios, 12) X(acme, 13) X(pai2023, 11) X(sia, 4) X(tiresias, 4) X(slurm, 18)

#define X(name, count)                                                                             \
    extern const WantedColumn name##_columns[count];                                               \
    void name##_add(ImportLog *log, const Cell *cells);
TABLE_FORMATS(X)
#undef X

#endif
