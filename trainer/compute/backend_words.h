/* The words of the options --backend, --precision and --engine. They are in a separate library, so
 * that the main program can use them for its help and completion without the backends. */
#ifndef TRAINER_BACKEND_WORDS_H
#define TRAINER_BACKEND_WORDS_H

/* The precision of a backend. With bf16, activations and products have 8 bits of mantissa; with
 * tf32, the factors of products have 11. Sums, weights and the optimizer stay in float32. */
typedef enum { PRECISION_FP32, PRECISION_BF16, PRECISION_TF32, PRECISION_COUNT } Precision;
extern const char *const precision_names[]; /* "fp32", "bf16", "tf32", NULL */

/* How a GPU computes the products of a model: by the fastest engine of each, or by one engine
 * wherever it can (trainer/cuda/engines.h). */
typedef enum {
    ENGINE_FASTEST,
    ENGINE_OWN, /* the same bits in every run */
    ENGINE_CUBLAS,
    ENGINE_CUDNN,
    ENGINE_COUNT
} EngineWish;
extern const char *const engine_words[]; /* "fastest", "own", ..., NULL */

/* "auto", "cpu" and the names of all backends; ended by NULL. */
extern const char *const backend_words[];

#endif
