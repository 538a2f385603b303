/* Objects that a program writes to a file and reads again, by field tables: plain structs without
 * places. The kinds of rows and their members:
 *
 *     TEXT                    const char *
 *     BOOLEAN, CHOICE         bool; an enum
 *     INTEGER                 int64_t or int32_t
 *     DECIMAL                 int64_t or Wide: the number in the file times 10^decimals, from 0
 *     REAL                    double; not finite: unknown. With `decimals` it is rounded to them
 *     JSON                    const Json *, any value; NULL: unknown
 *     OBJECT                  a struct; in FIELD_GROUP the struct of the table itself
 *     OBJECTS, TEXTS          an array; `count` is the offset of its uint32_t count
 *     NAMED                   likewise; in the file an object of objects, by their KEY
 *     NAMED_VALUES            likewise; the type has two rows, KEY and the value
 *     KEY                     const char *, the name of an item of NAMED or NAMED_VALUES
 *
 * A value may be unknown: a TEXT or KEY that is NULL, a DECIMAL that is PLAIN_UNKNOWN, a REAL, an
 * OBJECT whose members are all unknown, or an empty list with `is_left_out_empty`. An unknown value
 * is written as null if the row is nullable, otherwise it has no key. */
#ifndef SIM_SCHEMA_PLAIN_H
#define SIM_SCHEMA_PLAIN_H

#include "sim/schema/field.h"

#define PLAIN_UNKNOWN INT64_MAX

/* The members of `item`, a struct of `type`, in the order of the table. */
Json *plain_write(Arena *arena, const ObjectType *type, const void *item);

/* Fills `item` from `root`; texts borrow the tree, lists live in `arena`. A member that is missing
 * or null is unknown, or false, or 0. Adds a problem for each member that is required and missing,
 * or of another kind. Members that the table does not have are ignored. */
void plain_read(Arena *arena, const ObjectType *type, const Json *root, void *item,
                Problems *problems);

/* Rows of plain structs. The arguments after the text are further members of Field. */
#define NULLABLE .is_nullable = true
#define FIELD_DECIMAL(key, member, digits, ...)                                                    \
    FIELD_ROW(DECIMAL, key, member, .decimals = digits, .doc = __VA_ARGS__)
#define FIELD_COUNT(key, member, ...) FIELD_DECIMAL(key, member, 0, __VA_ARGS__)
#define PLAIN_TEXT(key, member, ...) FIELD_ROW(TEXT, key, member, .doc = __VA_ARGS__)
#define FIELD_ROUNDED(key, member, digits, ...)                                                    \
    FIELD_ROW(REAL, key, member, .decimals = digits, .doc = __VA_ARGS__)
#define PLAIN_REAL(key, member, text) FIELD_ROW(REAL, key, member, NULLABLE, .doc = text)
/* An object that the file has if the struct's `is_there` says so. */
#define PLAIN_OPTIONAL(key, member, of, text)                                                      \
    FIELD_ROW(OBJECT, key, member, .type = &(of), .shown_if = offsetof(OWNER, member.is_there),    \
              .doc = text)
#define FIELD_KEY(member, text) FIELD_ROW(KEY, "NAME", member, .doc = text)
#define FIELD_LIST(KIND, key, member, number, of, ...)                                             \
    FIELD_ROW(KIND, key, member, .count = offsetof(OWNER, number), .type = of, .doc = __VA_ARGS__)
/* Members of the same struct that the file has in an inner object. */
#define FIELD_GROUP(key, of, text)                                                                 \
    {                                                                                              \
        .name = key, .kind = VALUE_OBJECT, .size = sizeof(OWNER), .type = &(of), .doc = text       \
    }

#endif
