/* The tables of the store, by version. A released version never changes; the next version has the
 * statements that upgrade an older store. */
#ifndef EMU_STORE_SCHEMA_H
#define EMU_STORE_SCHEMA_H

/* Modules with tables. X(ENUM) */
#define STORE_MODULE_LIST(X) X(SESSION) X(FILES)

enum {
#define X(name) STORE_OF_##name,
    STORE_MODULE_LIST(X)
#undef X
        STORE_MODULES
};

enum { STORE_VERSION = 6 };

typedef struct {
    const char
        *of_module[STORE_MODULES]; /* SQL statements, each ended by ';'; "" if there are none */
} StoreVersion;

/* store_schema[v] upgrades version v to v + 1; an empty database has version 0. */
extern const StoreVersion store_schema[STORE_VERSION];

#endif
