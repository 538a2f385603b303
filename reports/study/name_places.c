#include "reports/study/name_places.h"

#include <math.h>

/* Pixels: half of a mark, from a mark to its name, and from one ring of places to the next. */
enum { MARK = 6, GAP = 8, RING = 13, RINGS = 9 };

/* Directions from a point, the better ones first: sideways, where a name is read with its mark. */
static const struct {
    double x, y;
} directions[] = {
    {1, 0},      {1, 0.9},     {1, -0.9},    {-1, 0},       {-1, -0.9},  {-1, 0.9},
    {0, 1},      {0, -1},      {0.9, 0.4},   {0.9, -0.4},   {-0.9, 0.4}, {-0.9, -0.4},
    {0.4, 0.95}, {0.4, -0.95}, {-0.4, 0.95}, {-0.4, -0.95},
};
enum { DIRECTIONS = sizeof directions / sizeof directions[0] };

static bool overlap(NameBox a, NameBox b)
{
    return a.left < b.right && b.left < a.right && a.low < b.high && b.low < a.high;
}

static bool contains(NameBox outer, NameBox inner)
{
    return inner.left >= outer.left && inner.right <= outer.right && inner.low >= outer.low &&
           inner.high <= outer.high;
}

static NameBox mark_of(const NamedPoint *point)
{
    return (NameBox){point->x - MARK, point->x + MARK, point->y - MARK, point->y + MARK};
}

/* Whether the line from (x, y) to (to_x, to_y) meets the box. */
static bool meets(NameBox box, double x, double y, double to_x, double to_y)
{
    enum { STEPS = 64 };
    for (int i = 0; i <= STEPS; i++) {
        const double at_x = x + (to_x - x) * i / STEPS, at_y = y + (to_y - y) * i / STEPS;
        if (at_x > box.left && at_x < box.right && at_y > box.low && at_y < box.high)
            return true;
    }
    return false;
}

/* The place of the name of `point` in a direction, in a ring around it. */
static NamePlace place_in_ring(const NamedPoint *point, double width, int direction, int ring)
{
    const double x = directions[direction].x, y = directions[direction].y;
    const double away = GAP + (double)RING * ring;
    NamePlace place = {.is_shown = true, .has_line = ring > 0};
    place.line_x = point->x + x * away;
    place.line_y = point->y + y * away + (x == 0 ? (y > 0 ? 1 : -1) * NAME_HEIGHT / 4.0 : 0);
    const double left = x > 0   ? place.line_x
                        : x < 0 ? place.line_x - width
                                : place.line_x - width / 2;
    place.box = (NameBox){left, left + width, place.line_y - NAME_HEIGHT / 2.0,
                          place.line_y + NAME_HEIGHT / 2.0};
    if (x == 0)
        place.line_y = y > 0 ? place.box.low : place.box.high;
    return place;
}

/* Whether the line to the name crosses another name. */
static bool line_meets_name(const NamedPoint *point, const NamePlace *place, NameBox name)
{
    return place->has_line && meets(name, point->x, point->y, place->line_x, place->line_y);
}

/* Whether the line to the name of point `i` crosses the mark of another point. */
static bool line_meets_mark(const NamedPoint *points, int32_t count, int32_t i,
                            const NamePlace *place)
{
    for (int32_t other = 0; place->has_line && other < count; other++)
        if (other != i &&
            meets(mark_of(&points[other]), points[i].x, points[i].y, place->line_x, place->line_y))
            return true;
    return false;
}

static bool is_free(const NamedPoint *points, int32_t count, const NamePlace *places, int32_t i,
                    const NamePlace *place)
{
    for (int32_t other = 0; other < count; other++)
        if (overlap(place->box, mark_of(&points[other])))
            return false;
    for (int32_t before = 0; before < i; before++)
        if (places[before].is_shown &&
            (overlap(place->box, places[before].box) ||
             line_meets_name(&points[i], place, places[before].box) ||
             line_meets_name(&points[before], &places[before], place->box)))
            return false;
    return true;
}

/* Whether the box is over the bars of a point. */
static bool is_on_bars(NameBox box, const NamedPoint *point)
{
    const NameBox bars = point->bars;
    const bool is_on_upright =
        point->x > box.left && point->x < box.right && bars.low < box.high && box.low < bars.high;
    const bool is_on_level =
        point->y > box.low && point->y < box.high && bars.left < box.right && box.left < bars.right;
    return is_on_upright || is_on_level;
}

/* How badly a name is read in a place: it is away from its point, or lines cross it. */
static int32_t badness(const NamedPoint *points, int32_t count, int32_t i, const NameArea *area,
                       const NamePlace *place, int32_t ring)
{
    enum { OF_LINE = 3, OF_OWN_BAR = 12 };
    int32_t sum = ring;
    if (area->limit > place->box.low && area->limit < place->box.high)
        sum += OF_LINE;
    if (line_meets_mark(points, count, i, place))
        sum += OF_LINE;
    for (int32_t other = 0; other < count; other++)
        if (is_on_bars(place->box, &points[other]))
            sum += other == i ? OF_OWN_BAR : OF_LINE;
    return sum;
}

/* The best free place; of equal ones the first. */
static NamePlace place_of(const NamedPoint *points, int32_t count, const NameArea *area,
                          const NamePlace *places, int32_t i, double width)
{
    NamePlace best = {.is_shown = false};
    int32_t least = INT32_MAX;
    for (int ring = 0; ring < RINGS && least > ring; ring++)
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            const NamePlace place = place_in_ring(&points[i], width, direction, ring);
            if (!contains(area->area, place.box) || overlap(area->taken, place.box) ||
                !is_free(points, count, places, i, &place))
                continue;
            const int32_t bad = badness(points, count, i, area, &place, ring);
            if (bad >= least)
                continue;
            best = place;
            least = bad;
        }
    return best;
}

void name_places(const NamedPoint *points, int32_t count, const NameArea *area, NamePlace *places)
{
    for (int32_t i = 0; i < count; i++) {
        places[i] = (NamePlace){.is_shown = false};
        if (points[i].width > 0)
            places[i] = place_of(points, count, area, places, i, points[i].width);
        if (places[i].is_shown || points[i].short_width <= 0)
            continue;
        places[i] = place_of(points, count, area, places, i, points[i].short_width);
        places[i].is_short = true;
    }
}
