/* Replaces NCCL's header of this name. It has the part that the trainer uses, with NCCL's names,
 * values and signatures (2.28), so that code that compiles with it compiles with NCCL's.
 * tests/trainer/comm/nccl_emulation/nccl_emulation.h describes the differences. */
#ifndef NCCL_EMULATION_NCCL_H
#define NCCL_EMULATION_NCCL_H

#include <cuda_runtime_api.h>
#include <stddef.h>

// NCCL's names. NOLINTBEGIN(readability-identifier-naming)

#define NCCL_VERSION_CODE 22809
#define NCCL_UNIQUE_ID_BYTES 128

typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef struct ncclComm *ncclComm_t;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7
} ncclResult_t;

typedef enum { ncclSum = 0, ncclProd = 1 } ncclRedOp_t;
typedef enum { ncclInt8 = 0, ncclFloat = 7 } ncclDataType_t;

ncclResult_t ncclGetVersion(int *version);
ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
const char *ncclGetErrorString(ncclResult_t result);
const char *ncclGetLastError(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError);
ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream);

// NOLINTEND(readability-identifier-naming)
#endif
