/* Every operation of the API's OpenAPI document, by its name there. */
#ifndef EMU_BATCHAI_ROUTES_H
#define EMU_BATCHAI_ROUTES_H

#include "emu/arm/arm.h"

extern const ArmRoute batchai_routes[];

#endif
