/* What Azure's protocols need of cryptography, and base64. GnuTLS does the cryptography; beside TLS
 * (emu/http/server.h) it is seen here alone. */
#ifndef EMU_CRYPTO_H
#define EMU_CRYPTO_H

#include "sim/base/arena.h"
#include "sim/base/status.h"

enum { SHA256_BYTES = 32, MD5_BYTES = 16 };

void crypto_sha256(const void *bytes, size_t length, unsigned char digest[SHA256_BYTES]);
/* Not for secrets: the protocol sums up contents with it. */
void crypto_md5(const void *bytes, size_t length, unsigned char digest[MD5_BYTES]);
void crypto_hmac_sha256(const void *key, size_t key_bytes, const void *bytes, size_t length,
                        unsigned char code[SHA256_BYTES]);

/* Takes as long for any two blocks of that length, so that nobody learns a code by guessing. */
bool crypto_equal(const void *left, const void *right, size_t length);
/* Bytes that nobody can guess. False with STATUS_MACHINE when the machine has none. */
MUST_CHECK bool crypto_random(void *room, size_t length, Status *status);

/* RFC 4648, section 4, in `arena`. */
const char *base64_encode(Arena *arena, const void *bytes, size_t length);
/* As strict as encoding: one form for each text, padded, nothing between; NULL for any other. */
unsigned char *base64_decode(Arena *arena, const char *text, size_t *length);

/* The checksum by which the protocol sums up ranges: CRC-64/NVME, least significant bit first. */
uint64_t crypto_crc64(const void *bytes, size_t length);

#endif
