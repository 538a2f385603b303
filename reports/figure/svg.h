/* gnuplot's SVG drawings made fit for a page and for a file. */
#ifndef REPORTS_FIGURE_SVG_H
#define REPORTS_FIGURE_SVG_H

#include "sim/base/arena.h"

/* An SVG element for a page with several drawings: the contents of gnuplot's `drawing` without XML
 * header, title, version, unused definitions, ids and empty groups. Black becomes the colour of the
 * surrounding text. `label` is plain text that describes the drawing to readers who cannot see it.
 */
char *svg_element(Arena *arena, const char *drawing, const char *label);
/* The same as a separate file, with colours for a light and a dark background. */
char *svg_document(Arena *arena, const char *drawing, const char *label);

#endif
