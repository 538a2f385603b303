#include "reports/report.h"

#include <inttypes.h>
#include <string.h>

#include "reports/facts.h"
#include "reports/figure.h"
#include "reports/gnuplot.h"
#include "reports/page.h"
#include "sim/cli/files.h"

/* A drawing of a figure and where it goes. */
typedef struct {
    const Figure *figure;
    bool is_narrow;
    char *drawing; /* as gnuplot wrote it */
} Drawing;

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

/* One gnuplot for all: starting it takes longer than drawing. */
static bool draw(Arena *arena, Drawing *drawings, int32_t count, Status *status)
{
    if (count == 0)
        return true;
    Text script = {0};
    char **drawn = ARENA_ARRAY(arena, char *, count);
    for (int32_t i = 0; i < count; i++)
        text_add(&script,
                 drawings[i].is_narrow ? drawings[i].figure->narrow : drawings[i].figure->wide);
    const bool is_drawn = gnuplot_draw(arena, text_string(&script), count, drawn, status);
    for (int32_t i = 0; is_drawn && i < count; i++)
        drawings[i].drawing = drawn[i];
    text_free(&script);
    return is_drawn;
}

static bool text_write(const char *path, const char *text, Status *status)
{
    return file_write(path, text, strlen(text), status);
}

static bool plots_write(Arena *arena, const char *directory, const Drawing *drawings, int32_t count,
                        Status *status)
{
    bool is_written = folder_create(arena_printf(arena, "%s/plots", directory), status);
    for (int32_t i = 0; is_written && i < count; i++) {
        const Drawing *item = &drawings[i];
        const char *path = arena_printf(arena, "%s/plots/%s%s.svg", directory, item->figure->file,
                                        item->is_narrow ? "-narrow" : "");
        is_written =
            text_write(path, svg_document(arena, item->drawing, item->figure->title), status);
    }
    return is_written;
}

static const PagePlot *page_plots(Arena *arena, const Figures *figures, const Drawing *drawings,
                                  int32_t count)
{
    PagePlot *plots = ARENA_ARRAY(arena, PagePlot, figures->count);
    for (uint32_t i = 0; i < figures->count; i++)
        plots[i].figure = &figures->items[i];
    for (int32_t i = 0; i < count; i++) {
        if (drawings[i].drawing == NULL)
            continue;
        PagePlot *plot = &plots[drawings[i].figure - figures->items];
        const char *svg = svg_element(arena, drawings[i].drawing, drawings[i].figure->title);
        *(drawings[i].is_narrow ? &plot->narrow : &plot->wide) = svg;
    }
    return plots;
}

static bool write_all(Arena *arena, const char *directory, const Facts *facts, Status *status)
{
    const Figures figures = figures_of(arena, facts);
    int32_t count = 0;
    Drawing *drawings = drawings_of(arena, &figures, &count);
    const bool is_drawn = draw(arena, drawings, count, status);
    const char *page = page_of(arena, facts, page_plots(arena, &figures, drawings, count),
                               figures.count, is_drawn ? NULL : status);
    Status page_status = {0};
    if (!text_write(arena_printf(arena, "%s/report.html", directory), page, &page_status)) {
        *status = page_status;
        return false;
    }
    return is_drawn && plots_write(arena, directory, drawings, count, status);
}

bool report_write(Arena *arena, const char *run_directory, Status *status)
{
    const Facts *facts = facts_read(arena, run_directory, status);
    return facts != NULL && write_all(arena, run_directory, facts, status);
}
