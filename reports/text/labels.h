/* Labels of a drawing in the room that they have: whole, in one or two lines, where they fit.
 * Otherwise a part is cut out, but not the part in which a label differs from the others. */
#ifndef REPORTS_LABELS_H
#define REPORTS_LABELS_H

#include <stdint.h>

#include "sim/base/arena.h"

typedef struct {
    int32_t width; /* pixels of a line, by letters_width */
    int32_t lines; /* 1 or 2 */
} LabelRoom;

/* The `count` labels in that room, lines separated by '\n'; in at least 3 letters each. */
const char *const *labels_fit(Arena *arena, const char *const *labels, int32_t count,
                              LabelRoom room);
/* Pixels of the widest line of all labels; most lines of a label. */
int32_t labels_width(const char *const *labels, int32_t count);
int32_t labels_lines(const char *const *labels, int32_t count);

/* "cost (USD a week)"; without the brackets if `unit` is "". */
const char *label_with_unit(Arena *arena, const char *label, const char *unit);
/* The label as the beginning of a caption: with a capital letter, unless it begins with the name of
 * a metric, which has dots and underscores. */
const char *label_capitalised(Arena *arena, const char *label);

#endif
