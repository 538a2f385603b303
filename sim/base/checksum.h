/* A checksum of bytes, such as the content of a file: different contents have different checksums,
 * except by chance. It is not a signature. */
#ifndef SIM_BASE_CHECKSUM_H
#define SIM_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* 64 bits of `length` bytes, the same on every machine: for each little-endian word of 8 bytes (the
 * last one filled with zeros), and then for the length, h = mix((h ^ word) * 0x9e3779b97f4a7c15)
 * with mix(x) = x ^ x >> 32, beginning with h = 0xcbf29ce484222325. */
uint64_t checksum(const char *bytes, size_t length);

/* Another checksum, several times as fast for more than some 100 bytes: whole groups of four words
 * go into four values h, the first word of each group into the first. The checksum of the rest is
 * mixed with these four in order, and then with the length. */
uint64_t checksum_wide(const char *bytes, size_t length);

#endif
