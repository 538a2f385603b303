/* SHA-256 (FIPS 180-4), for the identity of imported files. The emulator, which has GnuTLS, uses
 * that (emu/http/crypto.h): this module is for parts of the simulator, which links no TLS library,
 * and protects nothing. */
#ifndef SIM_STUDY_IMPORT_SHA256_H
#define SIM_STUDY_IMPORT_SHA256_H

#include <stddef.h>

enum { SHA256_TEXT = 65 };

/* Writes the digest of `length` bytes as 64 hexadecimal digits and a NUL. */
void sha256_text(const void *bytes, size_t length, char text[SHA256_TEXT]);

#endif
