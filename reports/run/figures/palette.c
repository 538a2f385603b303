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
