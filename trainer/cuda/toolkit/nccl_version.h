/* All differences between versions of NCCL. NCCL 2.0 is the oldest version with all functions used
 * (ncclAllReduce on a stream, ncclCommInitRank). Asynchronous errors can be queried since 2.4. */
#ifndef TRAINER_CUDA_NCCL_VERSION_H
#define TRAINER_CUDA_NCCL_VERSION_H

#include <nccl.h>
#include <stdbool.h>

#include "trainer/cuda/toolkit/toolkit.h"

/* NCCL_VERSION_CODE is 1000 * major + 100 * minor + patch up to 2.8, and 10000 * major from 2.9
 * on; ncclGetVersion uses the same code. */
enum { NCCL_VERSION_2_9 = 20900 };

/* The version as people write it: 2, 28, 9. */
typedef struct {
    int major, minor, patch;
} NcclVersion;

static inline NcclVersion nccl_version_of(int code)
{
    const int unit = code >= 10000 ? 10000 : 1000;
    return (NcclVersion){code / unit, code % unit / 100, code % 100};
}

/* Sums may be captured into a CUDA graph from NCCL 2.9 and CUDA 11.3 on (NCCL's user guide, "Using
 * NCCL with CUDA Graphs"); `library` is the result of ncclGetVersion, which may differ from the
 * header's version. */
static inline bool nccl_can_be_captured(int library)
{
    return CUDART_VERSION >= 11030 && library >= NCCL_VERSION_2_9;
}

/* NCCL's description of its last error; "" before 2.13. */
static inline const char *nccl_last_words(ncclComm_t comm)
{
#if NCCL_VERSION_CODE >= 21300
    const char *words = ncclGetLastError(comm);
    return words ? words : "";
#else
    (void)comm;
    return "";
#endif
}

/* ncclInProgress is a state, not an error. It exists since 2.14. */
static inline bool nccl_is_in_progress(ncclResult_t result)
{
#if NCCL_VERSION_CODE >= 21400
    return result == ncclInProgress;
#else
    (void)result;
    return false;
#endif
}

/* Returns an error of the network or of another rank in a running sum. */
static inline ncclResult_t nccl_async_error(ncclComm_t comm)
{
#if NCCL_VERSION_CODE >= 2400
    ncclResult_t met = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(comm, &met);
    return asked == ncclSuccess ? met : asked;
#else
    (void)comm;
    return ncclSuccess;
#endif
}

static inline void nccl_abort(ncclComm_t comm)
{
#if NCCL_VERSION_CODE >= 2400
    (void)ncclCommAbort(comm);
#else
    (void)comm; // work on the GPU ends with the process
#endif
}

#endif
