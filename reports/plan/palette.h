/* Colours with a meaning in the figures of a plan. Marks differ in shape too.
 * tests/reports/run/figures/test_palette.c checks that they differ for readers without green cones,
 * and are seen on light and dark paper. */
#ifndef REPORTS_PLAN_PALETTE_H
#define REPORTS_PLAN_PALETTE_H

enum { RGB_CHOSEN = 0xC02070, RGB_MEETS = 0x4477AA, RGB_MISSES = 0xD87800, RGB_OPEN = 0x8A949F };

#endif
