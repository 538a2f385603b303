/* Which bytes are text: UTF-8 as the Unicode standard defines it, table 3-7. */
#ifndef SIM_BASE_UTF8_H
#define SIM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 sequence at the start of `text`, of which `left` >= 1 bytes remain; 0 when it
 * is broken or NUL: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t utf8_sequence(const char *text, size_t left);
/* Whether all bytes are UTF-8 without control characters (below ' ', and DEL): a name. */
bool utf8_is_name(const char *text, size_t length);

#endif
