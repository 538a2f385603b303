/* Plain C in double precision on the processor. */
#ifndef TRAINER_BACKEND_REF_H
#define TRAINER_BACKEND_REF_H

#include "trainer/compute/backend.h"

extern const Backend backend_ref;

#endif
