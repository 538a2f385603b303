/* An error: its message, its place and a hint. It is filled where the cause is known and printed
 * at the edge of the program.
 *
 * A function that can fail takes `Status *status` last and returns true on success; on success
 * it leaves the status alone, so calls chain with &&. Readers that report every problem of a
 * file take `Problems *` instead. */
#ifndef SIM_BASE_STATUS_H
#define SIM_BASE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

#define MUST_CHECK __attribute__((warn_unused_result))

typedef enum {
    STATUS_OK,
    STATUS_BAD_INPUT, /* the user can correct it: exit code 2, HTTP 400 */
    STATUS_NOT_FOUND, /* a name does not exist: 404 */
    STATUS_CONFLICT,  /* it exists already, or is in a state that forbids this: 409 */
    STATUS_QUOTA,     /* a limit of the service is reached */
    STATUS_MACHINE,   /* disk, memory, a missing program: exit code 3 */
} StatusCode;

/* A place in a named text. Lines and columns count from 1, columns in bytes; line 0 means the text
 * as a whole. `source` is borrowed and outlives the status. */
typedef struct {
    const char *source;
    int32_t line;
    int32_t column;
} Place;

typedef struct {
    StatusCode code;
    Place at;
    char message[400]; /* one sentence with the value in it, no full stop */
    char hint[480];    /* what to try, or "": room for the names of a scenario's members */
} Status;

/* Fills `status`; returns false so that callers can `return status_fail(...)`. Longer messages are
 * cut at a whole character and end in "...". The arguments may quote the status's old message. */
bool status_fail(Status *status, StatusCode code, Place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a hint to a failed status; returns false. */
bool status_hint(Status *status, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline Place place_in(const char *source, int32_t line, int32_t column)
{
    return (Place){.source = source, .line = line, .column = column};
}

/* All problems found in one run, in the order found. Keeps the first PROBLEMS_KEPT and counts
 * the rest. */
enum { PROBLEMS_KEPT = 100 };
typedef struct {
    Arena *arena;
    Status *items; /* made at the first problem: PROBLEMS_KEPT and one more, which is overwritten */
    int32_t kept;
    int32_t count; /* all, kept or not */
} Problems;

Problems problems_create(Arena *arena);
/* Adds a problem; the returned status takes a hint and is never NULL. */
Status *problems_add(Problems *problems, StatusCode code, Place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void problems_add_status(Problems *problems, const Status *status);
/* Adds the problems of `more`, except those whose place and message `problems` already has.
 * Problems that `more` counted but did not keep are counted here too. */
void problems_merge(Problems *problems, const Problems *more);

/* The name among `names` that was most likely meant, or NULL: a name with `typed` as its first
 * words; or a name with a typing error (edit distance at most a third of the longer length, the
 * first of equally near names); or a name that ends with `typed` after a '_'. Letter case does
 * not count. For hints: "did you mean ...?" */
const char *nearest_name(const char *typed, const char *const *names, int32_t count);
/* Adds that name as a hint; without such a name, lists `names`, or the first of them if they are
 * too many. Returns false. */
bool status_hint_names(Status *status, const char *typed, const char *const *names, int32_t count);

#endif
