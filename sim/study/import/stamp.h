/* Dates and times as cluster logs write them. */
#ifndef SIM_STUDY_IMPORT_STAMP_H
#define SIM_STUDY_IMPORT_STAMP_H

#include "sim/scenario/joblist/cells.h"
#include "sim/study/import/zone.h"

/* Reads "2017-10-07 01:11:39", also with 'T', decimals of seconds, without seconds or without the
 * time, and with "Z", "+08:00" or "-0700" after it. `*kind` says whether the zone's clocks show
 * this time once; an explicit offset replaces `zone`. False when the cell is not such a time of the
 * years 1970 to 2261. `*ns` counts since 1970 in UTC. */
bool stamp_read(Cell cell, Zone *zone, int64_t not_before_ns, int64_t *ns, LocalKind *kind);
/* Whether the cell says that there is no such time: empty, "None", "null", "Unknown", "NA", ... */
bool stamp_is_none(Cell cell);

/* Reads an elapsed time as Slurm writes it: "[days-]hours:minutes:seconds" or "minutes:seconds",
 * with decimals. */
bool elapsed_read(Cell cell, int64_t *ns);

#endif
