#include "sim/cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- Colour --- */

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0';
}

bool terminal_has_colour(int descriptor)
{
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
        return true;
    return isatty(descriptor);
}

void terminal_colour_choose(TerminalColour colour)
{
    if (colour == TERMINAL_COLOUR_AUTO)
        return;
    const bool is_always = colour == TERMINAL_COLOUR_ALWAYS;
    (void)setenv("NO_COLOR", is_always ? "" : "1", 1);
    (void)setenv("CLICOLOR_FORCE", is_always ? "1" : "0", 1);
}

/* --- Width --- */

enum { COLUMNS_LEAST = 20, COLUMNS_MOST = 1000, COLUMNS_UNKNOWN = 80 };

int32_t terminal_columns(int descriptor)
{
    const char *text = getenv("COLUMNS");
    char *end;
    const long columns = text != NULL ? strtol(text, &end, 10) : 0;
    if (columns >= COLUMNS_LEAST && *end == '\0')
        return columns < COLUMNS_MOST ? (int32_t)columns : COLUMNS_MOST;
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_LEAST)
        return size.ws_col;
    return COLUMNS_UNKNOWN;
}

/* --- Characters --- */

bool terminal_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && locale == NULL; i++)
        locale = is_set(names[i]) ? getenv(names[i]) : NULL;
    const char *charset = locale != NULL ? strchr(locale, '.') : NULL;
    return charset != NULL &&
           (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
}

static const struct {
    const char *character, *ascii;
} look_alikes[] = {
    {"\u00b7", "-"},  {"\u00b1", "+-"},  {"\u00d7", "x"},  {"\u00b5", "u"},  {"\u2013", "-"},
    {"\u2014", "-"},  {"\u2026", "..."}, {"\u2190", "<-"}, {"\u2192", "->"}, {"\u2264", "<="},
    {"\u2265", ">="}, {"\u2018", "'"},   {"\u2019", "'"},  {"\u201c", "\""}, {"\u201d", "\""},
};

static const char *look_alike(const char *character, size_t length)
{
    for (size_t i = 0; i < sizeof look_alikes / sizeof look_alikes[0]; i++)
        if (strlen(look_alikes[i].character) == length &&
            memcmp(look_alikes[i].character, character, length) == 0)
            return look_alikes[i].ascii;
    return "?";
}

void terminal_ascii(Text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t bytes = 1;
        if ((unsigned char)text[i] < 0x80) {
            text_append(out, &text[i++], 1);
            continue;
        }
        while (i + bytes < length && ((unsigned char)text[i + bytes] & 0xC0) == 0x80)
            bytes++;
        text_add(out, look_alike(&text[i], bytes));
        i += bytes;
    }
}
