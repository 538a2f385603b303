/* Detects AddressSanitizer in GCC and clang. */
#ifndef CUDA_EMULATED_SANITIZER_H
#define CUDA_EMULATED_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define CUDA_EMULATED_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDA_EMULATED_ASAN 1
#endif
#endif
#ifndef CUDA_EMULATED_ASAN
#define CUDA_EMULATED_ASAN 0
#endif

#endif
