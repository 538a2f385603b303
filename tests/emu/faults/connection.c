/* Private to tests/emu/faults: a client's side of a simulated connection. */
#define _GNU_SOURCE // strcasestr
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "tests/emu/faults/disk.h"
#include "tests/emu/faults/network_parts.h"

enum { READ_MAX = 1 << 16 };

static size_t at_most(size_t wanted, size_t most)
{
    return wanted < most ? wanted : most;
}

/* Small pieces only at the beginning: all of a long answer would take longer than all others. */
static size_t piece_of(const Client *client, size_t done)
{
    enum { BEGINNING = 400, LARGE = 8000 };
    return 1 + (size_t)disk_draw(done < BEGINNING ? (uint64_t)client->piece_max : LARGE);
}

/* --- Life --- */

void connection_leave(Client *client, ClientState state)
{
    if (client->descriptor >= 0)
        close(client->descriptor);
    client->descriptor = -1;
    tls_client_close(client->tls);
    client->tls = NULL;
    if (client->talk == TALK_EVENTS && client->state == CLIENT_ACTIVE) {
        life_say("  a stream leaves after %zu bytes", client->received);
        net.streams_left++;
    }
    client->state = state;
}

void connection_begin(Client *client)
{
    const bool is_new = client->descriptor < 0;
    text_clear(&client->out);
    text_clear(&client->answer);
    client->sent = client->received = 0;
    client->has_ended_sending = false;
    client->state = is_new ? CLIENT_WAITING : CLIENT_ACTIVE;
    if (is_new)
        net.listeners[client->listener].waiting[net.listeners[client->listener].waiting_count++] =
            (int)(client - net.clients);
}

void connection_made(Client *client, int descriptor)
{
    client->descriptor = descriptor;
    client->state = CLIENT_ACTIVE;
    client->active_ns = net.now_ns;
    if (client->listener == OVER_TLS && client->talk != TALK_NOISE)
        client->tls = tls_client_open(&client->out);
}

/* --- Sending --- */

int connection_sent_count(const Client *client)
{
    int count = 0;
    while (count < client->script_count && client->script[count].wire_end > 0 &&
           client->script[count].wire_end <= client->sent)
        count++;
    return count;
}

/* Adds the requests whose turn it is to the bytes of the connection. */
static void put_requests(Client *client)
{
    size_t begin = 0;
    for (int i = 0; i < client->script_count; i++) {
        Script *request = &client->script[i];
        if (request->wire_end == 0 && (i <= client->answered || client->is_pipelined) &&
            (!client->tls || tls_client_is_ready(client->tls))) {
            const char *bytes = client->text.data + begin;
            if (client->tls)
                tls_client_send(client->tls, bytes, request->end - begin);
            else
                text_append(&client->out, bytes, request->end - begin);
            request->wire_end = client->out.length;
            if (client->tls && client->ends_sending && i == client->script_count - 1)
                tls_client_end_sending(client->tls);
        }
        begin = request->end;
    }
}

/* After its last request it says that nothing follows. */
static void end_sending(Client *client)
{
    if (!client->ends_sending || client->has_ended_sending || client->sent < client->out.length ||
        connection_sent_count(client) < client->script_count)
        return;
    shutdown(client->descriptor, SHUT_WR);
    client->has_ended_sending = true;
}

/* False if there is nothing to send. */
static bool send_piece(Client *client)
{
    put_requests(client);
    const size_t end = at_most(client->out.length, client->cut_sent);
    if (client->sent == end && client->sent < client->cut_sent)
        return false;
    const size_t length = at_most(end - client->sent, piece_of(client, client->sent));
    const ssize_t sent = length == 0 ? 0
                                     : send(client->descriptor, client->out.data + client->sent,
                                            length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) // EAGAIN; or the server has ended the connection, which reading shows
        return false;
    client->active_ns = net.now_ns;
    client->sent += (size_t)sent;
    if (client->sent >= client->cut_sent)
        connection_leave(client, CLIENT_LEFT);
    else
        end_sending(client);
    return true;
}

/* --- Reading --- */

/* Whether a connection of this kind may end before its answer is complete. */
static bool may_end(const Client *client)
{
    enum { SILENCE_S = 55 }; // the server cuts off who reads nothing for 60 s
    return client->talk == TALK_NOISE || net.is_down || net.is_ending ||
           net.now_ns - client->active_ns > SILENCE_S * NS_PER_S;
}

static void meet_end(Client *client)
{
    if (!may_end(client))
        life_fail("%.60s: the server has cut the connection%s, %d of %d answered, %zu bytes",
                  text_string(&client->text),
                  client->has_ended_sending ? " of a client that sends nothing more" : "",
                  client->answered, client->script_count, client->received);
    connection_leave(client, CLIENT_LEFT);
}

static void take_bytes(Client *client, const char *bytes, size_t length)
{
    client->received += length;
    client->active_ns = net.now_ns;
    if (!client->tls)
        text_append(&client->answer, bytes, length);
    else if (!tls_client_receive(client->tls, bytes, length, &client->answer))
        life_fail("%.60s: TLS has failed", text_string(&client->text));
    if (client->talk == TALK_REQUESTS)
        answers_take(client);
    else if (client->talk == TALK_EVENTS && stream_refused(client))
        connection_leave(client, CLIENT_LEFT);
}

/* False if there was nothing to read. */
static bool read_piece(Client *client)
{
    static char bytes[READ_MAX];
    const size_t room = client->cut_received - client->received;
    const size_t most = at_most(at_most(room, sizeof bytes), piece_of(client, client->received));
    const ssize_t got = most == 0 ? 0 : recv(client->descriptor, bytes, most, MSG_DONTWAIT);
    if (most == 0)
        connection_leave(client, CLIENT_LEFT);
    else if (got > 0)
        take_bytes(client, bytes, (size_t)got);
    else if (got == 0 || errno != EAGAIN)
        meet_end(client);
    else
        return false;
    return true;
}

bool connection_step(Client *client)
{
    const bool reads_first = client->is_pipelined && disk_draw(2) == 0;
    if (!reads_first && send_piece(client))
        return true;
    if (client->state != CLIENT_ACTIVE || (client->is_lazy && stream_has_begun(client)))
        return false;
    return read_piece(client) || (reads_first && send_piece(client));
}

void connection_drain(Client *client)
{
    while (client->state == CLIENT_ACTIVE && read_piece(client))
        ;
}

/* --- Answers --- */

bool answer_read(const Text *bytes, NetAnswer *answer)
{
    const char *head = text_string(bytes), *end = strstr(head, "\r\n\r\n");
    if (end == NULL)
        return false;
    const char *length = strcasestr(head, "\r\nContent-Length:");
    answer->status = strncmp(head, "HTTP/1.1 ", 9) == 0 ? (int32_t)strtol(head + 9, NULL, 10) : 0;
    answer->body = end + 4;
    answer->length = length != NULL && length < end ? strtoul(length + 17, NULL, 10) : 0;
    answer->whole = (size_t)(answer->body - head) + answer->length;
    return bytes->length >= answer->whole;
}

static void judge_answer(Client *client, const NetAnswer *answer)
{
    const Script *request = &client->script[client->answered];
    const char *text =
        client->text.data + (client->answered > 0 ? client->script[client->answered - 1].end : 0);
    life_say("  %.40s: %d with %zu bytes", text, answer->status, answer->length);
    if (answer->status >= 500 && (life.kind == DISK_FAILS || disk_is_cut())) {
        connection_leave(client, CLIENT_LEFT); // it has happened or not
        return;
    }
    if (answer->status < 200 || answer->status >= 300)
        life_fail("%.60s: status %d", text, answer->status);
    else if (request->is_read && clients_digest_of(answer->body, answer->length) != request->after)
        life_fail("%.60s: other bytes", text);
    client->answered++;
}

void answers_take(Client *client)
{
    NetAnswer answer;
    while (client->state == CLIENT_ACTIVE && client->answered < client->script_count &&
           answer_read(&client->answer, &answer)) {
        judge_answer(client, &answer);
        memmove(client->answer.data, client->answer.data + answer.whole,
                client->answer.length - answer.whole + 1);
        client->answer.length -= answer.whole;
    }
    if (client->state != CLIENT_ACTIVE || client->answered < client->script_count)
        return;
    if (client->answer.length > 0)
        life_fail("%.60s: %zu bytes after the last answer", text_string(&client->text),
                  client->answer.length);
    if (client->is_kept && !client->ends_sending)
        client->state = CLIENT_ANSWERED;
    else
        connection_leave(client, CLIENT_ANSWERED);
}
