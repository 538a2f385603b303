/* The actions of Batch AI that a role can allow. */
#ifndef EMU_BATCHAI_RIGHTS_H
#define EMU_BATCHAI_RIGHTS_H

#include "emu/arm/arm.h"

ArmHandler operations_list;

#endif
