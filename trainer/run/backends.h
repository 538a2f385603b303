/* All backends, and the choice between them. */
#ifndef TRAINER_BACKENDS_H
#define TRAINER_BACKENDS_H

#include "trainer/compute/backend_onednn.h"
#include "trainer/compute/backend_ref.h"
#include "trainer/cuda/backend_cuda.h"

/* All backends, the fastest first; ended by NULL. A backend that this build left out is there, too:
 * its probe fails and names the package that brings it. */
extern const Backend *const backends[];

/* Whether `word`, one of backend_words, permits `backend`: "auto" permits all, "cpu" onednn, and a
 * name its backend. */
bool backend_word_allows(const char *word, const Backend *backend);

/* The first backend that `word` permits and that works with `precision`. NULL if there is none; the
 * message then has the reason of each backend that does not work. */
const Backend *backend_find(const char *word, Precision precision, Status *status);

#endif
