/* The Resource Manager: a request from its path to the handler of its operation. */
#ifndef EMU_ARM_H
#define EMU_ARM_H

#include "emu/files/store/file_store.h"
#include "emu/http/addresses.h"
#include "emu/http/route.h"
#include "emu/session/pace.h"
#include "emu/session/session.h"

typedef struct Arm Arm;

/* The errors of one request. */
typedef struct {
    int32_t status; /* of the first */
    int32_t count;  /* with those that are not in the list */
    Json *list;     /* [{"code", "message"}]; NULL: none */
} ArmErrors;

/* One request while it is handled. A function that checks something about the request answers the
 * error itself and returns false or NULL, so that checks chain with &&. */
typedef struct {
    Arm *arm;
    Session *session; /* the Arm's */
    void *provider;   /* the owner of the route's table */
    const HttpRequest *request;
    HttpResponse *response;
    ArmErrors *errors;
    Arena *arena; /* the request's */
    RouteMatch match;
} ArmCall;

typedef void ArmHandler(const ArmCall *call);

typedef struct {
    Route route;
    ArmHandler *handler; /* NULL: known and not implemented */
} ArmRoute;

/* Operations below "providers/NAME" that another folder serves. */
typedef struct {
    const char *name;
    const ArmRoute *routes;
    void *owner; /* passed to its handlers as ArmCall.provider */
} ArmProvider;

/* The state of the Resource Manager. emulator_open sets the pointers. */
struct Arm {
    Session *session;
    Store *store;
    FileStore *files;
    Pace *pace;
    const HttpAddresses *addresses; /* for absolute URLs */
    ArmProvider batchai;
    uint64_t request;        /* number of the request that is answered: makes its id */
    int64_t writes;          /* requests so far that changed something, without ... */
    int64_t deletes;         /* ... those that deleted something */
    char storage_secret[65]; /* of the store; "" until a key is needed (emu/arm/storage.h) */
};

/* Answers a request to the Resource Manager, to Batch AI or to the token service: login_routes
 * without a token, the others with one and an api-version. A path that is in no table is 404, one
 * with another method 405, one without handler 501. */
void arm_handle(Arm *arm, const HttpRequest *request, HttpResponse *response);

/* Answers an error with the headers of all other answers, whatever was asked. */
void arm_refuse(Arm *arm, const HttpRequest *request, HttpResponse *response, int32_t status,
                const char *code, const char *message);

#endif
