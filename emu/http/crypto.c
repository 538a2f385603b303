#include "emu/http/crypto.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include "sim/base/ascii.h"
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
                                      "no random bytes: %s", gnutls_strerror(result));
}

/* --- Base64 --- */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const char *base64_encode(Arena *arena, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    char *text = arena_alloc(arena, (length + 2) / 3 * 4 + 1);
    char *to = text;
    for (size_t i = 0; i < length; i += 3, to += 4) {
        const size_t left = length - i;
        const uint32_t group = (uint32_t)from[i] << 16 |
                               (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)from[i + 2] : 0);
        to[0] = alphabet[group >> 18];
        to[1] = alphabet[group >> 12 & 63];
        to[2] = left > 1 ? alphabet[group >> 6 & 63] : '=';
        to[3] = left > 2 ? alphabet[group & 63] : '=';
    }
    return text;
}

/* The way back; -1. */
static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (ascii_is_digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

unsigned char *base64_decode(Arena *arena, const char *text, size_t *length)
{
    const size_t all = strlen(text);
    if (all % 4 != 0)
        return NULL;
    size_t digits = all;
    while (digits > 0 && all - digits < 2 && text[digits - 1] == '=')
        digits--;
    *length = digits * 3 / 4;
    unsigned char *bytes = arena_alloc(arena, all / 4 * 3 + 1);
    uint32_t group = 0;
    size_t used = 0;
    int bits = 0;
    for (size_t i = 0; i < digits; i++) {
        const int digit = base64_digit(text[i]);
        if (digit < 0)
            return NULL;
        group = group << 6 | (uint32_t)digit;
        bits += 6;
        if (bits < 8)
            continue;
        bits -= 8;
        bytes[used++] = (unsigned char)(group >> bits);
        group &= (UINT32_C(1) << bits) - 1;
    }
    return group == 0 ? bytes : NULL; // what is left over is zero in the one form
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
