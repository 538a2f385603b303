#include "tests/emu/faults/network.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/http/server.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "tests/emu/faults/disk.h"
#include "tests/emu/faults/life.h"
#include "tests/emu/faults/network_parts.h"

enum {
    NET_ROUNDS = 3,
    QUIET = 5,     /* waits without any work after which the server has nothing left to do */
    STUCK = 20000, /* waits of a round after which a client is waiting in vain */
    TURNS_MOST = 100000
};

Network net;

/* --- The round --- */

/* Bytes that are not a request. */
static void begin_noise(Client *client)
{
    text_clear(&client->text);
    text_printf(&client->text, "%.*s", 1 + (int)disk_draw(60),
                disk_draw(2) == 0
                    ? "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ........................"
                    : "\x16\x03\x01 not a request at all \r\n\r\n .......... \x01\x02");
    client->script[0] = (Script){.end = client->text.length};
    client->script_count = 1;
}

/* One or more requests about one object, each on what the one before leaves. */
static void begin_script(Client *client, int object)
{
    client->object = object;
    client->before = clients_digest(&life.doubt, object);
    // Where requests may fail, the one after a failed one would depend on it.
    client->script_count = disk_draw(3) == 0 ? 2 + (int)disk_draw(SCRIPT_MAX - 1) : 1;
    client->is_pipelined = life.kind != DISK_FAILS && disk_draw(2) == 0;
    text_clear(&client->text);
    for (int i = 0; i < client->script_count; i++) {
        const size_t begin = client->text.length;
        clients_plan(&life.doubt, object, &client->text);
        client->script[i] =
            (Script){.end = client->text.length,
                     .is_read = strncmp(client->text.data + begin, "GET /acct", 9) == 0,
                     .after = clients_digest(&life.doubt, object)};
    }
}

static void draw_cuts(Client *client)
{
    const bool is_tls = client->listener == OVER_TLS && client->descriptor < 0;
    client->cut_sent = client->cut_received = NO_CUT;
    if (client->talk == TALK_NOISE || disk_draw(4) == 0)
        client->cut_sent = (size_t)disk_draw(client->text.length + 1 + (is_tls ? 600 : 0));
    else if (disk_draw(4) == 0)
        client->cut_received = (size_t)disk_draw(is_tls ? 2500 : 400);
}

static void draw_manners(Client *client)
{
    if (client->descriptor < 0)
        client->listener = net.has_tls && disk_draw(3) == 0 ? OVER_TLS : PLAIN;
    client->piece_max = disk_draw(3) == 0 ? 7 : 1 + (int32_t)disk_draw(20000);
    client->is_kept = client->talk == TALK_REQUESTS && disk_draw(3) == 0;
    client->ends_sending = client->talk == TALK_REQUESTS && disk_draw(5) == 0;
    client->is_pipelined = client->is_lazy = false;
    client->answered = 0;
}

static void begin_asker(Client *client, int object)
{
    client->talk = disk_draw(5) == 0 ? TALK_NOISE : TALK_REQUESTS;
    if (client->talk == TALK_NOISE && client->tls)
        connection_leave(client, CLIENT_AWAY);
    draw_manners(client);
    if (client->talk == TALK_NOISE)
        begin_noise(client);
    else
        begin_script(client, object);
    draw_cuts(client);
    connection_begin(client);
}

/* Streams last for some rounds. */
static void begin_watcher(Client *client)
{
    if (client->state == CLIENT_ACTIVE) {
        client->is_lazy = disk_draw(3) == 0;
        if (disk_draw(4) == 0)
            connection_leave(client, CLIENT_LEFT);
        return;
    }
    client->state = CLIENT_AWAY;
    client->script_count = 0;
    if (disk_draw(3) != 0)
        return;
    client->talk = TALK_EVENTS;
    draw_manners(client);
    client->is_lazy = disk_draw(3) == 0;
    client->cut_sent = NO_CUT;
    client->cut_received = disk_draw(4) == 0 ? (size_t)disk_draw(3000) : NO_CUT;
    stream_begin(client);
}

/* Requests of different clients are about different objects: their order does not matter. */
static void begin_round(void)
{
    const uint64_t order = disk_draw(UINT64_C(1) << 40);
    life.doubt = life.known;
    net.waits = net.quiet = net.streams_left = 0;
    arena_reset(life.request);
    if (disk_draw(8) == 0)
        net.now_ns += 20 * NS_PER_S;
    for (int i = 0; i < ASKERS; i++) {
        Client *client = &net.clients[i];
        if (client->descriptor >= 0 && net.now_ns - client->active_ns > 50 * NS_PER_S)
            connection_leave(client, CLIENT_AWAY); // the server is about to end it
        begin_asker(client, (int)((order + (uint64_t)i) % OBJECTS));
    }
    for (int i = ASKERS; i < CLIENTS; i++)
        begin_watcher(&net.clients[i]);
    life_say("round %d", net.rounds);
    life_set_faults(10);
}

/* The object is as one of the requests has left it that may have been the last. */
static void judge_object(int object, const Client *client)
{
    const uint64_t before = client ? client->before : clients_digest(&life.known, object);
    const int answered = client ? client->answered : 0;
    const int sent = client ? connection_sent_count(client) : 0;
    const uint64_t is = clients_look(&life.known, object);
    if (client)
        life_say("  %.40s: %d requests, %d sent, %d answered", text_string(&client->text),
                 client->script_count, sent, answered);
    for (int i = answered; i <= sent; i++)
        if (is == (i == 0 ? before : client->script[i - 1].after))
            return;
    life_fail("object %d of %.60s: %d requests, %d sent, %d answered, and it is as after none of "
              "these",
              object, client ? text_string(&client->text) : "nobody",
              client ? client->script_count : 0, sent, answered);
}

/* Finds out the state of all objects, which must be one that clients can explain. */
static void judge(void)
{
    const Client *about[OBJECTS] = {0};
    disk_set((DiskFaults){0});
    arena_reset(life.request);
    for (int i = 0; i < ASKERS; i++)
        if (net.clients[i].talk == TALK_REQUESTS)
            about[net.clients[i].object] = &net.clients[i];
    for (int i = 0; i < OBJECTS && !life.has_failed; i++)
        judge_object(i, about[i]);
    for (int i = ASKERS; i < CLIENTS && !life.has_failed; i++)
        stream_judge(&net.clients[i],
                     net.clients[i].state == CLIENT_ACTIVE && !net.clients[i].is_lazy);
}

/* Asks the server to end, as a user does. */
static void end_server(void)
{
    net.is_ending = true;
    net.waits = 0;
    raise(SIGTERM);
}

static void end_round(void)
{
    judge();
    if (++net.rounds < NET_ROUNDS && !life.has_failed)
        begin_round();
    else
        end_server();
}

/* --- Waiting --- */

static bool is_busy(const Client *client)
{
    return client->state == CLIENT_WAITING ||
           (client->state == CLIENT_ACTIVE && client->talk != TALK_EVENTS);
}

/* Some clients do what comes next; true if there is still something that they wait for. */
static bool step(void)
{
    int active[CLIENTS], count = 0, busy = 0;
    bool has_moved = false;
    for (int i = 0; i < CLIENTS; i++) {
        if (net.clients[i].state == CLIENT_ACTIVE)
            active[count++] = i;
        busy += is_busy(&net.clients[i]);
    }
    if (busy > 0) {
        if (count > 0)
            (void)connection_step(&net.clients[active[disk_draw((uint64_t)count)]]);
        return true;
    }
    for (int i = 0; i < count; i++)
        has_moved = connection_step(&net.clients[active[i]]) || has_moved;
    return has_moved;
}

/* Some clients have waited for so long that they wait in vain. */
static void fail_stuck(void)
{
    for (int i = 0; i < CLIENTS; i++)
        if (is_busy(&net.clients[i]))
            life_fail("%.60s: no answer", text_string(&net.clients[i].text));
}

static void give_up(const char *what)
{
    printf("seed %" PRIu64 " failed: %s; %s\n", life.seed, what, life.failure);
    fflush(stdout);
    abort();
}

/* The server has no power: nothing that it still sends arrives. */
static void lose_power(void)
{
    net.is_down = true;
    for (int i = 0; i < CLIENTS; i++)
        if (net.clients[i].descriptor >= 0)
            connection_leave(&net.clients[i], CLIENT_LEFT);
    end_server();
}

void network_turns(void)
{
    if (disk_is_cut() && !net.is_down)
        lose_power();
    else if (++net.turns > TURNS_MOST) // it asks to be called again, without end
        give_up("the server spins");
}

void network_waits(void)
{
    net.turns = 0;
    if (net.is_ending) {
        if (++net.waits > STUCK)
            give_up("the server does not end");
        return;
    }
    bool has_moved = false;
    for (uint64_t i = 1 + disk_draw(4); i > 0 && !life.has_failed; i--)
        has_moved = step() || has_moved;
    net.quiet = has_moved ? 0 : net.quiet + 1;
    if (net.quiet > QUIET && !life.has_failed)
        end_round();
    if (++net.waits > STUCK)
        fail_stuck();
    if (life.has_failed && !net.is_ending)
        end_server();
}

/* --- A life --- */

static void leave_all(void)
{
    for (int i = 0; i < CLIENTS; i++) {
        connection_leave(&net.clients[i], CLIENT_LEFT);
        for (int j = 0; j < LISTENERS; j++)
            net.listeners[j].waiting_count = 0;
    }
}

static Server *open_server(void)
{
    Status status = {0};
    ServerSettings settings = server_defaults;
    settings.tls_port = net.has_tls ? 0 : -1;
    settings.userinfo_port = -1;
    settings.has_proxy = disk_draw(2) == 0;
    settings.storage_suffix = "core.windows.net";
    settings.streams_max = STREAMS_MAX;
    for (int i = 0; i < LISTENERS; i++)
        net.listeners[i].descriptor = -1;
    net.events = -1;
    Server *server = server_open(&settings, &status);
    const char *folder = life_folder("certificate");
    if (server == NULL || (net.has_tls && (!folder_create(folder, &status) ||
                                           !server_certify(server, folder, &status))))
        life_fail("server: %s", status.message);
    return server;
}

/* The server has lost its power, or its last writes: what do clients know? */
static void begin_again(bool is_cut)
{
    for (int i = 0; i < CLIENTS && !is_cut; i++)
        connection_drain(&net.clients[i]); // an answer that is on its way counts
    leave_all();
    disk_set((DiskFaults){0});
    life_restart(is_cut);
    if (!life.has_failed && life.emulator)
        judge();
    net.is_down = net.is_ending = false;
    if (++net.rounds < NET_ROUNDS && !life.has_failed)
        begin_round();
}

/* Serves until the server's end: of its power, its writes, or the life. A server that has lost its
 * writes continues on its listeners, as the program does; true if there is one to be closed. */
static bool serve(Server *server)
{
    Status status = {0};
    const ServerEnd end = server_run(server, emulator_handler(life.emulator), &status);
    const bool is_cut = disk_is_cut(), is_over = life.has_failed || net.rounds >= NET_ROUNDS;
    net.is_down = true;
    if (end == SERVER_FAILED || (end == SERVER_ENDED && !is_cut && !is_over))
        life_fail("the server ends: %s", status.message);
    if (end == SERVER_LOST_WRITES && life.kind != DISK_FAILS && !is_cut)
        life_fail("a commit has failed: %s", status.message);
    if (!life.has_failed && (is_cut || end == SERVER_LOST_WRITES))
        begin_again(is_cut);
    else if (!life.has_failed && disk_draw(8) == 0)
        life_rest();
    return is_cut || is_over;
}

void network_seed(uint64_t seed)
{
    net.random = seed;
}

void network_live(void)
{
    net.is_on = true;
    net.now_ns = NS_PER_S;
    net.rounds = 0;
    net.is_down = net.is_ending = false;
    net.has_tls = disk_draw(4) == 0;
    for (int i = 0; i < CLIENTS; i++)
        net.clients[i].descriptor = -1;
    leave_all();
    begin_round();
    while (net.rounds < NET_ROUNDS && !life.has_failed && life.emulator) {
        Server *server = open_server();
        while (net.rounds < NET_ROUNDS && !life.has_failed && life.emulator && !serve(server))
            ;
        server_close(server);
    }
    disk_set((DiskFaults){0});
    leave_all();
    for (int i = 0; i < CLIENTS; i++) {
        Client *client = &net.clients[i];
        text_free(&client->text);
        text_free(&client->out);
        text_free(&client->answer);
        *client = (Client){.descriptor = -1};
    }
    net.is_on = false;
}
