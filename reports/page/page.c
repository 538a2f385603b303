#include "reports/page/page.h"

#include <ctype.h>
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
static void id_print(Text *out, const char *heading)
{
    bool has_gap = false;
    for (const char *at = heading; *at != '<' && *at != '\0'; at++) {
        const char letter = (char)tolower((unsigned char)*at);
        if (!isalnum((unsigned char)*at)) {
            has_gap = true;
            continue;
        }
        text_add(out, has_gap && at > heading ? "-" : "");
        text_append(out, &letter, 1);
        has_gap = false;
    }
}

static void contents_print(Text *out, const char *page)
{
    text_add(out, "<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n");
    for (const char *at = strstr(page, "<h2>"); at != NULL; at = strstr(at + 1, "<h2>")) {
        const char *heading = at + strlen("<h2>");
        text_add(out, "<li><a href=\"#");
        id_print(out, heading);
        text_add(out, "\">");
        text_append(out, heading, strcspn(heading, "<"));
        text_add(out, "</a></li>\n");
    }
    text_add(out, "</ul>\n</nav>\n");
}

/* The text up to `end`, with an id in each heading. */
static void with_ids_print(Text *out, const char *text, const char *end)
{
    for (const char *at = strstr(text, "<h2>"); at != NULL && at < end; at = strstr(text, "<h2>")) {
        text_append(out, text, (size_t)(at - text));
        text_add(out, "<h2 id=\"");
        text = at + strlen("<h2>");
        id_print(out, text);
        text_add(out, "\">");
    }
    text_append(out, text, (size_t)(end - text));
}

void page_end(Text *html)
{
    static const char first_end[] = "</section>\n";
    Text out = {0};
    text_add(html, "</body>\n</html>\n");
    const char *page = text_string(html), *end = page + strlen(page);
    const char *contents = strstr(page, first_end);
    if (contents != NULL && count_of(page, "<h2>") + count_of(page, "<figure") >= LONG_PAGE) {
        contents += strlen(first_end);
        with_ids_print(&out, page, contents);
        contents_print(&out, page);
        page = contents;
    }
    with_ids_print(&out, page, end);
    text_free(html);
    *html = out;
}

void page_warn_of_plots(const char *page, const Status *no_plots)
{
    if (no_plots->code != STATUS_OK)
        fprintf(stderr, "%s has no plots: %s\n", page, no_plots->message);
}
