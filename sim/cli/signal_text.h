/* Text that a signal handler makes: without printf and malloc, which may hold a lock. */
#ifndef SIM_CLI_SIGNAL_TEXT_H
#define SIM_CLI_SIGNAL_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *out; /* has `room` bytes; no '\0' is added */
    size_t room, length;
} SignalText;

/* Add to the text; what does not fit is left out. */
void signal_text_add(SignalText *text, const char *words);
void signal_text_add_number(SignalText *text, int64_t number); /* at least 0 */
/* Writes the text to standard error; an error cannot be reported. */
void signal_text_print(const SignalText *text);

#endif
