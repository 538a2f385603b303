/* Private to tests/emu/faults: clients of event streams. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emu/faults/disk.h"
#include "tests/emu/faults/network_parts.h"

void stream_begin(Client *client)
{
    client->talk = TALK_EVENTS;
    const uint64_t last = events_last(life.emulator->control.events);
    const uint64_t choices[] = {0, last, disk_draw(last + 1)};
    client->since = choices[disk_draw(3)];
    client->script_count = 1;
    client->answered = 0;
    text_clear(&client->text);
    if (disk_draw(2) == 0)
        text_printf(&client->text,
                    "GET /trainyard/events?since=%" PRIu64
                    " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
                    client->since);
    else
        text_printf(&client->text,
                    "GET /trainyard/events HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"
                    "Last-Event-ID: %" PRIu64 "\r\n\r\n",
                    client->since);
    client->script[0] = (Script){.end = client->text.length};
    connection_begin(client);
}

/* Streams of the other clients that the server may still serve. */
static int others(const Client *client)
{
    int count = net.streams_left;
    for (int i = 0; i < CLIENTS; i++)
        count += &net.clients[i] != client && net.clients[i].talk == TALK_EVENTS &&
                 net.clients[i].state == CLIENT_ACTIVE;
    return count;
}

bool stream_has_begun(const Client *client)
{
    return begins_with(text_string(&client->answer), "HTTP/1.1 200") &&
           strstr(client->answer.data, "\r\n\r\n");
}

bool stream_refused(Client *client)
{
    NetAnswer answer;
    if (stream_has_begun(client) || !answer_read(&client->answer, &answer))
        return false;
    if (!(answer.status == 507 && life.kind == DISK_FAILS) &&
        (answer.status != 503 || others(client) < STREAMS_MAX))
        life_fail("%.60s: status %d with %d other streams", text_string(&client->text),
                  answer.status, others(client));
    life_say("  a stream is refused");
    return true;
}

/* The bytes of the chunks that have arrived, the last one perhaps in part. */
static void read_chunks(const Client *client, Text *to)
{
    const char *at = strstr(text_string(&client->answer), "\r\n\r\n");
    const char *end = client->answer.data + client->answer.length;
    for (at = at ? at + 4 : end; at < end;) {
        char *bytes;
        const size_t length = strtoul(at, &bytes, 16);
        if (end - bytes < 2 || length == 0)
            return;
        bytes += 2;
        const size_t left = (size_t)(end - bytes);
        text_append(to, bytes, length < left ? length : left);
        if (left < length + 2)
            return;
        at = bytes + length + 2;
    }
}

/* Drops comments, which show that the server is there; the last one may have arrived in part. */
static void drop_heartbeats(Text *text)
{
    static const char comment[] = ":\n\n";
    size_t kept = 0;
    for (size_t i = 0; i < text->length;) {
        const size_t left = text->length - i, length = sizeof comment - 1;
        const bool begins =
            kept < 2 || (text->data[kept - 1] == '\n' && text->data[kept - 2] == '\n');
        if (begins && memcmp(text->data + i, comment, left < length ? left : length) == 0)
            i += length;
        else
            text->data[kept++] = text->data[i++];
    }
    text->length = kept;
}

void stream_judge(const Client *client, bool is_whole)
{
    Text got = {0}, happened = {0};
    if (client->script_count == 0 || client->answer.length == 0)
        return;
    read_chunks(client, &got);
    drop_heartbeats(&got);
    events_print(life.emulator->control.events, client->since, SIZE_MAX, &happened);
    life_say("  events after %" PRIu64 ": %zu of %zu bytes", client->since, got.length,
             happened.length);
    if (got.length > happened.length ||
        (got.length > 0 && memcmp(got.data, happened.data, got.length) != 0))
        life_fail("a stream after event %" PRIu64 " has sent what did not happen: %.300s",
                  client->since, text_string(&got));
    else if (is_whole && got.length < happened.length)
        life_fail("a stream after event %" PRIu64 " has sent %zu of %zu bytes", client->since,
                  got.length, happened.length);
    text_free(&got);
    text_free(&happened);
}
