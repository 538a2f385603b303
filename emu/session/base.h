/* The scenario that a session begins with: a file, or the one that is compiled in.
 *
 * The store keeps the text of every file that was read for it, so that the session opens again in
 * the same world when a file has changed or is gone. */
#ifndef EMU_BASE_H
#define EMU_BASE_H

#include "emu/state/store.h"
#include "sim/scenario/read.h"

/* The scenario of the session in `store`. A new one begins with the file at `path` (NULL: the one
 * that is compiled in), changed by `overrides`; one that is there goes on with its own, and where
 * `path` or `overrides` say otherwise `warnings` say so. NULL with the problems. Lives in `arena`.
 * `store` NULL: there is none yet; the scenario of a new session is read and kept nowhere. */
const ScenarioFile *base_open(Arena *arena, Store *store, const char *path,
                              ScenarioOverrides overrides, Problems *problems, Problems *warnings);

#endif
