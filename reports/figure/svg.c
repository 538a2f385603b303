#include "reports/figure/svg.h"

#include <stdbool.h>
#include <string.h>

#include "reports/text/wording.h"
#include "sim/base/invariant.h"
#include "sim/base/text.h"

/* Replacements inside tags: black and the typeface become those of the surrounding text, so that a
 * drawing follows a page's dark mode. */
static const struct {
    const char *written;
    const char *becomes;
} replacements[] = {
    {" color=\"black\"", ""},
    {" color=\"white\"", ""},
    {"\"black\"", "\"currentColor\""},
    {"'black'", "'currentColor'"},
    {" font-family=\"sans-serif\"", ""},
    {" class=\"gridline\"", ""},
    // gnuplot asks for crisp edges, which makes slanted ones ragged.
    {" shape-rendering='crispEdges'", ""},
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void tag_tidy(Text *out, const char *tag, size_t length)
{
    const char *const end = tag + length;
    while (tag < end) {
        size_t row = 0;
        const size_t rows = sizeof(replacements) / sizeof(replacements[0]);
        while (row < rows && !starts_with(tag, replacements[row].written))
            row++;
        if (row < rows) {
            text_add(out, replacements[row].becomes);
            tag += strlen(replacements[row].written);
        } else {
            text_append(out, tag++, 1);
        }
    }
}

/* The end of the element without contents that starts at `at`, or NULL if there is no such element.
 */
static const char *empty_group_end(const char *at)
{
    const char *close = strchr(at, '>');
    if (!starts_with(at, "<g ") || close == NULL)
        return NULL;
    close++;
    close += strspn(close, " \t\n");
    return starts_with(close, "</g>") ? close + strlen("</g>") : NULL;
}

/* Writes the replacement of the tag that starts at `at` to `out`; returns where to continue. */
static const char *element_tidy(Text *out, const char *at)
{
    const char *past = empty_group_end(at);
    if (past != NULL)
        return past + strspn(past, "\n");
    if (starts_with(at, "<title>")) {
        past = strstr(at, "</title>");
        return past != NULL ? past + strlen("</title>") : at + strlen(at);
    }
    past = strchr(at, '>');
    past = past != NULL ? past + 1 : at + strlen(at);
    if (starts_with(at, "<g id="))
        text_add(out, "<g>"); // ids would collide with those of other drawings in the page
    else
        tag_tidy(out, at, (size_t)(past - at));
    return past;
}

static void contents_tidy(Text *out, const char *at, const char *end)
{
    while (at < end) {
        if (*at == '<') {
            at = element_tidy(out, at);
            continue;
        }
        const char *next = memchr(at, '<', (size_t)(end - at));
        const size_t length = (size_t)((next != NULL ? next : end) - at);
        text_append(out, at, length);
        at += length;
    }
}

static void svg_print(Text *out, const char *drawing, const char *label, const char *style,
                      const char *overlay)
{
    const char *view = strstr(drawing, "viewBox=\"");
    const char *begin = strstr(drawing, "</defs>");
    const char *end = strstr(drawing, "</svg>");
    invariant(view != NULL && begin != NULL && end != NULL);
    begin += strlen("</defs>");
    view += strlen("viewBox=\"");
    const int view_length = (int)strcspn(view, "\"");
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.*s\" role=\"img\" "
                "aria-label=\"",
                view_length, view);
    markup_print(out, label);
    text_printf(out, "\">%s\n<g>", style); // gnuplot's canvas, whose tag is before </defs>
    contents_tidy(out, begin, end);
    text_printf(out, "%s</svg>\n", overlay);
}

static char *text_into(Arena *arena, Text *text)
{
    char *kept = arena_strndup(arena, text_string(text), text->length);
    text_free(text);
    return kept;
}

char *svg_element(Arena *arena, const char *drawing, const char *label, const char *overlay)
{
    Text out = {0};
    svg_print(&out, drawing, label, "", overlay);
    return text_into(arena, &out);
}

char *svg_document(Arena *arena, const char *drawing, const char *label)
{
    static const char style[] =
        "\n<style>svg{color:#1c2733;background:#fff;font-family:system-ui,sans-serif}"
        "g[font-size=\"10.50\"] text{stroke:#fff;stroke-width:3px;stroke-linejoin:round;"
        "paint-order:stroke}@media (prefers-color-scheme:dark){svg{color:#dfe6ee;background:"
        "#12181f}g[font-size=\"10.50\"] text{stroke:#12181f}}</style>";
    Text out = {0};
    text_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    svg_print(&out, drawing, label, style, "");
    return text_into(arena, &out);
}
