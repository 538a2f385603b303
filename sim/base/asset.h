/* A file that is compiled in (tools/embed.cmake makes tables of them at build time), so that an
 * installed program needs no data path. */
#ifndef SIM_BASE_ASSET_H
#define SIM_BASE_ASSET_H

typedef struct {
    const char *name; /* without folder: "nodes.gp" */
    const char *text;
} Asset;

#endif
