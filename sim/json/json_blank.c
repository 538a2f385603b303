/* Private to sim/json: comments and broken bytes of a text become blanks. */
#include "sim/json/json_tree.h"

#include <string.h>

#include "sim/base/utf8.h"

typedef struct {
    const char *source;
    unsigned char *text;
    size_t length;
    size_t position;
    size_t line_start;
    int32_t line;
    int32_t reported_line; /* broken bytes occur in groups: one report a line */
    Problems *problems;
} Blanker;

static Place here(const Blanker *blanker)
{
    return place_in(blanker->source, blanker->line,
                    (int32_t)(blanker->position - blanker->line_start) + 1);
}

static void refuse_byte(Blanker *blanker)
{
    unsigned char byte = blanker->text[blanker->position];
    if (blanker->reported_line != blanker->line) {
        blanker->reported_line = blanker->line;
        if (byte == 0)
            problems_add(blanker->problems, STATUS_BAD_INPUT, here(blanker),
                         "a NUL byte, which text cannot contain");
        else
            status_hint(problems_add(blanker->problems, STATUS_BAD_INPUT, here(blanker),
                                     "byte 0x%02x is not UTF-8", byte),
                        "save the file as UTF-8");
    }
    blanker->text[blanker->position] = ' ';
}

static void advance(Blanker *blanker)
{
    if (blanker->text[blanker->position] == '\n') {
        blanker->line++;
        blanker->line_start = blanker->position + 1;
    }
    blanker->position++;
}

/* Moves to `position`, in the same line or a later one. */
static void advance_to(Blanker *blanker, size_t position)
{
    const char *text = (const char *)blanker->text;
    for (const char *end;
         (end = memchr(text + blanker->position, '\n', position - blanker->position)) != NULL;) {
        blanker->line++;
        blanker->line_start = blanker->position = (size_t)(end - text) + 1;
    }
    blanker->position = position;
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
    while (position < blanker->length && (unsigned char)(blanker->text[position] - 1) < 0x7f)
        position++;
    return position;
}

static void check_bytes(Blanker *blanker)
{
    size_t position = 0;
    while ((position = plain_end(blanker, position)) < blanker->length) {
        size_t sequence =
            utf8_sequence((const char *)blanker->text + position, blanker->length - position);
        if (sequence == 0) {
            advance_to(blanker, position);
            refuse_byte(blanker);
            sequence = 1;
        }
        position += sequence;
    }
}

/* --- Comments --- */

/* Whether the text has the begin of a comment, perhaps in a string. */
static bool may_have_comments(const Blanker *blanker)
{
    const char *text = (const char *)blanker->text, *end = text + blanker->length;
    while ((text = memchr(text, '/', (size_t)(end - text))) != NULL) {
        text++;
        if (text < end && (*text == '/' || *text == '*'))
            return true;
    }
    return false;
}

static bool looking_at(const Blanker *blanker, const char *word)
{
    size_t length = strlen(word);
    return blanker->length - blanker->position >= length &&
           memcmp(blanker->text + blanker->position, word, length) == 0;
}

/* Replaces everything up to and including `end` by blanks, except line ends, because lines are
 * counted. False when `end` is missing. */
static bool blank_until(Blanker *blanker, const char *end)
{
    while (blanker->position < blanker->length) {
        bool ends = looking_at(blanker, end);
        for (size_t i = 0; i < (ends ? strlen(end) : 1); i++) {
            if (blanker->text[blanker->position] != '\n')
                blanker->text[blanker->position] = ' ';
            advance(blanker);
        }
        if (ends)
            return true;
    }
    return false;
}

static void skip_string(Blanker *blanker)
{
    advance(blanker);
    while (blanker->position < blanker->length) {
        unsigned char byte = blanker->text[blanker->position];
        if (byte == '\n')
            return; // not a string after all; json_walk reports it
        advance(blanker);
        if (byte == '"')
            return;
        if (byte == '\\' && blanker->position < blanker->length &&
            blanker->text[blanker->position] != '\n')
            advance(blanker);
    }
}

static void blank_comments(Blanker *blanker)
{
    while (blanker->position < blanker->length) {
        Place start = here(blanker);
        if (blanker->text[blanker->position] == '"')
            skip_string(blanker);
        else if (looking_at(blanker, "//"))
            blank_until(blanker, "\n"); // the last line needs no end
        else if (!looking_at(blanker, "/*"))
            advance(blanker);
        else if (!blank_until(blanker, "*/"))
            problems_add(blanker->problems, STATUS_BAD_INPUT, start, "a comment without its end");
    }
}

void json_blank(char *text, const char *source, size_t length, JsonDialect dialect,
                Problems *problems)
{
    Blanker blanker = {.source = source,
                       .text = (unsigned char *)text,
                       .length = length,
                       .line = 1,
                       .problems = problems};
    check_bytes(&blanker);
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        memset(text, ' ', 3);
    if (dialect == JSON_WITH_COMMENTS && may_have_comments(&blanker)) {
        blanker.position = blanker.line_start = 0;
        blanker.line = 1;
        blank_comments(&blanker);
    }
}
