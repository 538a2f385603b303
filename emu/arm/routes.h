/* The Resource Manager around Batch AI, by the names of its API documents. */
#ifndef EMU_ARM_ROUTES_H
#define EMU_ARM_ROUTES_H

#include "emu/arm/arm.h"

extern const ArmRoute arm_routes[];

#endif
