#include "sim/cloud/storage/file_set.h"

#include <string.h>

#include "tests/support/suite.h"

static Arena *arena;
static FileSet *files;

static void begin(void)
{
    arena = arena_create();
    files = file_set_create(arena);
}

static void end(void)
{
    arena_destroy(arena);
}

static uint32_t put(uint32_t volume, const char *path, int64_t bytes)
{
    return file_set_put(files, &(StoredFile){.volume = volume, .path = path, .bytes = bytes});
}

START_TEST(a_file_is_found_by_its_normalized_name_on_its_volume_only)
{
    uint32_t file = put(3, "a//b/./c.txt", 7);
    ck_assert_uint_eq(file_set_find(files, 3, "a/b/c.txt"), file);
    ck_assert_uint_eq(file_set_find(files, 3, "./a/b//c.txt"), file);
    ck_assert_uint_eq(file_set_find(files, 4, "a/b/c.txt"), FILE_NONE);
    ck_assert_uint_eq(file_set_find(files, 3, "a/b/C.txt"), FILE_NONE);
    ck_assert_uint_eq(file_set_find(files, 3, "a/b"), FILE_NONE);
    ck_assert_int_eq(file_set_at(files, file)->bytes, 7);
}
END_TEST

START_TEST(a_directory_exists_while_it_contains_an_entry)
{
    ck_assert(file_set_has_directory(files, 3, ""));
    ck_assert(!file_set_has_directory(files, 3, "a"));
    put(3, "a/b/one", 1);
    put(3, "a/b/one", 2); // counts once
    put(3, "a/two", 1);
    ck_assert(file_set_has_directory(files, 3, "a") && file_set_has_directory(files, 3, "a/b/"));
    ck_assert(!file_set_has_directory(files, 3, "a/b/one"));
    ck_assert(!file_set_has_directory(files, 4, "a"));
    file_set_remove(files, 3, "a/b/one");
    file_set_remove(files, 3, "a/b/one");
    ck_assert(!file_set_has_directory(files, 3, "a/b"));
    ck_assert(file_set_has_directory(files, 3, "a"));
    file_set_remove(files, 3, "a/two");
    ck_assert(!file_set_has_directory(files, 3, "a"));
}
END_TEST

START_TEST(a_created_directory_exists_even_when_empty)
{
    file_set_make_directory(files, 3, "a/b");
    file_set_make_directory(files, 3, "a//b/");
    put(3, "a/b/c", 1);
    file_set_remove(files, 3, "a/b/c");
    ck_assert(file_set_has_directory(files, 3, "a/b") && file_set_has_directory(files, 3, "a"));
}
END_TEST

START_TEST(a_version_with_references_stays_unchanged)
{
    uint32_t first = put(3, "f", 1);
    ck_assert_uint_eq(put(3, "f", 2), first); // no reference exists, so the row is used again
    file_set_keep(files, first);
    uint32_t second = put(3, "f", 3);
    ck_assert_uint_ne(second, first);
    ck_assert_int_eq(file_set_at(files, first)->bytes, 2);
    ck_assert_uint_eq(file_set_find(files, 3, "f"), second);
    ck_assert(!file_set_at(files, second)->is_kept);
    file_set_remove(files, 3, "f");
    ck_assert_uint_eq(file_set_find(files, 3, "f"), FILE_NONE);
    ck_assert_int_eq(file_set_at(files, second)->bytes, 3);
}
END_TEST

START_TEST(each_disk_is_a_separate_volume)
{
    uint32_t one = file_set_new_disk(files), other = file_set_new_disk(files);
    ck_assert_uint_ne(one, other);
    put(one, "tmp/x", 1);
    ck_assert_uint_eq(file_set_find(files, other, "tmp/x"), FILE_NONE);
}
END_TEST

static void note_needed(void *sum, const StoredFile *file)
{
    *(int64_t *)sum += file->bytes;
}

/* Files that were kept, or that jobs have written, are needed; the others go with their volume. */
START_TEST(files_are_forgotten_with_their_volume)
{
    int64_t needed = 0;
    const uint32_t uploaded = file_set_put(
        files, &(StoredFile){.volume = 3, .path = "a/b", .bytes = 1, .job = {ID_NONE}});
    file_set_put(files, &(StoredFile){.volume = 4, .path = "a/b", .bytes = 2, .job = {ID_NONE}});
    file_set_put(files, &(StoredFile){.volume = 4, .path = "job", .bytes = 4, .job = {0}});
    file_set_keep(
        files, file_set_put(files, &(StoredFile){
                                       .volume = 5, .path = "kept", .bytes = 8, .job = {ID_NONE}}));
    file_set_each_needed(files, &needed, note_needed);
    ck_assert_int_eq(needed, 4 + 8);
    file_set_forget_volume(files, 3);
    ck_assert_uint_eq(file_set_find(files, 3, "a/b"), FILE_NONE);
    ck_assert(!file_set_has_directory(files, 3, "a"));
    ck_assert_ptr_null(file_set_at(files, uploaded));
    ck_assert_uint_ne(file_set_find(files, 4, "a/b"), FILE_NONE);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_set");
    TCase *cases = tcase_create("files");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, a_file_is_found_by_its_normalized_name_on_its_volume_only);
    tcase_add_test(cases, a_directory_exists_while_it_contains_an_entry);
    tcase_add_test(cases, a_created_directory_exists_even_when_empty);
    tcase_add_test(cases, a_version_with_references_stays_unchanged);
    tcase_add_test(cases, each_disk_is_a_separate_volume);
    tcase_add_test(cases, files_are_forgotten_with_their_volume);
    suite_add_tcase(suite, cases);
    return suite;
}
