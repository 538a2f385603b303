/* CRC-32C (Castagnoli), the check sum of TFRecord files: polynomial 0x1EDC6F41, bits reflected,
 * inverted before and after (RFC 3720, appendix B.4, has examples). Bit by bit: some hundred bytes
 * an epoch need no table, and no library (Debian's libisal would have it). */
#ifndef TRAINER_CRC32C_H
#define TRAINER_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *bytes, size_t length);

#endif
