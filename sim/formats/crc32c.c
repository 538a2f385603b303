#include "sim/formats/crc32c.h"

#include <stdbool.h>

static const uint32_t polynomial_reflected = UINT32_C(0x82F63B78);

static uint32_t remainder_of_byte(uint32_t byte)
{
    for (int bit = 0; bit < 8; bit++) {
        const bool is_subtracted = byte & 1;
        byte = (byte >> 1) ^ (is_subtracted ? polynomial_reflected : 0);
    }
    return byte;
}

void crc32c_prepare(Crc32c *tables)
{
    for (uint32_t byte = 0; byte < 256; byte++)
        tables->by_distance[0][byte] = remainder_of_byte(byte);
    for (int distance = 1; distance < 8; distance++)
        for (int byte = 0; byte < 256; byte++) {
            const uint32_t nearer = tables->by_distance[distance - 1][byte];
            tables->by_distance[distance][byte] =
                (nearer >> 8) ^ tables->by_distance[0][nearer & 0xff];
        }
}

/* Four bytes as a number with the first byte lowest, on machines of either byte order. */
static uint32_t four_bytes(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint32_t crc32c_of(const Crc32c *tables, const char *bytes, size_t length)
{
    const uint32_t(*const by)[256] = tables->by_distance;
    const unsigned char *at = (const unsigned char *)bytes;
    uint32_t crc = UINT32_MAX;
    for (; length >= 8; length -= 8, at += 8) {
        const uint32_t low = four_bytes(at) ^ crc, high = four_bytes(at + 4);
        crc = by[7][low & 0xff] ^ by[6][low >> 8 & 0xff] ^ by[5][low >> 16 & 0xff] ^
              by[4][low >> 24] ^ by[3][high & 0xff] ^ by[2][high >> 8 & 0xff] ^
              by[1][high >> 16 & 0xff] ^ by[0][high >> 24];
    }
    for (; length > 0; length--, at++)
        crc = (crc >> 8) ^ by[0][(crc ^ *at) & 0xff];
    return ~crc;
}
