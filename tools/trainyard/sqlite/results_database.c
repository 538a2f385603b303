#include "tools/trainyard/sqlite/results_database.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sim/formats/csv.h"

struct ResultsDatabase {
    const char *path;
    sqlite3 *database;
};

static bool fail(const ResultsDatabase *database, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(database->path, 0, 0), "%s",
                       sqlite3_errmsg(database->database));
}

static bool execute(ResultsDatabase *database, const char *statement, Status *status)
{
    return sqlite3_exec(database->database, statement, NULL, NULL, NULL) == SQLITE_OK ||
           fail(database, status);
}

ResultsDatabase *results_database_create(Arena *arena, const char *path, Status *status)
{
    ResultsDatabase *database = ARENA_NEW(arena, ResultsDatabase);
    database->path = path;
    if (sqlite3_open(path, &database->database) != SQLITE_OK) {
        fail(database, status);
    } else if (execute(database, "PRAGMA journal_mode = OFF; BEGIN", status)) {
        return database;
    }
    results_database_abandon(database);
    return NULL;
}

/* "name" with its quotes doubled, as SQL quotes names. */
static void add_name(Text *out, const char *name)
{
    text_add(out, "\"");
    for (; *name != '\0'; name++)
        text_append(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    text_add(out, "\"");
}

/* The kind of all known values of a column. */
typedef enum { VALUES_UNKNOWN, VALUES_INTEGERS, VALUES_REALS, VALUES_TEXTS } ColumnValues;

static const char *const value_types[] = {[VALUES_UNKNOWN] = "TEXT",
                                          [VALUES_INTEGERS] = "INTEGER",
                                          [VALUES_REALS] = "REAL",
                                          [VALUES_TEXTS] = "TEXT"};

/* A number as csv_integer and csv_real write it; "007" and "+5" are texts, which a number would
 * change. */
static ColumnValues values_of_field(const char *field)
{
    const char *digits = field + (field[0] == '-');
    const size_t whole = strspn(digits, "0123456789");
    if (field[0] == '\0')
        return VALUES_UNKNOWN;
    if (whole == 0 || (digits[0] == '0' && whole > 1))
        return VALUES_TEXTS;
    if (digits[whole] == '\0' && whole < 19) // 64 bits
        return VALUES_INTEGERS;
    char *end;
    strtod(field, &end);
    return *end == '\0' && digits[strspn(digits, "0123456789.eE+-")] == '\0' ? VALUES_REALS
                                                                             : VALUES_TEXTS;
}

enum { COLUMNS_MAX = 2000 }; // of a table of SQLite

/* Finds what the columns of `rows` have, without the first row. */
static void find_values(const char *rows, int column_count, ColumnValues values[COLUMNS_MAX])
{
    Text field = {0};
    memset(values, 0, COLUMNS_MAX * sizeof *values);
    for (int column = 0; *rows != '\0';) {
        bool is_last;
        csv_cut(&rows, &field, &is_last);
        const ColumnValues found = values_of_field(text_string(&field));
        if (column < column_count && found > values[column])
            values[column] = found;
        column = is_last ? 0 : column + 1;
    }
    text_free(&field);
}

/* The number of columns of the first row, which ends before `*rows`. */
static int count_columns(const char **rows)
{
    Text field = {0};
    int count = 0;
    for (bool is_last = false; !is_last && **rows != '\0'; count++)
        csv_cut(rows, &field, &is_last);
    text_free(&field);
    return count;
}

/* Creates the table from its first row and makes the statement that inserts a row. */
static bool create_table(ResultsDatabase *database, const char *name, const char **rest,
                         int *column_count, sqlite3_stmt **insert, Status *status)
{
    Text create = {0}, values = {0}, field = {0};
    ColumnValues found[COLUMNS_MAX];
    const char *rows = *rest;
    *column_count = count_columns(&rows);
    if (*column_count > COLUMNS_MAX)
        return status_fail(status, STATUS_BAD_INPUT, place_in(database->path, 0, 0),
                           "the table \"%s\" has %d columns, SQLite has room for %d", name,
                           *column_count, COLUMNS_MAX);
    find_values(rows, *column_count, found);
    text_add(&create, "CREATE TABLE ");
    add_name(&create, name);
    text_add(&values, "INSERT INTO ");
    add_name(&values, name);
    text_add(&values, " VALUES ");
    for (int column = 0; column < *column_count; column++) {
        bool is_last;
        csv_cut(rest, &field, &is_last);
        text_add(&create, column == 0 ? " (" : ", ");
        add_name(&create, text_string(&field));
        text_printf(&create, " %s", value_types[found[column]]);
        text_add(&values, column == 0 ? "(?" : ", ?");
    }
    text_add(&create, ")");
    text_add(&values, ")");
    const bool is_made = execute(database, text_string(&create), status) &&
                         (sqlite3_prepare_v2(database->database, text_string(&values), -1, insert,
                                             NULL) == SQLITE_OK ||
                          fail(database, status));
    text_free(&create);
    text_free(&values);
    text_free(&field);
    return is_made;
}

/* Binds the fields of one row. False if their number is not that of the columns. */
static bool bind_row(sqlite3_stmt *insert, const char **rest, int column_count, Text *field)
{
    int count = 0;
    sqlite3_clear_bindings(insert); // NULL
    for (bool is_last = false; !is_last && count <= column_count;) {
        csv_cut(rest, field, &is_last);
        if (field->length > 0 && ++count <= column_count)
            sqlite3_bind_text(insert, count, field->data, (int)field->length, SQLITE_TRANSIENT);
        else if (field->length == 0)
            count++;
    }
    return count == column_count;
}

bool results_database_add(ResultsDatabase *database, const char *name, const char *source,
                          const char *csv, Status *status)
{
    sqlite3_stmt *insert = NULL;
    int column_count;
    Text field = {0};
    const char *rest = csv;
    bool is_added = create_table(database, name, &rest, &column_count, &insert, status);
    for (int32_t line = 2; is_added && *rest != '\0'; line++) {
        if (!bind_row(insert, &rest, column_count, &field))
            is_added = status_fail(status, STATUS_BAD_INPUT, place_in(source, line, 1),
                                   "the row and the first row have different numbers of fields");
        else if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert) != SQLITE_OK)
            is_added = fail(database, status);
    }
    sqlite3_finalize(insert);
    text_free(&field);
    return is_added;
}

bool results_database_close(ResultsDatabase *database, Status *status)
{
    const bool is_kept = execute(database, "COMMIT", status);
    sqlite3_close(database->database);
    return is_kept;
}

void results_database_abandon(ResultsDatabase *database)
{
    sqlite3_close(database->database);
}
