/* The tables of emu/file_store, as versions of the store make them (emu/session/store_schema.c). */
#ifndef EMU_FILE_STORE_SCHEMA_H
#define EMU_FILE_STORE_SCHEMA_H

/* Version 1. Times are in 100 ns since 1601, `since_ns` in simulated ns; emu/files/store/parts.h
 * says what the rows mean. */
#define FILE_STORE_TABLES_1                                                                        \
    "CREATE TABLE file_counter (number INTEGER NOT NULL, etag INTEGER NOT NULL);"                  \
    "INSERT INTO file_counter VALUES (0, 0);"                                                      \
    "CREATE TABLE file_share (account TEXT NOT NULL, name TEXT NOT NULL, snapshot TEXT NOT NULL,"  \
    "  id INTEGER NOT NULL, since_ns INTEGER NOT NULL, quota_gib INTEGER NOT NULL,"                \
    "  etag INTEGER NOT NULL, created INTEGER NOT NULL, changed INTEGER NOT NULL,"                 \
    "  properties TEXT NOT NULL, metadata TEXT NOT NULL, lease TEXT NOT NULL,"                     \
    "  is_gone INTEGER NOT NULL, PRIMARY KEY (account, name, snapshot)) WITHOUT ROWID;"            \
    "CREATE TABLE file_entry (share INTEGER NOT NULL, parent INTEGER NOT NULL,"                    \
    "  folded TEXT NOT NULL, id INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL,"      \
    "  bytes INTEGER NOT NULL, etag INTEGER NOT NULL, created INTEGER NOT NULL,"                   \
    "  written INTEGER NOT NULL, changed INTEGER NOT NULL, properties TEXT NOT NULL,"              \
    "  metadata TEXT NOT NULL, lease TEXT NOT NULL, contents INTEGER NOT NULL,"                    \
    "  since_ns INTEGER NOT NULL, PRIMARY KEY (share, parent, folded)) WITHOUT ROWID;"             \
    "CREATE INDEX file_entry_contents ON file_entry (contents) WHERE contents > 0;"                \
    "CREATE TABLE file_extent (contents INTEGER NOT NULL, first INTEGER NOT NULL,"                 \
    "  length INTEGER NOT NULL, blob INTEGER NOT NULL, position INTEGER NOT NULL,"                 \
    "  PRIMARY KEY (contents, first)) WITHOUT ROWID;"                                              \
    "CREATE INDEX file_extent_blob ON file_extent (blob, contents);"

/* Version 2: files that were written since the world was told what is in them. */
#define FILE_STORE_TABLES_2                                                                        \
    "CREATE TABLE file_untold (account TEXT NOT NULL, share TEXT NOT NULL, path TEXT NOT NULL,"    \
    "  PRIMARY KEY (account, share, path)) WITHOUT ROWID;"

#endif
