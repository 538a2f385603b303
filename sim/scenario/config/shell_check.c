/* Private to sim/scenario/config: the operands of the shell's commands that are understood. Their
 * effect can be simulated with any values that the run may give them. */
#include <string.h>

#include "sim/cloud/shell/text.h"
#include "sim/scenario/config/shell_words_read.h"

static bool is_word(const ShellWordRead *word, const char *text)
{
    return word->is_literal && word->traits.known != NULL && strcmp(word->traits.known, text) == 0;
}

/* The text of a word that is certain to be one word with a known value; otherwise NULL. */
static const char *known_text(const ShellWordRead *word)
{
    return word->is_one ? word->traits.known : NULL;
}

/* Whether the word names a file or folder. */
static bool is_path(const ShellWordRead *word)
{
    return word->is_one && word->traits.is_path;
}

/* Whether the word may name a file: only a folder can be followed by a slash. */
static bool is_file(const ShellWordRead *word)
{
    const ShellWord *parts = &word->word;
    if (!is_path(word))
        return false;
    const ShellPart *last = &parts->parts[parts->part_count - 1];
    const char *end = word->traits.known != NULL      ? word->traits.known
                      : last->kind == SHELL_PART_TEXT ? last->text
                                                      : "";
    return *end == '\0' || end[strlen(end) - 1] != '/';
}

/* Whether all words from `first` on may name files. */
static bool are_files(const ShellWordRead *words, int32_t first, int32_t count)
{
    for (int32_t i = first; i < count; i++)
        if (!is_file(&words[i]))
            return false;
    return true;
}

static bool check_echo(const ShellWordRead *words, int32_t count, ShellDialect dialect)
{
    for (int32_t i = 0; i < count; i++) {
        if (!words[i].traits.has_backslash)
            continue;
        const char *text = known_text(&words[i]);
        if (text == NULL)
            return false;
        // Escapes that only some shells know, or that mean letters beyond a byte.
        for (const char *at = strchr(text, '\\'); at != NULL && at[1] != '\0';
             at = strchr(at + 2, '\\'))
            if (strchr(dialect == SHELL_BASH ? "uU" : "1234567exE", at[1]) != NULL)
                return false;
    }
    return true;
}

/* Whether `text` is a number of up to 18 digits, which fit into 64 bits. A leading zero would make
 * it octal. */
static bool is_number(const char *text)
{
    enum { DIGITS_MOST = 18 };
    text += *text == '-' || *text == '+';
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= DIGITS_MOST && text[digits] == '\0' &&
           (text[0] != '0' || digits == 1);
}

/* The length of the conversion at '%'; 0: it is not understood. `*width_most` becomes the largest
 * width that it prints. */
static size_t conversion_length(const char *format, int64_t *width_most)
{
    enum { WIDTH_DIGITS = 3 };
    static const char digits[] = "0123456789";
    size_t length = 1 + strspn(format + 1, "-+ #0");
    size_t width = strspn(format + length, digits);
    length += width;
    size_t precision = 0;
    if (format[length] == '.') {
        precision = strspn(format + length + 1, digits);
        length += 1 + precision;
    }
    *width_most = 1000;
    bool is_known = format[length] != '\0' && strchr("sdiuoxX", format[length]) != NULL;
    return is_known && width <= WIDTH_DIGITS && precision <= WIDTH_DIGITS &&
                   length < SHELL_CONVERSION_MOST
               ? length + 1
               : 0;
}

/* Counts the conversions of a format; -1: it is not understood. The letter of each of the first
 * `room` goes into `letters`. */
static int32_t count_conversions(const char *format, char *letters, int32_t room, int64_t *width)
{
    int32_t count = 0;
    while (*format != '\0') {
        size_t length = strcspn(format, "%\\");
        int64_t own_width = 0;
        if (length == 0 && *format == '\\') {
            if (format[1] == '\0' || strchr("abfnrtv\\01234567", format[1]) == NULL)
                return -1;
            length = 2;
        } else if (length == 0 && format[1] == '%') {
            length = 2;
        } else if (length == 0) {
            length = conversion_length(format, &own_width);
            if (length == 0 || count == room)
                return -1;
            letters[count++] = format[length - 1];
            *width += own_width;
        }
        format += length;
    }
    return count;
}

static bool check_printf(ShellReader *reader, const ShellWordRead *words, int32_t count)
{
    enum { CONVERSIONS_MOST = 64 };
    char letters[CONVERSIONS_MOST];
    int64_t width = 0;
    int32_t first = count > 0 && is_word(&words[0], "--");
    if (count <= first || !words[first].is_literal ||
        (words[first].traits.known[0] == '-' && first == 0))
        return false;
    int32_t conversions =
        count_conversions(words[first].traits.known, letters, CONVERSIONS_MOST, &width);
    if (conversions < 0)
        return false;
    bool has_numbers = false;
    for (int32_t i = 0; i < conversions; i++)
        has_numbers |= letters[i] != 's';
    for (int32_t i = first + 1; i < count && has_numbers; i++) {
        const char *text = known_text(&words[i]);
        bool is_text = letters[(i - first - 1) % conversions] == 's';
        if (is_text ? !words[i].is_one : text == NULL || !is_number(text))
            return false;
    }
    // The format is printed again until all arguments are used.
    reader->bytes_most += (width + words[first].traits.bytes_most) * count;
    return reader->bytes_most <= SHELL_BYTES_MOST;
}

static bool check_exit(const ShellWordRead *words, int32_t count)
{
    enum { DIGITS_MOST = 4 };
    if (count == 0)
        return true;
    const ShellWord *word = &words[0].word;
    if (count == 1 && word->part_count == 1 && word->parts[0].kind == SHELL_PART_STATUS)
        return true;
    const char *text = known_text(&words[0]);
    return count == 1 && text != NULL && *text != '\0' && strlen(text) <= DIGITS_MOST &&
           strspn(text, "0123456789") == strlen(text);
}

/* The operand must be a duration that is understood, or certainly not be a duration. */
static bool check_sleep(const ShellWordRead *words, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const char *text = known_text(&words[i]);
        int64_t ns;
        if (text == NULL)
            return false;
        if (!shell_sleep_ns(text, &ns) && (*text == '\0' || strchr("0123456789.+-iInN ", *text)))
            return false;
    }
    return count > 0;
}

static bool check_test(ShellDialect dialect, const ShellWordRead *words, int32_t count)
{
    static const char *const of_texts[] = {"-n", "-z"}, *const of_files[] = {"-e", "-f", "-d",
                                                                             "-s"};
    if (count > 1 && is_word(&words[0], "!")) {
        words++;
        count--;
    }
    for (int32_t i = 0; i < count; i++)
        if (!words[i].is_one)
            return false;
    if (count == 1)
        return true;
    if (count == 3)
        return is_word(&words[1], "=") || is_word(&words[1], "!=") ||
               (dialect == SHELL_BASH && is_word(&words[1], "=="));
    for (size_t i = 0; i < sizeof of_texts / sizeof of_texts[0] && count == 2; i++)
        if (is_word(&words[0], of_texts[i]))
            return true;
    for (size_t i = 0; i < sizeof of_files / sizeof of_files[0] && count == 2; i++)
        if (is_word(&words[0], of_files[i]))
            return is_path(&words[1]) && (is_word(&words[0], "-d") || is_file(&words[1]));
    return false;
}

static bool check_cat(const ShellWordRead *words, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (!is_word(&words[i], "-") && !is_file(&words[i]))
            return false;
    return true;
}

static bool check_tee(const ShellWordRead *words, int32_t count)
{
    return are_files(words, count > 0 && is_word(&words[0], "-a"), count);
}

static bool check_rm(const ShellWordRead *words, int32_t count)
{
    const int32_t first = count > 0 && is_word(&words[0], "-f");
    return count > first && are_files(words, first, count);
}

static bool check_mkdir(const ShellWordRead *words, int32_t count)
{
    int32_t first = count > 0 && is_word(&words[0], "-p");
    for (int32_t i = first; i < count; i++)
        if (!is_path(&words[i]))
            return false;
    return count > first;
}

bool shell_check_command(ShellReader *reader, ShellDialect dialect, ShellCommandKind kind,
                         const ShellWordRead *words, int32_t count, bool is_alone)
{
    switch (kind) {
    case SHELL_COLON:
    case SHELL_TRUE:
    case SHELL_FALSE:
        return true;
    case SHELL_ECHO:
        return check_echo(words, count, dialect);
    case SHELL_PRINTF:
        return check_printf(reader, words, count);
    case SHELL_EXIT:
        return check_exit(words, count);
    case SHELL_SLEEP:
        return is_alone && check_sleep(words, count);
    case SHELL_ASSIGN:
    case SHELL_EXPORT:
        return is_alone && count == 0;
    case SHELL_CD:
        return is_alone && count == 1 && is_path(&words[0]);
    case SHELL_PWD:
        return count == 0;
    case SHELL_TEST:
        return check_test(dialect, words, count);
    case SHELL_BRACKET:
        return count > 1 && is_word(&words[count - 1], "]") &&
               check_test(dialect, words, count - 1);
    case SHELL_CAT:
        return check_cat(words, count);
    case SHELL_TEE:
        return check_tee(words, count);
    case SHELL_MKDIR:
        return check_mkdir(words, count);
    case SHELL_TOUCH:
        return count > 0 && are_files(words, 0, count);
    case SHELL_CP:
        return count == 2 && is_file(&words[0]) && is_path(&words[1]);
    case SHELL_RM:
        return check_rm(words, count);
    case SHELL_COMMAND_COUNT:
        break;
    }
    return false;
}

bool shell_uses_files(ShellCommandKind kind, const ShellWordRead *words, int32_t count)
{
    switch (kind) {
    case SHELL_COLON:
    case SHELL_TRUE:
    case SHELL_FALSE:
    case SHELL_ECHO:
    case SHELL_PRINTF:
    case SHELL_EXIT:
    case SHELL_SLEEP:
    case SHELL_ASSIGN:
    case SHELL_EXPORT:
        return false;
    case SHELL_CAT:
    case SHELL_TEE:
        return count > 0;
    case SHELL_TEST:
    case SHELL_BRACKET:
        count -= kind == SHELL_BRACKET;
        if (count > 1 && is_word(&words[0], "!")) {
            words++;
            count--;
        }
        return count == 2 && !is_word(&words[0], "-n") && !is_word(&words[0], "-z");
    case SHELL_CD:
    case SHELL_PWD:
    case SHELL_MKDIR:
    case SHELL_TOUCH:
    case SHELL_CP:
    case SHELL_RM:
    case SHELL_COMMAND_COUNT:
        break;
    }
    return true;
}
