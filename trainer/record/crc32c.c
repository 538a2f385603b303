#include "trainer/record/crc32c.h"

static const uint32_t polynomial_reflected = 0x82f63b78;

uint32_t crc32c(const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        sum ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            sum = (sum >> 1) ^ (sum & 1 ? polynomial_reflected : 0);
    }
    return ~sum;
}
