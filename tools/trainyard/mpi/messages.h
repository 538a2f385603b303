/* Messages between ranks, over Open MPI. Private to tools/trainyard/mpi. */
#ifndef TOOLS_TRAINYARD_MPI_MESSAGES_H
#define TOOLS_TRAINYARD_MPI_MESSAGES_H

#include "sim/base/status.h"
#include "sim/base/text.h"
#include "sim/study/units.h"

enum { UNITS_MAX = 256 }; /* of one message */

typedef enum {
    RANK_REQUEST_UNITS, /* this rank has nothing to do */
    RANK_REQUEST_NONE,  /* units are done, and more are at work */
    RANK_REQUEST_LEAVE, /* this rank ends and sends nothing more */
} RankRequest;

/* A message of 32-bit integers, which Open MPI converts between machines. */
typedef struct {
    int32_t kind;      /* RankRequest, or the UnitAnswer of a grant */
    int32_t exit_code; /* of RANK_REQUEST_LEAVE */
    int32_t unit_count;
    Unit units[UNITS_MAX];
} UnitMessage;

typedef enum { MESSAGE_NONE, MESSAGE_RECORDS, MESSAGE_UNITS } MessageKind;

/* Sends return once the bytes may be reused. Failures of MPI end the job (MPI_ERRORS_ARE_FATAL). */
void message_send_records(int32_t to, const Text *records);
void message_send_units(int32_t to, const UnitMessage *message);

/* Receives one message, in the order of sending for each rank. Returns MESSAGE_NONE at once if none
 * has arrived. `records` is replaced or `units` filled in, according to the result. */
MessageKind message_receive(int32_t *from, Text *records, UnitMessage *units);

#endif
