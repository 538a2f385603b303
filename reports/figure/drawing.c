#include "reports/figure/drawing.h"

#include <string.h>

#include "reports/figure/gnuplot.h"
#include "reports/figure/svg.h"
#include "sim/cli/files.h"

static Drawing *drawings_of(Arena *arena, const Figures *figures, int32_t *count)
{
    Drawing *drawings = ARENA_ARRAY(arena, Drawing, 2 * (size_t)figures->count);
    *count = 0;
    for (uint32_t i = 0; i < figures->count; i++) {
        if (figures->items[i].wide == NULL)
            continue;
        drawings[(*count)++] = (Drawing){.figure = &figures->items[i]};
        drawings[(*count)++] = (Drawing){.figure = &figures->items[i], .is_narrow = true};
    }
    return drawings;
}

bool drawings_make(Arena *arena, const Figures *figures, Drawings *drawings, Status *status)
{
    Text script = {0};
    drawings->items = drawings_of(arena, figures, &drawings->count);
    if (drawings->count == 0)
        return true;
    char **drawn = ARENA_ARRAY(arena, char *, drawings->count);
    for (int32_t i = 0; i < drawings->count; i++) {
        const Drawing *item = &drawings->items[i];
        text_add(&script, item->is_narrow ? item->figure->narrow : item->figure->wide);
    }
    // One gnuplot for all: starting it takes longer than drawing.
    const bool is_drawn = gnuplot_draw(arena, text_string(&script), drawings->count, drawn, status);
    for (int32_t i = 0; is_drawn && i < drawings->count; i++)
        drawings->items[i].drawing = drawn[i];
    text_free(&script);
    return is_drawn;
}

bool drawings_write(Arena *arena, const char *directory, const Drawings *drawings, Status *status)
{
    const char *folder = arena_printf(arena, "%s/plots", directory);
    // Drawings of an earlier run are removed.
    bool is_written = folder_remove(folder, status) && folder_create(folder, status);
    for (int32_t i = 0; is_written && i < drawings->count; i++) {
        const Drawing *item = &drawings->items[i];
        const char *path = arena_printf(arena, "%s/%s%s.svg", folder, item->figure->file,
                                        item->is_narrow ? "-narrow" : "");
        const char *document = svg_document(arena, item->drawing, item->figure->title);
        is_written = file_write(path, document, strlen(document), status);
    }
    return is_written;
}

const Plot *drawings_plots(Arena *arena, const Figures *figures, const Drawings *drawings)
{
    Plot *plots = ARENA_ARRAY(arena, Plot, figures->count);
    for (uint32_t i = 0; i < figures->count; i++)
        plots[i].figure = &figures->items[i];
    for (int32_t i = 0; i < drawings->count; i++) {
        const Drawing *item = &drawings->items[i];
        if (item->drawing == NULL)
            continue;
        Plot *plot = &plots[item->figure - figures->items];
        Text overlay = {0};
        if (item->figure->numbers != NULL)
            numbers_print_titles(&overlay, item->figure->numbers,
                                 item->is_narrow ? item->figure->area_narrow : item->figure->area);
        *(item->is_narrow ? &plot->narrow : &plot->wide) =
            svg_element(arena, item->drawing, item->figure->title, text_string(&overlay));
        text_free(&overlay);
    }
    return plots;
}
