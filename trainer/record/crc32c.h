/* CRC-32C (Castagnoli), the checksum of TFRecord files: polynomial 0x1EDC6F41, bits reflected,
 * inverted before and after (RFC 3720, appendix B.4, has examples). Computed bit by bit: a few
 * hundred bytes per epoch justify neither a table nor a library (such as Debian's libisal). */
#ifndef TRAINER_CRC32C_H
#define TRAINER_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *bytes, size_t length);

#endif
