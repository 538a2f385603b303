/* Every operation of Batch AI, by its name in the API's OpenAPI document. */
#ifndef EMU_BATCHAI_ROUTES_H
#define EMU_BATCHAI_ROUTES_H

#include "emu/arm/arm.h"

extern const ArmRoute batchai_routes[];

#endif
