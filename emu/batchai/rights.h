/* What a role may be allowed to do with Batch AI. */
#ifndef EMU_BATCHAI_RIGHTS_H
#define EMU_BATCHAI_RIGHTS_H

#include "emu/arm/arm.h"

ArmHandler operations_list;

#endif
