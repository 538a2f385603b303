/* real/launch/launch_scenario.json, compiled in. */
#ifndef REAL_LAUNCH_ASSETS_H
#define REAL_LAUNCH_ASSETS_H

#include "sim/base/asset.h"

extern const Asset launch_assets[];
extern const int launch_assets_count;

#endif
