/* All backends, and the choice between them. */
#ifndef TRAINER_BACKENDS_H
#define TRAINER_BACKENDS_H

#include "trainer/compute/backend_onednn.h"
#include "trainer/compute/backend_ref.h"
#include "trainer/cuda/backend_cuda.h"

/* All backends, the fastest first; ended by NULL. Backends that this build left out are included:
 * their probe fails and names the missing package. */
extern const Backend *const backends[];

/* True if `word`, one of backend_words, permits `backend`: "auto" permits all, "cpu" permits
 * onednn, and a name permits that backend. */
bool backend_word_allows(const char *word, const Backend *backend);

/* The first backend that `word` permits and that works with `precision`. NULL if there is none; the
 * message then gives the reason for each backend that does not work. */
const Backend *backend_find(const char *word, Precision precision, Status *status);

#endif
