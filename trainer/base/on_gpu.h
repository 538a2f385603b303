/* The attribute of inline functions in headers that kernels call as well. */
#ifndef TRAINER_ON_GPU_H
#define TRAINER_ON_GPU_H

#ifdef __CUDACC__
#define ALSO_ON_GPU __host__ __device__
#else
#define ALSO_ON_GPU
#endif

#endif
