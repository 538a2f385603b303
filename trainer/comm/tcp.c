/* Ranks that talk by TCP, where there is no MPI: a star around rank 0.
 *
 * All that is summed goes to rank 0, which adds it up in order of ranks, ((0 + 1) + 2) + ..., so
 * that the bits are the same however fast each rank is; and back. It does so piece by piece, the
 * sum of one leaving while the next comes. Rank 0's connections carry (ranks - 1) times the
 * gradients each way: few ranks on one machine are well served, and so is whoever sums by NCCL and
 * needs this for everything else; many machines want MPI.
 *
 * All ranks send the same messages in the same order over every connection, so that what comes next
 * is known before it comes; but for an end (TCP_ABORT), which may come in the place of any. A rank
 * that is gone is noticed by rank 0 when its connection closes, whomever rank 0 is waiting for. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "trainer/comm/kind.h"
#include "trainer/comm/tcp_join.h"
#include "trainer/comm/tcp_message.h"
#include "trainer/comm/tcp_socket.h"
#include "trainer/record/timeline.h"

/* What rank 0 holds of each rank's values before they are added up: large enough that a rank sends
 * on while rank 0 adds, small enough for the caches of a few ranks. */
enum { WINDOW_BYTES = 256 << 10 };
_Static_assert(WINDOW_BYTES % sizeof(float) == 0, "no value lies across the window's end");

/* A message on its way in one direction: a header, then bytes. */
typedef struct {
    TcpHeader header; /* that leaves, or that must come */
    uint8_t head[TCP_HEADER_BYTES];
    uint8_t *data;
    int64_t ring;  /* the data lies in a ring of so many bytes; 0: in one piece */
    int64_t total; /* header included, as below; 0: there is no message */
    int64_t done;
    int64_t limit; /* how far it may go for now */
} Flow;

/* A connection to another rank. */
typedef struct {
    int descriptor;
    int32_t rank;
    bool is_ahead; /* bytes of a message behind the one under way wait: the rank lives */
    Flow out, in;
    int64_t came_ns; /* when the message of `in` was complete */
} Link;

typedef struct {
    Link *links; /* [link_count]: of all other ranks, or of rank 0 */
    int32_t link_count;
    struct pollfd *polled;
    uint8_t *windows; /* [link_count][WINDOW_BYTES]; NULL before the first sum */
    int64_t exchanges;
    int32_t *late;
    int end_code; /* of a rank that has ended all; -1: none has */
    int32_t end_rank;
} Tcp;

/* --- Errors --- */

static bool fail(const Comm *comm, const char *why, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                       "rank %" PRId32 " of %" PRId32 ": %s", comm->rank, comm->size, why);
}

static bool fail_gone(const Comm *comm, const Link *link, int error, Status *status)
{
    char why[200];
    snprintf(why, sizeof why, "rank %" PRId32 " is gone: %s", link->rank, tcp_reason(error));
    fail(comm, why, status);
    return status_hint(status, "its own output says more");
}

static bool fail_ended(const Comm *comm, const TcpHeader *header, Status *status)
{
    Tcp *tcp = comm->state;
    char why[100];
    tcp->end_code = (int)(header->number & 255);
    tcp->end_rank = header->rank;
    snprintf(why, sizeof why, "rank %" PRId32 " has ended all ranks with exit code %d",
             tcp->end_rank, tcp->end_code);
    fail(comm, why, status);
    return status_hint(status, "its own output says more");
}

/* Another message than the one expected. */
static bool fail_unexpected(const Comm *comm, const Link *link, const TcpHeader *came,
                            Status *status)
{
    const TcpHeader *expected = &link->in.header;
    char why[300];
    if (came->kind == TCP_READY && expected->kind == TCP_READY)
        status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                    "rank %" PRId32 " is at step %" PRId64 ", rank %" PRId32 " at step %" PRId64,
                    link->rank, came->number, comm->rank, expected->number);
    else {
        snprintf(why, sizeof why,
                 "expected %s %" PRId64 " of %" PRId64 " B from rank %" PRId32 ", got %s %" PRId64
                 " of %" PRId64 " B",
                 tcp_kind_names[expected->kind], expected->number, expected->bytes, link->rank,
                 tcp_kind_names[came->kind], came->number, came->bytes);
        fail(comm, why, status);
    }
    return status_hint(status, "all ranks must be given the same options and the same data");
}

/* --- Messages on their way --- */

static void flow_begin(Flow *flow, TcpHeader header, void *data)
{
    const int64_t total = TCP_HEADER_BYTES + header.bytes;
    *flow = (Flow){.header = header, .data = data, .total = total, .limit = total};
    tcp_header_write(&header, flow->head);
}

static bool flow_is_done(const Flow *flow)
{
    return flow->done == flow->total;
}

/* What may go now, in one piece. */
static uint8_t *flow_piece(Flow *flow, int64_t *bytes)
{
    if (flow->done < TCP_HEADER_BYTES) {
        *bytes = TCP_HEADER_BYTES - flow->done;
        return flow->head + flow->done;
    }
    const int64_t at = flow->done - TCP_HEADER_BYTES;
    *bytes = flow->limit - flow->done;
    if (flow->ring == 0)
        return flow->data + at;
    const int64_t in_ring = at % flow->ring;
    if (*bytes > flow->ring - in_ring)
        *bytes = flow->ring - in_ring;
    return flow->data + in_ring;
}

/* A whole header has come: whether it is the one expected. */
static bool header_came(Comm *comm, Link *link, Status *status)
{
    TcpHeader came;
    const TcpHeader *expected = &link->in.header;
    if (!tcp_header_read(link->in.head, &came))
        return fail_gone(comm, link, EPROTO, status);
    if (came.kind == TCP_ABORT)
        return fail_ended(comm, &came, status);
    if (came.kind == expected->kind && came.number == expected->number &&
        came.bytes == expected->bytes && came.rank == expected->rank)
        return true;
    return fail_unexpected(comm, link, &came, status);
}

static bool take_in(Comm *comm, Link *link, Status *status)
{
    Flow *in = &link->in;
    while (in->done < in->limit) {
        int64_t bytes;
        uint8_t *piece = flow_piece(in, &bytes);
        const int64_t taken = tcp_take_some(link->descriptor, piece, bytes);
        if (taken < 0)
            return fail_gone(comm, link, errno, status);
        if (taken == 0)
            return true;
        in->done += taken;
        if (in->done == TCP_HEADER_BYTES && !header_came(comm, link, status))
            return false;
    }
    if (flow_is_done(in))
        link->came_ns = timeline_clock_ns();
    return true;
}

/* Nothing is expected for now: either the connection is closed, or an end has come, or the rank is
 * ahead of this one. */
static bool look_ahead(Comm *comm, Link *link, Status *status)
{
    uint8_t head[TCP_HEADER_BYTES];
    TcpHeader header;
    const int64_t there = tcp_peek_some(link->descriptor, head, sizeof head);
    if (there < 0)
        return fail_gone(comm, link, errno, status);
    link->is_ahead = there > 0;
    if (there == sizeof head && flow_is_done(&link->in) && tcp_header_read(head, &header) &&
        header.kind == TCP_ABORT)
        return fail_ended(comm, &header, status);
    return true;
}

static bool send_out(Comm *comm, Link *link, Status *status)
{
    Flow *out = &link->out;
    while (out->done < out->limit) {
        int64_t bytes;
        const uint8_t *piece = flow_piece(out, &bytes);
        const int64_t sent = tcp_send_some(link->descriptor, piece, bytes);
        const int error = errno;
        // Who has ended all may have closed its connection since; its last word counts.
        if (sent < 0)
            return look_ahead(comm, link, status) && fail_gone(comm, link, error, status);
        if (sent == 0)
            return true;
        out->done += sent;
    }
    return true;
}

static short events_of(const Link *link)
{
    const bool expects = link->in.done < link->in.limit;
    const bool sends = link->out.done < link->out.limit;
    return (short)((expects || !link->is_ahead ? POLLIN : 0) | (sends ? POLLOUT : 0));
}

static bool link_turn(Comm *comm, Link *link, int events, Status *status)
{
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) {
        const bool expects = link->in.done < link->in.limit;
        if (!(expects ? take_in(comm, link, status) : look_ahead(comm, link, status)))
            return false;
    }
    return link->out.done == link->out.limit || send_out(comm, link, status);
}

/* Waits until something can go on, at most until `until_ns`, and goes on with it. */
static bool turn(Comm *comm, int64_t until_ns, Status *status)
{
    Tcp *tcp = comm->state;
    for (int32_t i = 0; i < tcp->link_count; i++) {
        const Link *link = &tcp->links[i];
        const short events = events_of(link);
        tcp->polled[i] = (struct pollfd){.fd = events ? link->descriptor : -1, .events = events};
    }
    if (tcp_wait(tcp->polled, tcp->link_count, until_ns) < 0)
        return fail(comm, strerror(errno), status);
    for (int32_t i = 0; i < tcp->link_count; i++)
        if (tcp->polled[i].revents &&
            !link_turn(comm, &tcp->links[i], tcp->polled[i].revents, status))
            return false;
    return true;
}

/* Messages that have not all come or left. */
static int32_t links_busy(const Tcp *tcp)
{
    int32_t busy = 0;
    for (int32_t i = 0; i < tcp->link_count; i++)
        busy += !flow_is_done(&tcp->links[i].in) || !flow_is_done(&tcp->links[i].out);
    return busy;
}

static void links_rest(Tcp *tcp)
{
    for (int32_t i = 0; i < tcp->link_count; i++) {
        tcp->links[i].in = tcp->links[i].out = (Flow){.total = 0};
        tcp->links[i].is_ahead = false;
    }
}

/* Sends what can leave without waiting: most messages are complete then. */
static bool links_start(Comm *comm, Status *status)
{
    Tcp *tcp = comm->state;
    for (int32_t i = 0; i < tcp->link_count; i++)
        if (!send_out(comm, &tcp->links[i], status))
            return false;
    return true;
}

/* Everything that was begun, to its end. */
static bool links_finish(Comm *comm, Status *status)
{
    Tcp *tcp = comm->state;
    if (!links_start(comm, status))
        return false;
    while (links_busy(tcp) > 0)
        if (!turn(comm, INT64_MAX, status))
            return false;
    links_rest(tcp);
    return true;
}

/* --- Messages of all to all --- */

static TcpHeader header_of(const Comm *comm, const Link *link, TcpKind kind, bool is_out,
                           int64_t number, int64_t bytes)
{
    return (TcpHeader){
        .kind = kind, .rank = is_out ? comm->rank : link->rank, .number = number, .bytes = bytes};
}

static void begin_out(Comm *comm, Link *link, TcpKind kind, const void *data, int64_t bytes)
{
    const Tcp *tcp = comm->state;
    // A flow that leaves only reads.
    flow_begin(&link->out, header_of(comm, link, kind, true, tcp->exchanges, bytes), (void *)data);
}

static void begin_in(Comm *comm, Link *link, TcpKind kind, void *data, int64_t bytes)
{
    const Tcp *tcp = comm->state;
    flow_begin(&link->in, header_of(comm, link, kind, false, tcp->exchanges, bytes), data);
}

/* `each` bytes of all other ranks to rank 0: all[size][each], of which its own place stays. */
static bool collect(Comm *comm, TcpKind kind, const void *mine, int64_t each, void *all,
                    Status *status)
{
    const Tcp *tcp = comm->state;
    for (int32_t i = 0; i < tcp->link_count; i++) {
        Link *link = &tcp->links[i];
        if (comm->rank > 0)
            begin_out(comm, link, kind, mine, each);
        else
            begin_in(comm, link, kind, (uint8_t *)all + link->rank * each, each);
    }
    return links_finish(comm, status);
}

/* `bytes` of rank 0 to all others. */
static bool spread(Comm *comm, TcpKind kind, void *data, int64_t bytes, Status *status)
{
    const Tcp *tcp = comm->state;
    for (int32_t i = 0; i < tcp->link_count; i++) {
        Link *link = &tcp->links[i];
        if (comm->rank > 0)
            begin_in(comm, link, kind, data, bytes);
        else
            begin_out(comm, link, kind, data, bytes);
    }
    return links_finish(comm, status);
}

static bool tcp_gather(Comm *comm, const void *mine, int64_t each, void *all, Status *status)
{
    Tcp *tcp = comm->state;
    tcp->exchanges++;
    if (comm->rank == 0)
        memcpy(all, mine, (size_t)each);
    return collect(comm, TCP_GATHER, mine, each, all, status);
}

static bool tcp_broadcast(Comm *comm, void *data, int64_t bytes, Status *status)
{
    Tcp *tcp = comm->state;
    tcp->exchanges++;
    return spread(comm, TCP_BROADCAST, data, bytes, status);
}

static bool tcp_barrier(Comm *comm, Status *status)
{
    Tcp *tcp = comm->state;
    tcp->exchanges++;
    return collect(comm, TCP_BARRIER, NULL, 0, NULL, status) &&
           spread(comm, TCP_BARRIER, NULL, 0, status);
}

static bool tcp_min(Comm *comm, int64_t *value, Status *status)
{
    Tcp *tcp = comm->state;
    int64_t all[RANKS_MAX];
    tcp->exchanges++;
    if (!collect(comm, TCP_MIN, value, sizeof *value, all, status))
        return false;
    for (int32_t rank = 1; comm->rank == 0 && rank < comm->size; rank++)
        *value = all[rank] < *value ? all[rank] : *value;
    return spread(comm, TCP_MIN, value, sizeof *value, status);
}

static bool tcp_sum_doubles(Comm *comm, double *values, int32_t count, Status *status)
{
    Tcp *tcp = comm->state;
    const int64_t bytes = count * (int64_t)sizeof *values;
    double *all = memory_zeroed((size_t)bytes * (size_t)(comm->rank == 0 ? comm->size : 1));
    tcp->exchanges++;
    const bool is_collected = collect(comm, TCP_SUM_DOUBLES, values, bytes, all, status);
    for (int32_t rank = 1; is_collected && comm->rank == 0 && rank < comm->size; rank++)
        for (int32_t i = 0; i < count; i++)
            values[i] += all[(int64_t)rank * count + i];
    free(all);
    return is_collected && spread(comm, TCP_SUM_DOUBLES, values, bytes, status);
}

/* --- Gradients --- */

/* Of both the values and the rings of rank 0: how far they are, in bytes. */
static int64_t come_of_all(const Tcp *tcp, int64_t bytes)
{
    int64_t come = bytes;
    for (int32_t i = 0; i < tcp->link_count; i++) {
        const int64_t of_link = tcp->links[i].in.done - TCP_HEADER_BYTES;
        come = of_link < come ? of_link : come;
    }
    return come < 0 ? 0 : come - come % (int64_t)sizeof(float);
}

/* Adds [first, end) of all rings to the values, in order of ranks. */
static void add_piece(const Tcp *tcp, float *values, int64_t first, int64_t end)
{
    const int64_t count = (end - first) / (int64_t)sizeof *values;
    float *sum = values + first / (int64_t)sizeof *values;
    for (int32_t i = 0; i < tcp->link_count; i++) {
        const uint8_t *ring = tcp->links[i].in.data + first % WINDOW_BYTES;
        const float *more = (const float *)(const void *)ring;
        for (int64_t k = 0; k < count; k++)
            sum[k] += more[k];
    }
}

/* Adds up to `come`; what was added may leave, and its room in the rings be filled again. */
static void add_up(const Tcp *tcp, float *values, int64_t bytes, int64_t *added, int64_t come)
{
    while (*added < come) {
        const int64_t ring_end = (*added / WINDOW_BYTES + 1) * WINDOW_BYTES;
        const int64_t end = come < ring_end ? come : ring_end;
        add_piece(tcp, values, *added, end);
        *added = end;
    }
    for (int32_t i = 0; i < tcp->link_count; i++) {
        Link *link = &tcp->links[i];
        const int64_t room_end = *added + WINDOW_BYTES;
        link->out.limit = TCP_HEADER_BYTES + *added;
        link->in.limit = TCP_HEADER_BYTES + (room_end < bytes ? room_end : bytes);
    }
}

static bool sum_on_first(Comm *comm, float *values, int64_t bytes, Status *status)
{
    Tcp *tcp = comm->state;
    int64_t added = 0;
    if (!tcp->windows)
        tcp->windows = memory_zeroed((size_t)tcp->link_count * WINDOW_BYTES);
    for (int32_t i = 0; i < tcp->link_count; i++) {
        Link *link = &tcp->links[i];
        begin_out(comm, link, TCP_SUM, values, bytes);
        begin_in(comm, link, TCP_SUM, tcp->windows + (int64_t)i * WINDOW_BYTES, bytes);
        link->in.ring = WINDOW_BYTES;
    }
    add_up(tcp, values, bytes, &added, 0);
    while (links_busy(tcp) > 0) {
        if (!turn(comm, INT64_MAX, status))
            return false;
        add_up(tcp, values, bytes, &added, come_of_all(tcp, bytes));
        if (!links_start(comm, status))
            return false;
    }
    links_rest(tcp);
    return true;
}

static bool tcp_sum(Comm *comm, float *values, int64_t count, Status *status)
{
    Tcp *tcp = comm->state;
    const int64_t bytes = count * (int64_t)sizeof *values;
    tcp->exchanges++;
    if (comm->rank == 0)
        return sum_on_first(comm, values, bytes, status);
    // In place: the sum of a value comes only after the value has left.
    begin_out(comm, &tcp->links[0], TCP_SUM, values, bytes);
    begin_in(comm, &tcp->links[0], TCP_SUM, values, bytes);
    return links_finish(comm, status);
}

/* --- Who is late --- */

/* Rank 0 hears of all, rank 1 of rank 0. */
static void begin_ready(Comm *comm, int64_t step)
{
    const Tcp *tcp = comm->state;
    for (int32_t i = 0; i < tcp->link_count; i++) {
        Link *link = &tcp->links[i];
        if (comm->rank > 0 || link->rank == 1)
            flow_begin(&link->out, header_of(comm, link, TCP_READY, true, step, 0), NULL);
        if (comm->rank <= 1)
            flow_begin(&link->in, header_of(comm, link, TCP_READY, false, step, 0), NULL);
    }
}

static void report_late(const Comm *comm, int64_t waited_ns)
{
    const Tcp *tcp = comm->state;
    int32_t late_count = 0;
    for (int32_t i = 0; i < tcp->link_count; i++)
        if (!flow_is_done(&tcp->links[i].in))
            tcp->late[late_count++] = tcp->links[i].rank;
    if (comm->stall && late_count > 0)
        comm->stall(comm->stall_listener, waited_ns, tcp->late, late_count);
}

static bool await_ready(Comm *comm, Status *status)
{
    const Tcp *tcp = comm->state;
    const int64_t begin_ns = timeline_clock_ns();
    const int64_t never_ns = INT64_MAX - begin_ns;
    int64_t said_ns = 0;
    while (links_busy(tcp) > 0) {
        const bool is_reporting = comm->stall_ns < never_ns - said_ns;
        const int64_t next_ns = is_reporting ? begin_ns + said_ns + comm->stall_ns : INT64_MAX;
        if (!turn(comm, next_ns, status))
            return false;
        const int64_t now_ns = timeline_clock_ns();
        if (is_reporting && now_ns >= next_ns && links_busy(tcp) > 0) {
            said_ns += comm->stall_ns;
            report_late(comm, now_ns - begin_ns);
        }
    }
    return true;
}

static bool tcp_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status)
{
    Tcp *tcp = comm->state;
    if (comm->rank == 0 && ready_ns)
        ready_ns[0] = timeline_clock_ns();
    begin_ready(comm, step);
    if (!links_start(comm, status) || !await_ready(comm, status))
        return false;
    for (int32_t i = 0; comm->rank == 0 && ready_ns && i < tcp->link_count; i++)
        ready_ns[tcp->links[i].rank] = tcp->links[i].came_ns;
    links_rest(tcp);
    return true;
}

/* Connections that are closed, and ends that have come, are known without waiting. */
static bool tcp_check(Comm *comm, int64_t step, Status *status)
{
    Tcp *tcp = comm->state;
    (void)step;
    for (int32_t i = 0; i < tcp->link_count; i++) {
        struct pollfd polled = {.fd = tcp->links[i].descriptor, .events = POLLIN};
        if (poll(&polled, 1, 0) > 0 && !look_ahead(comm, &tcp->links[i], status))
            return false;
        tcp->links[i].is_ahead = false;
    }
    return true;
}

/* --- Begin and end --- */

static void links_create(const Comm *comm, Arena *arena, const int *descriptors, Tcp *tcp)
{
    tcp->link_count = comm->rank == 0 ? comm->size - 1 : 1;
    tcp->links = ARENA_ARRAY(arena, Link, tcp->link_count);
    tcp->polled = ARENA_ARRAY(arena, struct pollfd, tcp->link_count);
    tcp->late = ARENA_ARRAY(arena, int32_t, tcp->link_count);
    for (int32_t i = 0; i < tcp->link_count; i++) {
        const int32_t rank = comm->rank == 0 ? i + 1 : 0;
        tcp->links[i] = (Link){.descriptor = descriptors[rank], .rank = rank};
    }
}

static bool tcp_open(Comm *comm, Arena *arena, Status *status)
{
    RankPlace place;
    if (!rank_place_read(&place, status))
        return false;
    Tcp *tcp = ARENA_NEW(arena, Tcp);
    int *descriptors = ARENA_ARRAY(arena, int, place.ranks);
    *tcp = (Tcp){.end_code = -1};
    if (place.ranks > 1 && !tcp_join(&place, arena, descriptors, &comm->local_cores, status))
        return false;
    comm->rank = place.rank;
    comm->size = place.ranks;
    comm->local_rank = place.local_rank;
    comm->local_size = place.local_ranks;
    if (place.ranks > 1)
        links_create(comm, arena, descriptors, tcp);
    comm->state = tcp;
    return true;
}

static void tcp_close_all(Comm *comm)
{
    Tcp *tcp = comm->state;
    for (int32_t i = 0; i < tcp->link_count; i++)
        tcp_close(&tcp->links[i].descriptor);
    free(tcp->windows);
    tcp->windows = NULL;
}

/* The first rank's exit code is that of all. Who is in the middle of a message cannot be told: it
 * notices that the connection is closed. */
static void tcp_abort(Comm *comm, int exit_code)
{
    const Tcp *tcp = comm->state;
    const bool is_first = tcp->end_code < 0;
    const int code = is_first ? exit_code & 255 : tcp->end_code;
    const TcpHeader header = {
        .kind = TCP_ABORT, .rank = is_first ? comm->rank : tcp->end_rank, .number = code};
    uint8_t head[TCP_HEADER_BYTES];
    tcp_header_write(&header, head);
    for (int32_t i = 0; i < tcp->link_count; i++) {
        const Flow *out = &tcp->links[i].out;
        if (out->done == 0 || flow_is_done(out))
            (void)!tcp_send_some(tcp->links[i].descriptor, head, sizeof head);
    }
    _Exit(code);
}

const CommKind comm_tcp = {
    .name = "tcp",
    .is_launched = rank_place_is_told,
    .open = tcp_open,
    .close = tcp_close_all,
    .sum = tcp_sum,
    .sum_doubles = tcp_sum_doubles,
    .min = tcp_min,
    .broadcast = tcp_broadcast,
    .gather = tcp_gather,
    .barrier = tcp_barrier,
    .ready = tcp_ready,
    .check = tcp_check,
    .abort = tcp_abort,
};
