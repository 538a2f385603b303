/* Prints a validation as text, JSON, Markdown and plots. */
#ifndef REAL_COMPARE_VALIDATION_PRINT_H
#define REAL_COMPARE_VALIDATION_PRINT_H

#include "real/compare/validation.h"

void validation_print(Text *out, Arena *arena, const Validation *validation);
Json *validation_json(Arena *arena, const Validation *validation);
/* Prints a section of reports/validation.md. `plot` is the path of its plot, relative to reports.
 */
void validation_markdown(Text *out, Arena *arena, const Validation *validation, const char *plot);
/* Writes `folder`/plots/validation.svg and validation-error.svg; `folder` exists. When gnuplot is
 * missing or fails, nothing is written, and `no_plots`, which must be empty, gets the reason.
 * STATUS_MACHINE if they cannot be written. */
MUST_CHECK bool validation_plots_write(Arena *arena, const Validation *validation,
                                       const char *folder, Status *no_plots, Status *status);

#endif
