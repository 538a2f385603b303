/* Private to sim/cli: the text of --help from a table of options. */
#include <string.h>

#include "sim/cli/common_options.h"
#include "sim/cli/options.h"

enum { LINE_WIDTH = 80, LABEL_WIDTH_MAX = 28 };

static void spaces_add(Text *out, size_t count)
{
    text_printf(out, "%*s", (int)count, "");
}

/* Adds `words`, broken at spaces so that lines end before LINE_WIDTH. The first word is at
 * `column`; further lines are indented to it. */
static void add_wrapped(Text *out, const char *words, size_t column)
{
    size_t at = column;
    while (*words) {
        const size_t length = strcspn(words, " ");
        if (at > column && at + 1 + length > LINE_WIDTH) {
            text_add(out, "\n");
            spaces_add(out, column);
            at = column;
        } else if (at > column) {
            text_add(out, " ");
            at++;
        }
        text_append(out, words, length);
        at += length;
        words += length + (words[length] == ' ');
    }
    text_add(out, "\n");
}

/* "-o, --output DIR" */
static void option_label(const Field *option, Text *out)
{
    if (option->letter)
        text_printf(out, "-%c, ", option->letter);
    else
        text_add(out, "    ");
    text_printf(out, "--%s", option->name);
    if (option->argument)
        text_printf(out, " %s", option->argument);
}

static const char *const colour_words[] = {
#define X(name, word) word,
    TERMINAL_COLOURS(X)
#undef X
        NULL};

#define OWNER CommonOptions
const Field common_options[] = {
    OPTION_CHOICE(0, "color", colour, "WHEN", colour_words, "colour messages"),
    OPTION_FLAG('h', "help", wants_help, "print this text and stop"),
    {0},
};
#undef OWNER

void options_description(const Field *option, Text *out)
{
    text_add(out, option->doc);
    for (int32_t i = 0; option->kind == VALUE_CHOICE && option->choices[i]; i++)
        text_printf(out, "%s%s",
                    i == 0                   ? ": "
                    : option->choices[i + 1] ? ", "
                                             : " or ",
                    option->choices[i]);
}

static size_t label_width(const Field *option)
{
    Text label = {0};
    option_label(option, &label);
    const size_t width = label.length;
    text_free(&label);
    return width;
}

/* A label that is wider than its column gets a separate line. */
static void add_option(const Field *option, size_t column_width, Text *out)
{
    const size_t width = label_width(option);
    Text description = {0};
    options_description(option, &description);
    text_add(out, "  ");
    option_label(option, out);
    if (width > column_width) {
        text_add(out, "\n  ");
        spaces_add(out, column_width + 2);
    } else {
        spaces_add(out, column_width - width + 2);
    }
    add_wrapped(out, text_string(&description), 2 + column_width + 2);
    text_free(&description);
}

static void add_options(const Field *options, Text *out)
{
    size_t column_width = label_width(&common_options[0]);
    for (const Field *option = options; option && option->name; option++) {
        const size_t width = label_width(option);
        if (width > column_width && width <= LABEL_WIDTH_MAX)
            column_width = width;
    }
    for (const Field *option = options; option && option->name; option++)
        add_option(option, column_width, out);
    for (const Field *option = common_options; option->name; option++)
        add_option(option, column_width, out);
}

static void add_indented(const char *lines, Text *out)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        text_add(out, "  ");
        text_append(out, lines, length);
        text_add(out, "\n");
        lines += length + (lines[length] == '\n');
    }
}

/* Each line is a paragraph, unless it begins with a space. */
static void add_details(const char *details, Text *out)
{
    while (*details) {
        const size_t length = strcspn(details, "\n");
        Text line = {0};
        text_append(&line, details, length);
        if (*details == ' ')
            text_printf(out, "%s\n", text_string(&line));
        else
            add_wrapped(out, text_string(&line), 0);
        text_free(&line);
        details += length + (details[length] == '\n');
    }
}

void options_help(const OptionTable *table, Text *out)
{
    text_printf(out, "Usage: trainyard%s%s [OPTION]...%s%s\n\n", table->name ? " " : "",
                table->name ? table->name : "", *table->operands ? " " : "", table->operands);
    add_wrapped(out, table->summary, 0);
    if (table->details) {
        text_add(out, "\n");
        add_details(table->details, out);
    }
    text_add(out, "\nOptions:\n");
    add_options(table->options, out);
    text_add(out, "\nExample:\n");
    add_indented(table->example, out);
}
