/* emu/http/certificate.h */
#include <check.h>
#include <string.h>
#include <sys/stat.h>

#include "emu/http/certificate.h"
#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

enum { DAY_S = 86400 };

static Arena *arena;
static const char *folder;
static const int64_t now_s = INT64_C(1800000000);
static const CertificateNames names = {
    .count = 4, .items = {"127.0.0.1", "::1", "localhost", "*.file.core.windows.net"}};

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static Certificate open_at(int64_t at_s, const CertificateNames *with)
{
    Certificate certificate;
    Status status = {0};
    ck_assert_msg(certificate_open(arena, folder, with, at_s, &certificate, &status), "%s",
                  status.message);
    return certificate;
}

START_TEST(it_is_made_once)
{
    const Certificate first = open_at(now_s, &names), second = open_at(now_s + DAY_S, &names);
    ck_assert_str_eq(first.certificate_pem, second.certificate_pem);
    ck_assert_str_eq(first.key_pem, second.key_pem);
    ck_assert_ptr_nonnull(strstr(first.certificate_pem, "BEGIN CERTIFICATE"));
}
END_TEST

START_TEST(it_is_renewed_before_it_expires)
{
    const Certificate first = open_at(now_s, &names);
    // 397 days from the day before now on, and renewed 30 days before that.
    ck_assert_str_eq(open_at(now_s + 366 * DAY_S, &names).certificate_pem, first.certificate_pem);
    ck_assert_str_ne(open_at(now_s + 367 * DAY_S, &names).certificate_pem, first.certificate_pem);
    const Certificate past = open_at(now_s - 2 * DAY_S, &names); // nor is one valid yet
    ck_assert_str_ne(past.certificate_pem, first.certificate_pem);
}
END_TEST

START_TEST(it_is_made_anew_for_other_names)
{
    CertificateNames others = names;
    const Certificate first = open_at(now_s, &names);
    others.items[others.count++] = "builder";
    const Certificate more = open_at(now_s, &others);
    ck_assert_str_ne(more.certificate_pem, first.certificate_pem);
    const Certificate fewer = open_at(now_s, &names);
    ck_assert_str_ne(fewer.certificate_pem, more.certificate_pem);
    others = names;
    others.items[0] = "127.0.0.2";
    ck_assert_str_ne(open_at(now_s, &others).certificate_pem, fewer.certificate_pem);
}
END_TEST

START_TEST(a_damaged_or_foreign_pair_is_replaced)
{
    const Certificate first = open_at(now_s, &names);
    temporary_file_write(folder, "ca.pem", "nonsense", 8);
    const Certificate second = open_at(now_s, &names);
    ck_assert_str_ne(second.certificate_pem, first.certificate_pem);
    temporary_file_write(folder, "tls-key.pem", first.key_pem, strlen(first.key_pem));
    const Certificate third = open_at(now_s, &names); // the key of another certificate
    ck_assert_str_ne(third.certificate_pem, second.certificate_pem);
    ck_assert_str_ne(third.key_pem, first.key_pem);
}
END_TEST

START_TEST(the_key_is_its_owners_alone)
{
    struct stat facts;
    open_at(now_s, &names);
    ck_assert_int_eq(stat(arena_printf(arena, "%s/tls-key.pem", folder), &facts), 0);
    ck_assert_int_eq(facts.st_mode & 0777, 0600);
}
END_TEST

START_TEST(the_bundle_has_the_systems_certificates_too)
{
    char *bundle, *others;
    size_t length, others_length;
    Status status;
    const Certificate certificate = open_at(now_s, &names);
    ck_assert(file_read(arena, certificate.bundle_path, 8 << 20, &bundle, &length, &status));
    const size_t own = strlen(certificate.certificate_pem);
    ck_assert_int_eq(strncmp(bundle, certificate.certificate_pem, own), 0);
    if (file_read(arena, "/etc/ssl/certs/ca-certificates.crt", 8 << 20, &others, &others_length,
                  &status))
        ck_assert_str_eq(bundle + own, others);
    else
        ck_assert_uint_eq(length, own);
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_said_to_be)
{
    Certificate certificate;
    Status status = {0};
    ck_assert(!certificate_open(arena, "/proc/none", &names, now_s, &certificate, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("certificate");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, it_is_made_once);
    tcase_add_test(all, it_is_renewed_before_it_expires);
    tcase_add_test(all, it_is_made_anew_for_other_names);
    tcase_add_test(all, a_damaged_or_foreign_pair_is_replaced);
    tcase_add_test(all, the_key_is_its_owners_alone);
    tcase_add_test(all, the_bundle_has_the_systems_certificates_too);
    tcase_add_test(all, a_folder_that_cannot_be_written_is_said_to_be);
    suite_add_tcase(suite, all);
    return suite;
}
