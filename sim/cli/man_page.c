#include "sim/cli/man_page.h"

#include <string.h>

/* Text of a page: a backslash, a hyphen and a quote are escaped, and a dot or an apostrophe at the
 * start of a line is not a macro. */
static void add_text(const char *text, size_t length, Text *out)
{
    for (size_t i = 0; i < length; i++) {
        const char letter = text[i];
        const bool is_first = i == 0 || text[i - 1] == '\n';
        if (letter == '\\')
            text_add(out, "\\e");
        else if (letter == '-')
            text_add(out, "\\-");
        else if (letter == '\'')
            text_add(out, "\\(aq");
        else if (letter == '`')
            text_add(out, "\\(ga");
        else if (letter == '"')
            text_add(out, "\\(dq");
        else
            text_printf(out, "%s%c", is_first && letter == '.' ? "\\&" : "", letter);
    }
}

static void add_string(const char *text, Text *out)
{
    add_text(text, strlen(text), out);
}

static void add_section(const char *title, Text *out)
{
    text_printf(out, ".SH %s\n", title);
}

/* Lines that keep their breaks. */
static void add_lines(const char *lines, Text *out)
{
    text_add(out, ".RS 4\n.nf\n");
    add_string(lines, out);
    text_add(out, "\n.fi\n.RE\n");
}

/* Each line is a paragraph; consecutive lines that begin with a space keep their breaks. */
static void add_details(const char *details, Text *out)
{
    bool is_literal = false;
    while (*details != '\0') {
        const size_t length = strcspn(details, "\n");
        const bool begins_with_space = *details == ' ';
        if (begins_with_space && !is_literal)
            text_add(out, ".PP\n.nf\n");
        else if (!begins_with_space && is_literal)
            text_add(out, ".fi\n");
        is_literal = begins_with_space;
        if (!is_literal && length > 0)
            text_add(out, ".PP\n");
        if (length > 0) {
            add_text(details, length, out);
            text_add(out, "\n");
        }
        details += length + (details[length] == '\n');
    }
    if (is_literal)
        text_add(out, ".fi\n");
}

static void add_option(const Field *option, Text *out)
{
    text_add(out, ".TP\n");
    if (option->letter != 0)
        text_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    text_add(out, "\\fB\\-\\-");
    add_string(option->name, out);
    text_add(out, "\\fR");
    if (option->argument != NULL) {
        text_add(out, " \\fI");
        add_string(option->argument, out);
        text_add(out, "\\fR");
    }
    text_add(out, "\n");
    Text description = {0};
    options_description(option, &description);
    add_string(text_string(&description), out);
    text_free(&description);
    text_add(out, "\n");
}

static void add_exit_status(Text *out)
{
    add_section("EXIT STATUS", out);
    text_add(out, ".TP\n0\nsuccess\n"
                  ".TP\n1\nthe answer is no: a failed expectation, a failed job, runs that differ\n"
                  ".TP\n2\ninvalid input or usage\n"
                  ".TP\n3\na failure of this machine: disk, memory, a missing program\n");
}

void man_page(const OptionTable *table, const char *version, Text *out)
{
    const char *verb = table->name;
    const size_t summary_length = strlen(table->summary) - 1; // without its full stop
    text_printf(out, ".TH TRAINYARD%s", verb != NULL ? "\\-" : "");
    for (const char *letter = verb != NULL ? verb : ""; *letter != '\0'; letter++)
        text_printf(out, "%s%c", *letter == '-' ? "\\" : "",
                    *letter >= 'a' && *letter <= 'z' ? *letter - 'a' + 'A' : *letter);
    text_printf(out, " 1 \"\" \"trainyard %s\" \"User Commands\"\n", version);
    add_section("NAME", out);
    text_printf(out, "trainyard%s", verb != NULL ? "\\-" : "");
    add_string(verb != NULL ? verb : "", out);
    text_add(out, " \\- ");
    add_text(table->summary, summary_length, out);
    text_add(out, "\n");
    add_section("SYNOPSIS", out);
    text_printf(out, ".B trainyard%s", verb != NULL ? " " : "");
    add_string(verb != NULL ? verb : "", out);
    text_add(out, "\n[\\fIOPTION\\fR]...");
    if (table->operands[0] != '\0')
        text_add(out, " ");
    add_string(table->operands, out);
    text_add(out, "\n");
    add_section("DESCRIPTION", out);
    add_string(table->summary, out);
    text_add(out, "\n");
    if (table->details != NULL)
        add_details(table->details, out);
    add_section("OPTIONS", out);
    for (const Field *option = table->options; option != NULL && option->name != NULL; option++)
        add_option(option, out);
    for (const Field *option = common_options; option->name != NULL; option++)
        add_option(option, out);
    add_exit_status(out);
    add_section("EXAMPLES", out);
    add_lines(table->example, out);
    add_section("SEE ALSO", out);
    text_add(out, verb != NULL ? ".BR trainyard (1)\n" : ".BR trainyard\\-run (1)\n");
}
