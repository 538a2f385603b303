/* Requests that are being served: from libmicrohttpd's calls to an HttpRequest, and from an
 * HttpResponse to its calls. */
#ifndef EMU_REQUESTS_H
#define EMU_REQUESTS_H

#include "emu/http/connections.h"

typedef struct Request Request;

/* An arena that keeps its first memory for the next request: allocating and zeroing it took a tenth
 * of the time of a small request. */
typedef struct {
    Arena *arena;
    ArenaMark empty;
} RequestArena;

enum { SPARE_ARENAS_MAX = 64 };

typedef struct Requests {
    const ServerSettings *settings;
    const ProxyRules *rules;
    Connections *connections;
    ServerHandler handler;   /* during server_run */
    int32_t answering_count; /* with an end; streams too when the handler is over */
    int32_t stream_count;    /* of event streams */
    Request *held;           /* their answers wait for the commit */
    Request *waiting;        /* their sources had nothing to send the last time they were asked */
    int64_t retry_ns;        /* when they are asked again */
    RequestArena spare_arenas[SPARE_ARENAS_MAX];
    int32_t spare_count;
    int64_t body_bytes; /* of all requests */
    bool has_cut;       /* an answer was cut off: the daemons must run again to close it */
    bool is_ending;     /* a signal was received */
    bool has_failed;    /* a commit has failed: requests are refused until server_run returns */
    bool is_over;       /* the handler must be replaced */
} Requests;

/* Whether requests are refused and event streams end, because the server or its handler does. */
bool requests_are_leaving(const Requests *requests);
/* libmicrohttpd's callbacks; `listener` is a Listener. */
void *requests_begin(void *listener, const char *target, struct MHD_Connection *connection);
enum MHD_Result requests_continue(void *listener, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *data, size_t *length, void **request);
void requests_end(void *listener, struct MHD_Connection *connection, void **request,
                  enum MHD_RequestTerminationCode how);
/* Answers that were held describe writes that are lost: they become refusals. */
void requests_refuse_held(Requests *requests);
/* Answers that were held go out with the next run of the daemons. True when there were any. */
bool requests_release_held(Requests *requests);
/* Whether answers were cut off since the last call. */
bool requests_have_cut(Requests *requests);
/* Sources that had nothing to send are asked again. */
bool requests_retry_sources(Requests *requests);
void requests_free_arenas(Requests *requests);

#endif
