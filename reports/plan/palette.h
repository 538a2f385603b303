/* Colours with a meaning in the figures of a plan. Marks differ in shape too.
 * tests/reports/run/test_palette.c checks that they differ for readers without green cones. */
#ifndef REPORTS_PLAN_PALETTE_H
#define REPORTS_PLAN_PALETTE_H

enum { RGB_CHOSEN = 0xAA3377, RGB_MEETS = 0x4477AA, RGB_MISSES = 0xCCBB44, RGB_OPEN = 0x909AA5 };

#endif
