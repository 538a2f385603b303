/* The scenario that a session begins with: a file, or the one that is compiled in.
 *
 * The store keeps the text of every file that was read for it, so that the session opens again in
 * the same world when a file has changed or is gone. */
#ifndef EMU_BASE_H
#define EMU_BASE_H

#include "emu/state/store.h"
#include "sim/scenario/read.h"

/* Returns the scenario of the session in `store`, in `arena`. A new session begins with the file at
 * `path` (NULL: the one that is compiled in), changed by `overrides`. An existing session continues
 * with its own scenario; `warnings` report where `path` or `overrides` differ from it. NULL with
 * the problems. `store` NULL: reads the scenario of a new session without storing it. */
const ScenarioFile *base_open(Arena *arena, Store *store, const char *path,
                              ScenarioOverrides overrides, Problems *problems, Problems *warnings);
/* Reports the same differences of an existing session whose scenario is in memory already. */
void base_compare(Arena *arena, Store *store, const char *path, ScenarioOverrides overrides,
                  Problems *problems, Problems *warnings);

#endif
