#include "reports/figure/numbers.h"

#include <inttypes.h>

#include "reports/text/wording.h"
#include "sim/base/array.h"

FigureNumbers *numbers_create(Arena *arena, const char *const *headings, int32_t column_count,
                              bool is_by_row)
{
    FigureNumbers *numbers = ARENA_NEW(arena, FigureNumbers);
    *numbers = (FigureNumbers){
        .arena = arena, .headings = headings, .column_count = column_count, .is_by_row = is_by_row};
    return numbers;
}

void numbers_add(FigureNumbers *numbers, PlotBand band, const char *const *cells)
{
    const uint32_t columns = (uint32_t)numbers->column_count;
    const uint32_t row = numbers->row_count++;
    numbers->cells = array_room(numbers->arena, numbers->cells, numbers->row_count * columns,
                                &numbers->cell_capacity, sizeof *numbers->cells);
    numbers->bands = array_room(numbers->arena, numbers->bands, numbers->row_count,
                                &numbers->band_capacity, sizeof *numbers->bands);
    numbers->bands[row] = band;
    for (uint32_t i = 0; i < columns; i++)
        numbers->cells[row * columns + i] = arena_strdup(numbers->arena, cells[i]);
}

/* Tenths of a pixel. */
static void pixels_print(Text *out, const char *name, int64_t tenths)
{
    text_printf(out, " %s=\"%" PRId64 ".%" PRId64 "\"", name, tenths / 10, tenths % 10);
}

static void area_print(Text *svg, PlotBand band, bool is_by_row, PlotArea area)
{
    const int64_t length = is_by_row ? area.height : area.width;
    const int64_t from = length * band.from_ppm / 100000, to = length * band.to_ppm / 100000;
    pixels_print(svg, "x", area.left * 10 + (is_by_row ? 0 : from));
    pixels_print(svg, "y", area.top * 10 + (is_by_row ? from : 0));
    pixels_print(svg, "width", is_by_row ? area.width * 10 : to - from);
    pixels_print(svg, "height", is_by_row ? to - from : area.height * 10);
}

void numbers_print_titles(Text *svg, const FigureNumbers *numbers, PlotArea area)
{
    text_add(svg, "<g fill=\"transparent\" stroke=\"none\">\n");
    for (uint32_t row = 0; row < numbers->row_count; row++) {
        text_add(svg, "<rect");
        area_print(svg, numbers->bands[row], numbers->is_by_row, area);
        text_add(svg, "><title>");
        const char *const *cells = numbers->cells + row * (uint32_t)numbers->column_count;
        for (int32_t i = 0; i < numbers->column_count; i++) {
            text_add(svg, i > 0 ? "\n" : "");
            markup_print(svg, numbers->headings[i]);
            text_add(svg, ": ");
            markup_print(svg, cells[i]);
        }
        text_add(svg, "</title></rect>\n");
    }
    text_add(svg, "</g>\n");
}

void numbers_print_table(Text *html, const FigureNumbers *numbers)
{
    text_add(html, "<details class=\"data\"><summary>Numbers of this plot</summary>\n"
                   "<div class=\"table\"><table><thead><tr>");
    for (int32_t i = 0; i < numbers->column_count; i++) {
        text_printf(html, "<th scope=\"col\"%s>", i > 0 ? " class=\"n\"" : "");
        markup_print(html, numbers->headings[i]);
        text_add(html, "</th>");
    }
    text_add(html, "</tr></thead><tbody>\n");
    for (uint32_t row = 0; row < numbers->row_count; row++) {
        text_add(html, "<tr>");
        for (int32_t i = 0; i < numbers->column_count; i++) {
            text_printf(html, "<td%s>", i > 0 ? " class=\"n\"" : "");
            markup_print(html, numbers->cells[row * (uint32_t)numbers->column_count + (uint32_t)i]);
            text_add(html, "</td>");
        }
        text_add(html, "</tr>\n");
    }
    text_add(html, "</tbody></table></div></details>\n");
}
