/* scenarios/emulator/scenario.json, compiled in. */
#ifndef EMU_BASE_ASSETS_H
#define EMU_BASE_ASSETS_H

#include "sim/base/asset.h"

extern const Asset base_assets[];
extern const int base_assets_count;

#endif
