/* The subscription and what it knows of the world: its tenant, locations, providers. */
#ifndef EMU_ARM_SUBSCRIPTIONS_H
#define EMU_ARM_SUBSCRIPTIONS_H

#include "emu/arm/arm.h"

ArmHandler tenants_list, subscriptions_list, subscriptions_get;
ArmHandler providers_list, providers_get, providers_register;
/* Whether something of a provider is emulated: "Microsoft.BatchAI". */
bool arm_namespace_is_known(const char *name);

#endif
