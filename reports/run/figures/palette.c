#include "reports/run/figures/palette.h"

const Shade node_shades[NODE_STATE_COUNT] = {
    [NODE_PREPARING] = {"preparing", 0xE3B23C}, [NODE_IDLE] = {"idle", 0xC3CBD2},
    [NODE_RUNNING] = {"running", 0x4477AA},     [NODE_LEAVING] = {"leaving", 0xA08A7A},
    [NODE_UNUSABLE] = {"unusable", 0xCC3311},
};

int32_t size_class_rgb(int32_t class, int32_t count)
{
    static const int32_t rgb[SIZE_CLASSES_MAX] = {0x7CC4EA, 0x3E7CC1, 0x1F8A7A,
                                                  0xC65FC0, 0x6A4FC4, 0x4B5B6B};
    return rgb[count > 1 ? class * (SIZE_CLASSES_MAX - 1) / (count - 1) : 1];
}

const Shade bar_shades[BAR_COUNT] = {
    {"node preparing", 0xEBB538},  {"node idle", 0xC4D4E2},     {"job queued", 0xB5B3B0},
    {"mount", 0x95D6F7},           {"image pull", 0x3BA69C},    {"container", 0x117733},
    {"job preparation", 0xAA4499}, {"program start", 0xDDCC77}, {"data download", 0x676B13},
    {"data from share", 0x661100}, {"program", 0x7DA7D0},       {"training", 0x3B6FB0},
    {"evaluation", 0xEC7535},      {"checkpoint", 0xB04070},    {"node leaving", 0xA08A7A},
    {"node unusable", 0xCC3311},   {"failed", 0xF81B47},
};

const BarShade step_part_shades[PART_COUNT] = {
    {{"input", 0xCCBB44}, 0x000000},      {{"compute", 0x228833}, 0xFFFFFF},
    {{"waiting", 0xBBBBBB}, 0x000000},    {{"exchange", 0x3B6FB0}, 0xFFFFFF},
    {{"update", 0xAA3377}, 0xFFFFFF},     {{"evaluation", 0xD55E00}, 0x000000},
    {{"checkpoint", 0xCC6677}, 0x000000},
};
