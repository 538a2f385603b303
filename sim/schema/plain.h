/* Objects that a program writes to a file and reads again, by field tables: plain structs without
 * places. Members: TEXT const char *, INTEGER int64_t or int32_t, BOOLEAN bool, CHOICE an enum. */
#ifndef SIM_SCHEMA_PLAIN_H
#define SIM_SCHEMA_PLAIN_H

#include "sim/schema/field.h"

/* The members of `item`, a struct of `type`, in the order of the table. */
Json *plain_write(Arena *arena, const ObjectType *type, const void *item);

/* Fills `item` from `root`; texts borrow the tree. STATUS_BAD_INPUT at the place of the first
 * member that is missing or of another kind. Members that the table does not have are ignored. */
MUST_CHECK bool plain_read(const ObjectType *type, const Json *root, void *item, Status *status);

#endif
