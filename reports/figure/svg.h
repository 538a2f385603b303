/* gnuplot's SVG drawings made fit for a page and for a file. */
#ifndef REPORTS_FIGURE_SVG_H
#define REPORTS_FIGURE_SVG_H

#include "sim/base/arena.h"

/* An SVG element for a page with several drawings: the contents of gnuplot's `drawing` without XML
 * header, title, version, unused definitions, ids and empty groups. Black becomes the colour of the
 * surrounding text. `label` is plain text that describes the drawing to readers who cannot see it.
 * `overlay` are SVG elements above the drawing, or "". */
char *svg_element(Arena *arena, const char *drawing, const char *label, const char *overlay);
/* The same as a separate file without overlay, with colours for a light and a dark background. */
char *svg_document(Arena *arena, const char *drawing, const char *label);

#endif
