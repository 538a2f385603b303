/* Faults between a client and the service, by rules: errors, cut connections, slow bodies, stale
 * reads (sim/scenario/command/api_fault_read.h). They do not change the world and are not in the
 * journal: rules of the scenario apply after each start, other rules until the process ends.
 *
 * Whether a rule applies to a request is drawn at the address (the rule's seed, its count of
 * requests), so that the same requests meet the same faults. */
#ifndef EMU_API_FAULTS_H
#define EMU_API_FAULTS_H

#include "emu/http/http.h"
#include "sim/json/json.h"
#include "sim/scenario/command/api_fault_read.h"

typedef struct ApiFaults ApiFaults;

ApiFaults *api_faults_create(Arena *arena);
void api_faults_destroy(ApiFaults *faults); /* NULL is fine */
/* Adds the rule `text`. Returns its number, which is never used again; 0 with the problems. */
int64_t api_faults_add(ApiFaults *faults, const Json *text, Problems *problems);
bool api_faults_remove(ApiFaults *faults, int64_t number); /* false: there is none */
void api_faults_clear(ApiFaults *faults);
/* Moves all rules, with their counts, to `to`, whose own rules are removed. */
void api_faults_move(ApiFaults *to, ApiFaults *from);
/* [{"number": 1, "rule": ..., "asked": 12, "struck": 3}, ...] */
Json *api_faults_list(const ApiFaults *faults, Arena *arena);
/* Whether `rule` is a rule of this kind. */
bool api_fault_is(const Json *rule);

typedef struct {
    ApiFaultKind kind;
    int64_t bytes_per_s;   /* SLOW */
    int32_t status;        /* ERROR: so is this and what follows */
    const char *code;      /* of its rule */
    const char *message;   /* in the request's arena */
    int64_t retry_after_s; /* -1: without */
} ApiVerdict;

/* Returns the fault of a request. Called once before each request is handled, except requests to
 * /trainyard. On ERROR or RESET the caller answers without handling the request. */
ApiVerdict api_faults_before(ApiFaults *faults, const HttpRequest *request);
/* Applies the fault to the answer of a request that was handled. `machine_ns` points to the
 * machine's time at the last tick and outlives the answer. */
void api_faults_after(ApiFaults *faults, ApiVerdict verdict, const HttpRequest *request,
                      HttpResponse *response, const int64_t *machine_ns);

#endif
