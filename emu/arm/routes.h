/* The operations of the Resource Manager outside Batch AI, by their names in its API documents. */
#ifndef EMU_ARM_ROUTES_H
#define EMU_ARM_ROUTES_H

#include "emu/arm/arm.h"

extern const ArmRoute arm_routes[];

#endif
