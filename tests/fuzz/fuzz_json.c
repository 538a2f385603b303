/* Any bytes: a tree or problems, never both; and what was read prints to something that reads the
 * same. */
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    JsonDialect dialect = size % 2 == 0 ? JSON_STRICT : JSON_WITH_COMMENTS;
    Json *root = json_parse(arena, "input", (const char *)data, size, dialect, &problems);
    invariant((root == NULL) == (problems.count > 0));
    if (root != NULL) {
        Text once = {0}, again = {0};
        json_print(&once, root, JSON_INDENTED);
        Json *copy =
            json_parse(arena, "printed", text_string(&once), once.length, JSON_STRICT, &problems);
        invariant(copy != NULL);
        json_print(&again, copy, JSON_INDENTED);
        invariant(strcmp(text_string(&once), text_string(&again)) == 0);
        text_free(&once);
        text_free(&again);
    }
    arena_destroy(arena);
    return 0;
}
