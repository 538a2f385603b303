/* One request: private to this folder. requests.c receives it and calls the handler, answer.c sends
 * the answer. */
#ifndef EMU_REQUEST_H
#define EMU_REQUEST_H

#include "emu/http/requests.h"

typedef enum {
    REQUEST_NEW,      /* its head has been received */
    REQUEST_READING,  /* its body is being received */
    REQUEST_ANSWERED, /* the response is made, and may wait for the commit */
} RequestStage;

/* Why the rest of a body is dropped. */
typedef enum { BODY_IS_KEPT, BODY_IS_TOO_LARGE, BODY_IS_TOO_MUCH } BodyFate;

struct Request {
    Requests *requests; /* of the listener */
    Listener *listener;
    RequestArena memory;
    Arena *arena; /* of `memory` */
    RequestStage stage;
    struct MHD_Connection *connection;
    int descriptor;
    char *target; /* with its query */
    HttpRequest http;
    HttpResponse response;
    char date[HTTP_DATE];

    char *body;
    size_t body_bytes, body_room;
    BodyFate body_fate;

    int64_t sent_bytes; /* of the source */
    int64_t sent_ns;    /* an event stream's last bytes */
    bool is_held;       /* its answer waits for the commit */
    bool has_end;       /* counted in answering_count */
    bool is_stream;     /* counted in stream_count */
    int64_t begun_ns;
    Request *next; /* held or waiting */
};

/* Sends the answer to a request, unless it is to be cut off. */
enum MHD_Result request_answer(Request *request);
/* Frees the source of an answer that is not read any further. */
void request_release_source(Request *request);
/* The server ends after this answer. */
void request_await_end(Request *request);

#endif
