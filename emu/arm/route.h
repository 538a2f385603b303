/* Which handler a request goes to: tables of patterns. The same rows make the list of operations in
 * the documentation, and what has no handler answers 501 by its name. */
#ifndef EMU_ROUTE_H
#define EMU_ROUTE_H

#include "emu/emulator.h"

enum { ROUTE_PARTS_MAX = 8 };

/* The parts of a path that a pattern has in braces, decoded, in its order. */
typedef struct {
    int32_t part_count;
    const char *parts[ROUTE_PARTS_MAX];
} RouteMatch;

typedef void RouteHandler(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                          HttpResponse *response);

typedef struct {
    const char
        *operation; /* "Clusters_Create", as Azure's API documents name it; NULL ends a table */
    HttpMethod method;
    const char *pattern;   /* "/subscriptions/{}/resourcegroups/{}"; fixed parts have no case */
    RouteHandler *handler; /* NULL: known and not implemented */
} Route;

/* The row for a path (decoded part by part; empty parts count for nothing). NULL with `*is_known`
 * telling whether the path exists with another method. */
const Route *route_find(const Route *table, const HttpRequest *request, RouteMatch *match,
                        bool *is_known);
/* "GET, PUT": the methods that the path has, as an Allow header tells them; "" for none. */
const char *route_methods(const Route *table, const HttpRequest *request);

/* The parts of a path, decoded, that are not empty. False where an escape is broken. */
enum { ROUTE_DEPTH_MAX = 24 };
typedef struct {
    int32_t count;
    struct {
        const char *text; /* in the path itself where nothing was escaped: not ended by NUL */
        size_t length;
    } parts[ROUTE_DEPTH_MAX];
} RoutePath;
MUST_CHECK bool route_split(Arena *arena, const char *path, RoutePath *split);
/* Whether they fit a pattern, and the parts in its braces. */
bool route_fits(const char *pattern, const RoutePath *path);
void route_take(Arena *arena, const char *pattern, const RoutePath *path, RouteMatch *match);

/* Tables, by whoever serves them. */
extern const Route arm_routes[];     /* arm_routes.c: groups, accounts, subscriptions, providers */
extern const Route batchai_routes[]; /* batchai_routes.c */
extern const Route login_routes[];   /* login.c: tokens, /adfs, /metadata */
extern const Route control_routes[]; /* control.c: /trainyard/... */

#endif
