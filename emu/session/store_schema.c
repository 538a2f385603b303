#include "emu/session/store_schema.h"

#include "emu/files/store/schema.h"

/* Entries are numbered without gaps, and never change. */
static const char session_1[] =
    "CREATE TABLE journal("
    "sequence INTEGER PRIMARY KEY,"
    "at_ns INTEGER NOT NULL,"
    "list TEXT NOT NULL,"
    "command TEXT NOT NULL,"
    "kept TEXT NOT NULL,"
    "subject TEXT NOT NULL)STRICT;"
    "CREATE TABLE settings(name TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT,WITHOUT ROWID;";

/* Without a rowid each look at a small setting compared names in rows that have their values in
 * them, the whole scenario among these. */
static const char session_3[] =
    "CREATE TABLE settings_2 AS SELECT name,value FROM settings;"
    "DROP TABLE settings;"
    "CREATE TABLE settings(name TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT;"
    "INSERT INTO settings(name,value)SELECT name,value FROM settings_2;"
    "DROP TABLE settings_2;";

static const char files_1[] = FILE_STORE_TABLES_1;
static const char files_2[] = FILE_STORE_TABLES_2;

const StoreVersion store_schema[STORE_VERSION] = {
    {{[STORE_OF_SESSION] = session_1, [STORE_OF_FILES] = files_1}},
    {{[STORE_OF_SESSION] = "", [STORE_OF_FILES] = files_2}},
    {{[STORE_OF_SESSION] = session_3, [STORE_OF_FILES] = ""}},
};
