#include "emu/state/store_schema.h"

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

/* Without a rowid each query of a small setting compared names in rows that contain their values,
 * among them the whole scenario. */
static const char session_3[] =
    "CREATE TABLE settings_2 AS SELECT name,value FROM settings;"
    "DROP TABLE settings;"
    "CREATE TABLE settings(name TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT;"
    "INSERT INTO settings(name,value)SELECT name,value FROM settings_2;"
    "DROP TABLE settings_2;";

/* Entries `first` to `last` in one piece (emu/state/journal_pack.h); `journal` has the later ones.
 */
static const char session_5[] =
    "CREATE TABLE journal_pack(first INTEGER PRIMARY KEY,last INTEGER NOT NULL,"
    "text_bytes INTEGER NOT NULL,packed BLOB NOT NULL)STRICT;";

/* emu/state/outcome_rows.h. */
static const char session_6[] =
    "CREATE TABLE outcome(kind TEXT NOT NULL,row INTEGER NOT NULL,name TEXT NOT NULL,"
    "state TEXT NOT NULL,PRIMARY KEY(kind,row))STRICT,WITHOUT ROWID;";

/* Times are in 100 ns since 1601, `since_ns` in simulated ns; emu/files/store/tables.h describes
 * the rows. */
static const char files_1[] =
    "CREATE TABLE file_counter (number INTEGER NOT NULL, etag INTEGER NOT NULL);"
    "INSERT INTO file_counter VALUES (0, 0);"
    "CREATE TABLE file_share (account TEXT NOT NULL, name TEXT NOT NULL, snapshot TEXT NOT NULL,"
    "  id INTEGER NOT NULL, since_ns INTEGER NOT NULL, quota_gib INTEGER NOT NULL,"
    "  etag INTEGER NOT NULL, created INTEGER NOT NULL, changed INTEGER NOT NULL,"
    "  properties TEXT NOT NULL, metadata TEXT NOT NULL, lease TEXT NOT NULL,"
    "  is_gone INTEGER NOT NULL, PRIMARY KEY (account, name, snapshot)) WITHOUT ROWID;"
    "CREATE TABLE file_entry (share INTEGER NOT NULL, parent INTEGER NOT NULL,"
    "  folded TEXT NOT NULL, id INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL,"
    "  bytes INTEGER NOT NULL, etag INTEGER NOT NULL, created INTEGER NOT NULL,"
    "  written INTEGER NOT NULL, changed INTEGER NOT NULL, properties TEXT NOT NULL,"
    "  metadata TEXT NOT NULL, lease TEXT NOT NULL, contents INTEGER NOT NULL,"
    "  since_ns INTEGER NOT NULL, PRIMARY KEY (share, parent, folded)) WITHOUT ROWID;"
    "CREATE INDEX file_entry_contents ON file_entry (contents) WHERE contents > 0;"
    "CREATE TABLE file_extent (contents INTEGER NOT NULL, first INTEGER NOT NULL,"
    "  length INTEGER NOT NULL, blob INTEGER NOT NULL, position INTEGER NOT NULL,"
    "  PRIMARY KEY (contents, first)) WITHOUT ROWID;"
    "CREATE INDEX file_extent_blob ON file_extent (blob, contents);";

/* Files whose contents were not reported to the world yet. */
static const char files_2[] =
    "CREATE TABLE file_untold (account TEXT NOT NULL, share TEXT NOT NULL, path TEXT NOT NULL,"
    "  PRIMARY KEY (account, share, path)) WITHOUT ROWID;";

/* Checksums of an extent's bytes (emu/files/store/extents.h); NULL for extents of version 3. */
static const char files_4[] = "ALTER TABLE file_extent ADD COLUMN sums BLOB;";

const StoreVersion store_schema[STORE_VERSION] = {
    {{[STORE_OF_SESSION] = session_1, [STORE_OF_FILES] = files_1}},
    {{[STORE_OF_SESSION] = "", [STORE_OF_FILES] = files_2}},
    {{[STORE_OF_SESSION] = session_3, [STORE_OF_FILES] = ""}},
    {{[STORE_OF_SESSION] = "", [STORE_OF_FILES] = files_4}},
    {{[STORE_OF_SESSION] = session_5, [STORE_OF_FILES] = ""}},
    {{[STORE_OF_SESSION] = session_6, [STORE_OF_FILES] = ""}},
};
