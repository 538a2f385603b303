/* emu/files/store/extents.h: checksums of contents. A byte that changes on the disk is reported,
 * and never returned. */
#include "emu/files/store/extents.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "emu/files/store/shares.h"
#include "tests/emu/files_room.h"

static FilesRoom room;

/* The damage that the listener has received. */
static struct {
    int count;
    char file[64];
    FilesRange range;
} heard;

static void hear(void *owner, const char *file, FilesRange range)
{
    (void)owner;
    heard.count++;
    snprintf(heard.file, sizeof heard.file, "%s", file);
    heard.range = range;
}

static void listen_to_damage(void)
{
    memset(&heard, 0, sizeof heard);
    file_store_report_damage(room.files, (DamageListener){NULL, hear});
}

static void set_up(void)
{
    room = room_create();
    ck_files(files_share_create(room.files, the_share, 5120, NULL), OK);
    listen_to_damage();
}

static void tear_down(void)
{
    room_remove(&room);
}

static void settle(void)
{
    room_commit(&room);
    room_at(&room, room.now_ns);
}

static int64_t number_of(const char *sql)
{
    sqlite3_stmt *row;
    ck_assert_int_eq(sqlite3_prepare_v2(store_connection(room.store), sql, -1, &row, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    const int64_t number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return number;
}

/* Flips a bit of the stored byte `at` of the only file with an extent there. */
static void flip(int64_t at)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT blob * 1000000000 + position + %" PRId64 " - first FROM file_extent "
             "WHERE blob > 0 AND first <= %" PRId64 " AND first + length > %" PRId64,
             at, at, at);
    const int64_t place = number_of(sql);
    char byte;
    const int blob = open(
        arena_printf(room.arena, "%s/contents/%" PRId64, room.folder, place / 1000000000), O_RDWR);
    ck_assert_int_ge(blob, 0);
    ck_assert_int_eq(pread(blob, &byte, 1, place % 1000000000), 1);
    byte ^= 4;
    ck_assert_int_eq(pwrite(blob, &byte, 1, place % 1000000000), 1);
    close(blob);
}

static const char *letters(int64_t length)
{
    char *bytes = arena_alloc(room.arena, (size_t)length);
    for (int64_t i = 0; i < length; i++)
        bytes[i] = (char)('a' + i % 23);
    return bytes;
}

static void put(const char *path, int64_t length)
{
    ck_files(files_file_create(room.files, the_share, path, length, NULL, NULL), OK);
    ck_files(files_write(room.files, the_share, path, 0, length, letters(length)), OK);
    settle();
}

/* The failure of reading a range; FILES_OK if its bytes are `expected`. */
static FilesFailure read_range(const char *path, int64_t first, int64_t length,
                               const char *expected)
{
    FilesReader *reader;
    int64_t bytes;
    char *got = arena_alloc(room.arena, (size_t)length);
    ck_files(files_open(room.files, the_share, path, &reader, &bytes), OK);
    const int64_t count = files_read(reader, first, got, (size_t)length);
    const FilesFailure failure = files_reader_failure(reader);
    files_reader_close(reader);
    ck_assert_int_eq(count < 0, failure != FILES_OK);
    if (failure == FILES_OK)
        ck_assert_mem_eq(got, expected, (size_t)length);
    return failure;
}

START_TEST(a_bit_that_flips_is_found_in_its_unit_only)
{
    enum { LENGTH = 5 * SUM_UNIT + 100 };
    put("f", LENGTH);
    const char *all = letters(LENGTH);
    for (int64_t unit = 0; unit < 6; unit++) {
        const int64_t at = unit * SUM_UNIT + 99, last = unit < 5 ? (unit + 1) * SUM_UNIT : LENGTH;
        flip(at);
        ck_files(read_range("f", 0, LENGTH, all), DAMAGED);
        ck_assert_int_eq(heard.count, 1);
        ck_assert_str_eq(heard.file, "a/sss/f");
        ck_assert_int_eq(heard.range.first, unit * SUM_UNIT);
        ck_assert_int_eq(heard.range.last, last - 1);
        ck_files(read_range("f", unit * SUM_UNIT, 1, all), DAMAGED); // another byte of the unit
        if (unit > 0)
            ck_files(read_range("f", unit * SUM_UNIT - 8, 8, all + unit * SUM_UNIT - 8), OK);
        if (last < LENGTH)
            ck_files(read_range("f", last, LENGTH - last, all + last), OK);
        flip(at);
        ck_files(read_range("f", 0, LENGTH, all), OK);
        heard.count = 0;
    }
}
END_TEST

START_TEST(a_damaged_unit_is_not_divided_and_is_mended_by_writing_it)
{
    enum { LENGTH = 3 * SUM_UNIT };
    put("f", LENGTH);
    flip(SUM_UNIT + 5);
    // What is left of the unit would get a checksum of wrong bytes.
    ck_files(files_write(room.files, the_share, "f", SUM_UNIT + 100, 10, "0123456789"), DAMAGED);
    ck_files(files_change(room.files, the_share, "f", SUM_UNIT + 100, NULL, NULL, NULL), DAMAGED);
    ck_assert_int_eq(heard.count, 2);
    ck_assert_str_eq(heard.file, "a/sss/f");
    ck_files(read_range("f", 0, LENGTH, letters(LENGTH)), DAMAGED);
    // Other units may be written, and the whole unit may be.
    ck_files(files_write(room.files, the_share, "f", 7, 10, letters(17) + 7), OK);
    ck_files(files_write(room.files, the_share, "f", 10, LENGTH - 10, letters(LENGTH) + 10), OK);
    settle();
    ck_files(read_range("f", 0, LENGTH, letters(LENGTH)), OK);
    flip(9);
    ck_files(files_file_delete(room.files, the_share, "f"), OK);
}
END_TEST

START_TEST(copies_of_damaged_contents_are_damaged)
{
    put("f", SUM_UNIT);
    ck_files(files_copy(room.files, the_share, "f", the_share, "g", NULL), OK);
    settle();
    flip(1);
    ck_files(read_range("g", 0, 4, "abcd"), DAMAGED);
    ck_assert_str_eq(heard.file, "a/sss/g");
    ck_files(read_range("f", 0, 4, "abcd"), DAMAGED);
}
END_TEST

/* --- A model --- */

static uint64_t state;

static int64_t draw(int64_t count)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)count);
}

enum { MODEL_BYTES = 6 * SUM_UNIT };

/* One change of the file and of its model. */
static void change(char *model, int64_t *length)
{
    const int64_t first = draw(*length), most = draw(3) == 0 ? *length - first : 700;
    int64_t count = 1 + draw(most < *length - first ? most : *length - first);
    switch (draw(8)) {
    case 0:
        ck_files(files_write(room.files, the_share, "f", first, count, NULL), OK);
        memset(model + first, 0, (size_t)count);
        break;
    case 1:
        count = 1 + draw(MODEL_BYTES);
        ck_files(files_change(room.files, the_share, "f", count, NULL, NULL, NULL), OK);
        memset(model + count, 0, (size_t)(MODEL_BYTES - count));
        *length = count;
        break;
    case 2: // from here on the file shares its blob, then again not
        ck_files(files_copy(room.files, the_share, "f", the_share, "copy", NULL), OK);
        break;
    default:
        for (int64_t i = 0; i < count; i++)
            model[first + i] = (char)('A' + draw(26));
        ck_files(files_write(room.files, the_share, "f", first, count, model + first), OK);
    }
}

START_TEST(any_sequence_of_writes_keeps_checksums_right)
{
    static char model[MODEL_BYTES];
    for (uint64_t seed = 0; seed < 40; seed++) {
        int64_t length = MODEL_BYTES;
        state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
        memset(model, 0, sizeof model);
        ck_files(files_file_create(room.files, the_share, "f", MODEL_BYTES, NULL, NULL), OK);
        for (int i = 0; i < 60; i++) {
            change(model, &length);
            if (draw(3) == 0)
                settle();
            ck_assert_msg(read_range("f", 0, length, model) == FILES_OK, "seed %" PRIu64, seed);
        }
        ck_assert_int_eq(
            number_of("SELECT count(*) FROM file_extent WHERE blob > 0 AND sums IS NULL"), 0);
        ck_files(files_file_delete(room.files, the_share, "f"), OK);
    }
    ck_assert_int_eq(heard.count, 0);
}
END_TEST

/* --- Older folders --- */

START_TEST(contents_without_checksums_are_read_and_get_them_when_they_are_written)
{
    enum { LENGTH = 2 * SUM_UNIT };
    put("f", LENGTH);
    sqlite3_exec(store_connection(room.store), "UPDATE file_extent SET sums = NULL", NULL, NULL,
                 NULL);
    ck_files(read_range("f", 0, LENGTH, letters(LENGTH)), OK);
    ck_files(files_write(room.files, the_share, "f", 100, 50, letters(LENGTH) + 100), OK);
    settle();
    ck_files(read_range("f", 0, LENGTH, letters(LENGTH)), OK);
    flip(3); // was not written again: this is not noticed
    flip(120);
    ck_files(read_range("f", 0, 200, letters(LENGTH)), DAMAGED);
    ck_assert_int_eq(heard.range.first, 100);
    ck_assert_int_eq(heard.range.last, 149);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_store_extents");
    TCase *cases = tcase_create("checksums");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_bit_that_flips_is_found_in_its_unit_only);
    tcase_add_test(cases, a_damaged_unit_is_not_divided_and_is_mended_by_writing_it);
    tcase_add_test(cases, copies_of_damaged_contents_are_damaged);
    tcase_add_test(cases, any_sequence_of_writes_keeps_checksums_right);
    tcase_add_test(cases, contents_without_checksums_are_read_and_get_them_when_they_are_written);
    suite_add_tcase(suite, cases);
    return suite;
}
