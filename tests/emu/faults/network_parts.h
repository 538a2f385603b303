/* Private to tests/emu/faults: the parts of the simulated network. */
#ifndef TESTS_EMU_FAULTS_NETWORK_PARTS_H
#define TESTS_EMU_FAULTS_NETWORK_PARTS_H

#include "sim/base/text.h"
#include "tests/emu/faults/clients.h"
#include "tests/emu/faults/tls_client.h"

enum {
    ASKERS = 6,   /* clients with requests */
    WATCHERS = 3, /* clients of event streams */
    STREAMS_MAX = 2,
    CLIENTS = ASKERS + WATCHERS,
    SCRIPT_MAX = 4,
    NO_CUT = INT32_MAX /* the client stays */
};

typedef enum { PLAIN, OVER_TLS, LISTENERS } ListenerKind;

typedef enum { TALK_REQUESTS, TALK_EVENTS, TALK_NOISE /* bytes that are not a request */ } Talk;

typedef enum {
    CLIENT_AWAY,     /* it has no connection */
    CLIENT_WAITING,  /* to be accepted */
    CLIENT_ACTIVE,   /* it sends or reads */
    CLIENT_ANSWERED, /* it has all answers; its connection may serve other requests later */
    CLIENT_LEFT      /* before that */
} ClientState;

/* A request of a client. */
typedef struct {
    size_t end;      /* in `text` */
    size_t wire_end; /* in `out`; 0: it is not there yet */
    bool is_read;    /* the answer has the object's contents */
    uint64_t after;  /* the digest of the object once it has happened */
} Script;

typedef struct {
    ClientState state;
    Talk talk;
    int descriptor; /* its side of the connection; -1 */
    ListenerKind listener;
    TlsClient *tls;    /* NULL: plain */
    int32_t piece_max; /* the most bytes that it sends or reads at once */
    bool is_kept;      /* its connection serves other requests in the next round */
    bool is_pipelined; /* it sends all requests without waiting for answers */
    bool ends_sending; /* after its last request (shutdown) */
    bool has_ended_sending;
    bool is_lazy;      /* reads nothing in this round */
    int64_t active_ns; /* it last sent or received a byte */

    Text out;                      /* bytes of the connection */
    size_t sent, cut_sent;         /* it leaves after so many bytes sent, */
    size_t received, cut_received; /* or received */

    int object;      /* that its requests are about (clients.h) */
    uint64_t before; /* the digest of the object */
    Text text;       /* its requests */
    Script script[SCRIPT_MAX];
    int script_count, answered;
    Text answer; /* bytes received and not looked at */

    uint64_t since; /* TALK_EVENTS: the last event that it does not want */
} Client;

typedef struct {
    bool is_on, has_tls;
    struct {
        int descriptor;                      /* the server's listening socket; -1 */
        bool is_open;                        /* the server accepts connections */
        int waiting[CLIENTS], waiting_count; /* clients to be accepted, in order */
    } listeners[LISTENERS];
    int events; /* the server's epoll; -1 */
    int64_t now_ns;
    Client clients[CLIENTS];
    int rounds, quiet, waits;
    bool is_down; /* the server has lost its power, or its writes */
    bool is_ending;
    int streams_left; /* streams that have left or been refused in this round */
    int turns;        /* of the server's loop without a wait */
    uint64_t random;  /* of TLS */
} Network;

extern Network net;

/* Called where the server would wait. */
void network_waits(void);
/* Called in each turn of the server's loop. */
void network_turns(void);

/* --- Connections (connection.c) --- */

/* Begins to wait for its connection, or uses the one that it has. */
void connection_begin(Client *client);
/* One client does what it can; false if it could do nothing. */
bool connection_step(Client *client);
/* Closes its side. */
void connection_leave(Client *client, ClientState state);
/* The server has made the connection. */
void connection_made(Client *client, int descriptor);
/* Reads all that the server has sent. */
void connection_drain(Client *client);
/* How many of its requests the server may have received whole. */
int connection_sent_count(const Client *client);

/* --- Answers --- */

/* An answer with a length, at the front of the bytes received. */
typedef struct {
    int32_t status;
    const char *body;
    size_t length, whole; /* with its head */
} NetAnswer;

/* False if it is not complete. */
bool answer_read(const Text *bytes, NetAnswer *answer);
/* Takes the answers off the bytes received, and judges them. */
void answers_take(Client *client);

/* --- Event streams (streams.c) --- */

void stream_begin(Client *client);
/* Whether the head of its events has arrived. */
bool stream_has_begun(const Client *client);
/* Whether the answer is a refusal, which is judged. */
bool stream_refused(Client *client);
/* At the end of a round: what has arrived is what has happened. `is_whole`: nothing may be missing
 * if the client is connected. */
void stream_judge(const Client *client, bool is_whole);

#endif
