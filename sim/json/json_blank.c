/* Private to sim/json: comments and broken bytes of a text become blanks. */
#include "sim/json/json_tree.h"

#include <string.h>

#include "sim/base/utf8.h"

typedef struct {
    const char *source;
    char *text;
    size_t length;
    size_t line_start; /* of the line up to which lines are counted */
    int32_t line;
    int32_t reported_line; /* broken bytes occur in groups: one report a line */
    Problems *problems;
} Blanker;

/* The place of `position`, which is not before the last one asked for. */
static Place place_at(Blanker *blanker, size_t position)
{
    const char *start = blanker->text + blanker->line_start, *end;
    while ((end = memchr(start, '\n', (size_t)(blanker->text + position - start))) != NULL) {
        start = end + 1;
        blanker->line++;
    }
    blanker->line_start = (size_t)(start - blanker->text);
    return place_in(blanker->source, blanker->line, (int32_t)(position - blanker->line_start) + 1);
}

/* --- Broken bytes --- */

static void refuse_byte(Blanker *blanker, size_t position)
{
    const unsigned char byte = (unsigned char)blanker->text[position];
    const Place at = place_at(blanker, position);
    blanker->text[position] = ' ';
    if (blanker->reported_line == at.line)
        return;
    blanker->reported_line = at.line;
    if (byte == 0)
        problems_add(blanker->problems, STATUS_BAD_INPUT, at,
                     "a NUL byte, which text cannot contain");
    else
        status_hint(
            problems_add(blanker->problems, STATUS_BAD_INPUT, at, "byte 0x%02x is not UTF-8", byte),
            "save the file as UTF-8");
}

/* Where the first byte from `position` on is that is not ASCII, or is NUL; `length` if none is. */
static size_t plain_end(const Blanker *blanker, size_t position)
{
    const uint64_t low_bits = UINT64_C(0x0101010101010101), high_bits = low_bits << 7;
    for (uint64_t eight; blanker->length - position >= sizeof eight; position += sizeof eight) {
        memcpy(&eight, blanker->text + position, sizeof eight);
        if ((eight & high_bits) != 0 || ((eight - low_bits) & high_bits) != 0)
            break;
    }
    while (position < blanker->length && (signed char)blanker->text[position] > 0)
        position++;
    return position;
}

static void check_bytes(Blanker *blanker)
{
    size_t position = 0;
    while ((position = plain_end(blanker, position)) < blanker->length) {
        size_t sequence = utf8_sequence(blanker->text + position, blanker->length - position);
        if (sequence == 0)
            refuse_byte(blanker, position);
        position += sequence > 0 ? sequence : 1;
    }
}

/* --- Comments --- */

/* Whether the text has the begin of a comment, perhaps in a string. */
static bool may_have_comments(const Blanker *blanker)
{
    const char *text = blanker->text, *end = text + blanker->length;
    while ((text = memchr(text, '/', (size_t)(end - text))) != NULL) {
        text++;
        if (text < end && (*text == '/' || *text == '*'))
            return true;
    }
    return false;
}

static bool begins(const Blanker *blanker, size_t position, const char *word)
{
    size_t length = strlen(word);
    return blanker->length - position >= length &&
           memcmp(blanker->text + position, word, length) == 0;
}

/* Replaces everything up to and including `end` by blanks, except line ends, because lines are
 * counted. Returns the position after it; beyond the text when `end` is missing. */
static size_t blank_until(Blanker *blanker, size_t position, const char *end)
{
    for (; position < blanker->length; position++) {
        bool ends = begins(blanker, position, end);
        for (size_t i = 0; i < (ends ? strlen(end) : 1); i++)
            if (blanker->text[position + i] != '\n')
                blanker->text[position + i] = ' ';
        if (ends)
            return position + strlen(end);
    }
    return blanker->length + 1;
}

/* The position after the string that begins at `position`. A line end is not part of a string;
 * the reader reports it. */
static size_t string_end(const Blanker *blanker, size_t position)
{
    const char *text = blanker->text;
    for (position++; position < blanker->length; position++) {
        position += json_plain_length(text + position);
        if (position >= blanker->length || text[position] == '\n')
            break;
        if (text[position] == '"')
            return position + 1;
        if (text[position] == '\\' && position + 1 < blanker->length && text[position + 1] != '\n')
            position++;
    }
    return position;
}

static void blank_comments(Blanker *blanker)
{
    size_t position = 0;
    while (position < blanker->length) {
        const char c = blanker->text[position];
        if (c == '"') {
            position = string_end(blanker, position);
        } else if (c == '/' && begins(blanker, position, "//")) {
            position = blank_until(blanker, position, "\n");
        } else if (c == '/' && begins(blanker, position, "/*")) {
            const Place start = place_at(blanker, position);
            position = blank_until(blanker, position, "*/");
            if (position > blanker->length)
                problems_add(blanker->problems, STATUS_BAD_INPUT, start,
                             "a comment without its end");
        } else {
            position++;
        }
    }
}

void json_blank(char *text, const char *source, size_t length, JsonDialect dialect,
                Problems *problems)
{
    Blanker blanker = {
        .source = source, .text = text, .length = length, .line = 1, .problems = problems};
    check_bytes(&blanker);
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        memset(text, ' ', 3);
    if (dialect == JSON_WITH_COMMENTS && may_have_comments(&blanker)) {
        blanker.line_start = 0;
        blanker.line = 1;
        blank_comments(&blanker);
    }
}
