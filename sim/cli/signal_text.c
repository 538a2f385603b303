#include "sim/cli/signal_text.h"

#include <unistd.h>

void signal_text_add(SignalText *text, const char *words)
{
    while (*words && text->length < text->room)
        text->out[text->length++] = *words++;
}

void signal_text_add_number(SignalText *text, int64_t number)
{
    char digits[24];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    signal_text_add(text, first);
}

void signal_text_print(const SignalText *text)
{
    const ssize_t written = write(STDERR_FILENO, text->out, text->length);
    (void)written;
}
