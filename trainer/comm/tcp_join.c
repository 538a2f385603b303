#include "trainer/comm/tcp_join.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "trainer/comm/tcp_message.h"
#include "trainer/comm/tcp_socket.h"
#include "trainer/record/timeline.h"

static const Place here = {.source = "trainyard"};

static int64_t sooner(int64_t left_ns, int64_t right_ns)
{
    return left_ns < right_ns ? left_ns : right_ns;
}

static void sleep_ns(int64_t ns)
{
    nanosleep(&(struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S}, NULL);
}

static TcpHello own_hello(const RankPlace *place)
{
    TcpHello hello = {.rank = place->rank,
                      .ranks = place->ranks,
                      .local_rank = place->local_rank,
                      .local_ranks = place->local_ranks,
                      .cores = cores_allowed()};
    memcpy(hello.run, place->run, strlen(place->run));
    if (gethostname(hello.host, sizeof hello.host) != 0)
        hello.host[0] = '\0';
    hello.host[sizeof hello.host - 1] = '\0'; // a name that is cut need not have one
    memset(hello.host + strlen(hello.host), 0, sizeof hello.host - strlen(hello.host));
    return hello;
}

/* --- Rank 0: who comes --- */

/* Someone who has not said yet, or not all, who it is. */
typedef struct {
    int descriptor; /* -1: this place is free */
    int64_t until_ns;
    int32_t taken; /* of the hello */
    uint8_t hello[TCP_HELLO_BYTES];
} Guest;

enum { GUESTS_MAX = 32 };
/* A rank sends its hello as soon as it is connected. */
#define GUEST_NS (5 * NS_PER_S)
/* For the answers to ranks, whose buffers are empty. */
#define ANSWER_NS (5 * NS_PER_S)

typedef struct {
    const RankPlace *place;
    int listening;
    int *descriptors; /* [ranks] */
    TcpHello *hellos; /* [ranks], of those that have come */
    int32_t missing;
    Guest guests[GUESTS_MAX];
    struct pollfd polled[GUESTS_MAX + 1];
} Reception;

static void answer(int descriptor, TcpKind kind, int64_t number, const char *text)
{
    uint8_t message[TCP_HEADER_BYTES + TCP_REFUSAL_MAX];
    const size_t length = strnlen(text, TCP_REFUSAL_MAX);
    tcp_header_write(&(TcpHeader){.kind = kind, .number = number, .bytes = (int64_t)length},
                     message);
    memcpy(message + TCP_HEADER_BYTES, text, length);
    // Who is gone by now is missed in the first exchange, by name.
    (void)!tcp_send_all(descriptor, message, TCP_HEADER_BYTES + (int64_t)length,
                        timeline_clock_ns() + ANSWER_NS);
}

/* The lowest free place; where there is none, the guest who has been silent for longest goes. */
static Guest *place_for_guest(Reception *door)
{
    Guest *chosen = &door->guests[0];
    for (int32_t i = 0; i < GUESTS_MAX; i++) {
        Guest *guest = &door->guests[i];
        if (guest->descriptor < 0)
            return guest;
        if (guest->until_ns < chosen->until_ns)
            chosen = guest;
    }
    tcp_close(&chosen->descriptor);
    return chosen;
}

static void let_in(Reception *door)
{
    for (int descriptor; (descriptor = tcp_accept(door->listening)) >= 0;)
        *place_for_guest(door) =
            (Guest){.descriptor = descriptor, .until_ns = timeline_clock_ns() + GUEST_NS};
}

/* The guest has said all: it is a rank that was missing, or goes. */
static void judge(Reception *door, Guest *guest)
{
    TcpHello hello;
    char reason[TCP_REFUSAL_MAX + 1] = "";
    if (tcp_hello_read(guest->hello, &hello) && strcmp(hello.run, door->place->run) == 0) {
        if (tcp_hello_fits(&hello, door->place->ranks, reason) &&
            door->descriptors[hello.rank] < 0) {
            door->descriptors[hello.rank] = guest->descriptor;
            door->hellos[hello.rank] = hello;
            door->missing--;
            guest->descriptor = -1;
            return;
        }
        if (!reason[0])
            snprintf(reason, sizeof reason, "there are two ranks %" PRId32, hello.rank);
        answer(guest->descriptor, TCP_REFUSAL, 0, reason);
    }
    tcp_close(&guest->descriptor);
}

static void listen_to_guest(Reception *door, Guest *guest)
{
    const int64_t more = tcp_take_some(guest->descriptor, guest->hello + guest->taken,
                                       TCP_HELLO_BYTES - guest->taken);
    guest->taken += (int32_t)(more > 0 ? more : 0);
    if (guest->taken == TCP_HELLO_BYTES)
        judge(door, guest);
    else if (more < 0)
        tcp_close(&guest->descriptor);
}

/* Sends away who is too slow; the time of the next who will be. */
static int64_t dismiss_slow(Reception *door)
{
    const int64_t now_ns = timeline_clock_ns();
    int64_t next_ns = INT64_MAX;
    for (int32_t i = 0; i < GUESTS_MAX; i++) {
        Guest *guest = &door->guests[i];
        if (guest->descriptor >= 0 && guest->until_ns <= now_ns)
            tcp_close(&guest->descriptor);
        if (guest->descriptor >= 0)
            next_ns = sooner(next_ns, guest->until_ns);
    }
    return next_ns;
}

static void serve_once(Reception *door, int64_t until_ns)
{
    const int64_t next_ns = sooner(until_ns, dismiss_slow(door));
    for (int32_t i = 0; i < GUESTS_MAX; i++) // poll leaves out negative descriptors
        door->polled[i] = (struct pollfd){.fd = door->guests[i].descriptor, .events = POLLIN};
    door->polled[GUESTS_MAX] = (struct pollfd){.fd = door->listening, .events = POLLIN};
    if (tcp_wait(door->polled, GUESTS_MAX + 1, next_ns) <= 0)
        return;
    for (int32_t i = 0; i < GUESTS_MAX; i++)
        if (door->polled[i].revents)
            listen_to_guest(door, &door->guests[i]);
    if (door->polled[GUESTS_MAX].revents)
        let_in(door);
}

/* --- Rank 0: the end of it --- */

static void print_missing(const Reception *door, Text *out)
{
    const int32_t ranks = door->place->ranks;
    text_printf(out, "rank%s ", plural(door->missing));
    int32_t said = 0;
    for (int32_t rank = 1; rank < ranks && out->length < 200; rank++)
        if (door->descriptors[rank] < 0)
            text_printf(out, "%s%" PRId32, said++ > 0 ? ", " : "", rank);
    text_printf(out, "%s of %" PRId32 " %s not come within ", said < door->missing ? ", ..." : "",
                ranks, door->missing > 1 ? "have" : "has");
    duration_print(out, door->place->timeout_ns);
}

/* All who have come hear it, so that nobody waits. */
static bool fail_missing(Reception *door, Status *status)
{
    Text words = {0};
    print_missing(door, &words);
    for (int32_t rank = 1; rank < door->place->ranks; rank++)
        if (door->descriptors[rank] >= 0)
            answer(door->descriptors[rank], TCP_REFUSAL, 0, text_string(&words));
    status_fail(status, STATUS_MACHINE, here, "%s", text_string(&words));
    text_free(&words);
    return status_hint(status,
                       "their own output says more; TRAINYARD_MEET_TIMEOUT=5m waits longer");
}

/* Cores that the ranks on the machine of `rank` may use together. */
static int32_t cores_beside(const Reception *door, int32_t rank)
{
    CoreSet cores = {{0}};
    for (int32_t other = 0; other < door->place->ranks; other++)
        for (int32_t i = 0; i < CORES_MAX / 64; i++)
            if (strcmp(door->hellos[other].host, door->hellos[rank].host) == 0)
                cores.bits[i] |= door->hellos[other].cores.bits[i];
    return cores_count(&cores);
}

static void close_all(const RankPlace *place, int *descriptors)
{
    for (int32_t rank = 0; rank < place->ranks; rank++)
        tcp_close(&descriptors[rank]);
}

static bool receive_all(Reception *door, int32_t *local_cores, Status *status)
{
    const RankPlace *place = door->place;
    const int64_t until_ns = timeline_clock_ns() + place->timeout_ns;
    while (door->missing > 0 && timeline_clock_ns() < until_ns)
        serve_once(door, until_ns);
    for (int32_t i = 0; i < GUESTS_MAX; i++)
        tcp_close(&door->guests[i].descriptor);
    if (door->missing > 0)
        return fail_missing(door, status);
    for (int32_t rank = 1; rank < place->ranks; rank++)
        answer(door->descriptors[rank], TCP_WELCOME, cores_beside(door, rank), "");
    *local_cores = cores_beside(door, 0);
    return true;
}

/* --- Rank 0: where it is found --- */

/* Ranks of one machine need nobody else to see them. */
static bool listen_for_file(const RankPlace *place, TcpAddress *address, int *listening,
                            Status *status)
{
    const bool is_one_machine = place->local_ranks == place->ranks;
    *address = (TcpAddress){.host = "127.0.0.1"};
    if (!is_one_machine && gethostname(address->host, sizeof address->host - 1) != 0)
        return status_fail(status, STATUS_MACHINE, here, "this machine has no name: %s",
                           strerror(errno));
    return tcp_listen(is_one_machine ? address->host : NULL, &address->port, listening, status);
}

static bool write_file(const RankPlace *place, const TcpAddress *address, const char *path,
                       Status *status)
{
    Text text = {0};
    tcp_meeting_print(address, place->run, &text);
    const bool is_written = file_write(path, text_string(&text), text.length, status);
    text_free(&text);
    return is_written;
}

static bool listen_at_meeting(const RankPlace *place, int *listening, Status *status)
{
    const char *path = tcp_meeting_path(place->meeting);
    TcpAddress address;
    if (!path)
        return tcp_address_parse(place->meeting, &address, status) &&
               tcp_listen(address.host, &address.port, listening, status);
    return listen_for_file(place, &address, listening, status) &&
           write_file(place, &address, path, status);
}

static bool join_as_host(const RankPlace *place, Arena *arena, int *descriptors,
                         int32_t *local_cores, Status *status)
{
    const char *path = tcp_meeting_path(place->meeting);
    Reception *door = ARENA_NEW(arena, Reception);
    *door = (Reception){.place = place,
                        .listening = -1,
                        .descriptors = descriptors,
                        .hellos = ARENA_ARRAY(arena, TcpHello, place->ranks),
                        .missing = place->ranks - 1};
    for (int32_t i = 0; i < GUESTS_MAX; i++)
        door->guests[i].descriptor = -1;
    door->hellos[0] = own_hello(place);
    const bool is_listening = listen_at_meeting(place, &door->listening, status);
    const bool is_done = is_listening && receive_all(door, local_cores, status);
    tcp_close(&door->listening);
    if (path && is_listening)
        unlink(path);
    return is_done;
}

/* --- The other ranks --- */

typedef enum { FIND_NOTHING, FIND_ANOTHER_RUN, FIND_NOBODY, FIND_STRANGER } Find; /* so far */

typedef struct {
    const RankPlace *place;
    Arena *arena;
    TcpAddress address;
    Find find;
} Visitor;

/* The address as it is told now; false when there is none yet. */
static bool find_address(Visitor *visitor)
{
    const char *path = tcp_meeting_path(visitor->place->meeting);
    char *text;
    size_t length;
    Status ignored;
    if (!path)
        return true; // parsed at the beginning
    if (access(path, R_OK) != 0 || !file_read(visitor->arena, path, 4096, &text, &length, &ignored))
        return false;
    const TcpFile file = tcp_meeting_parse(text, length, visitor->place->run, &visitor->address);
    if (file != TCP_FILE_GOOD)
        visitor->find = FIND_ANOTHER_RUN;
    return file == TCP_FILE_GOOD;
}

static bool fail_lonely(const Visitor *visitor, Status *status)
{
    static const char *const whys[] = {
        [FIND_NOTHING] = "no address of it was found",
        [FIND_ANOTHER_RUN] = "the address found there is of another run",
        [FIND_NOBODY] = "nobody answers at its address",
        [FIND_STRANGER] = "somebody else answers at its address",
    };
    const RankPlace *place = visitor->place;
    Text waited = {0};
    duration_print(&waited, place->timeout_ns);
    status_fail(status, STATUS_MACHINE, here,
                "rank %" PRId32 " of %" PRId32 ": rank 0 has not come within %s: %s (%s)",
                place->rank, place->ranks, text_string(&waited), whys[visitor->find],
                place->meeting);
    text_free(&waited);
    return status_hint(status, "its own output says more; TRAINYARD_MEET_TIMEOUT=5m waits longer");
}

/* The reason for which rank 0 sends this one away. */
static bool take_refusal(int descriptor, const RankPlace *place, int64_t bytes, int64_t until_ns,
                         Status *status)
{
    char reason[TCP_REFUSAL_MAX + 1] = "";
    if (bytes > TCP_REFUSAL_MAX || !tcp_take_all(descriptor, reason, bytes, until_ns))
        reason[0] = '\0';
    return status_fail(status, STATUS_MACHINE, here,
                       "rank %" PRId32 " of %" PRId32 ": rank 0 has sent it away: %s", place->rank,
                       place->ranks, reason);
}

typedef enum { VISIT_AGAIN, VISIT_WELCOME, VISIT_REFUSED } Visit;

/* Says who this is and waits for the answer, which comes when all are there. */
static Visit introduce(Visitor *visitor, int descriptor, int64_t until_ns, int32_t *local_cores,
                       Status *status)
{
    const RankPlace *place = visitor->place;
    const TcpHello hello = own_hello(place);
    uint8_t bytes[TCP_HELLO_BYTES];
    TcpHeader header;
    tcp_hello_write(&hello, bytes);
    visitor->find = FIND_STRANGER;
    if (!tcp_send_all(descriptor, bytes, sizeof bytes, until_ns) ||
        !tcp_take_all(descriptor, bytes, TCP_HEADER_BYTES, until_ns) ||
        !tcp_header_read(bytes, &header) || header.rank != 0)
        return VISIT_AGAIN;
    if (header.kind == TCP_REFUSAL) {
        take_refusal(descriptor, place, header.bytes, until_ns, status);
        return VISIT_REFUSED;
    }
    if (header.kind != TCP_WELCOME || header.bytes != 0 || header.number > CORES_MAX)
        return VISIT_AGAIN;
    *local_cores = (int32_t)header.number;
    return VISIT_WELCOME;
}

static Visit visit(Visitor *visitor, int64_t until_ns, int *descriptor, int32_t *local_cores,
                   Status *status)
{
    // Rank 0 may have begun to wait when this rank had nearly waited long enough.
    const int64_t answer_ns = until_ns + visitor->place->timeout_ns;
    if (!find_address(visitor))
        return VISIT_AGAIN;
    *descriptor = tcp_connect(&visitor->address, until_ns);
    if (*descriptor < 0) {
        visitor->find = FIND_NOBODY;
        return VISIT_AGAIN;
    }
    const Visit result = introduce(visitor, *descriptor, answer_ns, local_cores, status);
    if (result != VISIT_WELCOME)
        tcp_close(descriptor);
    return result;
}

static bool join_as_visitor(const RankPlace *place, Arena *arena, int *descriptor,
                            int32_t *local_cores, Status *status)
{
    const int64_t until_ns = timeline_clock_ns() + place->timeout_ns;
    Visitor visitor = {.place = place, .arena = arena};
    if (!tcp_meeting_path(place->meeting) &&
        !tcp_address_parse(place->meeting, &visitor.address, status))
        return false;
    for (int64_t pause_ns = NS_PER_MS; timeline_clock_ns() < until_ns;) {
        const Visit result = visit(&visitor, until_ns, descriptor, local_cores, status);
        if (result != VISIT_AGAIN)
            return result == VISIT_WELCOME;
        sleep_ns(sooner(pause_ns, until_ns - timeline_clock_ns()));
        pause_ns = sooner(2 * pause_ns, 50 * NS_PER_MS);
    }
    return fail_lonely(&visitor, status);
}

/* --- Together --- */

bool tcp_join(const RankPlace *place, Arena *arena, int *descriptors, int32_t *local_cores,
              Status *status)
{
    for (int32_t rank = 0; rank < place->ranks; rank++)
        descriptors[rank] = -1;
    const bool is_joined = place->rank == 0
                               ? join_as_host(place, arena, descriptors, local_cores, status)
                               : join_as_visitor(place, arena, descriptors, local_cores, status);
    if (!is_joined)
        close_all(place, descriptors);
    return is_joined;
}
