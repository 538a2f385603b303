/* Private to sim/json: one problem for UTF-16, binary, YAML and tables. */
#include "sim/json/json_tree.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/utf8.h"

/* UTF-16 begins with its byte order mark, or has a NUL in one half of each of its first two
 * characters, which JSON writes in ASCII. */
static bool is_utf16(const char *text, size_t length)
{
    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return true;
    return length >= 4 && (text[0] == '\0') != (text[1] == '\0') &&
           (text[0] == '\0') == (text[2] == '\0') && (text[1] == '\0') == (text[3] == '\0');
}

/* Whether at least eight bytes of the first 4,096, and more than one in ten, are control characters
 * or not UTF-8. A text with fewer has mistakes, and each line's is reported. */
static bool is_binary(const char *text, size_t length)
{
    enum { LOOKED_AT = 4096, LEAST = 8, ONE_IN = 10 };
    const size_t end = length < LOOKED_AT ? length : LOOKED_AT;
    size_t odd = 0;
    for (size_t position = 0, step; position < end; position += step) {
        const size_t sequence = utf8_sequence(text + position, length - position);
        const bool is_control =
            (unsigned char)text[position] < ' ' && strchr("\t\n\r\f", text[position]) == NULL;
        step = sequence > 0 ? sequence : 1;
        odd += sequence == 0 || text[position] == '\0' || is_control;
    }
    return odd >= LEAST && odd > end / ONE_IN;
}

static bool is_key_byte(char c)
{
    return ascii_is_alphanumeric(c) || c == '_' || c == '-';
}

/* The first line that is neither empty nor a '#' comment. */
static const char *first_line(const char *text, const char *end)
{
    while (text < end && (*text == '#' || *text == ' ' || *text == '\n' || *text == '\r')) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        text = *text != '#' ? text + 1 : line_end != NULL ? line_end : end;
    }
    return text;
}

/* Whether the line begins a YAML document: "---", "%YAML", an item "- " or a key without quotes and
 * a colon. */
static bool is_yaml(const char *text, const char *end)
{
    static const char *const marks[] = {"---", "%YAML", "- "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if ((size_t)(end - text) >= strlen(marks[i]) &&
            memcmp(text, marks[i], strlen(marks[i])) == 0)
            return true;
    const char *key_end = text;
    while (key_end < end && is_key_byte(*key_end))
        key_end++;
    return key_end > text && key_end < end && *key_end == ':' &&
           (key_end + 1 == end || strchr(" \r\n", key_end[1]) != NULL);
}

/* Whether the line is the header of a table: words with separators between them, as in CSV. */
static bool is_table(const char *text, const char *end)
{
    int32_t separators = 0;
    for (; text < end && *text != '\n' && *text != '\r'; text++) {
        if (memchr(",;|\t", *text, 4) != NULL)
            separators++;
        else if (!is_key_byte(*text) && *text != ' ')
            return false;
    }
    return separators > 0;
}

/* Most texts. Their mistakes have places, and they are not looked at twice. */
static bool begins_like_json(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && memchr(" \t\r\n", text[at], 4) != NULL)
        at++;
    return at + 1 < length && memchr("{[/\"", text[at], 4) != NULL && text[at + 1] != '\0';
}

bool json_is_other(const char *source, const char *text, size_t length, Problems *problems)
{
    const char *found = NULL, *hint = "save the file as UTF-8";
    if (begins_like_json(text, length))
        return false;
    const char *end = text + length, *line = first_line(text, end);
    if (is_utf16(text, length)) {
        found = "the text is UTF-16, expected JSON in UTF-8";
    } else if (is_binary(text, length)) {
        found = "the bytes are binary, expected JSON in UTF-8";
        hint = "the first bytes are not a text";
    } else if (is_table(line, end)) {
        found = "the text is a table, expected JSON";
        hint =
            "a table of jobs is the \"trace\" of a scenario's workload; `trainyard import` reads "
            "logs of clusters";
    } else if (is_yaml(line, end)) {
        found = "the text is YAML, expected JSON";
        hint = "trainyard reads JSON: objects are in {}, arrays in [], keys and strings in double "
               "quotes";
    }
    if (found != NULL)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(source, 1, 1), "%s", found),
                    "%s", hint);
    return found != NULL;
}
