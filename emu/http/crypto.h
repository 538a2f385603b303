/* Cryptography and base64 for Azure's protocols, with GnuTLS. */
#ifndef EMU_CRYPTO_H
#define EMU_CRYPTO_H

#include "sim/base/arena.h"
#include "sim/base/status.h"

enum { SHA256_BYTES = 32, MD5_BYTES = 16 };

void crypto_sha256(const void *bytes, size_t length, unsigned char digest[SHA256_BYTES]);
/* Not for secrets: the protocol uses it as a checksum of contents. */
void crypto_md5(const void *bytes, size_t length, unsigned char digest[MD5_BYTES]);
void crypto_hmac_sha256(const void *key, size_t key_bytes, const void *bytes, size_t length,
                        unsigned char code[SHA256_BYTES]);

/* Takes the same time for all blocks of that length, so that it does not reveal a code to a client
 * that guesses. */
bool crypto_equal(const void *left, const void *right, size_t length);
/* Unpredictable bytes. False with STATUS_MACHINE if the machine has none. */
MUST_CHECK bool crypto_random(void *room, size_t length, Status *status);

/* RFC 4648, section 4, in `arena`. */
const char *base64_encode(Arena *arena, const void *bytes, size_t length);
/* Accepts only the output of base64_encode; NULL for any other text. */
unsigned char *base64_decode(Arena *arena, const char *text, size_t *length);

/* The protocol's checksum of ranges: CRC-64/NVME, least significant bit first. */
uint64_t crypto_crc64(const void *bytes, size_t length);

#endif
