#include "sim/json/json_walk.h"

#include <string.h>

#include "sim/base/ascii.h"

/* cJSON copies a number into a buffer of 64 bytes before it reads it. */
enum { NUMBER_LENGTH_MAX = 63, TOKENS_AT_FIRST = 64 };

typedef struct {
    Arena *arena;
    const char *source;
    const char *text; /* NUL-ended, without NUL inside */
    size_t length;
    size_t position;
    size_t line_start;
    int32_t line;
    int32_t depth;
    JsonTokens *tokens;
    Problems *problems;
} Walk;

static bool walk_value(Walk *walk);

static char peek(const Walk *walk)
{
    return walk->text[walk->position];
}

static Place place_at(const Walk *walk, size_t position)
{
    return place_in(walk->source, walk->line, (int32_t)(position - walk->line_start) + 1);
}

static Place here(const Walk *walk)
{
    return place_at(walk, walk->position);
}

static void skip_space(Walk *walk)
{
    for (;; walk->position++) {
        char c = peek(walk);
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            return;
        if (c == '\n') {
            walk->line++;
            walk->line_start = walk->position + 1;
        }
    }
}

static void add_token(Walk *walk, const char *start, size_t length, Place at)
{
    JsonTokens *tokens = walk->tokens;
    if (tokens->count == tokens->capacity) {
        int32_t capacity = tokens->capacity == 0 ? TOKENS_AT_FIRST : 2 * tokens->capacity;
        JsonToken *items = ARENA_ARRAY(walk->arena, JsonToken, capacity);
        if (tokens->count > 0)
            memcpy(items, tokens->items, (size_t)tokens->count * sizeof(JsonToken));
        tokens->items = items;
        tokens->capacity = capacity;
    }
    tokens->items[tokens->count++] = (JsonToken){.at = at, .start = start, .length = length};
}

/* --- Unexpected text --- */

static bool is_word(char c)
{
    return ascii_is_alphanumeric(c) || c == '_' || c == '$';
}

/* The word or the character at the position, as a person would name it. */
static const char *found(const Walk *walk)
{
    enum { SHOWN_MAX = 30 };
    const char *start = walk->text + walk->position;
    if (walk->position >= walk->length)
        return "the end of the text";
    size_t length = 1;
    while (is_word(start[0]) && is_word(start[length]) && length < SHOWN_MAX)
        length++;
    while (((unsigned char)start[length] & 0xc0) == 0x80) // the rest of a UTF-8 sequence
        length++;
    return arena_printf(walk->arena, "'%.*s'", (int)length, start);
}

static bool unexpected(Walk *walk, const char *expected)
{
    Status *problem = problems_add(walk->problems, STATUS_BAD_INPUT, here(walk),
                                   "expected %s, found %s", expected, found(walk));
    char c = peek(walk);
    if (c == '\'')
        status_hint(problem, "strings have double quotes");
    else if (c == '/' || c == '#')
        status_hint(problem, "comments are // or /* */, and only in scenario files");
    else if (c == 'T' || c == 'F' || c == 'N')
        status_hint(problem, "true, false and null are written in small letters");
    return false;
}

/* --- Strings --- */

/* The value of "uXXXX" at `start`; -1 if it is not such an escape. */
static int32_t unicode_escape(const char *start)
{
    int32_t value = 0;
    if (start[0] != 'u')
        return -1;
    for (int32_t i = 1; i <= 4; i++) {
        int32_t digit = ascii_hex_value(start[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* At a backslash; moves past the escape, valid or not. */
static void walk_escape(Walk *walk)
{
    enum { HIGH_FIRST = 0xd800, LOW_FIRST = 0xdc00, LOW_LAST = 0xdfff };
    Place at = here(walk);
    const char *escape = walk->text + walk->position + 1;
    if (escape[0] != '\0' && strchr("\"\\/bfnrt", escape[0]) != NULL) {
        walk->position += 2;
        return;
    }
    int32_t unit = unicode_escape(escape);
    walk->position += unit < 0 ? 1 : 6;
    if (unit < 0) {
        status_hint(problems_add(walk->problems, STATUS_BAD_INPUT, at, "an unknown escape"),
                    "a backslash itself is written \\\\");
    } else if (unit == 0) {
        problems_add(walk->problems, STATUS_BAD_INPUT, at, "a NUL character in a string");
    } else if (unit >= HIGH_FIRST && unit <= LOW_LAST) {
        int32_t low = unit < LOW_FIRST && escape[5] == '\\' ? unicode_escape(escape + 6) : -1;
        if (low >= LOW_FIRST && low <= LOW_LAST)
            walk->position += 6;
        else
            problems_add(walk->problems, STATUS_BAD_INPUT, at,
                         "half of a surrogate pair without the other half");
    }
}

static bool walk_string(Walk *walk)
{
    Place start = here(walk);
    add_token(walk, walk->text + walk->position, 0, start);
    walk->position++;
    for (;;) {
        char c = peek(walk);
        if (c == '"') {
            walk->position++;
            return true;
        }
        if (walk->position >= walk->length || c == '\n') {
            problems_add(walk->problems, STATUS_BAD_INPUT, start, "a string without its end quote");
            return false;
        }
        if (c == '\\') {
            walk_escape(walk);
            continue;
        }
        if ((unsigned char)c < ' ')
            status_hint(problems_add(walk->problems, STATUS_BAD_INPUT, here(walk),
                                     "control character 0x%02x in a string", (unsigned)c),
                        "write it as \\u%04x", (unsigned)c);
        walk->position++;
    }
}

/* --- Numbers and words --- */

/* Moves past the digits; false when there are none. */
static bool walk_digits(Walk *walk)
{
    size_t start = walk->position;
    while (ascii_is_digit(peek(walk)))
        walk->position++;
    return walk->position > start;
}

static const char *number_fault(Walk *walk)
{
    if (peek(walk) == '-')
        walk->position++;
    bool has_zero = peek(walk) == '0';
    size_t digits = walk->position;
    if (!walk_digits(walk))
        return "a minus sign without a number";
    if (has_zero && walk->position - digits > 1)
        return "a number with leading zeros";
    if (peek(walk) == '.') {
        walk->position++;
        if (!walk_digits(walk))
            return "a decimal point without digits after it";
    }
    if (peek(walk) == 'e' || peek(walk) == 'E') {
        walk->position++;
        if (peek(walk) == '+' || peek(walk) == '-')
            walk->position++;
        if (!walk_digits(walk))
            return "an exponent without digits";
    }
    return NULL;
}

static void walk_number(Walk *walk)
{
    enum { SHOWN_MAX = 40 };
    size_t start = walk->position;
    Place at = here(walk);
    const char *fault = number_fault(walk);
    if (fault == NULL && walk->position - start > NUMBER_LENGTH_MAX)
        fault = "a number of more than 63 characters";
    add_token(walk, walk->text + start, walk->position - start, at);

    size_t end = walk->position;
    while (is_word(peek(walk)) || peek(walk) == '+' || peek(walk) == '-' || peek(walk) == '.')
        walk->position++; // "12px" is one mistake, not two
    if (fault == NULL && walk->position > end)
        fault = "not a number";
    size_t length = walk->position - start;
    if (fault != NULL)
        problems_add(walk->problems, STATUS_BAD_INPUT, at, "%.*s%s is %s",
                     (int)(length < SHOWN_MAX ? length : SHOWN_MAX), walk->text + start,
                     length < SHOWN_MAX ? "" : "...", fault);
}

static bool walk_word(Walk *walk)
{
    static const char *const words[] = {"true", "false", "null"};
    const char *start = walk->text + walk->position;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if (strncmp(start, words[i], length) == 0 && !is_word(start[length])) {
            add_token(walk, start, 0, here(walk));
            walk->position += length;
            return true;
        }
    }
    return unexpected(walk, "a value");
}

/* --- Structure --- */

static bool walk_member(Walk *walk)
{
    if (peek(walk) != '"')
        return unexpected(walk, "a key in double quotes");
    if (!walk_string(walk))
        return false;
    skip_space(walk);
    if (peek(walk) != ':')
        return unexpected(walk, "':' after the key");
    walk->position++;
    return walk_value(walk);
}

/* The children of an object or array, at its opening bracket. */
static bool walk_children(Walk *walk, char end, bool (*walk_child)(Walk *), const char *expected)
{
    walk->position++;
    skip_space(walk);
    if (peek(walk) == end) {
        walk->position++;
        return true;
    }
    for (;;) {
        if (!walk_child(walk))
            return false;
        skip_space(walk);
        if (peek(walk) == end) {
            walk->position++;
            return true;
        }
        if (peek(walk) != ',')
            return unexpected(walk, expected);
        Place comma = here(walk);
        walk->position++;
        skip_space(walk);
        if (peek(walk) == end)
            status_hint(
                problems_add(walk->problems, STATUS_BAD_INPUT, comma, "a comma before '%c'", end),
                "JSON allows no comma after the last item");
        if (peek(walk) == end) {
            walk->position++;
            return true;
        }
    }
}

static bool walk_nested(Walk *walk)
{
    if (walk->depth == JSON_DEPTH_MAX) {
        problems_add(walk->problems, STATUS_BAD_INPUT, here(walk), "nested deeper than %d levels",
                     JSON_DEPTH_MAX);
        return false;
    }
    add_token(walk, walk->text + walk->position, 0, here(walk));
    walk->depth++;
    bool is_sound = peek(walk) == '{'
                        ? walk_children(walk, '}', walk_member, "',' or '}' after a member")
                        : walk_children(walk, ']', walk_value, "',' or ']' after an item");
    walk->depth--;
    return is_sound;
}

static bool walk_value(Walk *walk)
{
    skip_space(walk);
    char c = peek(walk);
    if (c == '{' || c == '[')
        return walk_nested(walk);
    if (c == '"')
        return walk_string(walk);
    if (c == '-' || ascii_is_digit(c)) {
        walk_number(walk);
        return true; // the structure around an invalid number is clear
    }
    return walk_word(walk);
}

bool json_walk(Arena *arena, const char *source, const char *text, size_t length,
               JsonTokens *tokens, Problems *problems)
{
    Walk walk = {.arena = arena,
                 .source = source,
                 .text = text,
                 .length = length,
                 .line = 1,
                 .tokens = tokens,
                 .problems = problems};
    int32_t problems_before = problems->count;
    skip_space(&walk);
    if (walk.position == length) {
        problems_add(problems, STATUS_BAD_INPUT, place_in(source, 0, 0), "the file is empty");
        return false;
    }
    if (walk_value(&walk)) {
        skip_space(&walk);
        if (walk.position < length)
            problems_add(problems, STATUS_BAD_INPUT, here(&walk),
                         "%s after the end of the JSON value", found(&walk));
    }
    return problems->count == problems_before;
}
