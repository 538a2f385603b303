#include "reports/study/name_places.h"
#include "sim/base/philox.h"
#include "tests/support/suite.h"

enum { WIDTH = 700, HEIGHT = 320, POINTS_MAX = 24 };
static const NameArea area = {.area = {0, WIDTH, 0, HEIGHT}, .limit = -1};
static const NameBox nothing = {0};

static bool overlap(NameBox a, NameBox b)
{
    return a.left < b.right && b.left < a.right && a.low < b.high && b.low < a.high;
}

static int32_t shown(const NamePlace *places, int32_t count)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += places[i].is_shown;
    return sum;
}

/* Fails unless the shown names are inside, and cover neither a name nor a point nor `taken`. */
static void check(const NamedPoint *points, int32_t count, NameBox taken, const NamePlace *places)
{
    for (int32_t i = 0; i < count; i++) {
        const NameBox box = places[i].box;
        if (!places[i].is_shown)
            continue;
        ck_assert(box.left >= 0 && box.right <= WIDTH && box.low >= 0 && box.high <= HEIGHT);
        ck_assert_double_eq_tol(box.right - box.left,
                                places[i].is_short ? points[i].short_width : points[i].width, 1e-9);
        ck_assert(!overlap(box, taken));
        for (int32_t j = 0; j < count; j++) {
            const NamedPoint p = points[j];
            ck_assert(!(p.x > box.left && p.x < box.right && p.y > box.low && p.y < box.high));
            ck_assert(j == i || !places[j].is_shown || !overlap(box, places[j].box));
        }
    }
}

START_TEST(a_lonely_point_has_its_name_on_the_right_where_there_is_room)
{
    NamePlace places[2];
    const NamedPoint points[] = {{.x = 100, .y = 100, .width = 80},
                                 {.x = 690, .y = 200, .width = 80}};
    name_places(points, 2, &area, places);
    ck_assert(places[0].is_shown && !places[0].has_line && places[0].box.left > 100);
    ck_assert(places[1].is_shown && !places[1].has_line && places[1].box.right < 690);
}
END_TEST

START_TEST(points_at_one_place_all_have_their_names)
{
    NamePlace places[6];
    NamedPoint points[6];
    for (int32_t i = 0; i < 6; i++)
        points[i] = (NamedPoint){.x = 300 + i, .y = 150 - i, .width = 120, .short_width = 14};
    name_places(points, 6, &area, places);
    ck_assert_int_eq(shown(places, 6), 6);
    check(points, 6, nothing, places);
}
END_TEST

START_TEST(names_cover_nothing_wherever_the_points_are)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        NamedPoint points[POINTS_MAX];
        NamePlace places[POINTS_MAX];
        const NameBox taken = {600, WIDTH, 50, 90};
        const int32_t count = 1 + (int32_t)(seed % POINTS_MAX);
        // Of a corner, a quarter or all of the area.
        const double spread = seed % 3 == 0 ? 0.1 : seed % 3 == 1 ? 0.5 : 1;
        for (int32_t i = 0; i < count; i++) {
            const PhiloxBlock random = philox(seed, (PhiloxBlock){{(uint32_t)i}});
            points[i] = (NamedPoint){.x = spread * (random.word[0] % WIDTH),
                                     .y = spread * (random.word[1] % HEIGHT),
                                     .width = 20 + random.word[2] % 150,
                                     .short_width = 14};
        }
        name_places(points, count, &(NameArea){area.area, taken, -1}, places);
        check(points, count, taken, places);
        ck_assert_msg(shown(places, count) >= (spread >= 0.5 ? count * 4 / 5
                                               : count > 1   ? 2
                                                             : 1),
                      "seed %u: %d of %d", seed, (int)shown(places, count), (int)count);
    }
}
END_TEST

/* A name next to its point would be crossed by the bar of the next one, or by the limit. */
START_TEST(a_name_is_crossed_by_no_bar_and_no_limit_if_there_is_room)
{
    NamePlace places[3];
    const NamedPoint points[] = {
        {.x = 100, .y = 100, .bars = {60, 140, 80, 120}, .width = 120},
        {.x = 180, .y = 60, .bars = {180, 180, 20, 140}, .width = 120},
        {.x = 400, .y = 200, .width = 120},
    };
    const NameArea limited = {.area = area.area, .limit = 203};
    name_places(points, 3, &limited, places);
    for (int32_t i = 0; i < 3; i++) {
        const NameBox box = places[i].box;
        ck_assert(places[i].is_shown);
        ck_assert(box.high <= limited.limit || box.low >= limited.limit);
        for (int32_t j = 0; j < 3; j++) {
            const NamedPoint p = points[j];
            ck_assert_msg(!(p.x > box.left && p.x < box.right && p.bars.low < box.high &&
                            box.low < p.bars.high),
                          "name %d over the upright bar of %d", i, j);
            ck_assert_msg(!(p.y > box.low && p.y < box.high && p.bars.left < box.right &&
                            box.left < p.bars.right),
                          "name %d over the level bar of %d", i, j);
        }
    }
}
END_TEST

START_TEST(a_number_is_shown_for_a_name_that_is_wider_than_the_drawing)
{
    NamePlace place;
    name_places(&(NamedPoint){.x = 300, .y = 100, .width = WIDTH + 1, .short_width = 14}, 1, &area,
                &place);
    ck_assert(place.is_shown && place.is_short);
    name_places(&(NamedPoint){.x = 300, .y = 100, .width = WIDTH + 1, .short_width = WIDTH + 1}, 1,
                &area, &place);
    ck_assert(!place.is_shown);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("name_places");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_lonely_point_has_its_name_on_the_right_where_there_is_room);
    tcase_add_test(tests, points_at_one_place_all_have_their_names);
    tcase_add_test(tests, names_cover_nothing_wherever_the_points_are);
    tcase_add_test(tests, a_name_is_crossed_by_no_bar_and_no_limit_if_there_is_room);
    tcase_add_test(tests, a_number_is_shown_for_a_name_that_is_wider_than_the_drawing);
    suite_add_tcase(suite, tests);
    return suite;
}
