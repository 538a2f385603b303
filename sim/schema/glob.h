/* Patterns for names of programs, commands and files: `*` stands for any characters, '/'
 * included, `?` for exactly one. Bytes are compared, independently of the locale. */
#ifndef SIM_SCHEMA_GLOB_H
#define SIM_SCHEMA_GLOB_H

#include <stdbool.h>

/* Whether `pattern` matches the whole of `text`. Takes time in proportion to the product of their
 * lengths at most. */
bool glob_matches(const char *pattern, const char *text);

#endif
