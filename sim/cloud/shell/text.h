/* The operands of echo, printf and sleep. */
#ifndef SIM_CLOUD_SHELL_TEXT_H
#define SIM_CLOUD_SHELL_TEXT_H

#include "sim/base/text.h"
#include "sim/cloud/spec/script.h"

/* How a text with escapes is printed. */
typedef enum {
    ESCAPES_BASH_ECHO, /* echo -e */
    ESCAPES_DASH_ECHO,
    ESCAPES_FORMAT, /* of printf */
} ShellEscapes;

/* Copies `text` with its escapes resolved; false at "\c": nothing more is printed. */
bool shell_unescape(Text *out, const char *text, ShellEscapes escapes);
/* printf's format, again as long as there are arguments. shell_read has seen to it that format and
 * numbers are of the kind that is known. */
void shell_format(Text *out, const char *format, const char *const *arguments, int32_t count);

/* The time that an operand of sleep means ("1.5m", "infinity"); false: it is not a time. */
bool shell_sleep_ns(const char *text, int64_t *ns);

#endif
