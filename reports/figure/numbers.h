/* The numbers of a figure: the table below its drawing, and what the drawing says when the pointer
 * rests on it. */
#ifndef REPORTS_NUMBERS_H
#define REPORTS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/text.h"

/* A part of the plot's area, in parts per million of its width (or height, from the top). */
typedef struct {
    int64_t from_ppm, to_ppm;
} PlotBand;

typedef struct {
    Arena *arena;
    const char *const *headings; /* [column_count] plain text */
    int32_t column_count;
    bool is_by_row; /* bands lie across the area, as rows of bars do; otherwise they are upright */
    const char **cells; /* [row_count * column_count] plain text */
    PlotBand *bands;    /* [row_count] */
    uint32_t row_count;
    uint32_t cell_capacity, band_capacity;
} FigureNumbers;

FigureNumbers *numbers_create(Arena *arena, const char *const *headings, int32_t column_count,
                              bool is_by_row);
/* Adds a row; `cells` are copied. */
void numbers_add(FigureNumbers *numbers, PlotBand band, const char *const *cells);

/* The area of a plot in a drawing, in pixels. */
typedef struct {
    int32_t left, top, width, height;
} PlotArea;

/* SVG elements that are not seen and have the rows as titles. */
void numbers_print_titles(Text *svg, const FigureNumbers *numbers, PlotArea area);
/* A table that is closed at first. */
void numbers_print_table(Text *html, const FigureNumbers *numbers);

#endif
