/* Private to sim/json: the reader of sim/json/json.h. One walk over the text makes the tree, a
 * second one over the tree reads its numbers and looks for duplicate keys. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/little_endian.h"
#include "sim/json/json_index.h"
#include "sim/json/json_tree.h"

enum {
    NUMBER_LENGTH_MAX = 63,
    MARGIN = sizeof(uint64_t), /* strings are read in eights */
};
#define EACH_BYTE UINT64_C(0x0101010101010101)

/* The walk continues after small mistakes (a bad escape) and stops at the first one that leaves the
 * structure unclear. */
typedef struct {
    Arena *arena; /* of the tree */
    const char *source;
    char *text; /* a copy of the text in the arena, followed by MARGIN NULs, without NUL inside.
                   Strings are decoded in it, and the tree refers to them */
    size_t length;
    size_t position;
    size_t line_start;
    int32_t line;
    int32_t depth;
    Problems *problems;
    bool has_bad_bytes; /* which are blank in `text` and have been reported */
} Walk;

/* Reads one value and sets `*value`; false when the walk stops. */
static bool walk_value(Walk *walk, Json **value);

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

/* A value that begins at the position. */
static Json *node_here(const Walk *walk, JsonKind kind)
{
    Json *node = json_node(walk->arena, kind);
    node->at = here(walk);
    return node;
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

/* Writes the UTF-8 sequence of `code` to `out` and returns its end. */
static char *encode(char *out, int32_t code)
{
    static const struct {
        int32_t below;
        int32_t first_bits;
        int32_t shift; /* of the first byte's bits */
    } forms[] = {{0x80, 0, 0}, {0x800, 0xc0, 6}, {0x10000, 0xe0, 12}, {0x110000, 0xf0, 18}};
    int32_t form = 0;
    while (code >= forms[form].below)
        form++;
    *out++ = (char)(forms[form].first_bits | code >> forms[form].shift);
    for (int32_t shift = forms[form].shift - 6; shift >= 0; shift -= 6)
        *out++ = (char)(0x80 | (code >> shift & 0x3f));
    return out;
}

/* At "\uXXXX", whose value is `unit`, or at two of them; moves past them. */
static char *walk_unicode(Walk *walk, int32_t unit, char *out)
{
    enum { HIGH_FIRST = 0xd800, LOW_FIRST = 0xdc00, LOW_LAST = 0xdfff, PLANE_1 = 0x10000 };
    Place at = here(walk);
    const char *next = walk->text + walk->position + 6;
    walk->position += 6;
    if (unit == 0) {
        problems_add(walk->problems, STATUS_BAD_INPUT, at, "a NUL character in a string");
        return out;
    }
    if (unit < HIGH_FIRST || unit > LOW_LAST)
        return encode(out, unit);
    int32_t low = unit < LOW_FIRST && next[0] == '\\' ? unicode_escape(next + 1) : -1;
    if (low < LOW_FIRST || low > LOW_LAST) {
        problems_add(walk->problems, STATUS_BAD_INPUT, at,
                     "half of a surrogate pair without the other half");
        return out;
    }
    walk->position += 6;
    return encode(out, PLANE_1 + ((unit - HIGH_FIRST) << 10) + (low - LOW_FIRST));
}

/* At a backslash; moves past the escape, valid or not, and returns the end of the decoded text. */
static char *walk_escape(Walk *walk, char *out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *escape = walk->text + walk->position + 1;
    const char *letter = escape[0] != '\0' ? strchr(letters, escape[0]) : NULL;
    if (letter != NULL) {
        *out++ = meanings[letter - letters];
        walk->position += 2;
        return out;
    }
    int32_t unit = unicode_escape(escape);
    if (unit >= 0)
        return walk_unicode(walk, unit, out);
    status_hint(problems_add(walk->problems, STATUS_BAD_INPUT, here(walk), "an unknown escape"),
                "a backslash itself is written \\\\");
    walk->position++;
    return out;
}

/* The high bit of each of eight bytes that is zero, and perhaps of higher bytes too. */
static uint64_t zero_bytes(uint64_t eight)
{
    return (eight - EACH_BYTE) & ~eight & EACH_BYTE << 7;
}

/* The same for quotes, backslashes and control characters. */
static uint64_t special_bytes(uint64_t eight)
{
    return zero_bytes(eight ^ EACH_BYTE * '"') | zero_bytes(eight ^ EACH_BYTE * '\\') |
           zero_bytes(eight & EACH_BYTE * 0xe0);
}

size_t json_plain_length(const char *text)
{
    size_t length = 0;
    uint64_t special;
    while ((special = special_bytes(little_endian_word(text + length))) == 0)
        length += sizeof special;
    return length + (size_t)__builtin_ctzll(special) / 8;
}

/* At the opening quote. Sets `*string` to the decoded string, which takes the place of the text
 * that is read. */
static bool walk_string(Walk *walk, const char **string)
{
    Place start = here(walk);
    char *out = walk->text + ++walk->position;
    *string = out;
    for (;;) {
        const char *plain = walk->text + walk->position;
        size_t length = json_plain_length(plain);
        if (out != plain)
            memmove(out, plain, length);
        out += length;
        walk->position += length;
        char c = peek(walk);
        if (c == '"') {
            walk->position++;
            *out = '\0';
            return true;
        }
        if (walk->position >= walk->length || c == '\n') {
            problems_add(walk->problems, STATUS_BAD_INPUT, start, "a string without its end quote");
            return false;
        }
        if (c == '\\') {
            out = walk_escape(walk, out);
            continue;
        }
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

static Json *walk_number(Walk *walk)
{
    enum { SHOWN_MAX = 40 };
    const char *start = walk->text + walk->position;
    Json *node = node_here(walk, JSON_NUMBER);
    const char *fault = number_fault(walk);
    const char *end = walk->text + walk->position;
    if (fault == NULL && end - start > NUMBER_LENGTH_MAX)
        fault = "a number of more than 63 characters";
    node->text = arena_strndup(walk->arena, start, (size_t)(end - start));

    while (is_word(peek(walk)) || peek(walk) == '+' || peek(walk) == '-' || peek(walk) == '.')
        walk->position++; // "12px" is one mistake, not two
    if (fault == NULL && walk->text + walk->position > end)
        fault = "not a number";
    size_t length = (size_t)(walk->text + walk->position - start);
    if (fault != NULL)
        problems_add(walk->problems, STATUS_BAD_INPUT, node->at, "%.*s%s is %s",
                     (int)(length < SHOWN_MAX ? length : SHOWN_MAX), start,
                     length < SHOWN_MAX ? "" : "...", fault);
    return node;
}

static bool walk_word(Walk *walk, Json **value)
{
    static const struct {
        const char *word;
        JsonKind kind;
        bool boolean;
    } words[] = {
        {"true", JSON_BOOLEAN, true}, {"false", JSON_BOOLEAN, false}, {"null", JSON_NULL, false}};
    const char *start = walk->text + walk->position;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(start, words[i].word, length) == 0 && !is_word(start[length])) {
            *value = node_here(walk, words[i].kind);
            (*value)->boolean = words[i].boolean;
            walk->position += length;
            return true;
        }
    }
    return unexpected(walk, "a value");
}

/* --- Structure --- */

static bool walk_item(Walk *walk, Json *array)
{
    Json *item;
    if (!walk_value(walk, &item))
        return false;
    json_append(array, item);
    return true;
}

static bool walk_member(Walk *walk, Json *object)
{
    if (peek(walk) != '"')
        return unexpected(walk, "a key in double quotes");
    const char *key;
    Place key_at = here(walk);
    if (!walk_string(walk, &key))
        return false;
    skip_space(walk);
    if (peek(walk) != ':')
        return unexpected(walk, "':' after the key");
    walk->position++;
    Json *member;
    if (!walk_value(walk, &member))
        return false;
    member->key = key;
    member->key_at = key_at;
    json_append_member(walk->arena, object, member);
    return true;
}

/* The children of an object or array, at its opening bracket. */
static bool walk_children(Walk *walk, Json *parent, char end,
                          bool (*walk_child)(Walk *, Json *parent), const char *expected)
{
    walk->position++;
    skip_space(walk);
    if (peek(walk) == end) {
        walk->position++;
        return true;
    }
    for (;;) {
        if (!walk_child(walk, parent))
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

static bool walk_nested(Walk *walk, JsonKind kind, Json **value)
{
    if (walk->depth == JSON_DEPTH_MAX) {
        problems_add(walk->problems, STATUS_BAD_INPUT, here(walk), "nested deeper than %d levels",
                     JSON_DEPTH_MAX);
        return false;
    }
    *value = node_here(walk, kind);
    walk->depth++;
    bool is_sound = kind == JSON_OBJECT
                        ? walk_children(walk, *value, '}', walk_member, "',' or '}' after a member")
                        : walk_children(walk, *value, ']', walk_item, "',' or ']' after an item");
    walk->depth--;
    return is_sound;
}

static bool walk_value(Walk *walk, Json **value)
{
    skip_space(walk);
    char c = peek(walk);
    if (c == '{' || c == '[')
        return walk_nested(walk, c == '{' ? JSON_OBJECT : JSON_ARRAY, value);
    if (c == '"') {
        *value = node_here(walk, JSON_STRING);
        return walk_string(walk, &(*value)->text);
    }
    if (c == '-' || ascii_is_digit(c)) {
        *value = walk_number(walk);
        return true; // the structure around an invalid number is clear
    }
    return walk_word(walk, value);
}

/* The tree of the whole text; NULL after a problem that leaves the structure unclear. */
static Json *walk_text(Walk *walk)
{
    Json *root = NULL;
    skip_space(walk);
    if (walk->position == walk->length) {
        if (!walk->has_bad_bytes)
            problems_add(walk->problems, STATUS_BAD_INPUT, place_in(walk->source, 0, 0),
                         "the file is empty");
        return NULL;
    }
    if (!walk_value(walk, &root))
        return NULL;
    skip_space(walk);
    if (walk->position < walk->length)
        problems_add(walk->problems, STATUS_BAD_INPUT, here(walk),
                     "%s after the end of the JSON value", found(walk));
    return root;
}

/* --- Checks of the tree --- */

static int by_key_then_place(const void *left, const void *right)
{
    const Json *a = *(const Json *const *)left, *b = *(const Json *const *)right;
    int order = strcmp(a->key, b->key);
    if (order != 0)
        return order;
    if (a->key_at.line != b->key_at.line)
        return a->key_at.line < b->key_at.line ? -1 : 1;
    return (a->key_at.column > b->key_at.column) - (a->key_at.column < b->key_at.column);
}

/* Whether `object` may have duplicate keys; exact when it has few members. */
static bool may_have_duplicates(const Json *object)
{
    if (object->count >= JSON_INDEXED_LEAST)
        return true;
    for (const Json *member = object->first; member != NULL; member = member->next)
        for (const Json *other = member->next; other != NULL; other = other->next)
            if (json_same_key(member->key, other->key))
                return true;
    return false;
}

static void refuse_duplicate_keys(const Json *object, Problems *problems)
{
    if (!may_have_duplicates(object))
        return;
    Arena *scratch = arena_create();
    const Json **members = ARENA_ARRAY(scratch, const Json *, object->count);
    int32_t count = 0;
    for (const Json *member = object->first; member != NULL; member = member->next)
        members[count++] = member;
    qsort(members, (size_t)count, sizeof(members[0]), by_key_then_place);
    for (int32_t i = 1; i < count; i++)
        if (strcmp(members[i - 1]->key, members[i]->key) == 0)
            status_hint(problems_add(problems, STATUS_BAD_INPUT, members[i]->key_at,
                                     "key \"%s\" appears twice in one object", members[i]->key),
                        "it first appears in line %d", (int)members[i - 1]->key_at.line);
    arena_destroy(scratch);
}

static void finish_values(Json *node, Problems *problems)
{
    if (node->kind == JSON_NUMBER && !json_set_number(node))
        status_hint(problems_add(problems, STATUS_BAD_INPUT, node->at, "%s cannot be held exactly",
                                 node->text),
                    "integers are exact up to 2^53, and some above it; other numbers go up to "
                    "1.7e308");
    for (Json *child = node->first; child != NULL; child = child->next)
        finish_values(child, problems);
    if (node->kind == JSON_OBJECT)
        refuse_duplicate_keys(node, problems);
}

Json *json_parse(Arena *arena, const char *source, const char *text, size_t length,
                 JsonDialect dialect, Problems *problems)
{
    int32_t problems_before = problems->count;
    if (json_is_other(source, text, length, problems))
        return NULL;
    Walk walk = {.arena = arena,
                 .source = source,
                 .text = arena_alloc(arena, length + MARGIN),
                 .length = length,
                 .line = 1,
                 .problems = problems};
    if (length > 0)
        memcpy(walk.text, text, length);
    json_blank(walk.text, source, length, dialect, problems);
    walk.has_bad_bytes = problems->count > problems_before;
    Json *root = walk_text(&walk);
    if (problems->count == problems_before) // then there is a tree
        finish_values(root, problems);
    return problems->count == problems_before ? root : NULL;
}

Json *json_or_text(Arena *arena, const char *source, const char *text)
{
    Problems discarded = problems_create(arena);
    Json *value = json_parse(arena, source, text, strlen(text), JSON_STRICT, &discarded);
    return value != NULL ? value : json_string(arena, text);
}
