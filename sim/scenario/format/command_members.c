#include "sim/scenario/format/command_members.h"

#include <string.h>

static const CommandMembers members[] = {
    [COMMAND_GROUP_CREATE] = {" ", " "},
    [COMMAND_GROUP_DELETE] = {" ", " "},
    [COMMAND_WORKSPACE_CREATE] = {" ", " resource_group "},
    [COMMAND_WORKSPACE_DELETE] = {" ", " resource_group "},
    [COMMAND_EXPERIMENT_CREATE] = {" ", " workspace resource_group "},
    [COMMAND_EXPERIMENT_DELETE] = {" ", " workspace resource_group "},
    [COMMAND_STORAGE_CREATE] = {" ", " resource_group "},
    [COMMAND_STORAGE_DELETE] = {" ", " "},
    [COMMAND_SHARE_CREATE] = {" tier ", " tier "},
    [COMMAND_SHARE_DELETE] = {" ", " "},
    [COMMAND_FILE_UPLOAD] = {" file content ", " file content "},
    [COMMAND_FILE_DELETE] = {" file ", " file "},
    [COMMAND_CLUSTER_CREATE] = {" config ",
                                " config node_kinds queues maintenance workspace resource_group "},
    [COMMAND_CLUSTER_RESIZE] = {" target ",
                                " every target node_kind deallocation workspace resource_group "},
    [COMMAND_CLUSTER_DELETE] = {" ", " workspace resource_group "},
    [COMMAND_CLUSTER_SHOW] = {" ", " every query workspace resource_group "},
    [COMMAND_JOB_CREATE] =
        {" config ",
         " config cluster queue node_kind speeds gpus gpus_per_node cpus memory expected "
         "execution experiment workspace resource_group "},
    [COMMAND_JOB_TERMINATE] = {" ", " experiment workspace resource_group "},
    [COMMAND_JOB_DELETE] = {" ", " experiment workspace resource_group "},
    [COMMAND_JOB_RAN] = {" took ",
                         " node took exit_code reason ran_as epochs steps val_accuracy val_loss "
                         "experiment workspace resource_group "},
    [COMMAND_JOB_REACHED] = {" step took ", " step took kept kept_steps experiment workspace "
                                            "resource_group "},
    [COMMAND_JOB_SHOW] = {" ", " every query experiment workspace resource_group "},
    [COMMAND_JOB_FILES] = {" ", " experiment workspace resource_group "},
    [COMMAND_CLUSTER_AUTOSCALE] = {" minimum maximum ",
                                   " every minimum maximum workspace resource_group "},
    [COMMAND_FILE_SERVER_CREATE] = {" vm_size ", " vm_size tier workspace resource_group "},
    [COMMAND_FILE_SERVER_DELETE] = {" ", " workspace resource_group "},
    [COMMAND_USAGES_SHOW] = {" ", " every "},
    [COMMAND_PROGRAM_SET] = {" program ", " program "},

    // Read from "faults", never from "commands".
    [COMMAND_NODE_CRASH] = {" ", " cluster job node recovery duration reason "},
    [COMMAND_NODE_PREEMPT] = {" ", " cluster job node "},
    [COMMAND_NODE_REBOOT] = {" ", " cluster job node "},
    [COMMAND_NODE_SLOW] = {" speed ", " cluster job node speed "},
    [COMMAND_NODE_DRAIN] = {" ", " cluster job node duration reason "},
    [COMMAND_NODE_RESUME] = {" ", " cluster job node "},
    [COMMAND_GROUP_CRASH] = {" group ", " group recovery duration reason "},
    [COMMAND_GROUP_PREEMPT] = {" group ", " group "},
    [COMMAND_REGION_OUTAGE] = {" ", " duration reason "},
    [COMMAND_ALLOCATION_FAIL] = {" cluster ", " cluster count "},
    [COMMAND_PREPARATION_FAIL] = {" cluster ", " cluster node recovery duration reason "},
    [COMMAND_SHARE_SLOW] = {" share speed ", " share speed duration "},
    [COMMAND_CONTAINER_FAIL] = {" job ", " job "},
    [COMMAND_JOB_EXIT] = {" job exit_code ", " job exit_code "},
    [COMMAND_QUOTA_CHANGE] = {" family vcpus ", " family vcpus priority "},
    [COMMAND_QUEUE_CHANGE] = {" cluster queue ", " cluster queue gpus gpus_max "},
    [COMMAND_SEED_CHANGE] = {" seed ", " seed "},
    [COMMAND_POLICY_CHANGE] = {" policy ", " policy "},
};
_Static_assert(sizeof(members) / sizeof(members[0]) == COMMAND_KIND_COUNT,
               "one row for each kind of command");

const CommandMembers *command_members(CommandKind kind)
{
    return &members[kind];
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *found = words; (found = strstr(found, " ")) != NULL; found++)
        if (strncmp(found + 1, word, length) == 0 && found[1 + length] == ' ')
            return true;
    return false;
}

bool command_takes(CommandKind kind, const char *key)
{
    return has_word(members[kind].allowed, key);
}

const char *command_one_of(CommandKind kind)
{
    const bool strikes_node = command_takes(kind, "node") && command_takes(kind, "job");
    return strikes_node ? " cluster job " : "";
}

bool command_may_have(CommandKind kind, const char *key)
{
    const bool is_fault = kind >= COMMAND_NODE_CRASH; // the kinds of faults come last
    return command_takes(kind, key) ||
           has_word(is_fault ? " do at every after when " : " do at after name ", key);
}
