/* Private to tools/trainyard/mpi. */
#include "tools/trainyard/mpi/messages.h"

#include <limits.h>
#include <mpi.h>
#include <stddef.h>

#include "sim/base/invariant.h"

_Static_assert(sizeof(Unit) == 3 * sizeof(int32_t), "a unit is sent as three integers");
enum { HEAD_INTEGERS = 3, UNIT_INTEGERS = 3 };

void message_send_records(int32_t to, const Text *records)
{
    invariant(records->length <= INT_MAX);
    MPI_Send(records->data, (int)records->length, MPI_CHAR, to, MESSAGE_RECORDS, MPI_COMM_WORLD);
}

void message_send_units(int32_t to, const UnitMessage *message)
{
    invariant(message->unit_count <= UNITS_MAX);
    MPI_Send(message, HEAD_INTEGERS + UNIT_INTEGERS * message->unit_count, MPI_INT32_T, to,
             MESSAGE_UNITS, MPI_COMM_WORLD);
}

static void receive_records(const MPI_Status *found, Text *records)
{
    int length;
    MPI_Get_count(found, MPI_CHAR, &length);
    text_clear(records);
    Arena *arena = arena_create();
    char *bytes = arena_alloc(arena, (size_t)length);
    MPI_Recv(bytes, length, MPI_CHAR, found->MPI_SOURCE, found->MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    text_append(records, bytes, (size_t)length);
    arena_destroy(arena);
}

MessageKind message_receive(int32_t *from, Text *records, UnitMessage *units)
{
    int has_arrived;
    MPI_Status found;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_arrived, &found);
    if (!has_arrived)
        return MESSAGE_NONE;
    *from = found.MPI_SOURCE;
    if (found.MPI_TAG == MESSAGE_RECORDS)
        receive_records(&found, records);
    else
        MPI_Recv(units, sizeof *units / sizeof(int32_t), MPI_INT32_T, found.MPI_SOURCE,
                 found.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (MessageKind)found.MPI_TAG;
}
