#include "sim/scenario/config/shell_words_read.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/share_path.h"
#include "sim/base/text.h"
#include "sim/scenario/config/mounts.h"

/* The sum, but at most SHELL_BYTES_MOST + 1: larger sums are refused anyway. */
static int64_t add_up(int64_t a, int64_t b)
{
    bool is_too_much = a > SHELL_BYTES_MOST || b > SHELL_BYTES_MOST;
    return is_too_much ? SHELL_BYTES_MOST + 1 : a + b;
}

static const char blanks[] = " \t\n", patterns[] = "*?[\\";

/* --- Traits and variables --- */

static bool begins_below(const char *path, const char *root)
{
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Whether the simulation knows all files whose names begin with `start`. */
static bool is_known_path(const char *start)
{
    static const char *const roots[] = {"/tmp", CLUSTER_MOUNT_ROOT, JOB_ROOT, "/dev/null"};
    if (*start == '-' || *start == '\0' || share_path_leads_up(start))
        return false;
    if (*start != '/')
        return true;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        if (begins_below(start, roots[i]))
            return true;
    return false;
}

ShellTraits shell_traits_of(const char *text)
{
    return (ShellTraits){.known = text,
                         .bytes_most = (int64_t)strlen(text),
                         .may_be_cut = *text == '\0' || strpbrk(text, blanks) != NULL,
                         .has_pattern = strpbrk(text, patterns) != NULL,
                         .has_backslash = strchr(text, '\\') != NULL,
                         .is_path = is_known_path(text)};
}

static ShellKnown *find_known(const ShellReader *reader, const char *name)
{
    for (int32_t i = 0; i < reader->known_count; i++)
        if (strcmp(reader->known[i].name, name) == 0)
            return &reader->known[i];
    return NULL;
}

const ShellKnown *shell_known(const ShellReader *reader, const char *name)
{
    static const char service[] =
        "AZ_BATCHAI_"; // only the service or the line itself sets such a variable
    static const ShellKnown unset = {.traits = {.known = "", .may_be_cut = true}};
    const ShellKnown *known = find_known(reader, name);
    bool is_unset = known == NULL && strncmp(name, service, strlen(service)) == 0;
    return is_unset ? &unset : known;
}

/* The traits of a value that is one of two. */
static ShellTraits merge_traits(ShellTraits a, ShellTraits b)
{
    return (ShellTraits){.bytes_most = a.bytes_most > b.bytes_most ? a.bytes_most : b.bytes_most,
                         .may_be_cut = a.may_be_cut || b.may_be_cut,
                         .has_pattern = a.has_pattern || b.has_pattern,
                         .has_backslash = a.has_backslash || b.has_backslash,
                         .is_path = a.is_path && b.is_path};
}

void shell_note_variable(ShellReader *reader, const char *name, ShellTraits traits, bool is_sure)
{
    ShellKnown *known = find_known(reader, name);
    if (known == NULL) {
        if (reader->known_count == reader->known_capacity) {
            reader->known_capacity = 2 * reader->known_capacity + 32;
            ShellKnown *more = ARENA_ARRAY(reader->scratch, ShellKnown, reader->known_capacity);
            if (reader->known_count > 0)
                memcpy(more, reader->known, (size_t)reader->known_count * sizeof *more);
            reader->known = more;
        }
        known = &reader->known[reader->known_count++];
        *known = (ShellKnown){.name = name, .traits = shell_traits_of("")};
    }
    known->traits = is_sure ? traits : merge_traits(known->traits, traits);
}

/* --- Words --- */

typedef struct {
    ShellReader *reader;
    ShellWordRead *word;
    int32_t capacity;
    Text text;  /* literal so far, since the last variable */
    Text start; /* the beginning of the word, as far as it is known */
    bool is_start_known;
    bool leads_up; /* its literal texts have a ".." part */
} WordReader;

static void add_part(WordReader *reader, ShellPart part)
{
    ShellWord *word = &reader->word->word;
    Arena *arena = reader->reader->arena;
    if (word->part_count == reader->capacity) {
        reader->capacity = 2 * reader->capacity + 4;
        ShellPart *more = ARENA_ARRAY(arena, ShellPart, reader->capacity);
        if (word->part_count > 0)
            memcpy(more, word->parts, (size_t)word->part_count * sizeof *more);
        word->parts = more;
    }
    ((ShellPart *)word->parts)[word->part_count++] = part;
}

static void end_text(WordReader *reader, bool is_quoted)
{
    ShellTraits *traits = &reader->word->traits;
    if (reader->text.length == 0 && !is_quoted)
        return;
    char *text =
        arena_strndup(reader->reader->arena, text_string(&reader->text), reader->text.length);
    ShellTraits own = shell_traits_of(text);
    add_part(reader, (ShellPart){.kind = SHELL_PART_TEXT, .is_quoted = true, .text = text});
    traits->bytes_most = add_up(traits->bytes_most, own.bytes_most);
    traits->may_be_cut |= strpbrk(text, blanks) != NULL;
    traits->has_pattern |= own.has_pattern;
    traits->has_backslash |= own.has_backslash;
    reader->leads_up |= share_path_leads_up(text);
    text_clear(&reader->text);
}

static void add_letters(WordReader *reader, const char *letters, size_t length)
{
    text_append(&reader->text, letters, length);
    if (reader->is_start_known)
        text_append(&reader->start, letters, length);
}

static bool add_variable(WordReader *reader, const char *name, bool is_quoted)
{
    ShellTraits *traits = &reader->word->traits;
    const ShellKnown *variable = shell_known(reader->reader, name);
    if (variable == NULL)
        return false;
    if (!is_quoted && variable->traits.has_pattern)
        return false;
    end_text(reader, false);
    add_part(reader,
             (ShellPart){.kind = SHELL_PART_VARIABLE, .is_quoted = is_quoted, .text = name});
    const ShellTraits *value = &variable->traits;
    traits->bytes_most = add_up(traits->bytes_most, value->bytes_most);
    traits->may_be_cut |= value->may_be_cut;
    traits->has_pattern |= value->has_pattern;
    traits->has_backslash |= value->has_backslash;
    reader->word->is_literal = false;
    reader->word->is_one &= is_quoted || !value->may_be_cut;
    if (reader->is_start_known && value->known != NULL) {
        text_add(&reader->start, value->known);
    } else if (reader->is_start_known) {
        // The start of a path decides; if the word begins here, its start is this variable's.
        traits->is_path =
            reader->start.length > 0 ? is_known_path(text_string(&reader->start)) : value->is_path;
        reader->is_start_known = false;
    }
    return true;
}

size_t shell_name_length(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    if (*text == '\0' || strchr(letters, *text) == NULL)
        return 0;
    size_t length = 1;
    while (text[length] != '\0' &&
           (strchr(letters, text[length]) != NULL || ascii_is_digit(text[length])))
        length++;
    return length;
}

/* Reads the expansion at a '$'. */
static bool read_dollar(WordReader *word, bool is_quoted)
{
    enum { STATUS_DIGITS = 3 };
    ShellReader *reader = word->reader;
    const char *after = reader->at + 1;
    bool has_brace = *after == '{';
    size_t length = shell_name_length(after + has_brace);
    if (has_brace && (length == 0 || after[1 + length] != '}'))
        return false;
    if (length > 0) {
        const char *name = arena_strndup(reader->arena, after + has_brace, length);
        reader->at = after + length + 2 * (size_t)has_brace;
        return add_variable(word, name, is_quoted);
    }
    if (*after == '?') {
        end_text(word, false);
        add_part(word, (ShellPart){.kind = SHELL_PART_STATUS, .is_quoted = true, .text = "?"});
        word->word->traits.bytes_most += STATUS_DIGITS;
        word->word->is_literal = false;
        if (word->is_start_known && word->start.length == 0)
            word->word->traits.is_path = true; // a number
        else if (word->is_start_known)
            word->word->traits.is_path = is_known_path(text_string(&word->start));
        word->is_start_known = false;
        reader->at = after + 1;
        return true;
    }
    bool is_plain = *after == '\0' || strchr(" \t\n;&|<>/.,:=%+~^]", *after) != NULL ||
                    (is_quoted && *after == '"');
    if (!is_plain)
        return false; // a substitution, or a special variable of the shell
    add_letters(word, "$", 1);
    reader->at++;
    return true;
}

/* Reads a backslash outside of quotes or inside double quotes. A backslash before a line end adds
 * nothing. */
static bool read_backslash(WordReader *word, bool is_quoted)
{
    ShellReader *reader = word->reader;
    char next = reader->at[1];
    if (next == '\0')
        return false;
    if (next == '\n') {
        reader->line++;
    } else if (is_quoted && strchr("$`\"\\", next) == NULL) {
        add_letters(word, reader->at, 2);
    } else {
        add_letters(word, reader->at + 1, 1);
    }
    reader->at += 2;
    return true;
}

static bool read_single_quotes(WordReader *word)
{
    ShellReader *reader = word->reader;
    const char *end = strchr(reader->at + 1, '\'');
    if (end == NULL)
        return false;
    for (const char *letter = reader->at + 1; letter < end; letter++)
        reader->line += *letter == '\n';
    add_letters(word, reader->at + 1, (size_t)(end - reader->at - 1));
    reader->at = end + 1;
    return true;
}

static bool read_double_quotes(WordReader *word)
{
    ShellReader *reader = word->reader;
    bool is_good = true;
    reader->at++;
    while (is_good && *reader->at != '"') {
        if (*reader->at == '\0' || *reader->at == '`') {
            is_good = false;
        } else if (*reader->at == '$') {
            is_good = read_dollar(word, true);
        } else if (*reader->at == '\\') {
            is_good = read_backslash(word, true);
        } else {
            reader->line += *reader->at == '\n';
            add_letters(word, reader->at++, 1);
        }
    }
    if (is_good)
        reader->at++;
    return is_good;
}

static bool is_end_of_word(char letter)
{
    return letter == '\0' || strchr(" \t\n;&|<>()", letter) != NULL;
}

/* Whether the next character has a special meaning here; a tilde, where it means a folder. */
static bool is_special(const WordReader *word, const char *begin, bool is_value)
{
    const char *at = word->reader->at;
    if (*at == '~')
        return at == begin || at[-1] == '=' || at[-1] == ':';
    bool is_bracket = *at == '[' && at == begin && is_end_of_word(at[1]) && !is_value;
    return !is_bracket && (strchr("*?[`{}", *at) != NULL || *at == '\r');
}

static bool read_parts(WordReader *word, bool is_value)
{
    ShellReader *reader = word->reader;
    const char *begin = reader->at;
    bool has_quotes = false, is_good = true;
    while (is_good && !is_end_of_word(*reader->at)) {
        char letter = *reader->at;
        if (letter == '\'' || letter == '"') {
            has_quotes = true;
            is_good = letter == '"' ? read_double_quotes(word) : read_single_quotes(word);
        } else if (letter == '\\') {
            is_good = read_backslash(word, false);
        } else if (letter == '$') {
            is_good = read_dollar(word, false);
        } else if (is_special(word, begin, is_value)) {
            is_good = false;
        } else {
            add_letters(word, reader->at++, 1);
        }
    }
    end_text(word, has_quotes && word->word->word.part_count == 0);
    // A word that consists only of joined lines is not a word.
    is_good = is_good && (is_value || word->word->word.part_count > 0);
    word->word->source = arena_strndup(reader->arena, begin, (size_t)(reader->at - begin));
    return is_good;
}

bool shell_read_word(ShellReader *reader, bool is_value, ShellWordRead *read)
{
    WordReader word = {.reader = reader, .word = read, .is_start_known = true};
    *read = (ShellWordRead){.is_literal = true, .is_one = true};
    bool is_good = read_parts(&word, is_value);
    ShellTraits *traits = &read->traits;
    if (word.is_start_known) {
        char *known = arena_strndup(reader->arena, text_string(&word.start), word.start.length);
        *traits = shell_traits_of(known);
    } else {
        traits->is_path &= !word.leads_up;
    }
    reader->bytes_most = add_up(reader->bytes_most, traits->bytes_most);
    text_free(&word.text);
    text_free(&word.start);
    return is_good && reader->bytes_most <= SHELL_BYTES_MOST;
}

void shell_skip_blanks(ShellReader *reader)
{
    for (;;) {
        reader->at += strspn(reader->at, " \t");
        if (reader->at[0] != '\\' || reader->at[1] != '\n')
            break;
        reader->at += 2;
        reader->line++;
    }
    if (*reader->at == '#')
        reader->at += strcspn(reader->at, "\n");
}
