/* The formats of cluster logs: a row each in a table (formats.c), with its parser (format_*.c). */
#ifndef SIM_STUDY_IMPORT_FORMAT_H
#define SIM_STUDY_IMPORT_FORMAT_H

#include "sim/cloud/spec/scenario.h"
#include "sim/study/import/import_log.h"

/* A file in memory. */
typedef struct {
    const char *path; /* for messages */
    const char *text;
    size_t length;
} ImportFile;

/* A column that a parser wants from a table with a header line. */
typedef struct {
    const char *name; /* as in the header; letter case does not count */
    bool is_needed;
} WantedColumn;

typedef struct {
    const char *name;   /* "philly" */
    const char *what;   /* one phrase */
    const char *zone;   /* of its times without an offset, unless --timezone says otherwise */
    bool has_calendar;  /* its times are instants, not only seconds since a begin */
    bool has_dates;     /* and their dates are true */
    bool names_are_ids; /* rows with one name, submission and start are about one job */
    PolicyKind policy;  /* the one that is most like that of the log's scheduler ... */
    const char *policy_source; /* ... and why; NULL: not known, so it is the service's */
    /* Tables with a header line: */
    char separator;
    const WantedColumn *columns;
    int32_t column_count;
    /* Adds the job of a row. `cells` are those of `columns`, in their order; a column that the file
     * does not have has an empty cell. */
    void (*add_row)(ImportLog *log, const Cell *cells);
    /* Other layouts, NULL for tables: reads all files. */
    void (*read)(ImportLog *log, const ImportFile *files, int32_t file_count);
    int32_t files_max; /* how many files belong together; 0: any number, of the same kind */
} ImportFormat;

extern const ImportFormat import_formats[];
extern const int32_t import_format_count;
/* NULL: there is no such format. */
const ImportFormat *import_format_find(const char *name);

/* Reads the files into `log`. Problems are added to those of the log. */
void import_format_read(const ImportFormat *format, ImportLog *log, const ImportFile *files,
                        int32_t file_count);

/* --- For parsers --- */

enum { CELLS_MAX = 128 }; /* in a row */

/* Goes through a table without a header. Calls `add_row` with the cells of each row and their
 * number, which is at most CELLS_MAX. Lines that begin with `comment` go to `add_comment`. */
typedef struct {
    char separator;
    char comment; /* or 0 */
    void *parser; /* for the functions below */
    void (*add_row)(void *parser, const Cell *cells, int32_t count);
    void (*add_comment)(void *parser); /* NULL: comments are skipped */
} PlainTable;
void import_read_plain(const PlainTable *table, ImportLog *log, ImportFile file);
/* Goes through a table with a header line. */
void import_read_table(ImportLog *log, ImportFile file, char separator, const WantedColumn *columns,
                       int32_t column_count, void *parser,
                       void (*add_row)(void *parser, const Cell *cells));

/* Parsers of layouts that are not plain tables; private to this folder. */
void format_philly_read(ImportLog *log, const ImportFile *files, int32_t file_count);
void format_pai2020_read(ImportLog *log, const ImportFile *files, int32_t file_count);
void format_swf_read(ImportLog *log, const ImportFile *files, int32_t file_count);
void format_gavel_read(ImportLog *log, const ImportFile *files, int32_t file_count);
void format_csv_read(ImportLog *log, const ImportFile *files, int32_t file_count);

#endif
