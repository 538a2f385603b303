#include "reports/text/wording.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/json/decimal.h"

static const char replacement[] = "\xEF\xBF\xBD"; // U+FFFD

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Length of the well-formed UTF-8 sequence at `text`, 0 if it is not well-formed (RFC 3629, section
 * 4). */
static size_t utf8_length(const unsigned char *text)
{
    const unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4 || !is_continuation(text[1]))
        return 0;
    if (lead < 0xE0)
        return 2;
    const bool is_overlong = (lead == 0xE0 && text[1] < 0xA0) || (lead == 0xF0 && text[1] < 0x90);
    const bool is_surrogate = lead == 0xED && text[1] >= 0xA0;
    const bool is_beyond = lead == 0xF4 && text[1] >= 0x90;
    if (is_overlong || is_surrogate || is_beyond || !is_continuation(text[2]))
        return 0;
    if (lead < 0xF0)
        return 3;
    return is_continuation(text[3]) ? 4 : 0;
}

static bool is_control(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7F;
}

static const char *markup_reference(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void markup_print(Text *out, const char *text)
{
    while (*text != '\0') {
        const size_t length = utf8_length((const unsigned char *)text);
        const char *reference = markup_reference(*text);
        const bool is_white = *text == '\n' || *text == '\t';
        if (length == 0 || (is_control((unsigned char)*text) && !is_white))
            text_add(out, replacement);
        else if (reference != NULL)
            text_add(out, reference);
        else
            text_append(out, text, length);
        text += length > 0 ? length : 1;
    }
}

/* Whether a unit, a percent sign or a plus-minus sign is at `text`. */
static bool is_unit(const char *text)
{
    static const char *const units[] = {"USD", "GPU-h", "ns", "us", "ms", "s",   "min", "h",  "d",
                                        "B",   "kB",    "MB", "GB", "TB", "MiB", "GiB", "TiB"};
    if (*text == '%' || begins_with(text, "\xC2\xB1"))
        return true;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const unsigned char after =
            (unsigned char)text[begins_with(text, units[i]) ? strlen(units[i]) : 0];
        if (begins_with(text, units[i]) && !isalnum(after) && after != '_')
            return true;
    }
    return false;
}

/* Whether the space at `at` in `text` is within a quantity: "3 USD", "5 %", "17.2 ± 0.4". */
static bool is_in_quantity(const char *text, const char *at)
{
    const size_t before = (size_t)(at - text);
    if (before >= 1 && isdigit((unsigned char)at[-1]))
        return is_unit(at + 1);
    return isdigit((unsigned char)at[1]) && ((before >= 2 && begins_with(at - 2, "\xC2\xB1")) ||
                                             (before >= 3 && begins_with(at - 3, "\xE2\x89\xA5")));
}

void prose_print(Text *out, const char *text)
{
    Text joined = {0};
    for (const char *at = text; *at != '\0'; at++)
        if (*at == ' ' && is_in_quantity(text, at))
            text_add(&joined, "\xC2\xA0");
        else
            text_append(&joined, at, 1);
    markup_print(out, text_string(&joined));
    text_free(&joined);
}

void gnuplot_string_print(Text *out, const char *text)
{
    text_add(out, "'");
    while (*text != '\0') {
        const size_t length = utf8_length((const unsigned char *)text);
        if (length == 0)
            text_add(out, replacement);
        else if (is_control((unsigned char)*text))
            text_add(out, " ");
        else if (*text == '\'')
            text_add(out, "''");
        else
            text_append(out, text, length);
        text += length > 0 ? length : 1;
    }
    text_add(out, "'");
}

void span_print(Text *out, int64_t ns)
{
    Text plain = {0};
    duration_print(&plain, ns);
    for (const char *at = text_string(&plain); *at != '\0'; at++)
        text_append(out, *at == ' ' ? "\xC2\xA0" : at, *at == ' ' ? 2 : 1);
    text_free(&plain);
}

void usd_print(Text *out, int64_t micro_usd)
{
    decimal_print_amount(out, micro_usd);
    text_add(out, "\xC2\xA0USD"); // a no-break space, as before a percent sign
}

void percent_print(Text *out, int64_t ppm, int32_t decimals)
{
    decimal_print_rounded(out, ppm, 4, decimals);
    text_add(out, "\xC2\xA0%"); // a no-break space keeps number and sign on one line
}

void count_print(Text *out, int64_t count, const char *one, const char *many)
{
    text_printf(out, "%" PRId64 " %s", count, count == 1 ? one : many);
}

int64_t share_ppm(int64_t part, int64_t whole)
{
    return whole > 0 ? mul_div(part, PPM, whole) : 0;
}

int32_t letters_in(const char *text)
{
    int32_t count = 0;
    for (; *text != '\0'; text++)
        count += !is_continuation((unsigned char)*text);
    return count;
}

/* The advance widths of DejaVu Sans 2.37 at 12 pixels, in tenths of a pixel, from the space on:
 * other typefaces without serifs are narrower. */
static const uint8_t letter_tenths[] = {
    39, 49,  56, 101, 77, 115, 94, 33,  47, 47,  60,  101, 39, 44,  39, 41, 77, 77,  77,
    77, 77,  77, 77,  77, 77,  77, 41,  41, 101, 101, 101, 64, 120, 83, 83, 84, 93,  76,
    70, 93,  91, 36,  36, 79,  67, 104, 90, 95,  73,  95,  84, 77,  74, 88, 83, 119, 83,
    74, 83,  47, 41,  47, 101, 60, 60,  74, 77,  66,  77,  74, 43,  77, 77, 34, 34,  70,
    34, 117, 77, 74,  77, 77,  50, 63,  48, 77,  72,  99,  72, 72,  63, 77, 41, 77,  101,
};
_Static_assert(sizeof letter_tenths == '~' - ' ' + 1, "one width for each character of ASCII");

int32_t letters_width(const char *text)
{
    enum { OTHER_TENTHS = 110 };
    int32_t tenths = 0;
    for (; *text != '\0'; text++)
        if (*text >= ' ' && *text <= '~')
            tenths += letter_tenths[*text - ' '];
        else
            tenths += is_continuation((unsigned char)*text) ? 0 : OTHER_TENTHS;
    return (tenths + 9) / 10;
}

/* The first `length` bytes of `text`, which are `count` letters, in `characters` of them. */
static void shorten(Text *out, const char *text, size_t length, int32_t count, int32_t characters)
{
    const int32_t head = characters / 2;
    const int32_t tail_start = count - (characters - head - 1);
    int32_t index = -1; // of the character that the present byte belongs to
    for (size_t i = 0; i < length; i++) {
        const bool is_start = !is_continuation((unsigned char)text[i]);
        index += is_start;
        if (count <= characters || index < head || index >= tail_start)
            text_append(out, &text[i], 1);
        else if (index == head && is_start)
            text_add(out, "\xE2\x80\xA6"); // an ellipsis
    }
}

enum { LIST_ITEMS_MOST = 8, ITEM_LEAST = 3 };

/* The items of a list that is separated by ", ": bytes and letters of each. Returns their number;
 * 1 if there are too many. */
static int32_t split_list(const char *text, size_t *bytes, int32_t *letters)
{
    int32_t count = 0;
    for (const char *at = text;; at += bytes[count] + 2, count++) {
        const char *end = strstr(at, ", ");
        if (count == LIST_ITEMS_MOST || (count == 0 && end == NULL))
            break;
        bytes[count] = end != NULL ? (size_t)(end - at) : strlen(at);
        letters[count] = 0;
        for (size_t i = 0; i < bytes[count]; i++)
            letters[count] += !is_continuation((unsigned char)at[i]);
        if (end == NULL)
            return count + 1;
    }
    bytes[0] = strlen(text);
    letters[0] = letters_in(text);
    return 1;
}

/* Takes letters from the longest items until all fit into `room`; false: they do not. */
static bool divide_room(const int32_t *letters, int32_t count, int32_t room, int32_t *shown)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += shown[i] = letters[i];
    while (sum > room) {
        int32_t longest = 0;
        for (int32_t i = 1; i < count; i++)
            longest = shown[i] > shown[longest] ? i : longest;
        if (shown[longest] <= ITEM_LEAST)
            return false;
        shown[longest]--;
        sum--;
    }
    return true;
}

void shortened_print(Text *out, const char *text, int32_t characters)
{
    size_t bytes[LIST_ITEMS_MOST];
    int32_t letters[LIST_ITEMS_MOST], shown[LIST_ITEMS_MOST];
    const int32_t count = split_list(text, bytes, letters);
    invariant(characters >= 3);
    if (!divide_room(letters, count, characters - 2 * (count - 1), shown)) {
        shorten(out, text, strlen(text), letters_in(text), characters);
        return;
    }
    for (int32_t i = 0; i < count; text += bytes[i] + 2, i++) {
        text_add(out, i > 0 ? ", " : "");
        shorten(out, text, bytes[i], letters[i], shown[i]);
    }
}
