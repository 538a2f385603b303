/* An index of the members of an object with many of them, by key. Private to sim/json. */
#ifndef SIM_JSON_JSON_INDEX_H
#define SIM_JSON_JSON_INDEX_H

#include "sim/json/json.h"

/* Objects with fewer members have no index: a search from the first is as fast. */
enum { JSON_INDEXED_LEAST = 16 };

/* To be called after the last member of `object` was appended; `link` is where the tree points to
 * it: its parent's `first` or its predecessor's `next`. Makes the index where it is due. An index
 * keeps the first of several members with one key. */
void json_index_add(Arena *arena, Json *object, Json **link);
/* Where the tree points to the member `key` of an object that has an index; NULL: it has none. */
Json **json_index_find(const Json *object, const char *key);
/* The link of the member `key` is now `link`. */
void json_index_move(Json *object, const char *key, Json **link);

#endif
