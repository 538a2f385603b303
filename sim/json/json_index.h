/* An index of the members of an object with many of them, by key. Private to sim/json. */
#ifndef SIM_JSON_JSON_INDEX_H
#define SIM_JSON_JSON_INDEX_H

#include "sim/json/json.h"

/* An object with fewer members has no index: a linear search is as fast. */
enum { JSON_INDEXED_LEAST = 16 };

/* Call it whenever a member was appended to `object`. `link` is the pointer of the tree to that
 * member: its parent's `first` or its predecessor's `next`. Makes the index when the object has
 * grown to JSON_INDEXED_LEAST members. If several members have one key, it keeps the first. */
void json_index_add(Arena *arena, Json *object, Json **link);
/* The pointer of the tree to the member `key` of an object that has an index; NULL: there is no
 * such member. */
Json **json_index_find(const Json *object, const char *key);
/* The link of the member `key` is now `link`. */
void json_index_move(Json *object, const char *key, Json **link);

#endif
