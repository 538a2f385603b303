#include "reports/page/page.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/text/assets.h"
#include "reports/text/wording.h"

enum { HEADING_SHORT = 100 }; /* bytes that two lines of the heading hold on a wide screen */

void page_begin(Text *html, const char *title, const char *kicker, const char *heading)
{
    text_add(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    markup_print(html, title);
    text_add(html, "</title>\n<style>\n");
    text_add(html, asset_text("page.css"));
    text_add(html, "</style>\n</head>\n<body>\n<header>\n<p class=\"kicker\">");
    markup_print(html, kicker);
    // Above two lines, the question would outshine the answer.
    text_add(html, strlen(heading) > HEADING_SHORT ? "</p>\n<h1 class=\"long\">" : "</p>\n<h1>");
    prose_print(html, heading);
    text_add(html, "</h1>\n");
}

static void missing_print(Text *html, const Figure *figure, const Status *no_plots)
{
    text_add(html, "<p class=\"missing\">");
    if (figure->wide == NULL) {
        markup_print(html, figure->note);
    } else {
        text_add(html, "This plot is missing: ");
        markup_print(html, no_plots->message);
        text_add(html, ". To have it, ");
        markup_print(html, no_plots->hint[0] != '\0' ? no_plots->hint : "make the report again");
        text_add(html, ".");
    }
    text_add(html, "</p>\n");
}

void page_plot_print(Text *html, const Plot *plot, const Status *no_plots)
{
    text_printf(html, "<figure%s>\n", plot->figure->is_half ? " class=\"half\"" : "");
    if (plot->figure->title[0] != '\0') {
        text_add(html, "<figcaption>");
        markup_print(html, plot->figure->title);
        text_add(html, "</figcaption>\n");
    }
    if (plot->wide == NULL) {
        missing_print(html, plot->figure, no_plots);
    } else {
        text_printf(html, "<div class=\"wide\">%s</div>\n<div class=\"narrow\">%s</div>\n",
                    plot->wide, plot->narrow);
        if (plot->figure->note[0] != '\0') {
            text_add(html, "<p class=\"note\">");
            markup_print(html, plot->figure->note);
            text_add(html, "</p>\n");
        }
    }
    if (plot->figure->numbers != NULL)
        numbers_print_table(html, plot->figure->numbers);
    text_add(html, "</figure>\n");
}

/* --- Contents --- */

/* A page with fewer headings and figures needs no list of contents. */
enum { LONG_PAGE = 20 };

static int32_t count_of(const char *text, const char *part)
{
    int32_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

/* "what-limited-them": the letters and digits of a heading, from its begin to its end tag. */
static const char *words_of(Arena *arena, const char *heading)
{
    Text words = {0};
    bool has_gap = false;
    for (const char *at = heading; *at != '<' && *at != '\0'; at++) {
        const char letter = (char)tolower((unsigned char)*at);
        if (!isalnum((unsigned char)*at)) {
            has_gap = true;
            continue;
        }
        text_add(&words, has_gap && at > heading ? "-" : "");
        text_append(&words, &letter, 1);
        has_gap = false;
    }
    const char *copy = arena_strdup(arena, words.length > 0 ? text_string(&words) : "section");
    text_free(&words);
    return copy;
}

/* The ids of all headings of a page, in their order. */
typedef struct {
    const char **items;
    int32_t count;
} Ids;

static bool has_id(const Ids *ids, const char *id)
{
    int32_t i = 0;
    while (i < ids->count && strcmp(ids->items[i], id) != 0)
        i++;
    return i < ids->count;
}

/* Equal headings get "day", "day-2", "day-3". */
static Ids ids_make(Arena *arena, const char *page)
{
    Ids ids = {.items = ARENA_ARRAY(arena, const char *, count_of(page, "<h2>"))};
    for (const char *at = strstr(page, "<h2>"); at != NULL; at = strstr(at + 1, "<h2>")) {
        const char *words = words_of(arena, at + strlen("<h2>")), *id = words;
        for (int32_t i = 2; has_id(&ids, id); i++)
            id = arena_printf(arena, "%s-%" PRId32, words, i);
        ids.items[ids.count++] = id;
    }
    return ids;
}

static void contents_print(Text *out, const char *page, const Ids *ids)
{
    text_add(out, "<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n");
    const char *at = page;
    for (int32_t i = 0; i < ids->count; i++) {
        at = strstr(at, "<h2>") + strlen("<h2>");
        text_printf(out, "<li><a href=\"#%s\">", ids->items[i]);
        text_append(out, at, strcspn(at, "<"));
        text_add(out, "</a></li>\n");
    }
    text_add(out, "</ul>\n</nav>\n");
}

/* The text up to `end`, with an id in each heading, from ids[*next] on. */
static void with_ids_print(Text *out, const char *text, const char *end, const char *const *ids,
                           int32_t *next)
{
    for (const char *at = strstr(text, "<h2>"); at != NULL && at < end; at = strstr(text, "<h2>")) {
        text_append(out, text, (size_t)(at - text));
        text_printf(out, "<h2 id=\"%s\">", ids[(*next)++]);
        text = at + strlen("<h2>");
    }
    text_append(out, text, (size_t)(end - text));
}

void page_end(Text *html)
{
    static const char first_end[] = "</section>\n";
    Arena *arena = arena_create();
    Text out = {0};
    int32_t next = 0;
    text_add(html, "</body>\n</html>\n");
    const char *page = text_string(html), *end = page + strlen(page);
    const char *contents = strstr(page, first_end);
    const Ids ids = ids_make(arena, page);
    if (contents != NULL && count_of(page, "<h2>") + count_of(page, "<figure") >= LONG_PAGE) {
        contents += strlen(first_end);
        with_ids_print(&out, page, contents, ids.items, &next);
        contents_print(&out, page, &ids);
        page = contents;
    }
    with_ids_print(&out, page, end, ids.items, &next);
    arena_destroy(arena);
    text_free(html);
    *html = out;
}

void page_warn_of_plots(const char *page, const Status *no_plots)
{
    if (no_plots->code != STATUS_OK)
        fprintf(stderr, "%s has no plots: %s\n", page, no_plots->message);
}
