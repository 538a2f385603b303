/* The networks between nodes, as a prediction may ask for them. */
#ifndef SIM_SCENARIO_CATALOG_WIRE_H
#define SIM_SCENARIO_CATALOG_WIRE_H

#define WIRES(X)                                                                                   \
    X(IB_FDR, "ib-fdr") /* InfiniBand, of the generation that the VM size has */                   \
    X(ETHERNET, "ethernet")

typedef enum {
    WIRE_ANY = -1, /* the wire that the exchange prefers */
#define X(name, text) WIRE_##name,
    WIRES(X)
#undef X
        WIRE_COUNT
} Wire;

#endif
