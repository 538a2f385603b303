#include "reports/page/page.h"

#include <stdio.h>

#include "reports/text/assets.h"
#include "reports/text/wording.h"

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
    text_add(html, "</p>\n<h1>");
    markup_print(html, heading);
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

void page_warn_of_plots(const char *page, const Status *no_plots)
{
    if (no_plots->code != STATUS_OK)
        fprintf(stderr, "%s has no plots: %s\n", page, no_plots->message);
}
