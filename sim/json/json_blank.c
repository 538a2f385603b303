/* Private to sim/json: comments and broken bytes of a text become blanks. */
#include "sim/json/json_walk.h"

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

static void check_bytes(Blanker *blanker)
{
    while (blanker->position < blanker->length) {
        size_t sequence = utf8_sequence((const char *)blanker->text + blanker->position,
                                        blanker->length - blanker->position);
        if (sequence == 0)
            refuse_byte(blanker);
        if (sequence > 1)
            blanker->position += sequence;
        else
            advance(blanker);
    }
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

char *json_blank(Arena *arena, const char *source, const char *text, size_t length,
                 JsonDialect dialect, Problems *problems)
{
    char *copy = arena_strndup(arena, text, length);
    Blanker blanker = {.source = source,
                       .text = (unsigned char *)copy,
                       .length = length,
                       .line = 1,
                       .problems = problems};
    check_bytes(&blanker);
    if (length >= 3 && memcmp(copy, "\xef\xbb\xbf", 3) == 0)
        memset(copy, ' ', 3);
    if (dialect == JSON_WITH_COMMENTS) {
        blanker.position = blanker.line_start = 0;
        blanker.line = 1;
        blank_comments(&blanker);
    }
    return copy;
}
