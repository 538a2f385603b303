/* The files of emu/control/dashboard, compiled in. */
#ifndef EMU_DASHBOARD_ASSETS_H
#define EMU_DASHBOARD_ASSETS_H

#include "sim/base/asset.h"

extern const Asset dashboard_assets[];
extern const int dashboard_assets_count;

#endif
