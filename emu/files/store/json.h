/* Properties, metadata and leases as the file store keeps them: JSON objects in text, "" for one
 * without members. */
#ifndef EMU_FILES_JSON_H
#define EMU_FILES_JSON_H

#include "sim/json/json.h"

/* Never NULL. */
Json *files_json_read(Arena *arena, const char *text);
const char *files_json_print(Arena *arena, const Json *object);
/* The member's text; "" where there is none. */
const char *files_json_text(const Json *object, const char *key);
void files_json_put(Arena *arena, Json *object, const char *key, const char *text);

#endif
