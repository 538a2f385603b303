/* emu/http/server.h with TLS, as libcurl and the clients that are built on it see it. */
#define _GNU_SOURCE // MAP_ANONYMOUS
#include <curl/curl.h>

#include "tests/emu/http/served.h"
#include "tests/support/suite.h"

/* --- A client --- */

typedef struct {
    CURL *curl;
    char body[1 << 16]; /* what fits */
    int64_t bytes;      /* received */
    bool is_pattern;
    char phrase[256];
} Client;

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    Client *client = context;
    const size_t length = size * count;
    for (size_t i = 0; i < length && client->is_pattern; i++)
        client->is_pattern = bytes[i] == pattern(client->bytes + (int64_t)i);
    if (client->bytes + (int64_t)length < (int64_t)sizeof client->body)
        memcpy(client->body + client->bytes, bytes, length);
    client->bytes += (int64_t)length;
    return length;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    Client *client = context;
    if (size * count > 13 && strncmp(bytes, "HTTP/1.1 ", 9) == 0)
        snprintf(client->phrase, sizeof client->phrase, "%.*s", (int)strcspn(bytes + 13, "\r\n"),
                 bytes + 13);
    return size * count;
}

static Client *client_open(void)
{
    Client *client = ARENA_NEW(arena, Client);
    client->curl = curl_easy_init();
    ck_assert_ptr_nonnull(client->curl);
    curl_easy_setopt(client->curl, CURLOPT_CAINFO, served.ca_path);
    curl_easy_setopt(client->curl, CURLOPT_PROXY, ""); // whatever the environment says
    curl_easy_setopt(client->curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(client->curl, CURLOPT_WRITEDATA, client);
    curl_easy_setopt(client->curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(client->curl, CURLOPT_HEADERDATA, client);
    curl_easy_setopt(client->curl, CURLOPT_TIMEOUT, 60L);
    return client;
}

static long ask(Client *client, const char *url)
{
    long status = 0;
    client->bytes = 0;
    memset(client->body, 0, sizeof client->body);
    client->is_pattern = true;
    curl_easy_setopt(client->curl, CURLOPT_URL, url);
    const CURLcode code = curl_easy_perform(client->curl);
    ck_assert_msg(code == CURLE_OK, "%s: %s", url, curl_easy_strerror(code));
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static long new_connections(const Client *client)
{
    long count = 0;
    curl_easy_getinfo(client->curl, CURLINFO_NUM_CONNECTS, &count);
    return count;
}

static const char *own_url(int port, const char *target)
{
    return arena_printf(arena, "https://127.0.0.1:%d%s", port, target);
}

/* --- Tests --- */

START_TEST(the_certificate_is_trusted_by_address_and_by_name)
{
    serve(&server_defaults);
    Client *client = client_open();
    ck_assert_int_eq(ask(client, own_url(served.tls, "/x")), 200);
    ck_assert_ptr_nonnull(strstr(client->body, "GET /x "));
    ck_assert_ptr_nonnull(strstr(client->body, "listener=0"));
    ck_assert_int_eq(ask(client, arena_printf(arena, "https://localhost:%d/", served.tls)), 200);
    ck_assert_int_eq(ask(client, own_url(served.userinfo, "/x")), 200);
    ck_assert_ptr_nonnull(strstr(client->body, "listener=2"));
    curl_easy_setopt(client->curl, CURLOPT_CAINFO, "/dev/null");
    curl_easy_setopt(client->curl, CURLOPT_FRESH_CONNECT, 1L);
    ck_assert_int_ne(curl_easy_perform(client->curl),
                     CURLE_OK); // and not by a client that does not trust the certificate
    curl_easy_cleanup(client->curl);
}
END_TEST

START_TEST(a_connection_is_kept)
{
    serve(&server_defaults);
    Client *client = client_open();
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(ask(client, own_url(served.tls, "/x")), 200);
        ck_assert_int_eq(new_connections(client), i == 0 ? 1 : 0);
    }
    curl_easy_cleanup(client->curl);
}
END_TEST

START_TEST(bodies_go_both_ways)
{
    enum { BYTES = 4 << 20 };
    static char body[BYTES];
    serve(&server_defaults);
    Client *client = client_open();
    memset(body, 1, sizeof body);
    curl_easy_setopt(client->curl, CURLOPT_POSTFIELDS, body); // asks with Expect: 100-continue
    curl_easy_setopt(client->curl, CURLOPT_POSTFIELDSIZE, (long)BYTES);
    ck_assert_int_eq(ask(client, own_url(served.tls, "/x")), 200);
    ck_assert_ptr_nonnull(strstr(client->body, "body=4194304 sum=4194304"));
    curl_easy_setopt(client->curl, CURLOPT_HTTPGET, 1L);
    ck_assert_int_eq(ask(client, own_url(served.tls, "/pattern?bytes=30000000")), 200);
    ck_assert_int_eq(client->bytes, 30000000);
    ck_assert(client->is_pattern);
    shared->drips_left = 2;
    ck_assert_int_eq(ask(client, own_url(served.tls, "/pattern?bytes=300000")), 200);
    ck_assert_int_eq(client->bytes, 300000);
    ck_assert(client->is_pattern);
    curl_easy_cleanup(client->curl);
}
END_TEST

START_TEST(many_connections_are_served_at_a_time)
{
    enum { CLIENTS = 16 };
    Client *clients[CLIENTS];
    serve(&server_defaults);
    CURLM *multi = curl_multi_init();
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = client_open();
        clients[i]->is_pattern = true;
        curl_easy_setopt(clients[i]->curl, CURLOPT_URL,
                         own_url(served.tls, i % 2 ? "/write" : "/pattern?bytes=100000"));
        curl_multi_add_handle(multi, clients[i]->curl);
    }
    for (int running = 1; running > 0;) {
        ck_assert_int_eq(curl_multi_perform(multi, &running), CURLM_OK);
        ck_assert_int_eq(curl_multi_poll(multi, NULL, 0, 1000, NULL), CURLM_OK);
    }
    for (int i = 0; i < CLIENTS; i++) {
        long status = 0;
        curl_easy_getinfo(clients[i]->curl, CURLINFO_RESPONSE_CODE, &status);
        ck_assert_int_eq(status, i % 2 ? 201 : 200);
        ck_assert(i % 2 || (clients[i]->is_pattern && clients[i]->bytes == 100000));
        curl_multi_remove_handle(multi, clients[i]->curl);
        curl_easy_cleanup(clients[i]->curl);
    }
    curl_multi_cleanup(multi);
    ck_assert_int_eq(shared->writes, CLIENTS / 2);
}
END_TEST

START_TEST(a_failed_head_has_its_phrase_and_the_next_request_a_new_connection)
{
    serve(&server_defaults);
    Client *client = client_open();
    curl_easy_setopt(client->curl, CURLOPT_NOBODY, 1L);
    ck_assert_int_eq(ask(client, own_url(served.tls, "/missing")), 404);
    ck_assert_str_eq(client->phrase, "The specified resource does not exist.");
    ck_assert_int_eq(ask(client, own_url(served.tls, "/file")), 200);
    ck_assert_int_eq(new_connections(client), 1);
    ck_assert_int_eq(ask(client, own_url(served.tls, "/file")), 200);
    ck_assert_int_eq(new_connections(client), 0);
    curl_easy_cleanup(client->curl);
}
END_TEST

static Client *client_by_proxy(void)
{
    Client *client = client_open();
    curl_easy_setopt(client->curl, CURLOPT_PROXY,
                     arena_printf(arena, "http://127.0.0.1:%d", served.plain));
    return client;
}

START_TEST(storage_hosts_are_reached_by_the_proxy)
{
    serve(&server_defaults);
    Client *client = client_by_proxy();
    ck_assert_int_eq(ask(client, "https://acct.file.core.windows.net/share/f?x=1"), 200);
    ck_assert_ptr_nonnull(strstr(client->body,
                                 "GET /share/f query=x=1 "
                                 "host=acct.file.core.windows.net peer=127.0.0.1 listener=0"));
    for (int i = 0; i < 10; i++) { // the tunnel stays
        ck_assert_int_eq(ask(client, "https://acct.file.core.windows.net/share/f"), 200);
        ck_assert_int_eq(new_connections(client), 0);
    }
    ck_assert_int_eq(ask(client, "https://other.blob.core.windows.net/pattern?bytes=3000000"), 200);
    ck_assert_int_eq(client->bytes, 3000000);
    ck_assert(client->is_pattern);
    // The JavaScript client of Batch AI reaches the Resource Manager through the proxy, too.
    curl_easy_setopt(client->curl, CURLOPT_NOPROXY, "");
    ck_assert_int_eq(ask(client, own_url(served.tls, "/x")), 200);
    ck_assert_ptr_nonnull(strstr(client->body, "listener=0"));
    ck_assert_int_eq(ask(client, own_url(served.userinfo, "/x")), 200);
    ck_assert_ptr_nonnull(strstr(client->body, "listener=2"));
    curl_easy_cleanup(client->curl);
}
END_TEST

START_TEST(the_proxy_goes_nowhere_else)
{
    long status = 0;
    serve(&server_defaults);
    Client *client = client_by_proxy();
    curl_easy_setopt(client->curl, CURLOPT_URL, "https://azure.microsoft.com/");
    ck_assert_int_eq(curl_easy_perform(client->curl), CURLE_RECV_ERROR);
    curl_easy_getinfo(client->curl, CURLINFO_HTTP_CONNECTCODE, &status);
    ck_assert_int_eq(status, 403);
    curl_easy_cleanup(client->curl);
    ck_assert_int_eq(shared->requests, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("server_curl");
    TCase *all = tcase_create("tls");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_certificate_is_trusted_by_address_and_by_name);
    tcase_add_test(all, a_connection_is_kept);
    tcase_add_test(all, bodies_go_both_ways);
    tcase_add_test(all, many_connections_are_served_at_a_time);
    tcase_add_test(all, a_failed_head_has_its_phrase_and_the_next_request_a_new_connection);
    tcase_add_test(all, storage_hosts_are_reached_by_the_proxy);
    tcase_add_test(all, the_proxy_goes_nowhere_else);
    suite_add_tcase(suite, all);
    return suite;
}
