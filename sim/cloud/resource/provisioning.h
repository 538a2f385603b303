/* provisioningState: the progress of a resource's record. */
#ifndef SIM_CLOUD_RESOURCE_PROVISIONING_H
#define SIM_CLOUD_RESOURCE_PROVISIONING_H

typedef enum {
    PROVISIONING_CREATING,
    PROVISIONING_SUCCEEDED,
    PROVISIONING_FAILED,
    PROVISIONING_DELETING,
    PROVISIONING_DELETED, /* not a state of the service, whose GET then answers 404 */
} ProvisioningState;

const char *provisioning_state_name(ProvisioningState state); /* "creating" */

#endif
