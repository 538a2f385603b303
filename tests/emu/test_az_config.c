/* emu/az_config.h and emu/http/ready.h: the addresses that a running emulator publishes, and the
 * settings for the shells of clients. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/az_config.h"
#include "sim/cli/files.h"
#include "sim/json/json.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Ready ready;

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    ready = (Ready){
        .process = getpid(),
        .addresses = {.tls = "127.0.0.1:1", .plain = "127.0.0.1:2", .userinfo = "127.0.0.1:3"},
        .has_proxy = true,
        .subscription = "sub",
        .tenant = "ten",
        .storage_suffix = "core.windows.net",
        .state_folder = folder,
        .ca_path = "/s/ca.pem",
        .bundle_path = "/s/ca-bundle.pem",
    };
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static const char *in(const char *config_folder, const char *name)
{
    char *text;
    size_t length;
    Status status = {0};
    ck_assert_msg(file_read(arena, arena_printf(arena, "%s/%s", config_folder, name), 1 << 16,
                            &text, &length, &status),
                  "%s", status.message);
    return text;
}

/* --- Ready --- */

START_TEST(written_bytes_are_read_back)
{
    Status status = {0};
    Ready read;
    ck_assert(ready_write(&ready, ready_path(arena, folder), &status));
    ck_assert_msg(ready_read(arena, folder, &read, &status), "%s", status.message);
    ck_assert_int_eq(read.process, getpid());
    ck_assert_str_eq(read.addresses.userinfo, "127.0.0.1:3");
    ck_assert_str_eq(read.state_folder, folder);
    ck_assert_str_eq(read.bundle_path, "/s/ca-bundle.pem");
    ck_assert(read.has_proxy && !read.is_files_only);
}
END_TEST

START_TEST(an_emulator_that_is_gone_serves_nothing)
{
    Status status = {0};
    Ready read;
    ck_assert(!ready_read(arena, folder, &read, &status));
    ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    ready.process = INT32_MAX; // no machine has so many
    ck_assert(ready_write(&ready, ready_path(arena, folder), &status));
    status = (Status){0};
    ck_assert(!ready_read(arena, folder, &read, &status));
    ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    static const char *const bad[] = {"", "{}", "[1]", "{\"pid\": \"x\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        temporary_file_write(folder, "serve.json", bad[i], strlen(bad[i]));
        ck_assert(!ready_read(arena, folder, &read, &status));
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    }
}
END_TEST

/* --- Files --- */

START_TEST(az_finds_the_cloud_and_its_login)
{
    Status status = {0};
    struct stat facts;
    Problems problems = problems_create(arena);
    ck_assert_msg(az_config_write(&ready, AZ_PROXY, &status), "%s", status.message);
    const char *config = az_config_folder(arena, &ready, AZ_PROXY);
    ck_assert_int_eq(stat(config, &facts), 0);
    ck_assert_int_eq(facts.st_mode & 0777, 0700);
    ck_assert_str_eq(in(config, "config"), "[cloud]\nname = trainyard\n");
    const char *clouds = in(config, "clouds.config");
    ck_assert_int_eq(strncmp(clouds, "[trainyard]\n", 12), 0);
    ck_assert_ptr_nonnull(
        strstr(clouds, "\nendpoint_active_directory = https://127.0.0.1:1/adfs\n"));
    ck_assert_ptr_nonnull(strstr(clouds, "\nsuffix_storage_endpoint = core.windows.net\n"));
    const char *profile = in(config, "azureProfile.json");
    const Json *root =
        json_parse(arena, "profile", profile, strlen(profile), JSON_STRICT, &problems);
    ck_assert_str_eq(json_find(root, "/subscriptions/0/id")->text, "sub");
    ck_assert_str_eq(json_find(root, "/subscriptions/0/tenantId")->text, "ten");
    ck_assert_str_eq(json_find(root, "/subscriptions/0/environmentName")->text, "trainyard");
    ck_assert_ptr_nonnull(
        strstr(in(config, "service_principal_entries.json"), "\"tenant\":\"ten\""));
}
END_TEST

START_TEST(other_ports_are_written_to_the_folders_that_there_are)
{
    Status status = {0};
    struct stat facts;
    ck_assert(az_config_write(&ready, AZ_USERINFO, &status));
    const char *config = az_config_folder(arena, &ready, AZ_USERINFO);
    temporary_file_write(config, "config", "mine", 4);
    ready.addresses.userinfo = "127.0.0.1:33";
    ck_assert(az_config_refresh(&ready, &status));
    ck_assert_ptr_nonnull(strstr(in(config, "clouds.config"),
                                 "\nsuffix_storage_endpoint = core.trainyard@127.0.0.1:33\n"));
    ck_assert_str_eq(in(config, "config"), "mine");
    ck_assert_int_ne(stat(az_config_folder(arena, &ready, AZ_PROXY), &facts), 0);
}
END_TEST

/* --- Shells --- */

static const char *exports(AzForm form, CodeShell shell)
{
    Text text = {0};
    az_config_exports(&ready, form, shell, &text);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(any_folder_is_one_word_of_every_shell)
{
    ready.bundle_path = "/it's \\ \"$HOME\"/b";
    ck_assert_ptr_nonnull(strstr(exports(AZ_PROXY, CODE_SH),
                                 "\nexport REQUESTS_CA_BUNDLE='/it'\\''s \\ \"$HOME\"/b'\n"));
    ck_assert_ptr_nonnull(strstr(exports(AZ_PROXY, CODE_FISH),
                                 "\nset -gx REQUESTS_CA_BUNDLE '/it\\'s \\\\ \"$HOME\"/b'\n"));
    ck_assert_ptr_nonnull(strstr(exports(AZ_PROXY, CODE_POWERSHELL),
                                 "\n$env:REQUESTS_CA_BUNDLE = '/it''s \\ \"$HOME\"/b'\n"));
}
END_TEST

START_TEST(only_one_form_needs_a_proxy)
{
    const char *proxy = exports(AZ_PROXY, CODE_SH), *userinfo = exports(AZ_USERINFO, CODE_SH);
    ck_assert_ptr_nonnull(strstr(proxy, "\nexport HTTPS_PROXY='http://127.0.0.1:2'\n"));
    ck_assert_ptr_nonnull(strstr(proxy, "\nexport https_proxy='http://127.0.0.1:2'\n"));
    ck_assert_ptr_null(strstr(userinfo, "PROXY"));
    // A connection string of the real cloud would go before what is asked for.
    ck_assert_ptr_nonnull(strstr(userinfo, "unset AZURE_STORAGE_CONNECTION_STRING\n"));
}
END_TEST

START_TEST(a_setting_can_be_removed)
{
    Text text = {0};
    az_config_unsets(CODE_SH, &text);
    const char *set = exports(AZ_PROXY, CODE_SH);
    int32_t count = 0;
    for (const char *at = set; (at = strstr(at, "export ")); count++) {
        at += strlen("export ");
        const char *line = arena_printf(arena, "unset %.*s\n", (int)strcspn(at, "="), at);
        ck_assert_msg(strstr(text_string(&text), line), "%s", line);
    }
    ck_assert_int_eq(count, 10);
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("az_config");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, written_bytes_are_read_back);
    tcase_add_test(all, an_emulator_that_is_gone_serves_nothing);
    tcase_add_test(all, az_finds_the_cloud_and_its_login);
    tcase_add_test(all, other_ports_are_written_to_the_folders_that_there_are);
    tcase_add_test(all, any_folder_is_one_word_of_every_shell);
    tcase_add_test(all, only_one_form_needs_a_proxy);
    tcase_add_test(all, a_setting_can_be_removed);
    suite_add_tcase(suite, all);
    return suite;
}
