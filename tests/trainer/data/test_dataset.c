#include "trainer/data/dataset.h"

#include <string.h>

#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "trainer/data/make_cifar.h"

enum { RECORD_BYTES = 3073 };

static Arena *arena;
static const char *folder;

static void setup(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void teardown(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

/* A file of `count` images, all bytes and labels `value`. */
static void put(const char *name, int count, uint8_t value)
{
    const size_t length = (size_t)count * RECORD_BYTES;
    uint8_t *bytes = arena_alloc(arena, length);
    memset(bytes, value, length);
    temporary_file_write(folder, name, bytes, length);
}

static void put_folder(const char *name)
{
    Status status;
    ck_assert(folder_create(arena_printf(arena, "%s/%s", folder, name), &status));
}

static void says(const Status *status, const char *file, const char *message, const char *hint)
{
    const char *path = *file ? arena_printf(arena, "%s/%s", folder, file) : folder;
    ck_assert_int_eq(status->code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status->at.source, path);
    ck_assert_msg(strstr(status->message, message) != NULL, "%s", status->message);
    ck_assert_msg(strstr(status->hint, hint) != NULL, "%s", status->hint);
}

static void not_read(const char *file, const char *message, const char *hint)
{
    Dataset dataset;
    Status status = {0};
    ck_assert_msg(!dataset_read(folder, arena, &dataset, &status), "%s", message);
    says(&status, file, message, hint);
}

/* Neither dataset_read nor dataset_count accepts the set. */
static void refused(const char *file, const char *message, const char *hint)
{
    int32_t train, test;
    Status status = {0};
    not_read(file, message, hint);
    ck_assert_msg(!dataset_count(folder, arena, &train, &test, &status), "%s", message);
    says(&status, file, message, hint);
}

START_TEST(files_follow_one_another)
{
    put("data_batch_1.bin", 2, 1);
    put("data_batch_2.bin", 2, 2);
    put("data_batch_3.bin", 2, 3);
    put("test_batch.bin", 5, 9);
    Dataset dataset;
    Status status = {0};
    ck_assert_msg(dataset_read(folder, arena, &dataset, &status), "%s", status.message);
    ck_assert_str_eq(dataset.folder, folder);
    ck_assert_str_eq(dataset.encoding, "binary");
    ck_assert_int_eq(dataset.train.count, 6);
    ck_assert_int_eq(dataset.test.count, 5);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(dataset.train.labels[i], 1 + i / 2);
        ck_assert_int_eq(dataset.train.images[i * IMAGE_BYTES], 1 + i / 2);
    }
    ck_assert_int_eq(dataset.test.labels[4], 9);
}
END_TEST

START_TEST(both_encodings_hold_the_same_set_and_are_found_where_they_are_published)
{
    Dataset sets[CIFAR_ENCODING_COUNT];
    Status status = {0};
    // The binary set is found after the pickles are removed.
    for (int encoding = CIFAR_PICKLE; encoding >= 0; encoding--) {
        const char *below = cifar_encoding_folder((CifarEncoding)encoding);
        const MakeCifar request = {.folder = arena_printf(arena, "%s/%s", folder, below),
                                   .encoding = (CifarEncoding)encoding,
                                   .seed = 3,
                                   .images_per_file = 20};
        ck_assert_msg(make_cifar(&request, arena, &status), "%s", status.message);
        ck_assert_msg(dataset_read(folder, arena, &sets[encoding], &status), "%s", status.message);
        ck_assert_str_eq(sets[encoding].folder, request.folder);
        ck_assert_str_eq(sets[encoding].encoding, cifar_encoding_name((CifarEncoding)encoding));
        int32_t train, test;
        ck_assert_msg(dataset_count(folder, arena, &train, &test, &status), "%s", status.message);
        ck_assert_int_eq(train, 100);
        ck_assert_int_eq(test, 20);
    }
    const Dataset *binary = &sets[CIFAR_BINARY];
    const Dataset *pickle = &sets[CIFAR_PICKLE];
    ck_assert_int_eq(binary->train.count, 100);
    ck_assert_int_eq(pickle->train.count, 100);
    ck_assert_int_eq(binary->test.count, 20);
    ck_assert_int_eq(pickle->test.count, 20);
    ck_assert_mem_eq(binary->train.images, pickle->train.images, 100 * IMAGE_BYTES);
    ck_assert_mem_eq(binary->train.labels, pickle->train.labels, 100);
    ck_assert_mem_eq(binary->test.images, pickle->test.images, 20 * IMAGE_BYTES);
    ck_assert_mem_eq(binary->test.labels, pickle->test.labels, 20);
}
END_TEST

START_TEST(the_binary_encoding_is_read_if_a_folder_has_both)
{
    put("data_batch_1", 1, 0); // not a pickle, but it is not read
    put("test_batch", 1, 0);
    put("data_batch_1.bin", 1, 4);
    put("test_batch.bin", 1, 4);
    Dataset dataset;
    Status status = {0};
    ck_assert(dataset_read(folder, arena, &dataset, &status));
    ck_assert_str_eq(dataset.encoding, "binary");
}
END_TEST

START_TEST(a_missing_set_gets_the_hint_how_to_make_one)
{
    refused("", "there is no CIFAR-10 set", arena_printf(arena, "trainyard make-cifar %s", folder));
    folder = arena_printf(arena, "%s/none", folder);
    refused("", "there is no CIFAR-10 set", "trainyard make-cifar");
    folder = arena_strndup(arena, folder, strlen(folder) - strlen("/none"));
}
END_TEST

START_TEST(missing_files_are_named)
{
    put("data_batch_1.bin", 1, 0);
    refused("test_batch.bin", "the file is missing, though there is", "without a gap");
    put("test_batch.bin", 1, 0);
    put("data_batch_3.bin", 1, 0);
    refused("data_batch_2.bin", "data_batch_3.bin\"", "without a gap");
    ck_assert_int_eq(remove(arena_printf(arena, "%s/data_batch_1.bin", folder)), 0);
    ck_assert_int_eq(remove(arena_printf(arena, "%s/data_batch_3.bin", folder)), 0);
    refused("data_batch_1.bin", "the file is missing, though there is", "without a gap");
}
END_TEST

START_TEST(files_that_are_broken_are_named)
{
    put("data_batch_1.bin", 2, 1);
    put("test_batch.bin", 2, 1);
    put("data_batch_2.bin", 1, 1);
    refused("data_batch_2.bin", "the file has 1 images, but data_batch_1 has 2", "");
    put("data_batch_2.bin", 3, 1);
    refused("data_batch_2.bin", "the file has 3 images, but data_batch_1 has 2", "");
    put("data_batch_2.bin", 2, 10);
    not_read("data_batch_2.bin", "the label at byte 0 is 10",
             ""); // dataset_count does not check labels
    temporary_file_write(folder, "data_batch_2.bin", "", 0);
    refused("data_batch_2.bin", "the file is empty", "");
    put("data_batch_2.bin", 2, 2);
    temporary_file_write(folder, "test_batch.bin", "short", 5);
    refused("test_batch.bin", "the record that begins at byte 0 ends after 5 bytes", "cut off");
}
END_TEST

START_TEST(a_folder_in_a_files_place_is_refused)
{
    put_folder("data_batch_1.bin");
    put("test_batch.bin", 1, 0);
    refused("data_batch_1.bin", "is a folder, expected a file", "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("dataset");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, files_follow_one_another);
    tcase_add_test(tests, both_encodings_hold_the_same_set_and_are_found_where_they_are_published);
    tcase_add_test(tests, the_binary_encoding_is_read_if_a_folder_has_both);
    tcase_add_test(tests, a_missing_set_gets_the_hint_how_to_make_one);
    tcase_add_test(tests, missing_files_are_named);
    tcase_add_test(tests, files_that_are_broken_are_named);
    tcase_add_test(tests, a_folder_in_a_files_place_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
