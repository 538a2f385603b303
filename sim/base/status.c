#include "sim/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/text.h"

/* Where to cut `text` so that at most `length` bytes remain and no UTF-8 character is split. */
static size_t whole_characters(const char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

/* Formats into `out`, cut to fit. `scratch` has the size of `out`: the arguments may point into
 * `out`. */
static void format_cut(char *out, char *scratch, size_t size, const char *format, va_list arguments)
{
    static const char cut_mark[] = "...";
    int length = vsnprintf(scratch, size, format, arguments);
    invariant(length >= 0);
    if ((size_t)length >= size)
        memcpy(scratch + whole_characters(scratch, size - sizeof cut_mark), cut_mark,
               sizeof cut_mark);
    memcpy(out, scratch, strlen(scratch) + 1);
}

static void status_fill(Status *status, StatusCode code, Place at, const char *format,
                        va_list arguments)
{
    char scratch[sizeof status->message];
    format_cut(status->message, scratch, sizeof scratch, format, arguments);
    status->code = code;
    status->at = at;
    status->hint[0] = '\0';
}

bool status_fail(Status *status, StatusCode code, Place at, const char *format, ...)
{
    invariant(code != STATUS_OK);
    va_list arguments;
    va_start(arguments, format);
    status_fill(status, code, at, format, arguments);
    va_end(arguments);
    return false;
}

bool status_hint(Status *status, const char *format, ...)
{
    invariant(status->code != STATUS_OK);
    char scratch[sizeof status->hint];
    va_list arguments;
    va_start(arguments, format);
    format_cut(status->hint, scratch, sizeof scratch, format, arguments);
    va_end(arguments);
    return false;
}

Problems problems_create(Arena *arena)
{
    return (Problems){.arena = arena};
}

/* The next free item. Once all are in use, it is always the extra item after them. */
static Status *problems_next(Problems *problems)
{
    if (!problems->items)
        problems->items = ARENA_ARRAY(problems->arena, Status, PROBLEMS_KEPT + 1);
    if (problems->count < INT32_MAX)
        problems->count++;
    Status *next = &problems->items[problems->kept];
    if (problems->kept < PROBLEMS_KEPT)
        problems->kept++;
    return next;
}

/* The list may outlive the text that names the source. Statuses beyond those that are kept are only
 * counted. */
static void own_source(const Problems *problems, Status *problem)
{
    if (problem < problems->items + PROBLEMS_KEPT && problem->at.source != NULL)
        problem->at.source = arena_strdup(problems->arena, problem->at.source);
}

Status *problems_add(Problems *problems, StatusCode code, Place at, const char *format, ...)
{
    invariant(code != STATUS_OK);
    Status *problem = problems_next(problems);
    va_list arguments;
    va_start(arguments, format);
    status_fill(problem, code, at, format, arguments);
    va_end(arguments);
    own_source(problems, problem);
    return problem;
}

void problems_add_status(Problems *problems, const Status *status)
{
    invariant(status->code != STATUS_OK);
    Status *problem = problems_next(problems);
    *problem = *status;
    own_source(problems, problem);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool problems_have(const Problems *problems, const Status *status)
{
    for (int32_t i = 0; i < problems->kept; i++) {
        const Status *other = &problems->items[i];
        if (other->at.line == status->at.line && other->at.column == status->at.column &&
            is_same_text(other->at.source, status->at.source) &&
            strcmp(other->message, status->message) == 0)
            return true;
    }
    return false;
}

void problems_merge(Problems *problems, const Problems *more)
{
    for (int32_t i = 0; i < more->kept; i++)
        if (!problems_have(problems, &more->items[i]))
            problems_add_status(problems, &more->items[i]);
    const int32_t not_kept = more->count - more->kept;
    problems->count =
        not_kept < INT32_MAX - problems->count ? problems->count + not_kept : INT32_MAX;
}

// Longer words are not compared: the distance takes time in proportion to length x length.
enum { GUESS_LENGTH_MAX = 64 };

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* How many letters to insert, drop, change or swap with their neighbour to get from `a` to `b`
 * (optimal string alignment: the Damerau-Levenshtein distance without edits inside a swap). */
static int32_t edit_distance(const char *a, int32_t a_length, const char *b, int32_t b_length)
{
    int32_t rows[3][GUESS_LENGTH_MAX + 1]; // before last, last, this; rotated with i
    for (int32_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (int32_t i = 1; i <= a_length; i++) {
        int32_t *row = rows[i % 3];
        const int32_t *above = rows[(i + 2) % 3];
        const int32_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int32_t j = 1; j <= b_length; j++) {
            const char x = ascii_lower(a[i - 1]);
            const char y = ascii_lower(b[j - 1]);
            row[j] = smaller(above[j - 1] + (x != y), smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == ascii_lower(b[j - 2]) && ascii_lower(a[i - 2]) == y)
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* The name that equals the first of several words in `typed`, or NULL. */
static const char *name_with_more(const char *typed, const char *const *names, int32_t count)
{
    const size_t length = strcspn(typed, " ");
    for (int32_t i = 0; i < count && typed[length] != '\0'; i++)
        if (strlen(names[i]) == length && ascii_same_start(typed, names[i], length))
            return names[i];
    return NULL;
}

/* The first name that ends with `typed` after a '_', or NULL. */
static const char *name_with_less(const char *typed, const char *const *names, int32_t count)
{
    enum { LEAST = 3 }; // shorter endings match too many names
    const size_t typed_length = strlen(typed);
    for (int32_t i = 0; i < count && typed_length >= LEAST; i++) {
        const size_t length = strlen(names[i]);
        if (length > typed_length && names[i][length - typed_length - 1] == '_' &&
            ascii_same(typed, names[i] + length - typed_length))
            return names[i];
    }
    return NULL;
}

static const char *name_by_distance(const char *typed, const char *const *names, int32_t count)
{
    const size_t typed_length = strlen(typed);
    if (typed_length > GUESS_LENGTH_MAX)
        return NULL;
    const char *nearest = NULL;
    int32_t nearest_distance = INT32_MAX;
    for (int32_t i = 0; i < count; i++) {
        const size_t length = strlen(names[i]);
        if (length > GUESS_LENGTH_MAX)
            continue;
        const int32_t distance =
            edit_distance(typed, (int32_t)typed_length, names[i], (int32_t)length);
        const size_t longer = length > typed_length ? length : typed_length;
        if (distance <= (int32_t)longer / 3 && distance < nearest_distance) {
            nearest = names[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}

const char *nearest_name(const char *typed, const char *const *names, int32_t count)
{
    const char *name = name_with_more(typed, names, count);
    if (name == NULL)
        name = name_by_distance(typed, names, count);
    return name != NULL ? name : name_with_less(typed, names, count);
}

bool status_hint_names(Status *status, const char *typed, const char *const *names, int32_t count)
{
    enum { LISTED_BYTES = sizeof status->hint - 20 }; // the rest is for "known: " and ", ..."
    const char *nearest = nearest_name(typed, names, count);
    if (nearest != NULL)
        return status_hint(status, "did you mean \"%s\"?", nearest);
    Text list = {0};
    for (int32_t i = 0; i < count; i++) {
        if (list.length + strlen(names[i]) > LISTED_BYTES) {
            text_add(&list, ", ...");
            break;
        }
        text_printf(&list, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    if (count > 0)
        status_hint(status, "known: %s", text_string(&list));
    text_free(&list);
    return false;
}
