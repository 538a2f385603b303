/* Programs that clients and the options of `trainyard serve` set: they describe the command lines
 * of a session's jobs. Each is an entry of the journal, "program.set", and holds for the jobs
 * created after it. The newest that matches is used; all of them come before the scenario's
 * "programs". */
#ifndef EMU_SESSION_PROGRAMS_H
#define EMU_SESSION_PROGRAMS_H

#include "emu/session/session.h"

/* Sets `program`, an object as in a scenario's "programs". A program that is set already changes
 * nothing. False with the problems. */
MUST_CHECK bool programs_set(Session *session, Arena *arena, const Json *program,
                             Problems *problems);
/* Sets each program of a text: a JSON array of them, with comments. `path` is for messages. */
MUST_CHECK bool programs_set_all(Session *session, Arena *arena, const char *path, const char *text,
                                 size_t length, Problems *problems);
/* Sets the program of an option, "GLOB=SCRIPT": what matches GLOB, which ends at the first '=',
 * does what the simple commands of SCRIPT do. `option` is for messages. */
MUST_CHECK bool programs_set_option(Session *session, Arena *arena, const char *option,
                                    const char *text, Problems *problems);
/* Whether from now on a job is refused if no program describes its command line, or if the
 * catalogue does not list its image. */
void programs_require(Session *session, bool is_required);
/* The programs that have been set, newest first. */
Json *programs_list(const Session *session, Arena *arena);

#endif
