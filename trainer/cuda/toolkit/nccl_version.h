/* What differs between versions of NCCL: here and nowhere else. NCCL 2.0 is the oldest that has all
 * that is used (ncclAllReduce on a stream, ncclCommInitRank); 2.4 the oldest whose errors behind
 * the back of a stream can be asked for. */
#ifndef TRAINER_CUDA_NCCL_VERSION_H
#define TRAINER_CUDA_NCCL_VERSION_H

#include <nccl.h>
#include <stdbool.h>

#include "trainer/cuda/toolkit/toolkit.h"

/* NCCL_VERSION_CODE is 1000 * major + 100 * minor + patch up to 2.8, and 10000 * major from 2.9 on;
 * ncclGetVersion likewise. */
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
 * NCCL with CUDA Graphs"); `library` is what ncclGetVersion says, which may be another than that of
 * the header. */
static inline bool nccl_can_be_captured(int library)
{
    return CUDART_VERSION >= 11030 && library >= NCCL_VERSION_2_9;
}

/* What NCCL has to say of its last error; "" before 2.13. */
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

/* A state, not an error, from 2.14 on. */
static inline bool nccl_is_in_progress(ncclResult_t result)
{
#if NCCL_VERSION_CODE >= 21400
    return result == ncclInProgress;
#else
    (void)result;
    return false;
#endif
}

/* Errors of the network or of another rank that a sum under way has met. */
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
    (void)comm; // the process ends, and what it has started on the GPU with it
#endif
}

#endif
