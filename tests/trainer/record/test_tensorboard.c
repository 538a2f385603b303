#include "trainer/record/tensorboard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static const double wall_s = 1531936139.5; // 2018-07-18T17:48:59.5Z
static Arena *arena;
static const char *folder;

static void begin(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

typedef struct {
    const uint8_t *data;
    size_t length;
} Bytes;

static Bytes bytes_of(const char *path)
{
    char *data;
    size_t length;
    Status status;
    ck_assert_msg(file_read(arena, path, 1 << 20, &data, &length, &status), "%s", status.message);
    return (Bytes){(const uint8_t *)data, length};
}

/* --- An independent reader: of record framing and of protocol buffers --- */

/* The same checksum by long division in plain bit order: message bits from the lowest of each byte
 * on, and the result reversed. */
static uint32_t slow_crc(const uint8_t *bytes, size_t length)
{
    uint32_t rest = UINT32_MAX, turned = 0;
    for (size_t i = 0; i < 8 * length; i++) {
        const uint32_t bit = (uint32_t)(bytes[i / 8] >> i % 8) & 1;
        const bool divides = (rest >> 31) != bit;
        rest = (rest << 1) ^ (divides ? 0x1edc6f41 : 0);
    }
    for (int i = 0; i < 32; i++)
        turned |= ((rest >> i) & 1) << (31 - i);
    return ~turned;
}

static uint64_t little_endian(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value * 256 + bytes[i];
    return value;
}

static void check_masked(const uint8_t *bytes, size_t length, const uint8_t *masked)
{
    // Unmasks like TensorFlow's reader: subtracts the constant and rotates back by 17 bits.
    const uint32_t turned = (uint32_t)little_endian(masked, 4) - 0xa282ead8u;
    ck_assert_uint_eq((turned >> 17) | (turned << 15), slow_crc(bytes, length));
}

/* Returns the message of the next record, and removes the record from `rest`. */
static Bytes next_record(Bytes *rest)
{
    ck_assert_uint_ge(rest->length, 16);
    const size_t length = (size_t)little_endian(rest->data, 8);
    check_masked(rest->data, 8, rest->data + 8);
    ck_assert_uint_ge(rest->length, length + 16);
    const Bytes message = {rest->data + 12, length};
    check_masked(message.data, length, message.data + length);
    *rest = (Bytes){rest->data + length + 16, rest->length - length - 16};
    return message;
}

static uint64_t next_varint(Bytes *rest)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        ck_assert(rest->length > 0 && shift < 64);
        const uint8_t byte = *rest->data++;
        rest->length--;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static Bytes next_bytes(Bytes *rest, size_t length)
{
    ck_assert_uint_ge(rest->length, length);
    const Bytes taken = {rest->data, length};
    *rest = (Bytes){rest->data + length, rest->length - length};
    return taken;
}

/* Fields that are messages: an event's summary and session log; a summary's value. */
static bool is_message(int depth, int field)
{
    return depth == 0 ? field == 5 || field == 7 : depth == 1 && field == 1;
}

/* Like "{1:1531936139.5 2:5 5:{1:{1:"loss" 2:1.5}}}". */
static void print_message(Bytes rest, int depth, Text *out)
{
    text_add(out, "{");
    for (bool is_first = true; rest.length > 0; is_first = false) {
        const uint64_t key = next_varint(&rest);
        const int field = (int)(key >> 3);
        text_printf(out, "%s%d:", is_first ? "" : " ", field);
        if ((key & 7) == 0) {
            text_printf(out, "%d", (int)next_varint(&rest));
        } else if ((key & 7) == 1) {
            const uint64_t bits = little_endian(next_bytes(&rest, 8).data, 8);
            double value;
            memcpy(&value, &bits, sizeof value);
            text_printf(out, "%.17g", value);
        } else if ((key & 7) == 5) {
            const uint32_t bits = (uint32_t)little_endian(next_bytes(&rest, 4).data, 4);
            float value;
            memcpy(&value, &bits, sizeof value);
            text_printf(out, "%.9g", (double)value);
        } else {
            ck_assert_uint_eq(key & 7, 2);
            const Bytes inner = next_bytes(&rest, (size_t)next_varint(&rest));
            if (is_message(depth, field))
                print_message(inner, depth + 1, out);
            else
                text_printf(out, "\"%.*s\"", (int)inner.length, (const char *)inner.data);
        }
    }
    text_add(out, "}");
}

static const char *all_events(const char *path)
{
    Text text = {0};
    for (Bytes rest = bytes_of(path); rest.length > 0;) {
        print_message(next_record(&rest), 0, &text);
        text_add(&text, "\n");
    }
    const char *result = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return result;
}

static TensorBoard *open_board(int64_t epochs)
{
    TensorBoard *board;
    Status status;
    ck_assert_msg(tensorboard_open(folder, "nc6-0", wall_s, epochs, arena, &board, &status), "%s",
                  status.message);
    return board;
}

/* --- Written files --- */

START_TEST(bytes_are_those_of_the_format)
{
    // Computed by a separate program (Python, with a table of 256 checksums): the version, and loss
    // 1.5 (0x3fc00000) at step 2. TensorFlow's files begin with the same twelve bytes.
    static const uint8_t version[] = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22"
                                     "\x09\x00\x00\xe0\x62\xdf\xd3\xd6\x41\x1a\x0d"
                                     "brain.Event:2"
                                     "\xc9\x41\x25\xe2";
    static const uint8_t loss[] =
        "\x1a\x00\x00\x00\x00\x00\x00\x00\x12\x9b\xd8\x2d"
        "\x09\x00\x00\xe0\x62\xdf\xd3\xd6\x41\x10\x02\x2a\x0d\x0a\x0b\x0a\x04"
        "loss"
        "\x15\x00\x00\xc0\x3f\x5c\x85\x8b\xd9";
    const size_t version_length = sizeof version - 1, loss_length = sizeof loss - 1;
    TensorBoard *board = open_board(0);
    const EpochRecord record = {.epoch = 3, .loss = 1.5};
    Status status;
    ck_assert(tensorboard_add(board, wall_s, &record, &status));
    const Bytes bytes = bytes_of(tensorboard_path(board));
    ck_assert_uint_gt(bytes.length, version_length + loss_length);
    ck_assert_mem_eq(bytes.data, version, version_length);
    ck_assert_mem_eq(bytes.data + version_length, loss, loss_length);
    tensorboard_close(board);
}
END_TEST

START_TEST(an_epoch_is_a_scalar_for_each_measure_and_readable_during_the_training)
{
    TensorBoard *board = open_board(0);
    EpochRecord record = {.epoch = 1,
                          .loss = 1.75,
                          .acc = 0.25,
                          .val_loss = 1.5,
                          .val_acc = 0.5,
                          .learning_rate = 0.0078125,
                          .seconds = 31,
                          .images_per_s = 1612.5};
    Status status;
    ck_assert(tensorboard_add(board, wall_s, &record, &status));
    record.epoch = 200; // a varint of two bytes
    record.val_loss = record.val_acc = NAN;
    ck_assert(tensorboard_add(board, wall_s + 0.5, &record, &status));
    // The file is not closed yet, but has all values.
    ck_assert_str_eq(all_events(tensorboard_path(board)),
                     "{1:1531936139.5 3:\"brain.Event:2\"}\n"
                     "{1:1531936139.5 5:{1:{1:\"loss\" 2:1.75}}}\n"
                     "{1:1531936139.5 5:{1:{1:\"acc\" 2:0.25}}}\n"
                     "{1:1531936139.5 5:{1:{1:\"val_loss\" 2:1.5}}}\n"
                     "{1:1531936139.5 5:{1:{1:\"val_acc\" 2:0.5}}}\n"
                     "{1:1531936139.5 5:{1:{1:\"lr\" 2:0.0078125}}}\n"
                     "{1:1531936139.5 5:{1:{1:\"images_per_s\" 2:1612.5}}}\n"
                     "{1:1531936140 2:199 5:{1:{1:\"loss\" 2:1.75}}}\n"
                     "{1:1531936140 2:199 5:{1:{1:\"acc\" 2:0.25}}}\n"
                     "{1:1531936140 2:199 5:{1:{1:\"lr\" 2:0.0078125}}}\n"
                     "{1:1531936140 2:199 5:{1:{1:\"images_per_s\" 2:1612.5}}}\n");
    tensorboard_close(board);
}
END_TEST

START_TEST(a_resumed_training_writes_the_step_after_which_earlier_files_do_not_count)
{
    TensorBoard *board = open_board(4);
    ck_assert_str_eq(all_events(tensorboard_path(board)), "{1:1531936139.5 3:\"brain.Event:2\"}\n"
                                                          "{1:1531936139.5 2:4 7:{1:1}}\n");
    tensorboard_close(board);
}
END_TEST

START_TEST(each_run_has_a_separate_file)
{
    TensorBoard *boards[3];
    for (int i = 0; i < 3; i++)
        boards[i] = open_board(0);
    ck_assert_str_eq(tensorboard_path(boards[0]),
                     arena_printf(arena, "%s/events.out.tfevents.1531936139.nc6-0", folder));
    ck_assert_str_eq(tensorboard_path(boards[1]),
                     arena_printf(arena, "%s.1", tensorboard_path(boards[0])));
    ck_assert_str_eq(tensorboard_path(boards[2]),
                     arena_printf(arena, "%s.2", tensorboard_path(boards[0])));
    for (int i = 0; i < 3; i++)
        tensorboard_close(boards[i]);
}
END_TEST

START_TEST(a_missing_folder_is_reported)
{
    TensorBoard *board;
    Status status;
    const char *missing = arena_printf(arena, "%s/missing", folder);
    ck_assert(!tensorboard_open(missing, "host", wall_s, 0, arena, &board, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.at.source, "events.out.tfevents.1531936139.host"));
    tensorboard_close(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tensorboard");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, bytes_are_those_of_the_format);
    tcase_add_test(tests, an_epoch_is_a_scalar_for_each_measure_and_readable_during_the_training);
    tcase_add_test(tests,
                   a_resumed_training_writes_the_step_after_which_earlier_files_do_not_count);
    tcase_add_test(tests, each_run_has_a_separate_file);
    tcase_add_test(tests, a_missing_folder_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}
