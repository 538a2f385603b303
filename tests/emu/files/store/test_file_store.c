/* emu/files/store/file_store.h: what clients keep on shares. The world's files:
 * test_file_store_world.c. */
#include "emu/files/store/file_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "emu/files/store/shares.h"
#include "tests/emu/files_room.h"
#include "tests/support/full_disk.h"

static FilesRoom room;

static void set_up(void)
{
    room = room_create();
    ck_files(files_share_create(room.files, the_share, 5120, NULL), OK);
}

static void tear_down(void)
{
    room_remove(&room);
}

/* Bytes on disk of all contents, and how many blobs there are. */
static int64_t disk_bytes(int32_t *blobs)
{
    const char *path = arena_printf(room.arena, "%s/contents", room.folder);
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    int64_t bytes = 0;
    *blobs = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat about;
        if (*entry->d_name == '.')
            continue;
        ck_assert_int_eq(stat(arena_printf(room.arena, "%s/%s", path, entry->d_name), &about), 0);
        bytes += about.st_blocks * 512;
        (*blobs)++;
    }
    closedir(folder);
    return bytes;
}

static void settle(void)
{
    room_commit(&room);
    room_at(&room, room.now_ns);
}

/* The number of open descriptors of this process. */
static int32_t open_descriptors(void)
{
    int32_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* --- Shares --- */

START_TEST(shares_are_made_listed_and_deleted)
{
    static const char *const names[] = {"abc", "abd", "b-1", "b-2"};
    for (size_t i = 0; i < 4; i++)
        ck_files(files_share_create(
                     room.files, (ShareName){.account = "b", .share = names[i], .snapshot = NULL},
                     10 + (int)i, "{\"k\":\"v\"}"),
                 OK);
    ck_files(files_share_create(room.files,
                                (ShareName){.account = "b", .share = "abc", .snapshot = NULL}, 1,
                                NULL),
             SHARE_EXISTS);
    ck_files(files_share_create(
                 room.files, (ShareName){.account = "b", .share = "A", .snapshot = NULL}, 1, NULL),
             BAD_NAME);
    int32_t count;
    bool more;
    FilesEntry *shares = files_shares(room.files, room.arena, "b", "", "", 3, false, &count, &more);
    ck_assert_int_eq(count, 3);
    ck_assert(more);
    ck_assert_str_eq(shares[2].name, "b-1");
    ck_assert_int_eq(shares[2].quota_gib, 12);
    ck_assert_str_eq(shares[2].metadata, "{\"k\":\"v\"}");
    shares = files_shares(room.files, room.arena, "b", "", "b-1", 3, false, &count, &more);
    ck_assert_int_eq(count, 1);
    ck_assert(!more);
    ck_assert_str_eq(shares[0].name, "b-2");
    files_shares(room.files, room.arena, "b", "ab", "", 5, false, &count, &more);
    ck_assert_int_eq(count, 2);
    ck_files(files_share_delete(
                 room.files, (ShareName){.account = "b", .share = "abc", .snapshot = NULL}, false),
             OK);
    ck_files(files_share_delete(
                 room.files, (ShareName){.account = "b", .share = "abc", .snapshot = NULL}, false),
             NO_SHARE);
    ck_files(files_account_delete(room.files, "b"), OK);
    files_shares(room.files, room.arena, "b", "", "", 5, false, &count, &more);
    ck_assert_int_eq(count, 0);
    files_shares(room.files, room.arena, "a", "", "", 5, false, &count, &more);
    ck_assert_int_eq(count, 1);
}
END_TEST

START_TEST(a_share_that_changes_has_another_etag_and_the_lease_alone_leaves_it)
{
    FilesEntry before = room_look(&room, the_share, "");
    ck_assert_int_eq(before.kind, FILES_SHARE);
    ck_files(files_change(room.files, the_share, "", -1, NULL, NULL, "{\"id\":1}"), OK);
    FilesEntry leased = room_look(&room, the_share, "");
    ck_assert_uint_eq(leased.etag, before.etag);
    ck_assert_str_eq(leased.lease, "{\"id\":1}");
    room_at(&room, NS_PER_S);
    ck_files(files_share_change(room.files, the_share, 7, "{}"), OK);
    FilesEntry after = room_look(&room, the_share, "");
    ck_assert_uint_ne(after.etag, before.etag);
    ck_assert_int_eq(after.quota_gib, 7);
    ck_assert_int_eq(after.created_ticks, before.created_ticks);
    ck_assert_int_eq(after.changed_ticks - before.changed_ticks, 10000000); // 1 s
}
END_TEST

START_TEST(a_snapshot_stays_as_the_share_was)
{
    ck_files(files_directory_create(room.files, the_share, "d", NULL), OK);
    room_put(&room, "d/f", "before");
    char first[40], second[40];
    ck_files(files_share_snapshot(room.files, the_share, NULL, first), OK);
    ck_files(files_share_snapshot(room.files, the_share, "{\"n\":\"2\"}", second), OK);
    ck_assert_str_eq(first, "2018-07-18T17:45:00.0000000Z");
    ck_assert_str_eq(second, "2018-07-18T17:45:00.0000001Z");
    ck_files(files_write(room.files, the_share, "d/f", 0, 3, "AFT"), OK);
    ck_files(files_file_create(room.files, the_share, "d/g", 0, NULL, NULL), OK);
    ShareName snapshot = {"a", "sss", first, false};
    ck_assert_str_eq(room_text(&room, snapshot, "d/f"), "before");
    ck_assert_str_eq(room_text(&room, the_share, "d/f"), "AFTore");
    ck_assert_str_eq(room_names(&room, snapshot, "d"), "f");
    ck_files(files_share_delete(room.files, the_share, false), HAS_SNAPSHOTS);
    int32_t count;
    bool more;
    FilesEntry *shares = files_shares(room.files, room.arena, "a", "", "", 3, true, &count, &more);
    ck_assert_int_eq(count, 3);
    ck_assert(!more);
    ck_assert_str_eq(shares[0].snapshot, second);
    ck_assert_str_eq(shares[0].metadata, "{\"n\":\"2\"}");
    ck_assert_str_eq(shares[2].snapshot, "");
    const char *marker = arena_printf(room.arena, "sss/%s", second);
    shares = files_shares(room.files, room.arena, "a", "", marker, 1, true, &count, &more);
    ck_assert_int_eq(count, 1);
    ck_assert(more);
    ck_assert_str_eq(shares[0].snapshot, first);
    files_shares(room.files, room.arena, "a", "", "sss", 1, true, &count, &more);
    ck_assert_int_eq(count, 0);
    ck_files(files_copy(room.files, snapshot, "d/f", the_share, "d/f", NULL), OK);
    ck_assert_str_eq(room_text(&room, the_share, "d/f"), "before");
    ck_files(files_share_delete(room.files, snapshot, false), OK);
    ck_files(files_look(room.files, room.arena, snapshot, "d/f", &shares[0]), NO_SHARE);
    ck_files(files_share_delete(room.files, the_share, true), OK);
    settle();
    int32_t blobs;
    ck_assert_int_eq(disk_bytes(&blobs), 0);
    ck_assert_int_eq(blobs, 0);
}
END_TEST

START_TEST(a_share_has_up_to_200_snapshots)
{
    char snapshot[40];
    for (int i = 0; i < 200; i++)
        ck_files(files_share_snapshot(room.files, the_share, NULL, snapshot), OK);
    ck_files(files_share_snapshot(room.files, the_share, NULL, snapshot), MANY_SNAPSHOTS);
    int32_t count;
    bool more;
    const FilesEntry *shares =
        files_shares(room.files, room.arena, "a", "", "", 1, true, &count, &more);
    const ShareName newest = {"a", "sss", shares[0].snapshot, false};
    ck_files(files_share_delete(room.files, newest, false), OK);
    ck_files(files_share_snapshot(room.files, the_share, NULL, snapshot), OK);
}
END_TEST

/* --- Entries --- */

START_TEST(entries_are_found_without_case_and_keep_their_letters)
{
    ck_files(files_directory_create(room.files, the_share, "Cifar", NULL), OK);
    room_put(&room, "cifar/Script.py", "1");
    ck_files(files_directory_create(room.files, the_share, "CIFAR", NULL), EXISTS);
    FilesEntry entry = room_look(&room, the_share, "CIFAR/SCRIPT.PY");
    ck_assert_str_eq(entry.name, "Script.py");
    ck_assert_int_eq(entry.parent_id, room_look(&room, the_share, "cifar").id);
    ck_assert_int_eq(entry.bytes, 1);
    room_put(&room, "CIFAR/script.PY", "22");
    ck_assert_str_eq(room_names(&room, the_share, "cifar"), "Script.py"); // as SMB replaces a file
    ck_files(files_file_delete(room.files, the_share, "CIFAR/script.PY"), OK);
    room_put(&room, "CIFAR/script.PY", "22");
    ck_assert_str_eq(room_names(&room, the_share, "cifar"), "script.PY");
}
END_TEST

START_TEST(an_impossible_command_is_refused_and_changes_nothing)
{
    ck_files(files_directory_create(room.files, the_share, "d", NULL), OK);
    room_put(&room, "d/f", "text");
    settle();
    FilesEntry entry;
    ShareName other = {"a", "other", NULL, false};
    ck_files(files_look(room.files, room.arena, other, "d", &entry), NO_SHARE);
    ck_files(files_look(room.files, room.arena, the_share, "d/x", &entry), NO_RESOURCE);
    ck_files(files_look(room.files, room.arena, the_share, "x/y", &entry), NO_PARENT);
    ck_files(files_look(room.files, room.arena, the_share, "d/f/g", &entry), NO_PARENT);
    ck_files(files_look(room.files, room.arena, the_share, "../a", &entry), BAD_NAME);
    ck_files(files_file_create(room.files, the_share, "x/y", 1, NULL, NULL), NO_PARENT);
    ck_files(files_file_create(room.files, the_share, "d", 1, NULL, NULL), OTHER_KIND);
    ck_files(files_file_create(room.files, the_share, "d/g", (INT64_C(4) << 40) + 1, NULL, NULL),
             TOO_LARGE);
    ck_files(files_file_create(room.files, the_share, "d/..", 1, NULL, NULL), BAD_NAME);
    ck_files(files_directory_create(room.files, the_share, "d/f", NULL), EXISTS);
    ck_files(files_directory_create(room.files, the_share, "", NULL), EXISTS);
    ck_files(files_directory_delete(room.files, the_share, "d"), NOT_EMPTY);
    ck_files(files_directory_delete(room.files, the_share, "d/f"), OTHER_KIND);
    ck_files(files_directory_delete(room.files, the_share, ""), BAD_NAME);
    ck_files(files_file_delete(room.files, the_share, "d"), OTHER_KIND);
    ck_files(files_file_delete(room.files, the_share, "d/g"), NO_RESOURCE);
    ck_files(files_write(room.files, the_share, "d/f", 2, 3, "abc"), BAD_RANGE);
    ck_files(files_write(room.files, the_share, "d/f", -1, 3, "abc"), BAD_RANGE);
    ck_files(files_write(room.files, the_share, "d/f", INT64_MAX, 1, "a"), BAD_RANGE);
    ck_files(files_change(room.files, the_share, "d", 3, NULL, NULL, NULL), OTHER_KIND);
    ck_files(files_rename(room.files, the_share, "d", "d/f/g", true), NO_PARENT);
    ck_files(files_rename(room.files, the_share, "d", "d/e", true), BAD_NAME);
    ck_files(files_rename(room.files, the_share, "d/g", "e", true), NO_RESOURCE);
    FilesReader *reader;
    int64_t bytes;
    ck_files(files_open(room.files, the_share, "d", &reader, &bytes), OTHER_KIND);
    ck_assert_str_eq(room_names(&room, the_share, ""), "d/");
    ck_assert_str_eq(room_names(&room, the_share, "d"), "f");
    ck_assert_str_eq(room_text(&room, the_share, "d/f"), "text");
}
END_TEST

START_TEST(a_listing_goes_by_name_with_prefix_and_marker)
{
    static const char *const names[] = {"b2", "B1", "a", "C", "b10", "\xc3\xbc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        room_put(&room, names[i], "");
    ck_files(files_directory_create(room.files, the_share, "b0", NULL), OK);
    ck_assert_str_eq(room_names(&room, the_share, ""), "a b0/ B1 b10 b2 C \xc3\xbc");
    FilesEntry *entries;
    int32_t count;
    bool more;
    ck_files(files_list(room.files, room.arena, the_share, "", "B", "", 2, &entries, &count, &more),
             OK);
    ck_assert_int_eq(count, 2);
    ck_assert(more);
    ck_assert_str_eq(entries[1].name, "B1");
    ck_files(
        files_list(room.files, room.arena, the_share, "", "B", "b1", 2, &entries, &count, &more),
        OK);
    ck_assert_int_eq(count, 2);
    ck_assert(!more);
    ck_assert_str_eq(entries[0].name, "b10");
}
END_TEST

START_TEST(every_change_has_another_etag)
{
    room_put(&room, "f", "1234");
    uint64_t etag = room_look(&room, the_share, "f").etag;
    for (int i = 0; i < 6; i++) {
        FilesFailure failure =
            i == 0   ? files_write(room.files, the_share, "f", 0, 1, "a")
            : i == 1 ? files_write(room.files, the_share, "f", 0, 1, NULL)
            : i == 2 ? files_change(room.files, the_share, "f", 9, NULL, NULL, NULL)
            : i == 3 ? files_change(room.files, the_share, "f", -1, "{\"p\":1}", NULL, NULL)
            : i == 4 ? files_change(room.files, the_share, "f", -1, NULL, "{\"m\":1}", NULL)
                     : files_file_create(room.files, the_share, "f", 3, NULL, NULL);
        ck_assert_int_eq(failure, FILES_OK);
        uint64_t next = room_look(&room, the_share, "f").etag;
        ck_assert_uint_ne(next, etag);
        etag = next;
    }
    ck_files(files_change(room.files, the_share, "f", -1, NULL, NULL, "{}"), OK);
    ck_assert_uint_eq(room_look(&room, the_share, "f").etag, etag);
    // Nor does one come back with a file that was deleted, or after a restart.
    ck_files(files_file_delete(room.files, the_share, "f"), OK);
    room_commit(&room);
    room_end(&room);
    room_begin(&room);
    room_put(&room, "f", "");
    ck_assert_uint_gt(room_look(&room, the_share, "f").etag, etag);
}
END_TEST

START_TEST(a_renamed_directory_takes_all_in_it_along)
{
    ck_files(files_directory_create(room.files, the_share, "a", "{\"k\":\"v\"}"), OK);
    ck_files(files_directory_create(room.files, the_share, "a/b", NULL), OK);
    ck_files(files_directory_create(room.files, the_share, "c", NULL), OK);
    room_put(&room, "a/b/f", "text");
    ck_files(files_rename(room.files, the_share, "a", "c", false), EXISTS);
    ck_files(files_rename(room.files, the_share, "a", "c/Z", false), OK);
    ck_files(files_rename(room.files, the_share, "c/Z", "c/z", false), OK); // other letters
    ck_assert_str_eq(room_names(&room, the_share, ""), "c/");
    ck_assert_str_eq(room_names(&room, the_share, "c"), "z/");
    ck_assert_str_eq(room_text(&room, the_share, "c/z/b/f"), "text");
    ck_assert_str_eq(room_look(&room, the_share, "c/z").metadata, "{\"k\":\"v\"}");
    room_put(&room, "g", "other");
    ck_files(files_rename(room.files, the_share, "g", "c/z/b/f", false), EXISTS);
    ck_files(files_rename(room.files, the_share, "g", "c/z/b", true), OTHER_KIND);
    ck_files(files_rename(room.files, the_share, "g", "c/z/b/f", true), OK);
    ck_assert_str_eq(room_text(&room, the_share, "c/z/b/f"), "other");
    settle();
    int32_t blobs;
    disk_bytes(&blobs);
    ck_assert_int_eq(blobs, 1);
}
END_TEST

START_TEST(a_copy_shares_its_bytes_until_one_is_written)
{
    room_put(&room, "f", "0123456789");
    ck_files(files_change(room.files, the_share, "f", -1, "{\"content-type\":\"x\"}",
                          "{\"a\":\"b\"}", NULL),
             OK);
    ck_files(files_copy(room.files, the_share, "f", the_share, "g", NULL), OK);
    ck_files(files_copy(room.files, the_share, "f", the_share, "h", "{}"), OK);
    ck_files(files_copy(room.files, the_share, "f", the_share, "f", NULL), OK); // onto itself
    settle();
    int32_t blobs;
    disk_bytes(&blobs);
    ck_assert_int_eq(blobs, 1);
    ck_files(files_write(room.files, the_share, "g", 4, 2, "xx"), OK);
    ck_files(files_file_delete(room.files, the_share, "f"), OK);
    settle();
    ck_assert_str_eq(room_text(&room, the_share, "g"), "0123xx6789");
    ck_assert_str_eq(room_text(&room, the_share, "h"), "0123456789");
    FilesEntry copy = room_look(&room, the_share, "g");
    ck_assert_str_eq(copy.properties, "{\"content-type\":\"x\"}");
    ck_assert_str_eq(copy.metadata, "{\"a\":\"b\"}");
    ck_assert_str_eq(room_look(&room, the_share, "h").metadata, "{}");
    ck_files(files_file_delete(room.files, the_share, "g"), OK);
    ck_files(files_file_delete(room.files, the_share, "h"), OK);
    settle();
    ck_assert_int_eq(disk_bytes(&blobs), 0);
    ck_assert_int_eq(blobs, 0);
}
END_TEST

/* --- Contents --- */

static const char *ranges_of(const char *path, int64_t first, int64_t last)
{
    FilesRange *ranges;
    int32_t count;
    ck_files(files_ranges(room.files, room.arena, the_share, path, FILES_WRITTEN, first, last,
                          &ranges, &count),
             OK);
    const char *text = "";
    for (int32_t i = 0; i < count; i++)
        text = arena_printf(room.arena, "%s%s%d-%d", text, i > 0 ? " " : "", (int)ranges[i].first,
                            (int)ranges[i].last);
    return text;
}

START_TEST(ranges_are_written_cleared_and_cut)
{
    enum { BYTES = 5000 };
    char expected[BYTES] = {0}, text[BYTES];
    memset(text, 'a', sizeof text);
    ck_files(files_file_create(room.files, the_share, "f", BYTES, NULL, NULL), OK);
    ck_assert_str_eq(ranges_of("f", 0, INT64_MAX), "");
    ck_files(files_write(room.files, the_share, "f", 510, 10, text), OK);
    ck_files(files_write(room.files, the_share, "f", 520, 600, text), OK); // joined
    ck_files(files_write(room.files, the_share, "f", 4000, 10, text), OK);
    memset(expected + 510, 'a', 610);
    memset(expected + 4000, 'a', 10);
    ck_assert_str_eq(ranges_of("f", 0, INT64_MAX), "0-1535 3584-4095");
    ck_assert_str_eq(ranges_of("f", 1530, 3600), "1530-1535 3584-3600");
    ck_assert_str_eq(ranges_of("f", 1536, 3583), "");
    // Clearing removes the page from 512 on and writes zeros to the parts of the neighbouring pages
    // in the range.
    ck_files(files_write(room.files, the_share, "f", 511, 514, NULL), OK);
    memset(expected + 511, 0, 514);
    ck_assert_str_eq(ranges_of("f", 0, INT64_MAX), "0-511 1024-1535 3584-4095");
    ck_files(files_change(room.files, the_share, "f", 4001, NULL, NULL, NULL), OK);
    ck_assert_str_eq(ranges_of("f", 3584, INT64_MAX), "3584-4000");
    ck_files(files_change(room.files, the_share, "f", BYTES, NULL, NULL, NULL), OK);
    memset(expected + 4001, 0, 9);
    ck_assert_str_eq(ranges_of("f", 0, INT64_MAX), "0-511 1024-1535 3584-4095");
    int64_t length;
    ck_assert_mem_eq(room_read(&room, the_share, "f", &length), expected, BYTES);
    ck_assert_int_eq(length, BYTES);
}
END_TEST

START_TEST(a_cleared_file_has_no_blob_and_is_cleared_after_a_restart)
{
    FilesRange *cleared;
    int32_t count, blobs;
    ck_files(files_file_create(room.files, the_share, "f", 4096, NULL, NULL), OK);
    ck_files(files_write(room.files, the_share, "f", 512, 512, NULL), OK);
    ck_files(files_write(room.files, the_share, "f", 1024, 1024, NULL), OK);
    room_commit(&room);
    room_end(&room);
    room_begin(&room);
    ck_files(files_ranges(room.files, room.arena, the_share, "f", FILES_CLEARED, 0, INT64_MAX,
                          &cleared, &count),
             OK);
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(cleared[0].first, 512);
    ck_assert_int_eq(cleared[0].last, 2047);
    ck_assert_str_eq(ranges_of("f", 0, INT64_MAX), "");
    disk_bytes(&blobs);
    ck_assert_int_eq(blobs, 0);
    ck_files(files_file_delete(room.files, the_share, "f"), OK);
    settle();
}
END_TEST

START_TEST(a_sequential_upload_is_one_extent)
{
    enum { PIECE = 1 << 16, PIECES = 20 };
    static char piece[PIECE];
    ck_files(files_file_create(room.files, the_share, "f", PIECE * PIECES, NULL, NULL), OK);
    for (int i = 0; i < PIECES; i++) {
        memset(piece, 'a' + i, PIECE);
        ck_files(files_write(room.files, the_share, "f", i * PIECE, PIECE, piece), OK);
    }
    sqlite3_stmt *row;
    sqlite3_prepare_v2(store_connection(room.store), "SELECT count(*) FROM file_extent", -1, &row,
                       NULL);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    ck_assert_int_eq(sqlite3_column_int(row, 0), 1);
    sqlite3_finalize(row);
}
END_TEST

START_TEST(zeros_use_no_disk_and_overwritten_space_is_freed)
{
    enum { MEGABYTE = 1 << 20 };
    static char piece[MEGABYTE];
    int64_t terabyte = INT64_C(1) << 40;
    ck_files(files_file_create(room.files, the_share, "f", terabyte, NULL, NULL), OK);
    memset(piece, 'x', sizeof piece);
    for (int i = 0; i < 20; i++) {
        ck_files(files_write(room.files, the_share, "f", terabyte - MEGABYTE, MEGABYTE, piece), OK);
        settle();
    }
    int32_t blobs;
    ck_assert_int_lt(disk_bytes(&blobs), 3 * MEGABYTE); // 20 MB were written
    FilesReader *reader;
    int64_t bytes;
    ck_files(files_open(room.files, the_share, "f", &reader, &bytes), OK);
    ck_assert_int_eq(bytes, terabyte);
    char end[8];
    ck_assert_int_eq(files_read(reader, terabyte - MEGABYTE - 4, end, 8), 8);
    ck_assert_mem_eq(end, "\0\0\0\0xxxx", 8);
    ck_assert_int_eq(files_read(reader, terabyte - 4, end, 8), 4);
    ck_assert_int_eq(files_read(reader, terabyte, end, 8), 0);
    files_reader_close(reader);
}
END_TEST

START_TEST(blobs_that_were_read_stay_open_until_they_are_removed)
{
    enum { FILES = 50, READERS = 2 }; // more than stay open
    FilesReader *readers[FILES][READERS];
    int64_t bytes;
    char got[8] = "";
    settle();
    const int32_t before = open_descriptors();
    for (int i = 0; i < FILES; i++)
        room_put(&room, arena_printf(room.arena, "f%d", i), arena_printf(room.arena, "%04d", i));
    settle();
    for (int i = 0; i < FILES; i++)
        ck_assert_str_eq(room_text(&room, the_share, arena_printf(room.arena, "f%d", i)),
                         arena_printf(room.arena, "%04d", i));
    const int32_t kept = open_descriptors() - before;
    ck_assert_int_gt(kept, 0);
    ck_assert_int_lt(kept, FILES);
    for (int j = 0; j < READERS; j++)
        for (int i = 0; i < FILES; i++)
            ck_files(files_open(room.files, the_share, arena_printf(room.arena, "f%d", i),
                                &readers[i][j], &bytes),
                     OK);
    for (int i = 0; i < FILES; i++)
        ck_files(files_file_delete(room.files, the_share, arena_printf(room.arena, "f%d", i)), OK);
    settle();
    int32_t blobs;
    disk_bytes(&blobs);
    ck_assert_int_eq(blobs, 0);
    for (int j = 0; j < READERS; j++) // one goes while the other still reads
        for (int i = 0; i < FILES; i++) {
            ck_assert_int_eq(files_read(readers[i][j], 0, got, 4), 4);
            ck_assert_str_eq(got, arena_printf(room.arena, "%04d", i));
            files_reader_close(readers[i][j]);
        }
    ck_assert_int_eq(open_descriptors(), before);
}
END_TEST

START_TEST(a_reader_sees_the_file_as_it_was_opened)
{
    enum { LENGTH = 100000 };
    char *old = arena_alloc(room.arena, LENGTH), *got = arena_alloc(room.arena, LENGTH);
    char *new = arena_alloc(room.arena, LENGTH);
    memset(old, 'o', LENGTH);
    memset(new, 'n', LENGTH);
    ck_files(files_file_create(room.files, the_share, "f", LENGTH, NULL, NULL), OK);
    ck_files(files_write(room.files, the_share, "f", 0, LENGTH, old), OK);
    settle();
    FilesReader *reader;
    int64_t bytes;
    ck_files(files_open(room.files, the_share, "f", &reader, &bytes), OK);
    ck_files(files_write(room.files, the_share, "f", 0, LENGTH, new), OK);
    settle();
    ck_assert_int_eq(files_read(reader, 0, got, LENGTH), LENGTH);
    ck_assert_mem_eq(got, old, LENGTH);
    ck_files(files_file_delete(room.files, the_share, "f"), OK);
    settle();
    ck_assert_int_eq(files_read(reader, 0, got, LENGTH), LENGTH);
    ck_assert_mem_eq(got, old, LENGTH);
    files_reader_close(reader);
    settle();
    int32_t blobs;
    disk_bytes(&blobs);
    ck_assert_int_eq(blobs, 0);
}
END_TEST

/* --- Disk --- */

START_TEST(exactly_the_committed_operations_exist_after_a_restart)
{
    room_put(&room, "kept", "committed");
    room_commit(&room);
    room_put(&room, "lost", "not committed");
    ck_files(files_write(room.files, the_share, "kept", 0, 4, "LOST"), OK);
    sqlite3_exec(store_connection(room.store), "ROLLBACK", NULL, NULL, NULL);
    room_end(&room);
    const char *contents = arena_printf(room.arena, "%s/contents", room.folder);
    temporary_file_write(contents, "unnamed", "x", 1); // as crashes leave them
    temporary_file_write(contents, "123456", "x", 1);
    room_begin(&room);
    ck_assert_str_eq(room_names(&room, the_share, ""), "kept");
    ck_assert_str_eq(room_text(&room, the_share, "kept"), "committed");
    int32_t blobs;
    disk_bytes(&blobs);
    ck_assert_int_eq(blobs, 1);
}
END_TEST

START_TEST(a_full_disk_is_said_and_leaves_everything_as_it_was)
{
    enum { MEGABYTE = 1 << 20 };
    static char piece[4 * MEGABYTE];
    memset(piece, 'x', sizeof piece);
    room_put(&room, "f", "text");
    ck_files(files_file_create(room.files, the_share, "large", sizeof piece, NULL, NULL), OK);
    ck_files(files_write(room.files, the_share, "large", 0, MEGABYTE, piece), OK);
    settle();
    uint64_t etag = room_look(&room, the_share, "large").etag;
    disk_full_begin(2 * MEGABYTE);
    FilesFailure failure = files_write(room.files, the_share, "large", 0, sizeof piece, piece);
    disk_full_end();
    ck_files(failure, NO_SPACE);
    settle();
    ck_assert_uint_eq(room_look(&room, the_share, "large").etag, etag);
    ck_assert_str_eq(ranges_of("large", 0, INT64_MAX), "0-1048575");
    int32_t blobs;
    ck_assert_int_le(disk_bytes(&blobs), MEGABYTE + 3 * 4096);
    ck_files(files_write(room.files, the_share, "large", 0, sizeof piece, piece), OK);
    ck_assert_str_eq(room_text(&room, the_share, "f"), "text");
    settle();
}
END_TEST

START_TEST(the_database_itself_may_find_the_disk_full)
{
    room_put(&room, "f", "text");
    settle();
    sqlite3_exec(store_connection(room.store), "PRAGMA max_page_count = 1", NULL, NULL, NULL);
    FilesFailure failure = FILES_OK;
    for (int i = 0; i < 2000 && failure == FILES_OK; i++)
        failure = files_directory_create(room.files, the_share,
                                         arena_printf(room.arena, "directory-%d", i), NULL);
    ck_files(failure, NO_SPACE);
    Status status = {0};
    (void)!store_commit(room.store, &status);
    room_end(&room);
    room_begin(&room);
    ck_assert_str_eq(room_text(&room, the_share, "f"), "text");
}
END_TEST

START_TEST(overwritten_content_is_restored_if_the_commit_fails)
{
    room_put(&room, "f", "before");
    settle();
    ck_files(files_write(room.files, the_share, "f", 0, 6, "after!"), OK);
    Status status = {0};
    disk_full_begin(1);
    const bool is_kept = store_commit(room.store, &status);
    disk_full_end();
    ck_assert(!is_kept);
    room_at(&room, room.now_ns);
    room_end(&room);
    room_begin(&room);
    ck_assert_str_eq(room_text(&room, the_share, "f"), "before");
}
END_TEST

START_TEST(the_bytes_of_a_share_are_those_of_its_files)
{
    room_put(&room, "f", "1234");
    ck_files(files_file_create(room.files, the_share, "g", 1000, NULL, NULL), OK);
    ck_assert_int_eq(files_share_bytes(room.files, the_share), 1004);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_store");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, shares_are_made_listed_and_deleted);
    tcase_add_test(tests, a_share_that_changes_has_another_etag_and_the_lease_alone_leaves_it);
    tcase_add_test(tests, a_snapshot_stays_as_the_share_was);
    tcase_add_test(tests, a_share_has_up_to_200_snapshots);
    tcase_add_test(tests, entries_are_found_without_case_and_keep_their_letters);
    tcase_add_test(tests, an_impossible_command_is_refused_and_changes_nothing);
    tcase_add_test(tests, a_listing_goes_by_name_with_prefix_and_marker);
    tcase_add_test(tests, every_change_has_another_etag);
    tcase_add_test(tests, a_renamed_directory_takes_all_in_it_along);
    tcase_add_test(tests, a_copy_shares_its_bytes_until_one_is_written);
    tcase_add_test(tests, ranges_are_written_cleared_and_cut);
    tcase_add_test(tests, a_cleared_file_has_no_blob_and_is_cleared_after_a_restart);
    tcase_add_test(tests, a_sequential_upload_is_one_extent);
    tcase_add_test(tests, zeros_use_no_disk_and_overwritten_space_is_freed);
    tcase_add_test(tests, blobs_that_were_read_stay_open_until_they_are_removed);
    tcase_add_test(tests, a_reader_sees_the_file_as_it_was_opened);
    tcase_add_test(tests, exactly_the_committed_operations_exist_after_a_restart);
    tcase_add_test(tests, a_full_disk_is_said_and_leaves_everything_as_it_was);
    tcase_add_test(tests, the_database_itself_may_find_the_disk_full);
    tcase_add_test(tests, overwritten_content_is_restored_if_the_commit_fails);
    tcase_add_test(tests, the_bytes_of_a_share_are_those_of_its_files);
    suite_add_tcase(suite, tests);
    return suite;
}
