/* Patterns for names of programs, commands and files: `*` stands for any characters, '/'
 * included, `?` for exactly one. Bytes are compared, independently of the locale. */
#ifndef SIM_SCHEMA_GLOB_H
#define SIM_SCHEMA_GLOB_H

#include <stdbool.h>

/* Whether `pattern` covers the whole of `text`. Time is at most their lengths multiplied. */
bool glob_matches(const char *pattern, const char *text);

#endif
