/* Where clients find the emulator, for absolute URLs. */
#ifndef EMU_HTTP_ADDRESSES_H
#define EMU_HTTP_ADDRESSES_H

typedef struct {
    const char *tls;      /* Resource Manager, login; "127.0.0.1:8443" */
    const char *plain;    /* files by path, tokens, dashboard */
    const char *userinfo; /* "" without that listener */
} HttpAddresses;

#endif
