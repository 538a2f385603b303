/* Properties, metadata and leases in the file store: JSON objects in text, "" for an empty one. */
#ifndef EMU_FILES_JSON_H
#define EMU_FILES_JSON_H

#include "sim/json/json.h"

/* Never NULL. */
Json *files_json_read(Arena *arena, const char *text);
const char *files_json_print(Arena *arena, const Json *object);
/* The member's text; "" if there is no such member. */
const char *files_json_text(const Json *object, const char *key);
void files_json_put(Arena *arena, Json *object, const char *key, const char *text);

#endif
