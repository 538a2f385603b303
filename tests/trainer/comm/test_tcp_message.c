#include "trainer/comm/tcp_message.h"

#include <string.h>

#include "tests/support/suite.h"
#include "trainer/comm/tcp_meeting.h"

START_TEST(a_header_is_read_as_it_was_written)
{
    const TcpHeader written = {
        .kind = TCP_SUM, .rank = 3, .number = INT64_C(0x0102030405060708), .bytes = 5003432};
    // Magic; version 1, kind 5, both of two bytes; rank; zeros; number and bytes, lowest first.
    const uint8_t expected[TCP_HEADER_BYTES] = {'T', 'Y', 'R',  'D',  1,    0, 5, 0, 3, 0, 0,
                                                0,   0,   0,    0,    0,    8, 7, 6, 5, 4, 3,
                                                2,   1,   0xa8, 0x58, 0x4c, 0, 0, 0, 0, 0};
    uint8_t bytes[TCP_HEADER_BYTES];
    TcpHeader read;
    tcp_header_write(&written, bytes);
    ck_assert_mem_eq(bytes, expected, sizeof bytes);
    ck_assert(tcp_header_read(bytes, &read));
    ck_assert(read.kind == written.kind && read.rank == written.rank &&
              read.number == written.number && read.bytes == written.bytes);
}
END_TEST

START_TEST(a_header_of_anybody_else_is_refused)
{
    static const struct {
        int at;
        uint8_t value;
    } changes[] = {
        {0, 't'},             // another magic
        {4, 2},               // a later version
        {6, TCP_KIND_COUNT},  // a kind that there is none of
        {7, 1},               // the same, in the upper byte
        {9, RANKS_MAX / 256}, // a rank beyond all
        {13, 1},              // what must be 0
        {23, 0x80},           // a negative number
        {31, 0x80},           // a negative length
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        uint8_t bytes[TCP_HEADER_BYTES];
        TcpHeader read;
        tcp_header_write(&(TcpHeader){.kind = TCP_MIN, .rank = 1}, bytes);
        bytes[changes[i].at] = changes[i].value;
        ck_assert_msg(!tcp_header_read(bytes, &read), "row %zu", i);
    }
}
END_TEST

static TcpHello good_hello(void)
{
    return (TcpHello){.run = "8f14e45f",
                      .rank = 2,
                      .ranks = 4,
                      .local_rank = 0,
                      .local_ranks = 2,
                      .host = "node7",
                      .cores = {{5, 1}}};
}

START_TEST(a_hello_is_read_as_it_was_written)
{
    const TcpHello written = good_hello();
    uint8_t bytes[TCP_HELLO_BYTES];
    TcpHello read;
    char reason[TCP_REFUSAL_MAX + 1];
    tcp_hello_write(&written, bytes);
    ck_assert(tcp_hello_read(bytes, &read));
    ck_assert_str_eq(read.run, "8f14e45f");
    ck_assert_str_eq(read.host, "node7");
    ck_assert(read.rank == 2 && read.ranks == 4 && read.local_rank == 0 && read.local_ranks == 2);
    ck_assert_int_eq(cores_count(&read.cores), 3);
    ck_assert(tcp_hello_fits(&read, 4, reason));
}
END_TEST

START_TEST(a_hello_that_cannot_be_is_refused)
{
    enum { ORDER = TCP_HEADER_BYTES, RANKS = ORDER + 4, LOCAL = RANKS + 4, RUN = LOCAL + 8 };
    static const struct {
        int at;
        uint8_t value;
    } changes[] = {
        {6, TCP_READY},          // no hello
        {24, 1},                 // of another length
        {8, 4},                  // rank 4 of 4
        {ORDER, 9},              // a machine of another byte order
        {RANKS + 3, 0x80},       // no such number of ranks
        {RANKS, 1},              // fewer than on its machine
        {LOCAL, 2},              // place 2 of 2 on its machine
        {RUN + RUN_WORD_MAX, 1}, // a word without an end
        {RUN + 20, 'x'},         // something behind the end
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const TcpHello good = good_hello();
        uint8_t bytes[TCP_HELLO_BYTES];
        TcpHello read;
        tcp_hello_write(&good, bytes);
        bytes[changes[i].at] = changes[i].value;
        ck_assert_msg(!tcp_hello_read(bytes, &read), "row %zu", i);
    }
}
END_TEST

START_TEST(a_hello_of_a_run_of_another_size_gets_a_reason)
{
    TcpHello hello = good_hello();
    char reason[TCP_REFUSAL_MAX + 1] = "";
    ck_assert(!tcp_hello_fits(&hello, 8, reason));
    ck_assert_str_eq(reason, "rank 2 was told of 4 ranks, rank 0 of 8");
    hello.rank = 0;
    ck_assert(!tcp_hello_fits(&hello, 4, reason));
    ck_assert_str_eq(reason, "there are two ranks 0");
}
END_TEST

START_TEST(addresses_are_host_and_port)
{
    static const struct {
        const char *meeting, *host; // NULL: refused
        int32_t port;
    } rows[] = {
        {"node7:4000", "node7", 4000},
        {"10.0.0.4:1", "10.0.0.4", 1},
        {"[::1]:65535", "::1", 65535},
        {"a-b.c:80", "a-b.c", 80},
        {"node7", NULL, 0},
        {"node7:", NULL, 0},
        {":4000", NULL, 0},
        {"node7:0", NULL, 0},
        {"node7:65536", NULL, 0},
        {"node7:4000x", NULL, 0},
        {"::1:4000", NULL, 0},
        {"no de:4000", NULL, 0},
        {"node7:-1", NULL, 0},
        {"[]:4000", NULL, 0},
        {"", NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TcpAddress address;
        Status status = {0};
        const bool is_taken = tcp_address_parse(rows[i].meeting, &address, &status);
        ck_assert_msg(is_taken == (rows[i].host != NULL), "row %zu", i);
        if (is_taken) {
            ck_assert_str_eq(address.host, rows[i].host);
            ck_assert_int_eq(address.port, rows[i].port);
        } else {
            ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
            ck_assert_ptr_nonnull(strstr(status.message, "expected \"host:port\""));
        }
    }
    ck_assert_str_eq(tcp_meeting_path("file:/tmp/x"), "/tmp/x");
    ck_assert_ptr_null(tcp_meeting_path("files:1"));
}
END_TEST

START_TEST(a_meetings_file_is_of_one_run)
{
    static const struct {
        const char *text;
        TcpFile expected;
    } rows[] = {
        {"trainyard meeting 1\nrun r\nhost h\nport 7\n", TCP_FILE_GOOD},
        {"trainyard meeting 1\nrun other\nhost h\nport 7\n", TCP_FILE_OF_ANOTHER_RUN},
        {"trainyard meeting 1\nrun rr\nhost h\nport 7\n", TCP_FILE_OF_ANOTHER_RUN},
        {"trainyard meeting 2\nrun r\nhost h\nport 7\n", TCP_FILE_UNREADABLE},
        {"trainyard meeting 1\nrun r\nhost h\nport 7", TCP_FILE_UNREADABLE}, // cut off
        {"trainyard meeting 1\nrun r\nhost h\n", TCP_FILE_UNREADABLE},
        {"trainyard meeting 1\nrun r\nhost h\nport 7\nmore\n", TCP_FILE_UNREADABLE},
        {"trainyard meeting 1\nrun r\nhost a b\nport 7\n", TCP_FILE_UNREADABLE},
        {"trainyard meeting 1\nrun r\nhost h\nport 70000\n", TCP_FILE_UNREADABLE},
        {"", TCP_FILE_UNREADABLE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TcpAddress address;
        ck_assert_msg(tcp_meeting_parse(rows[i].text, strlen(rows[i].text), "r", &address) ==
                          rows[i].expected,
                      "row %zu", i);
    }
    Text text = {0};
    TcpAddress address = {.host = "::1", .port = 40113}, read;
    tcp_meeting_print(&address, "r", &text);
    ck_assert(tcp_meeting_parse(text.data, text.length, "r", &read) == TCP_FILE_GOOD);
    ck_assert_str_eq(read.host, "::1");
    ck_assert_int_eq(read.port, 40113);
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tcp message");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_header_is_read_as_it_was_written);
    tcase_add_test(tests, a_header_of_anybody_else_is_refused);
    tcase_add_test(tests, a_hello_is_read_as_it_was_written);
    tcase_add_test(tests, a_hello_that_cannot_be_is_refused);
    tcase_add_test(tests, a_hello_of_a_run_of_another_size_gets_a_reason);
    tcase_add_test(tests, addresses_are_host_and_port);
    tcase_add_test(tests, a_meetings_file_is_of_one_run);
    suite_add_tcase(suite, tests);
    return suite;
}
