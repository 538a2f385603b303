/* The small vectors of CUDA C++, with its sizes and alignments. */
#ifndef CUDA_EMULATED_TYPES_H
#define CUDA_EMULATED_TYPES_H

#define CUDA_EMULATED_VECTORS(T, name, pair, quad)                                                 \
    struct name##1                                                                                 \
    {                                                                                              \
        T x;                                                                                       \
    };                                                                                             \
    struct alignas(pair) name##2                                                                   \
    {                                                                                              \
        T x, y;                                                                                    \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        T x, y, z;                                                                                 \
    };                                                                                             \
    struct alignas(quad) name##4                                                                   \
    {                                                                                              \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    inline name##2 make_##name##2(T x, T y)                                                        \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    inline name##3 make_##name##3(T x, T y, T z)                                                   \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    inline name##4 make_##name##4(T x, T y, T z, T w)                                              \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }

CUDA_EMULATED_VECTORS(signed char, char, 2, 4)
CUDA_EMULATED_VECTORS(unsigned char, uchar, 2, 4)
CUDA_EMULATED_VECTORS(short, short, 4, 8)
CUDA_EMULATED_VECTORS(unsigned short, ushort, 4, 8)
CUDA_EMULATED_VECTORS(int, int, 8, 16)
CUDA_EMULATED_VECTORS(unsigned int, uint, 8, 16)
CUDA_EMULATED_VECTORS(long long, longlong, 16, 16)
CUDA_EMULATED_VECTORS(unsigned long long, ulonglong, 16, 16)
CUDA_EMULATED_VECTORS(float, float, 8, 16)
CUDA_EMULATED_VECTORS(double, double, 16, 16)
#undef CUDA_EMULATED_VECTORS

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z)
    {
    }
};

#endif
