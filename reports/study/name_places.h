/* Places for the names of points in a drawing: next to their points, inside the drawing, and over
 * neither another name nor a point nor, if there is room, a bar or the line of a limit. */
#ifndef REPORTS_STUDY_NAME_PLACES_H
#define REPORTS_STUDY_NAME_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/* Pixels from the lower left corner of the drawing's area. */
typedef struct {
    double left, right, low, high;
} NameBox;

typedef struct {
    double x, y;
    NameBox bars; /* from the left end of its bar across to the right end, likewise upright; all 0:
                     it has none */
    double width, short_width; /* of its name, and of its number, which is shown if the name has no
                                  room; 0: it has none */
} NamedPoint;

typedef struct {
    bool is_shown; /* false: no place is free */
    bool is_short; /* the number is shown */
    bool has_line; /* the name is away from its point: a line leads to (line_x, line_y) */
    NameBox box;   /* of the name or number */
    double line_x, line_y;
} NamePlace;

enum { NAME_HEIGHT = 14 };

/* The drawing. */
typedef struct {
    NameBox area;  /* of the drawing */
    NameBox taken; /* a part of it that stays free */
    double limit;  /* the height of a line across; negative: the figure has no such line */
} NameArea;

/* Chooses places[count] in the order of the points: earlier ones have the better places. */
void name_places(const NamedPoint *points, int32_t count, const NameArea *area, NamePlace *places);

#endif
