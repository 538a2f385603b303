/* The subscription, its tenant and its resource providers. */
#ifndef EMU_ARM_SUBSCRIPTIONS_H
#define EMU_ARM_SUBSCRIPTIONS_H

#include "emu/arm/arm.h"

ArmHandler tenants_list, subscriptions_list, subscriptions_get;
ArmHandler providers_list, providers_get, providers_register;
/* Whether the emulator has operations of the provider `name`: "Microsoft.BatchAI". */
bool arm_namespace_is_known(const char *name);
/* The version of the operations of a known provider: "2018-05-01". */
const char *arm_provider_version(const char *name);

#endif
