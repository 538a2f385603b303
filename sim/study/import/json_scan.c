#include "sim/study/import/json_scan.h"

#include <string.h>

enum { DEPTH_MAX = 64 };

JsonScan json_scan_begin(const char *source, const char *text, size_t length)
{
    return (JsonScan){.source = source, .begin = text, .next = text, .end = text + length};
}

Place json_scan_place(const JsonScan *scan, const char *at)
{
    int32_t line = 1;
    const char *line_start = scan->begin;
    for (const char *c = scan->begin; c < at; c++) {
        if (*c == '\n') {
            line++;
            line_start = c + 1;
        }
    }
    return place_in(scan->source, line, (int32_t)(at - line_start) + 1);
}

static bool fail(JsonScan *scan, const char *at, const char *expected)
{
    if (scan->status.code != STATUS_OK)
        return false;
    if (at >= scan->end)
        return status_fail(&scan->status, STATUS_BAD_INPUT, json_scan_place(scan, scan->end),
                           "the text ends here, expected %s", expected);
    const unsigned char found = (unsigned char)*at;
    return found > ' ' && found < 0x7f
               ? status_fail(&scan->status, STATUS_BAD_INPUT, json_scan_place(scan, at),
                             "expected %s, found '%c'", expected, found)
               : status_fail(&scan->status, STATUS_BAD_INPUT, json_scan_place(scan, at),
                             "expected %s, found byte 0x%02x", expected, found);
}

char json_scan_peek(JsonScan *scan)
{
    while (scan->next < scan->end && (*scan->next == ' ' || *scan->next == '\n' ||
                                      *scan->next == '\r' || *scan->next == '\t'))
        scan->next++;
    return scan->next < scan->end ? *scan->next : '\0';
}

static bool take(JsonScan *scan, char c, const char *expected)
{
    if (scan->status.code != STATUS_OK || json_scan_peek(scan) != c || scan->next == scan->end)
        return fail(scan, scan->next, expected);
    scan->next++;
    return true;
}

bool json_scan_open(JsonScan *scan, char bracket)
{
    scan->is_first = true;
    return take(scan, bracket, bracket == '{' ? "an object" : "an array");
}

/* Before an item: its comma, or the closing bracket, which ends the items. */
static bool next_item(JsonScan *scan, char closing, const char *expected)
{
    if (scan->status.code != STATUS_OK)
        return false;
    const bool is_first = scan->is_first;
    scan->is_first = false;
    if (json_scan_peek(scan) == closing) {
        scan->next++;
        return false;
    }
    return is_first || take(scan, ',', expected);
}

static bool take_string(JsonScan *scan, Cell *text)
{
    if (!take(scan, '"', "a string"))
        return false;
    const char *first = scan->next;
    for (const char *c = first; c < scan->end && (unsigned char)*c >= ' '; c++) {
        if (*c == '"') {
            *text = (Cell){.text = first, .length = (int32_t)(c - first)};
            scan->next = c + 1;
            return true;
        }
        c += *c == '\\' && c + 1 < scan->end;
    }
    return fail(scan, first - 1, "a string with an end quote");
}

bool json_scan_key(JsonScan *scan, Cell *key)
{
    if (!next_item(scan, '}', "',' or '}'") || !take_string(scan, key) ||
        !take(scan, ':', "':' after the key"))
        return false;
    return true;
}

bool json_scan_item(JsonScan *scan)
{
    return next_item(scan, ']', "',' or ']'");
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
}

bool json_scan_text(JsonScan *scan, Cell *text, bool *is_string)
{
    if (scan->status.code != STATUS_OK)
        return false;
    const bool has_quote = json_scan_peek(scan) == '"';
    if (is_string != NULL)
        *is_string = has_quote;
    if (has_quote)
        return take_string(scan, text);
    const char *first = scan->next;
    while (scan->next < scan->end && is_word(*scan->next))
        scan->next++;
    *text = (Cell){.text = first, .length = (int32_t)(scan->next - first)};
    return text->length > 0 || fail(scan, first, "a string or a number");
}

bool json_scan_skip(JsonScan *scan)
{
    char closing[DEPTH_MAX];
    int32_t depth = 0;
    bool is_first[DEPTH_MAX];
    Cell ignored;
    do {
        if (depth > 0) {
            scan->is_first = is_first[depth - 1];
            is_first[depth - 1] = false;
            const bool is_object = closing[depth - 1] == '}';
            const bool is_more = is_object ? json_scan_key(scan, &ignored) : json_scan_item(scan);
            if (scan->status.code != STATUS_OK)
                return false;
            if (!is_more) {
                depth--;
                continue;
            }
        }
        const char c = json_scan_peek(scan);
        if (c == '{' || c == '[') {
            if (depth == DEPTH_MAX)
                return fail(scan, scan->next, "at most 64 levels");
            scan->next++;
            closing[depth] = c == '{' ? '}' : ']';
            is_first[depth++] = true;
        } else if (!json_scan_text(scan, &ignored, NULL)) {
            return false;
        }
    } while (depth > 0);
    scan->is_first = false;
    return true;
}

bool json_scan_end(JsonScan *scan)
{
    if (scan->status.code == STATUS_OK && (json_scan_peek(scan), scan->next < scan->end))
        return fail(scan, scan->next, "the end of the text");
    return scan->status.code == STATUS_OK;
}
