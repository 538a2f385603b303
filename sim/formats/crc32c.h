/* CRC-32C, the checksum of iSCSI and ext4: polynomial 0x1EDC6F41 with bits reflected, begun and
 * ended with an inversion. Source: RFC 3720, section 12.1; its check value is in the tests. */
#ifndef SIM_FORMATS_CRC32C_H
#define SIM_FORMATS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* by_distance[k][b] is the remainder of byte b, followed by k zero bytes: 8 bytes are added in one
 * step. */
typedef struct {
    uint32_t by_distance[8][256];
} Crc32c;

/* Computes the tables; takes some microseconds. */
void crc32c_prepare(Crc32c *tables);
uint32_t crc32c_of(const Crc32c *tables, const char *bytes, size_t length);

#endif
