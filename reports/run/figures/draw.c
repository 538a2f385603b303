#include "reports/run/figures/draw.h"

void figure_draw(Figures *figures, Figure figure, const char *template, FigureData data,
                 const Facts *facts, uint32_t subject, int32_t body)
{
    Text wide = {0}, narrow = {0};
    data(&wide, facts, subject, figure_layout(figure.is_half, false));
    data(&narrow, facts, subject, figure_layout(figure.is_half, true));
    figures_draw(figures, figure, template, text_string(&wide), text_string(&narrow), body);
    text_free(&wide);
    text_free(&narrow);
}
