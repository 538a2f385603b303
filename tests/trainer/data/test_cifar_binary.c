#include <string.h>

#include "tests/support/suite.h"
#include "trainer/data/dataset.h"

enum { RECORD_BYTES = 3073, CAPACITY = 3 };

typedef struct {
    uint8_t images[CAPACITY * IMAGE_BYTES], labels[CAPACITY];
} Room;

static ImageSet set_in(Room *room)
{
    return (ImageSet){.images = room->images, .labels = room->labels};
}

START_TEST(planes_become_pixels)
{
    static uint8_t file[2 * RECORD_BYTES];
    static Room room;
    for (int i = 0; i < IMAGE_BYTES; i++)
        file[1 + i] = (uint8_t)(i * 7 + i / 256);
    file[0] = 9;
    file[RECORD_BYTES] = 4;
    ImageSet set = set_in(&room);
    Status status;
    ck_assert(cifar_binary_read("f", file, sizeof file, CAPACITY, &set, &status));
    ck_assert_int_eq(set.count, 2);
    ck_assert_int_eq(set.labels[0], 9);
    ck_assert_int_eq(set.labels[1], 4);
    for (int y = 0; y < 32; y++) {
        for (int x = 0; x < 32; x++) {
            for (int channel = 0; channel < 3; channel++)
                ck_assert_int_eq(set.images[(y * 32 + x) * 3 + channel],
                                 file[1 + channel * 1024 + y * 32 + x]);
        }
    }
}
END_TEST

START_TEST(a_second_file_is_appended_to_the_first)
{
    static uint8_t file[RECORD_BYTES];
    static Room room;
    ImageSet set = set_in(&room);
    Status status;
    for (int i = 0; i < CAPACITY; i++) {
        memset(file, 100 + i, sizeof file);
        file[0] = (uint8_t)i;
        ck_assert(cifar_binary_read("f", file, sizeof file, CAPACITY, &set, &status));
        ck_assert_int_eq(set.count, i + 1);
    }
    for (int i = 0; i < CAPACITY; i++) {
        ck_assert_int_eq(set.labels[i], i);
        ck_assert_int_eq(set.images[i * IMAGE_BYTES], 100 + i);
        ck_assert_int_eq(set.images[(i + 1) * IMAGE_BYTES - 1], 100 + i);
    }
}
END_TEST

static const struct {
    size_t length;
    size_t wrong_at; /* place of a label of 10; 0: none */
    const char *message;
} broken[] = {
    {0, 0, "the file is empty, expected records of 3073 bytes"},
    {1, 0, "the record that begins at byte 0 ends after 1 byte, expected 3073"},
    {RECORD_BYTES - 1, 0, "the record that begins at byte 0 ends after 3072 bytes, expected 3073"},
    {2 * RECORD_BYTES + 5, 0, "the record that begins at byte 6146 ends after 5 bytes, expected"},
    {4 * RECORD_BYTES, 0, "the file has 4 images, expected at most 3"},
    {3 * RECORD_BYTES, 6146, "the label at byte 6146 is 10, expected 0 to 9"},
};

START_TEST(broken_files_are_refused_with_the_place_and_change_nothing)
{
    static uint8_t file[4 * RECORD_BYTES];
    static Room room;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        memset(file, 0, sizeof file);
        if (broken[i].wrong_at > 0)
            file[broken[i].wrong_at] = 10;
        ImageSet set = set_in(&room);
        Status status = {0};
        ck_assert(!cifar_binary_read("a.bin", file, broken[i].length, CAPACITY, &set, &status));
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.at.source, "a.bin");
        ck_assert_msg(strstr(status.message, broken[i].message) != NULL, "%s", status.message);
        ck_assert_int_eq(set.count, 0);
    }
}
END_TEST

START_TEST(cifar_100_is_recognised)
{
    enum { LENGTH = 5 * (RECORD_BYTES + 1) };
    static uint8_t file[LENGTH];
    static Room room;
    ImageSet set = set_in(&room);
    Status status = {0};
    ck_assert(!cifar_binary_read("a.bin", file, LENGTH, CAPACITY, &set, &status));
    ck_assert_ptr_nonnull(strstr(status.hint, "CIFAR-100"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cifar_binary");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, planes_become_pixels);
    tcase_add_test(tests, a_second_file_is_appended_to_the_first);
    tcase_add_test(tests, broken_files_are_refused_with_the_place_and_change_nothing);
    tcase_add_test(tests, cifar_100_is_recognised);
    suite_add_tcase(suite, tests);
    return suite;
}
