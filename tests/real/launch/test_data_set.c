#define _XOPEN_SOURCE 700 // utimensat, pwrite
#include "real/launch/data_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "trainer/data/make_cifar.h"

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

static void put_set(const char *where, CifarEncoding encoding, int32_t images_per_file)
{
    Status status;
    const MakeCifar what = {
        .folder = where, .encoding = encoding, .seed = 3, .images_per_file = images_per_file};
    ck_assert_msg(make_cifar(&what, arena, &status), "%s", status.message);
}

/* Overwrites the beginning of the file, whose size does not change. */
static void spoil(const char *path)
{
    const int file = open(path, O_WRONLY);
    ck_assert_int_eq(pwrite(file, "spoilt", 6, 0), 6);
    close(file);
}

static void set_time(const char *path, struct timespec modified)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, modified};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(a_set_that_was_counted_is_not_read_again_before_it_changes)
{
    DataSetCounted last = {0};
    DataSamples samples;
    Status status;
    struct stat before;
    put_set(folder, CIFAR_PICKLE, 20);
    const char *path = cifar_file_path(arena, folder, CIFAR_PICKLE, CIFAR_TEST_FILE);
    ck_assert(data_set_count(arena, folder, &last, &samples, &status));
    ck_assert_int_eq(samples.train, 100);
    ck_assert_int_eq(stat(path, &before), 0);
    spoil(path);
    set_time(path, before.st_mtim);
    samples = (DataSamples){0};
    ck_assert(data_set_count(arena, folder, &last, &samples, &status));
    ck_assert_int_eq(samples.train, 100);
    ck_assert_int_eq(samples.test, 20);
    before.st_mtim.tv_sec++;
    set_time(path, before.st_mtim);
    ck_assert(!data_set_count(arena, folder, &last, &samples, &status));
    ck_assert_str_eq(status.at.source, path);
}
END_TEST

START_TEST(another_set_is_counted_anew)
{
    DataSetCounted last = {0};
    DataSamples samples;
    Status status;
    const char *other = arena_printf(arena, "%s/other", folder);
    put_set(folder, CIFAR_PICKLE, 20);
    put_set(other, CIFAR_BINARY, 30);
    ck_assert(data_set_count(arena, folder, &last, &samples, &status));
    ck_assert(data_set_count(arena, other, &last, &samples, &status));
    ck_assert_int_eq(samples.train, 150);
    ck_assert_int_eq(samples.test, 30);
    ck_assert(data_set_count(arena, "/nowhere", &last, &samples, &status));
    ck_assert_int_eq(samples.train, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("data_set");
    TCase *tests = tcase_create("data_set");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_set_that_was_counted_is_not_read_again_before_it_changes);
    tcase_add_test(tests, another_set_is_counted_anew);
    suite_add_tcase(suite, tests);
    return suite;
}
