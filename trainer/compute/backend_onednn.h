/* oneDNN on the processor; fp32 and bf16. Only in builds with oneDNN. */
#ifndef TRAINER_BACKEND_ONEDNN_H
#define TRAINER_BACKEND_ONEDNN_H

#include "trainer/compute/backend.h"

extern const Backend backend_onednn;

#endif
