/* Time zones by rule: from the clock on a wall to UTC and back, without a database of time zones.
 *
 * The table has the zones of public cluster logs and a few more. Their rules hold from 1987 on in
 * the United States, from 1996 on in Europe, and from 1992 on in China. Other places use a fixed
 * offset such as "+09:00". Sources: Uniform Time Act of 1966 with the changes of 1986 and 2005;
 * directive 2000/84/EC. */
#ifndef SIM_STUDY_IMPORT_ZONE_H
#define SIM_STUDY_IMPORT_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef enum { SUMMER_NONE, SUMMER_US, SUMMER_EU } SummerRule;

typedef struct {
    const char *name;   /* "America/Los_Angeles", "+08:00" */
    int32_t standard_s; /* local time minus UTC, without daylight time */
    SummerRule summer;
    int64_t begin_s, end_s, year_begin_s, year_end_s; /* daylight time of the year used last */
} Zone;

/* The zone called `name`: of the table, "UTC", "Z", or "+08:00" (also "+0800" and "+08"). The name
 * of a fixed offset is copied into `arena`. */
bool zone_find(Arena *arena, const char *name, Zone *zone);
/* The same for "Z" and fixed offsets only; `zone->name` is NULL. */
bool zone_offset_parse(const char *name, Zone *zone);
/* The names of the table, for messages. */
extern const char *const zone_names[];
extern const int32_t zone_name_count;

/* How many instants a clock shows a time at. */
typedef enum { LOCAL_ONCE, LOCAL_TWICE, LOCAL_SKIPPED } LocalKind;

/* The instant (seconds since 1970 in UTC) at which the clocks of `zone` show `local_s` (seconds
 * since 1970-01-01 00:00 on that clock). In the hour that occurs twice, the earlier instant that is
 * not before `not_before_s`, or else the later one. A time that the clocks skip counts as standard
 * time, so it is shown an hour later. */
int64_t zone_instant_s(Zone *zone, int64_t local_s, int64_t not_before_s, LocalKind *kind);
/* Local time minus UTC at an instant. */
int32_t zone_offset_s(Zone *zone, int64_t unix_s);

#endif
