/* The capabilities of the terminal, by the conventions that programs share: NO_COLOR,
 * CLICOLOR_FORCE, COLUMNS, and the locale. */
#ifndef SIM_CLI_TERMINAL_H
#define SIM_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

/* Whether output on `descriptor` has colour. If NO_COLOR (https://no-color.org) is set and not
 * empty, it has none; else if CLICOLOR_FORCE is set and neither empty nor "0", it has; else a
 * terminal has. */
bool terminal_has_colour(int descriptor);

/* The values of --color. */
#define TERMINAL_COLOURS(X) X(AUTO, "auto") X(ALWAYS, "always") X(NEVER, "never")
typedef enum {
#define X(name, word) TERMINAL_COLOUR_##name,
    TERMINAL_COLOURS(X)
#undef X
} TerminalColour;
/* Sets the two variables for this process and the programs that it starts. */
void terminal_colour_choose(TerminalColour colour);

/* The columns of the terminal on `descriptor`: COLUMNS if that is a number from 20 on, else what
 * the terminal says, else 80. */
int32_t terminal_columns(int descriptor);

/* Whether LC_ALL, or else LC_CTYPE, or else LANG names UTF-8. Without any of them the locale is C,
 * which does not. */
bool terminal_is_utf8(void);
/* Replaces characters outside of ASCII in `text`, UTF-8, by ASCII: arrows and signs by what looks
 * like them, others by '?'. */
void terminal_ascii(Text *out, const char *text, size_t length);

#endif
