#include "reports/text/labels.h"

#include <ctype.h>
#include <string.h>

#include "reports/text/wording.h"
#include "sim/base/invariant.h"
#include "sim/base/text.h"

#define ELLIPSIS "\xE2\x80\xA6"
enum { LETTERS_LEAST = 3 };

static int32_t line_width(Arena *arena, const char *line, size_t length)
{
    return letters_width(arena_strndup(arena, line, length));
}

/* Whether a line may end after text[i]: at a space, or better than within a word. */
static bool is_break(const char *text, size_t i, bool at_spaces)
{
    if (text[i] == '\0' || text[i + 1] == '\0')
        return false;
    return at_spaces ? text[i] == ' ' : strchr("_-/.:=", text[i]) != NULL;
}

/* `text` in two lines of at most `width`, the widest as narrow as possible; NULL: it has no such
 * lines. */
static const char *broken(Arena *arena, const char *text, int32_t width)
{
    for (int32_t at_spaces = 1; at_spaces >= 0; at_spaces--) {
        size_t best = 0;
        int32_t best_width = width + 1;
        for (size_t i = 1; text[i] != '\0'; i++) {
            if (!is_break(text, i, at_spaces != 0))
                continue;
            const int32_t first = line_width(arena, text, i + (at_spaces == 0)),
                          second = letters_width(text + i + 1);
            if ((first > second ? first : second) < best_width) {
                best = i;
                best_width = first > second ? first : second;
            }
        }
        if (best > 0)
            return arena_printf(arena, "%.*s\n%s", (int)(best + (at_spaces == 0)), text,
                                text + best + 1);
    }
    return NULL;
}

static const char *placed(Arena *arena, const char *text, LabelRoom room)
{
    if (letters_width(text) <= room.width)
        return text;
    return room.lines > 1 ? broken(arena, text, room.width) : NULL;
}

/* Whether `text` has the parts of `shown`, in which an ellipsis is a part that was cut out. */
static bool could_be(const char *shown, const char *text)
{
    const char *cut = strstr(shown, ELLIPSIS);
    if (cut == NULL)
        return strcmp(shown, text) == 0;
    const size_t head = (size_t)(cut - shown);
    if (strncmp(shown, text, head) != 0)
        return false;
    for (const char *rest = text + head; *rest != '\0'; rest++)
        if (could_be(cut + strlen(ELLIPSIS), rest + 1))
            return true;
    return false;
}

/* The labels among which label `own` is recognised. */
typedef struct {
    const char *const *labels;
    int32_t count, own;
} Among;

static bool is_recognised(const Among *among, const char *shown)
{
    const char *own = among->labels[among->own];
    for (int32_t i = 0; i < among->count; i++)
        if (strcmp(among->labels[i], own) != 0 && could_be(shown, among->labels[i]))
            return false;
    return true;
}

/* The bytes of the first `letters` letters. */
static size_t letters_bytes(const char *text, int32_t letters)
{
    size_t bytes = 0;
    while (letters > 0 && text[bytes] != '\0') {
        bytes++;
        letters -= ((unsigned char)text[bytes] & 0xC0) != 0x80;
    }
    return bytes;
}

/* `text` without the letters after the first `head`, so that `letters` are shown with an ellipsis.
 */
static const char *cut_after(Arena *arena, const char *text, int32_t letters, int32_t head)
{
    const int32_t hidden = letters_in(text) - letters + 1;
    return arena_printf(arena, "%.*s" ELLIPSIS "%s", (int)letters_bytes(text, head), text,
                        text + letters_bytes(text, head + hidden));
}

/* A part of `text` from letter `from` on, with an ellipsis at both ends: `letters` in all. */
static const char *cut_around(Arena *arena, const char *text, int32_t letters, int32_t from)
{
    const size_t begin = letters_bytes(text, from), end = letters_bytes(text, from + letters - 2);
    return arena_printf(arena, ELLIPSIS "%.*s" ELLIPSIS, (int)(end - begin), text + begin);
}

/* The label in so many letters, cut as near to its middle as it can be recognised, or around the
 * part in which it differs from the others; NULL: neither serves. */
static const char *recognised(Arena *arena, const Among *among, int32_t letters)
{
    const char *own = among->labels[among->own];
    Text out = {0};
    shortened_print(&out, own, letters);
    const char *usual = text_move(arena, &out);
    if (is_recognised(among, usual))
        return usual;
    const int32_t middle = letters / 2;
    for (int32_t away = 0; away <= middle; away++)
        for (int32_t side = -1; side <= 1; side += 2) {
            const int32_t head = middle + side * away;
            if (head < 0 || head >= letters)
                continue;
            const char *cut = cut_after(arena, own, letters, head);
            if (is_recognised(among, cut))
                return cut;
        }
    for (int32_t from = 1; from + letters - 2 < letters_in(own); from++) {
        const char *cut = cut_around(arena, own, letters, from);
        if (is_recognised(among, cut))
            return cut;
    }
    return NULL;
}

static const char *fit(Arena *arena, const Among *among, LabelRoom room)
{
    const char *own = among->labels[among->own];
    const char *shown = placed(arena, own, room);
    if (shown != NULL)
        return shown;
    for (int32_t letters = letters_in(own) - 1; letters > LETTERS_LEAST; letters--) {
        const char *cut = recognised(arena, among, letters);
        shown = cut != NULL ? placed(arena, cut, room) : NULL;
        if (shown != NULL)
            return shown;
    }
    Text least = {0};
    for (int32_t letters = letters_in(own);; letters--) {
        text_clear(&least);
        shortened_print(&least, own, letters > LETTERS_LEAST ? letters : LETTERS_LEAST);
        if (letters <= LETTERS_LEAST || letters_width(text_string(&least)) <= room.width)
            return text_move(arena, &least);
    }
}

const char *const *labels_fit(Arena *arena, const char *const *labels, int32_t count,
                              LabelRoom room)
{
    const char **shown = ARENA_ARRAY(arena, const char *, count + 1);
    invariant(room.lines == 1 || room.lines == 2);
    for (int32_t i = 0; i < count; i++)
        shown[i] = fit(arena, &(Among){labels, count, i}, room);
    return shown;
}

int32_t labels_width(const char *const *labels, int32_t count)
{
    int32_t widest = 0;
    for (int32_t i = 0; i < count; i++) {
        const char *second = strchr(labels[i], '\n');
        Text first = {0};
        text_append(&first, labels[i],
                    second != NULL ? (size_t)(second - labels[i]) : strlen(labels[i]));
        const int32_t width = letters_width(text_string(&first)),
                      under = second != NULL ? letters_width(second + 1) : 0;
        widest = width > widest ? width : widest;
        widest = under > widest ? under : widest;
        text_free(&first);
    }
    return widest;
}

int32_t labels_lines(const char *const *labels, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (strchr(labels[i], '\n') != NULL)
            return 2;
    return 1;
}

const char *label_with_unit(Arena *arena, const char *label, const char *unit)
{
    return unit[0] != '\0' ? arena_printf(arena, "%s (%s)", label, unit) : label;
}

const char *label_capitalised(Arena *arena, const char *label)
{
    const size_t first_word = strcspn(label, " ");
    if (strcspn(label, "._") < first_word)
        return label;
    char *caption = arena_strdup(arena, label);
    caption[0] = (char)toupper((unsigned char)caption[0]);
    return caption;
}
