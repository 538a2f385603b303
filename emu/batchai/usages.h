/* Quotas, and how much of them is in use. */
#ifndef EMU_BATCHAI_USAGES_H
#define EMU_BATCHAI_USAGES_H

#include "emu/arm/arm.h"

ArmHandler usages_list;

#endif
