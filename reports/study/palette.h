/* Colours with a meaning in the figures of a study. tests/reports/run/figures/test_palette.c checks
 * that they differ for readers without green cones too. */
#ifndef REPORTS_STUDY_PALETTE_H
#define REPORTS_STUDY_PALETTE_H

enum {
    RGB_DIFFERS = 0x4477AA, /* an interval that does not contain 0 ... */
    RGB_MAY_BE_0 = 0xD87800,
    RGB_EFFECT = 0x4477AA, /* the size of an effect ... */
    RGB_SPREAD = 0xD87800, /* ... and how much it depends on other factors */
    RGB_DOTS = 0x8A949F    /* the points of a curve of means */
};

#endif
