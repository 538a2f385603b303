#define _GNU_SOURCE // program_invocation_name
#include "sim/cli/report.h"
#include "sim/base/text.h"
#include "sim/cli/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int exit_code_of(StatusCode code)
{
    switch (code) {
    case STATUS_OK:
        return EXIT_FINE;
    case STATUS_BAD_INPUT:
    case STATUS_NOT_FOUND:
    case STATUS_CONFLICT:
    case STATUS_QUOTA:
        return EXIT_BAD_INPUT;
    case STATUS_MACHINE:
        break;
    }
    return EXIT_MACHINE;
}

static void add_printable(Text *out, const char *words)
{
    for (; *words; words++) {
        const unsigned char byte = (unsigned char)*words;
        if (byte < ' ' || byte == 0x7F)
            text_printf(out, "\\x%02x", byte);
        else
            text_append(out, words, 1);
    }
}

// ANSI escape sequences (ECMA-48, SGR): bold for the place, cyan for the hint.
static const char bold[] = "\x1b[1m";
static const char cyan[] = "\x1b[36m";
static const char plain[] = "\x1b[0m";

/* The command line is the place of a problem with an option: "trainyard: run: --why". */
static void add_command(Text *out, const char *source)
{
    const bool is_option = source[0] == '-' && source[1] != '\0';
    if (is_option && strchr(program_invocation_name, '/') == NULL)
        text_printf(out, "trainyard: %s: ", program_invocation_name);
}

/* `label` precedes the message. */
static void print_labelled(const Status *status, const char *label, bool in_colour, Text *out)
{
    text_add(out, in_colour ? bold : "");
    if (status->at.source) {
        add_command(out, status->at.source);
        add_printable(out, status->at.source);
    }
    if (status->at.line > 0)
        text_printf(out, ":%d:%d", status->at.line, status->at.column);
    if (status->at.source)
        text_add(out, ": ");
    text_add(out, in_colour ? plain : "");
    text_add(out, label);
    add_printable(out, status->message);
    text_add(out, "\n");
    if (status->hint[0] == '\0')
        return;
    text_printf(out, "  %shint:%s ", in_colour ? cyan : "", in_colour ? plain : "");
    add_printable(out, status->hint);
    text_add(out, "\n");
}

void status_print(const Status *status, bool in_colour, Text *out)
{
    print_labelled(status, "", in_colour, out);
}

static void print_all(const Problems *problems, const char *label, const char *noun, bool in_colour,
                      Text *out)
{
    for (int32_t i = 0; i < problems->kept; i++)
        print_labelled(&problems->items[i], label, in_colour, out);
    const int32_t cut = problems->count - problems->kept;
    if (cut > 0)
        text_printf(out, "%d more %s%s\n", cut, noun, plural(cut));
}

void problems_print(const Problems *problems, bool in_colour, Text *out)
{
    print_all(problems, "", "problem", in_colour, out);
}

void warnings_print(const Problems *warnings, bool in_colour, Text *out)
{
    print_all(warnings, "warning: ", "warning", in_colour, out);
}

int report_status(const Status *status)
{
    Text out = {0};
    status_print(status, terminal_has_colour(STDERR_FILENO), &out);
    fputs(text_string(&out), stderr);
    text_free(&out);
    return exit_code_of(status->code);
}

void report_warnings(const Problems *warnings)
{
    Text out = {0};
    warnings_print(warnings, terminal_has_colour(STDERR_FILENO), &out);
    fputs(text_string(&out), stderr);
    text_free(&out);
}

int exit_code_of_problems(const Problems *problems)
{
    int exit_code = EXIT_FINE;
    for (int32_t i = 0; i < problems->kept; i++) {
        const int code = exit_code_of(problems->items[i].code);
        exit_code = code > exit_code ? code : exit_code;
    }
    return exit_code;
}

int report_problems(const Problems *problems)
{
    Text out = {0};
    problems_print(problems, terminal_has_colour(STDERR_FILENO), &out);
    fputs(text_string(&out), stderr);
    text_free(&out);
    return exit_code_of_problems(problems);
}
