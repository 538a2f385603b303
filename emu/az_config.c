#include "emu/az_config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/state/state_folder.h"
#include "sim/cli/files.h"
#include "sim/json/json.h"

static const char cloud[] = "trainyard";

/* --- Files --- */

const char *az_config_folder(Arena *arena, const Ready *ready, AzForm form)
{
    return state_path(arena, ready->state_folder, form == AZ_PROXY ? STATE_AZ : STATE_AZ_NO_PROXY);
}

static const char *suffix_of(Arena *arena, const Ready *ready, AzForm form)
{
    // The storage SDK finds the account in front of ".file.core."
    return form == AZ_PROXY ? ready->storage_suffix
                            : arena_printf(arena, "core.%s@%s", cloud, ready->addresses.userinfo);
}

static const char *clouds_text(Arena *arena, const Ready *ready, AzForm form)
{
    const char *tls = ready->addresses.tls;
    return arena_printf(
        arena,
        "[%s]\n"
        "endpoint_resource_manager = https://%s\n"
        "endpoint_management = https://%s\n"
        "endpoint_active_directory = https://%s/adfs\n"
        "endpoint_active_directory_resource_id = https://management.core.windows.net/\n"
        "endpoint_active_directory_graph_resource_id = https://%s\n"
        "suffix_storage_endpoint = %s\n"
        "subscription = %s\n",
        cloud, tls, tls, tls, tls, suffix_of(arena, ready, form), ready->subscription);
}

static const char *profile_text(Arena *arena, const Ready *ready)
{
    Json *user = json_object(arena);
    json_put_text(arena, user, "name", "emulator");
    json_put_text(arena, user, "type", "servicePrincipal");
    Json *subscription = json_object(arena);
    json_put_text(arena, subscription, "id", ready->subscription);
    json_put_text(arena, subscription, "name", "Emulator");
    json_put_text(arena, subscription, "state", "Enabled");
    json_set(arena, subscription, "user", user);
    json_put_boolean(arena, subscription, "isDefault", true);
    json_put_text(arena, subscription, "tenantId", ready->tenant);
    json_put_text(arena, subscription, "environmentName", cloud);
    Json *list = json_array(arena);
    json_add(list, subscription);
    Json *root = json_object(arena);
    json_set(arena, root, "subscriptions", list);
    return json_text(arena, root);
}

/* az logs in with a secret, which the emulator does not look at. */
static const char *login_text(Arena *arena, const Ready *ready)
{
    Json *login = json_object(arena);
    json_put_text(arena, login, "client_id", "emulator");
    json_put_text(arena, login, "tenant", ready->tenant);
    json_put_text(arena, login, "client_secret", "emulator");
    Json *root = json_array(arena);
    json_add(root, login);
    return json_text(arena, root);
}

static bool write_text(Arena *arena, const char *folder, const char *name, const char *text,
                       Status *status)
{
    return file_write(arena_printf(arena, "%s/%s", folder, name), text, strlen(text), status);
}

/* The file that `az config set` writes to. */
static bool write_first(Arena *arena, const char *folder, const char *name, const char *text,
                        Status *status)
{
    return access(arena_printf(arena, "%s/%s", folder, name), F_OK) == 0 ||
           write_text(arena, folder, name, text, status);
}

static bool make_private(const char *folder, Status *status)
{
    return folder_create(folder, status) &&
           (chmod(folder, 0700) == 0 || status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0),
                                                    "chmod failed: %s", strerror(errno)));
}

bool az_config_write(const Ready *ready, AzForm form, Status *status)
{
    Arena *arena = arena_create();
    const char *folder = az_config_folder(arena, ready, form);
    const bool is_written =
        make_private(folder, status) &&
        write_first(arena, folder, "config", arena_printf(arena, "[cloud]\nname = %s\n", cloud),
                    status) &&
        write_text(arena, folder, "clouds.config", clouds_text(arena, ready, form), status) &&
        write_text(arena, folder, "azureProfile.json", profile_text(arena, ready), status) &&
        write_text(arena, folder, "service_principal_entries.json", login_text(arena, ready),
                   status);
    arena_destroy(arena);
    return is_written;
}

bool az_config_refresh(const Ready *ready, Status *status)
{
    static const AzForm forms[] = {AZ_PROXY, AZ_USERINFO};
    Arena *arena = arena_create();
    bool is_fine = true;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && is_fine; i++)
        if (access(az_config_folder(arena, ready, forms[i]), F_OK) == 0)
            is_fine = az_config_write(ready, forms[i], status);
    arena_destroy(arena);
    return is_fine;
}

/* --- Variables --- */

/* Variables that would redirect commands of this shell in spite of the configuration. */
static const char *const misleading[] = {
    "AZURE_STORAGE_CONNECTION_STRING", // goes before --account-name
    "AZURE_CLOUD_NAME",
    "MSI_SECRET",
    "APPSETTING_WEBSITE_SITE_NAME",
    "IDENTITY_ENDPOINT",
};

/* In all of them small letters too: where both are set, requests and curl prefer those. */
static const char *const proxy_names[] = {"HTTPS_PROXY", "https_proxy"};
static const char *const no_proxy_names[] = {"NO_PROXY", "no_proxy"};

static void put_both(Arena *arena, Json *variables, const char *const names[2], const char *value)
{
    for (int i = 0; i < 2; i++)
        json_put_text(arena, variables, names[i], value);
}

/* By name; null: to unset. */
static Json *variables_of(Arena *arena, const Ready *ready, AzForm form)
{
    Json *variables = json_object(arena);
    const char *plain = ready->addresses.plain;
    for (size_t i = 0; i < sizeof misleading / sizeof *misleading; i++)
        json_set(arena, variables, misleading[i], json_null(arena));
    json_put_text(arena, variables, "AZURE_CONFIG_DIR", az_config_folder(arena, ready, form));
    json_put_text(arena, variables, "AZURE_CORE_COLLECT_TELEMETRY", "no");
    json_put_text(arena, variables, "REQUESTS_CA_BUNDLE", ready->bundle_path); // az, Python
    json_put_text(arena, variables, "CURL_CA_BUNDLE", ready->bundle_path);
    json_put_text(arena, variables, "NODE_EXTRA_CA_CERTS", ready->ca_path);
    json_put_text(arena, variables, "MSI_ENDPOINT",
                  arena_printf(arena, "http://%s/msi/token", plain));
    if (form == AZ_PROXY) {
        put_both(arena, variables, proxy_names, arena_printf(arena, "http://%s", plain));
        put_both(arena, variables, no_proxy_names, "127.0.0.1,localhost");
    }
    return variables;
}

void az_config_exports(const Ready *ready, AzForm form, CodeShell shell, Text *out)
{
    Arena *arena = arena_create();
    const Json *variables = variables_of(arena, ready, form);
    for (const Json *variable = variables->first; variable != NULL; variable = variable->next)
        if (variable->kind == JSON_STRING)
            code_set(shell, variable->key, variable->text, out);
        else
            code_unset(shell, variable->key, out);
    arena_destroy(arena);
}

void az_config_json(const Ready *ready, AzForm form, Text *out)
{
    Arena *arena = arena_create();
    json_print(out, variables_of(arena, ready, form), JSON_INDENTED);
    arena_destroy(arena);
}

void az_config_unsets(CodeShell shell, Text *out)
{
    static const char *const names[] = {
        "AZURE_CONFIG_DIR", "AZURE_CORE_COLLECT_TELEMETRY", "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",   "NODE_EXTRA_CA_CERTS",          "MSI_ENDPOINT",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        code_unset(shell, names[i], out);
    for (int i = 0; i < 2; i++) {
        code_unset(shell, proxy_names[i], out);
        code_unset(shell, no_proxy_names[i], out);
    }
}
