/* The operands of echo, printf and sleep. */
#ifndef SIM_CLOUD_SHELL_TEXT_H
#define SIM_CLOUD_SHELL_TEXT_H

#include "sim/base/text.h"
#include "sim/cloud/spec/script.h"

/* The set of escapes that is resolved. */
typedef enum {
    ESCAPES_BASH_ECHO, /* echo -e */
    ESCAPES_DASH_ECHO,
    ESCAPES_FORMAT, /* of printf */
} ShellEscapes;

/* Copies `text` with its escapes resolved. Returns false at "\c", which ends the output. */
bool shell_unescape(Text *out, const char *text, ShellEscapes escapes);
/* Prints as printf does; the format is repeated while arguments are left. shell_read has checked
 * that the conversions and numbers are supported. */
void shell_format(Text *out, const char *format, const char *const *arguments, int32_t count);

/* Reads an operand of sleep ("1.5m", "infinity"); false: it is not a time. */
bool shell_sleep_ns(const char *text, int64_t *ns);

#endif
