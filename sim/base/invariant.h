/* Promises that our own code makes to itself. They stay on in release builds, because a
 * simulator that continues with a broken world prints wrong answers. Never for input: bad input
 * fills a Status (sim/base/status.h). */
#ifndef SIM_BASE_INVARIANT_H
#define SIM_BASE_INVARIANT_H

#define invariant(condition)                                                                       \
    ((condition) ? (void)0 : invariant_broken(#condition, __FILE__, __LINE__))

/* Prints the broken promise on stderr and aborts. */
_Noreturn void invariant_broken(const char *condition, const char *file, int line);

#endif
