/* Scalars for TensorBoard: an event file as TensorFlow writes it, one for each run of the program.
 *
 *     logs/events.out.tfevents.1531936139.nc6-0
 *
 * Records (tensorflow/core/lib/io/record_writer.cc), all numbers little-endian:
 *
 *     uint64 length   uint32 masked CRC of it   `length` bytes   uint32 masked CRC of these
 *
 * CRC-32C, masked as ((crc >> 15) | (crc << 17)) + 0xa282ead8 (tensorflow/core/lib/hash/crc32c.h).
 * Each holds one Event (tensorflow/core/util/event.proto: wall_time = 1, a double; step = 2, a
 * varint; file_version = 3; summary = 5; session_log = 7), of which the first says "brain.Event:2".
 * A scalar is a Summary (tensorflow/core/framework/summary.proto: value = 1) of one Value (tag = 1,
 * simple_value = 2, a float), as the TensorBoard callback of Keras 2.2 writes it: the tags loss,
 * acc, val_loss and val_acc, the step the epoch counted from 0. So curves of ours and of Keras lie
 * over each other. lr and images_per_s are added to them. */
#ifndef TRAINER_TENSORBOARD_H
#define TRAINER_TENSORBOARD_H

#include "trainer/record/history.h"

typedef struct TensorBoard TensorBoard;

/* A new file in `folder`, which exists; `wall_s` is the time of day in seconds since 1970. A second
 * run within one second and on one host gets a number behind its name. With `epochs` above 0 the
 * training is one resumed after so many: the file then begins with the session log at which
 * TensorBoard drops what earlier files of the folder say of later epochs. STATUS_MACHINE when the
 * disk refuses. In `arena`. */
MUST_CHECK bool tensorboard_open(const char *folder, const char *host, double wall_s,
                                 int64_t epochs, Arena *arena, TensorBoard **board, Status *status);
/* The measures of an epoch but its seconds; those that are NaN are left out. On disk afterwards as
 * far as the system is concerned (flushed, not synced). */
MUST_CHECK bool tensorboard_add(TensorBoard *board, double wall_s, const EpochRecord *record,
                                Status *status);
/* Everything was flushed before. NULL is fine. */
void tensorboard_close(TensorBoard *board);
const char *tensorboard_path(const TensorBoard *board);

/* For both `wall_s`: now. */
double tensorboard_clock_s(void);

#endif
