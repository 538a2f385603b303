#include "emu/batchai/file_server.h"

#include <string.h>

#include "emu/arm/id.h"
#include "emu/batchai/batchai.h"
#include "emu/batchai/operations.h"
#include "sim/output/share/az_tables.h"
#include "sim/scenario/format/batchai_types.h"

/* --- Bodies of requests (FileServerBaseProperties of the API's OpenAPI document) --- */

typedef struct {
    const Json *node;
    BoundText admin_user, public_key, password;
} AccountText;

typedef struct {
    const Json *node;
    const Json *addresses;
    AccountText *account;
} SshText;

typedef struct {
    const Json *node;
    BoundInteger size_gb, count, caching, type;
} DisksText;

typedef struct {
    const Json *node;
    BoundText id;
} SubnetText;

typedef struct {
    const Json *node;
    BoundText vm_size;
    SshText *ssh;
    DisksText *disks;
    SubnetText *subnet;
} FileServerText;

#define OWNER AccountText
static const Field account_fields[] = {
    NEEDED_NAME("adminUserName", admin_user, "the administrator"),
    FIELD_TEXT("adminUserSshPublicKey", public_key, NULL, "the administrator's public key"),
    FIELD_SECRET("adminUserPassword", password, "the administrator's password"),
    {0},
};
#undef OWNER
static const ObjectType account_type = {"UserAccountSettings", "Who can log in.",
                                        sizeof(AccountText), account_fields};

#define OWNER SshText
static const Field ssh_fields[] = {
    FIELD_JSON("publicIPsToAllow", addresses, NULL, "addresses that may log in; all by default"),
    NEEDED_OBJECT("userAccountSettings", account, account_type, "who can log in"),
    {0},
};
#undef OWNER
static const ObjectType ssh_type = {"SshConfiguration", "How to log in.", sizeof(SshText),
                                    ssh_fields};

static const char *const caching_words[] = {"none", "readonly", "readwrite", NULL};
static const char *const disk_words[] = {"Standard_LRS", "Premium_LRS", NULL};

#define OWNER DisksText
static const Field disks_fields[] = {
    NEEDED_INTEGER("diskSizeInGB", size_gb, 1, INT32_MAX, "size of each disk"),
    FIELD_CHOICE("cachingType", caching, caching_words, "none", "caching of the disks"),
    NEEDED_INTEGER("diskCount", count, 1, INT32_MAX, "how many disks, joined as RAID 0"),
    NEEDED_CHOICE("storageAccountType", type, disk_words, "kind of disk"),
    {0},
};
#undef OWNER
static const ObjectType disks_type = {"DataDisks", "The disks.", sizeof(DisksText), disks_fields};

#define OWNER SubnetText
static const Field subnet_fields[] = {
    NEEDED_TEXT("id", id, "id of the subnet"),
    {0},
};
#undef OWNER
static const ObjectType subnet_type = {"ResourceId", "A subnet.", sizeof(SubnetText),
                                       subnet_fields};

#define OWNER FileServerText
static const Field file_server_fields[] = {
    NEEDED_TEXT("vmSize", vm_size, "VM size"),
    NEEDED_OBJECT("sshConfiguration", ssh, ssh_type, "how to log in"),
    NEEDED_OBJECT("dataDisks", disks, disks_type, "the disks"),
    FIELD_OBJECT("subnet", subnet, subnet_type, "its network; a new one by default"),
    {0},
};
#undef OWNER
static const ObjectType file_server_type = {"FileServer", "A file server's properties.",
                                            sizeof(FileServerText), file_server_fields};

/* --- Bodies of answers --- */

/* Its network: the requested one, or one that the service made. */
static Json *subnet_of(const ArmCall *call, const Record *record)
{
    Arena *arena = call->arena;
    Json *subnet = arm_kept(arena, record_kept(record), "subnet");
    if (subnet)
        return subnet;
    subnet = json_object(arena);
    const char *guid = batchai_guid(call, "network of a file server", record);
    json_put_text(arena, subnet, "id",
                  arena_printf(arena,
                               "/subscriptions/%s/resourceGroups/fileserverrg-%s/providers/"
                               "Microsoft.Network/virtualNetworks/%svnet/subnets/Subnet-1",
                               session_subscription(call->session), guid, guid));
    return subnet;
}

static Json *mount_settings(Arena *arena)
{
    Json *settings = json_object(arena);
    json_put_text(arena, settings, "mountPoint", "/data");
    json_put_text(arena, settings, "fileServerPublicIP", "127.0.0.1"); // as for nodes
    json_put_text(arena, settings, "fileServerInternalIP", "10.0.0.4");
    return settings;
}

Json *file_server_show(const ArmCall *call, const Record *record)
{
    Arena *arena = call->arena;
    const FileServer *server = world_file_server(session_world(call->session), record->row);
    Json *body = arm_resource(call, record);
    Json *properties = json_put_object(arena, body, "properties");
    json_put_text(arena, properties, "provisioningState",
                  provisioning_state_name(server->provisioning));
    arm_put_time(call, properties, "creationTime", server->created_ns);
    arm_put_time(call, properties, "provisioningStateTransitionTime",
                 server->provisioning_since_ns);
    json_put_text(arena, properties, "vmSize", vm_size_in_capitals(arena, server->vm_size->name));
    arm_put_kept(arena, properties, record_kept(record), "sshConfiguration");
    arm_put_kept(arena, properties, record_kept(record), "dataDisks");
    json_set(arena, properties, "subnet", subnet_of(call, record));
    if (server->provisioning == PROVISIONING_SUCCEEDED)
        json_set(arena, properties, "mountSettings", mount_settings(arena));
    else if (call->request->method == HTTP_GET && server->provisioning != PROVISIONING_FAILED)
        pace_polled(call->arm->pace);
    return body;
}

/* --- File servers that clusters and jobs mount --- */

/* Reads the id of a file server of this subscription. False after answering 400. */
static bool read_id(const ArmCall *call, BoundText id, const Json *body, ResourcePath *path)
{
    if (arm_id_read(call, id.value, RECORD_FILE_SERVER, path))
        return true;
    Problems problems = problems_create(call->arena);
    problems_add(&problems, STATUS_BAD_INPUT, json_at(id.node),
                 "expected the id of a file server of this subscription");
    arm_refusal(call, body, &problems);
    return false;
}

bool batchai_has_file_servers(const ArmCall *call, const MountVolumesText *mounts, const Json *body)
{
    for (int32_t i = 0; mounts && i < mounts->file_servers.count; i++) {
        const FileServerMountText *mount = mounts->file_servers.items[i];
        ResourcePath path;
        if (!read_id(call, mount->file_server->id, body, &path) ||
            !arm_find(call, RECORD_FILE_SERVER, path))
            return false;
    }
    return true;
}

Json *batchai_mounted_subnet(const ArmCall *call, const Json *mounts)
{
    const Json *id = json_find(mounts, "/fileServers/0/fileServer/id");
    ResourcePath path;
    if (!id || !arm_id_read(call, id->text, RECORD_FILE_SERVER, &path))
        return NULL;
    const Record *record = session_find(call->session, RECORD_FILE_SERVER, path);
    return record ? subnet_of(call, record) : NULL;
}

/* --- Requests --- */

void file_servers_create(const ArmCall *call)
{
    Arena *arena = call->arena;
    ResourcePath path = batchai_path(call);
    const Json *body;
    const FileServerText *text =
        batchai_properties(call, RECORD_FILE_SERVER, &file_server_type, &body);
    if (!text || !arm_has_parents(call, &path))
        return;
    Json *kept = batchai_echo(arena, &file_server_type, text->node);
    batchai_fill_vm_size(call, kept);
    const Record *record = session_find(call->session, RECORD_FILE_SERVER, path);
    if (record) {
        batchai_exists(call, record, &file_server_type, kept, file_server_show);
        return;
    }
    Json *command = session_command_about(arena, COMMAND_FILE_SERVER_CREATE, path);
    json_set(arena, command, "vm_size", json_copy(arena, text->vm_size.node, NULL));
    if (arm_do(call, body, command, kept))
        operation_answer(call, OPERATION_CREATE,
                         session_find(call->session, RECORD_FILE_SERVER, path));
}

void file_servers_get(const ArmCall *call)
{
    const Record *record = arm_find(call, RECORD_FILE_SERVER, batchai_path(call));
    if (record)
        batchai_answer(call, record, file_server_show);
}

void file_servers_delete(const ArmCall *call)
{
    batchai_delete(call, RECORD_FILE_SERVER, COMMAND_FILE_SERVER_DELETE, batchai_path(call));
}

void file_servers_list(const ArmCall *call)
{
    ResourcePath scope = {.group = call->match.parts[1], .workspace = call->match.parts[2]};
    if (arm_has_parents(call, &scope))
        arm_list(call, RECORD_FILE_SERVER, scope, file_server_show);
}
