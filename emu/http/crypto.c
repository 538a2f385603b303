#include "emu/http/crypto.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include "sim/base/invariant.h"

/* --- Digests --- */

void crypto_sha256(const void *bytes, size_t length, unsigned char digest[SHA256_BYTES])
{
    const int result = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, length, digest);
    invariant(result == 0);
}

void crypto_md5(const void *bytes, size_t length, unsigned char digest[MD5_BYTES])
{
    const int result = gnutls_hash_fast(GNUTLS_DIG_MD5, bytes, length, digest);
    invariant(result == 0);
}

void crypto_hmac_sha256(const void *key, size_t key_bytes, const void *bytes, size_t length,
                        unsigned char code[SHA256_BYTES])
{
    const int result = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_bytes, bytes, length, code);
    invariant(result == 0);
}

bool crypto_equal(const void *left, const void *right, size_t length)
{
    return gnutls_memcmp(left, right, length) == 0;
}

bool crypto_random(void *room, size_t length, Status *status)
{
    const int result = gnutls_rnd(GNUTLS_RND_KEY, room, length);
    return result == 0 || status_fail(status, STATUS_MACHINE, place_in("machine", 0, 0),
                                      "cannot get random bytes: %s", gnutls_strerror(result));
}

/* --- Base64 --- */

static gnutls_datum_t datum(const void *bytes, size_t length)
{
    return (gnutls_datum_t){.data = (unsigned char *)bytes, .size = (unsigned)length};
}

const char *base64_encode(Arena *arena, const void *bytes, size_t length)
{
    gnutls_datum_t text;
    const gnutls_datum_t from = datum(bytes, length);
    if (length == 0)
        return "";
    const int result = gnutls_base64_encode2(&from, &text);
    invariant(result == 0);
    const char *copy = arena_strndup(arena, (const char *)text.data, text.size);
    gnutls_free(text.data);
    return copy;
}

unsigned char *base64_decode(Arena *arena, const char *text, size_t *length)
{
    gnutls_datum_t bytes;
    const gnutls_datum_t from = datum(text, strlen(text));
    *length = 0;
    if (from.size == 0)
        return arena_alloc(arena, 1);
    // GnuTLS refuses other forms of the same bytes, but skips white space and stops at '-'.
    if (text[strcspn(text, " \t\n\v\f\r-")] != '\0' || gnutls_base64_decode2(&from, &bytes) != 0)
        return NULL;
    unsigned char *copy = arena_alloc(arena, bytes.size + 1);
    memcpy(copy, bytes.data, bytes.size);
    *length = bytes.size;
    gnutls_free(bytes.data);
    return copy;
}

/* --- Checksum --- */

uint64_t crypto_crc64(const void *bytes, size_t length)
{
    // The polynomial of CRC-64/NVME, reflected (NVM Express NVM Command Set Specification, 64b
    // CRC).
    static const uint64_t polynomial = UINT64_C(0x9a6c9329ac4bc9b5);
    const unsigned char *at = bytes;
    uint64_t sum = ~UINT64_C(0);
    for (const unsigned char *end = at + length; at < end; at++) {
        sum ^= *at;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
    }
    return ~sum;
}
