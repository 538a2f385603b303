#include "sim/study/import/zone.h"

#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/study/import/stamp.h"
#include "tests/support/suite.h"

static int64_t utc(int32_t year, int32_t month, int32_t day, int32_t hour, int32_t minute)
{
    const CivilTime civil = {
        .year = year, .month = month, .day = day, .hour = hour, .minute = minute};
    return civil_to_unix_ms(civil) / 1000;
}

static Zone zone_of(Arena *arena, const char *name)
{
    Zone zone;
    ck_assert_msg(zone_find(arena, name, &zone), "%s", name);
    return zone;
}

START_TEST(daylight_time_begins_and_ends_by_rule)
{
    static const struct {
        const char *zone;
        int32_t year, month, day, hour, minute; /* UTC */
        int32_t offset_min;
    } rows[] = {
        {"America/Los_Angeles", 2017, 11, 5, 8, 59, -420}, // 01:59 PDT
        {"America/Los_Angeles", 2017, 11, 5, 9, 0, -480},  // 01:00 PST
        {"America/Los_Angeles", 2017, 3, 12, 9, 59, -480},
        {"America/Los_Angeles", 2017, 3, 12, 10, 0, -420},
        {"America/New_York", 2006, 4, 2, 7, 0, -240}, // first Sunday of April until 2006
        {"America/New_York", 2006, 4, 2, 6, 59, -300},
        {"America/New_York", 2006, 10, 29, 5, 59, -240},
        {"America/New_York", 2006, 10, 29, 6, 0, -300},
        {"Europe/Berlin", 2024, 3, 31, 0, 59, 60},
        {"Europe/Berlin", 2024, 3, 31, 1, 0, 120},
        {"Europe/Berlin", 2024, 10, 27, 0, 59, 120},
        {"Europe/Berlin", 2024, 10, 27, 1, 0, 60},
        {"Asia/Shanghai", 2020, 7, 1, 0, 0, 480},
        {"Asia/Kolkata", 2020, 7, 1, 0, 0, 330},
        {"+08:00", 2020, 1, 1, 0, 0, 480},
        {"-0330", 2020, 1, 1, 0, 0, -210},
        {"Z", 2020, 1, 1, 0, 0, 0},
    };
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Zone zone = zone_of(arena, rows[i].zone);
        const int64_t at =
            utc(rows[i].year, rows[i].month, rows[i].day, rows[i].hour, rows[i].minute);
        ck_assert_msg(zone_offset_s(&zone, at) == rows[i].offset_min * 60, "row %zu: %d", i,
                      zone_offset_s(&zone, at));
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(a_clock_shows_times_once_twice_or_never)
{
    Arena *arena = arena_create();
    Zone zone = zone_of(arena, "America/Los_Angeles");
    LocalKind kind;
    // 01:30 on the 5th of November 2017 was at 08:30 and at 09:30 UTC.
    const int64_t repeated = utc(2017, 11, 5, 1, 30);
    ck_assert(zone_instant_s(&zone, repeated, 0, &kind) == utc(2017, 11, 5, 8, 30));
    ck_assert(kind == LOCAL_TWICE);
    ck_assert(zone_instant_s(&zone, repeated, utc(2017, 11, 5, 8, 31), &kind) ==
              utc(2017, 11, 5, 9, 30));
    ck_assert(zone_instant_s(&zone, utc(2017, 3, 12, 2, 30), 0, &kind) == utc(2017, 3, 12, 10, 30));
    ck_assert(kind == LOCAL_SKIPPED);
    ck_assert(zone_instant_s(&zone, utc(2017, 12, 1, 0, 0), 0, &kind) == utc(2017, 12, 1, 8, 0));
    ck_assert(kind == LOCAL_ONCE);
    arena_destroy(arena);
}
END_TEST

/* Every seventh hour of 40 years: from the instant to the clock and back. */
START_TEST(instants_and_clocks_agree)
{
    Arena *arena = arena_create();
    for (int32_t i = 0; i < zone_name_count; i++) {
        Zone zone = zone_of(arena, zone_names[i]);
        int64_t wrong = 0;
        for (int64_t at = utc(1996, 1, 1, 0, 0); at < utc(2036, 1, 1, 0, 0); at += 3600 * 7) {
            LocalKind kind;
            const int64_t local = at + zone_offset_s(&zone, at);
            wrong += zone_instant_s(&zone, local, at, &kind) != at || kind == LOCAL_SKIPPED;
        }
        ck_assert_int_eq(wrong, 0);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(unknown_zones_are_refused)
{
    static const char *const names[] = {"", "Mars", "+8", "+08:0", "+25:00", "08:00", "+08:60"};
    Zone zone;
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(!zone_find(arena, names[i], &zone), "%s", names[i]);
    arena_destroy(arena);
}
END_TEST

static bool read_stamp(const char *text, int64_t *ns)
{
    Zone zone = {.name = "UTC"};
    LocalKind kind;
    return stamp_read((Cell){.text = text, .length = (int32_t)strlen(text)}, &zone, 0, ns, &kind);
}

START_TEST(stamps_are_read_in_the_layouts_of_logs)
{
    static const char *const same[] = {"2017-10-07 01:11:39",      "2017-10-07T01:11:39",
                                       "2017-10-07T01:11:39Z",     "2017-10-07 09:11:39+08:00",
                                       "2017-10-06T18:11:39-0700", "2017-10-07 01:11:39.000"};
    int64_t ns;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ck_assert_msg(read_stamp(same[i], &ns) && ns == INT64_C(1507338699) * NS_PER_S, "%s",
                      same[i]);
    ck_assert(read_stamp("1970-01-01 00:00:00.25", &ns) && ns == NS_PER_S / 4);
    ck_assert(read_stamp("1970-01-02", &ns) && ns == NS_PER_DAY);
    ck_assert(read_stamp("1970-01-02 01:30", &ns) && ns == NS_PER_DAY + 90 * NS_PER_MIN);
}
END_TEST

START_TEST(what_is_no_stamp_is_refused)
{
    static const char *const bad[] = {"",
                                      "2017-02-29",
                                      "2017-10-7",
                                      "2017-10-07 24:00:00",
                                      "1969-12-31",
                                      "2017-10-07 01:11:3x",
                                      "2017-10-07 01:11:39+",
                                      "2017/10/07 01:11:39",
                                      "2300-01-01",
                                      "2017-10-07 01:11:39 PDT"};
    int64_t ns;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!read_stamp(bad[i], &ns), "%s", bad[i]);
}
END_TEST

START_TEST(elapsed_times_are_those_of_slurm)
{
    static const struct {
        const char *text;
        int64_t ns; /* -1: refused */
    } rows[] = {{"00:00:01", NS_PER_S},
                {"02:03", 123 * NS_PER_S},
                {"1-00:00:00", NS_PER_DAY},
                {"7-12:30:05", 7 * NS_PER_DAY + 45005 * NS_PER_S},
                {"00:01.500", 3 * NS_PER_S / 2},
                {"5", -1},
                {"1-5", -1},
                {"1-05:00", -1},
                {"", -1},
                {"1:2:3:4", -1},
                {"UNLIMITED", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ns = -1;
        const Cell cell = {.text = rows[i].text, .length = (int32_t)strlen(rows[i].text)};
        const bool is_read = elapsed_read(cell, &ns);
        ck_assert_msg(is_read == (rows[i].ns >= 0) && (!is_read || ns == rows[i].ns), "%s",
                      rows[i].text);
    }
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("zone");
    tcase_add_test(cases, daylight_time_begins_and_ends_by_rule);
    tcase_add_test(cases, a_clock_shows_times_once_twice_or_never);
    tcase_add_test(cases, instants_and_clocks_agree);
    tcase_add_test(cases, unknown_zones_are_refused);
    tcase_add_test(cases, stamps_are_read_in_the_layouts_of_logs);
    tcase_add_test(cases, what_is_no_stamp_is_refused);
    tcase_add_test(cases, elapsed_times_are_those_of_slurm);
    Suite *suite = suite_create("zone");
    suite_add_tcase(suite, cases);
    return suite;
}
