/* The tables of the store, by version. A version that was released never changes: what is new
 * belongs to the next one, whose statements bring an older store up to date. */
#ifndef EMU_STORE_SCHEMA_H
#define EMU_STORE_SCHEMA_H

/* Who keeps tables. X(ENUM) */
#define STORE_MODULE_LIST(X) X(SESSION) X(FILES)

enum {
#define X(name) STORE_OF_##name,
    STORE_MODULE_LIST(X)
#undef X
        STORE_MODULES
};

enum { STORE_VERSION = 3 };

typedef struct {
    const char *of_module[STORE_MODULES]; /* SQL statements, each ended by ';'; "" for none */
} StoreVersion;

/* store_schema[v] leads from version v to v + 1; an empty database has version 0. */
extern const StoreVersion store_schema[STORE_VERSION];

#endif
