#include "sim/cloud/resource/provisioning.h"

const char *provisioning_state_name(ProvisioningState state)
{
    static const char *const names[] = {"creating", "succeeded", "failed", "deleting", "deleted"};
    return names[state];
}
