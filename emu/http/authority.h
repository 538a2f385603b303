/* Reads "NAME:PORT" of Host headers, CONNECT and URLs, and says what it refers to. */
#ifndef EMU_AUTHORITY_H
#define EMU_AUTHORITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AUTHORITY_NAME_MAX = 253 }; /* of a DNS name (RFC 1035, 2.3.4) */

typedef struct {
    char name[AUTHORITY_NAME_MAX + 1]; /* in small letters, without brackets and a last dot */
    int32_t port;                      /* -1: no port */
    bool is_address;                   /* an address of IPv4 or IPv6 */
} Authority;

/* False if `text` is not a name or address with or without a port. */
bool authority_read(const char *text, size_t length, Authority *authority);

/* "localhost", or an address of the loopback network. */
bool authority_is_loopback(const Authority *authority);

/* "ACCOUNT.file.SUFFIX" or "ACCOUNT.blob.SUFFIX". */
bool authority_is_storage(const Authority *authority, const char *suffix);

#endif
