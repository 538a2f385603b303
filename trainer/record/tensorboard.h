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
 * simple_value = 2, a float), as in the TensorBoard callback of Keras 2.2. The tags are loss, acc,
 * val_loss and val_acc; the step is the epoch, counted from 0. Curves of the trainer and of Keras
 * can therefore be compared in one diagram. The tags lr and images_per_s are additional. */
#ifndef TRAINER_TENSORBOARD_H
#define TRAINER_TENSORBOARD_H

#include "trainer/record/history.h"

typedef struct TensorBoard TensorBoard;

/* Creates a file in `folder`, which exists; `wall_s` is the time in seconds since 1970. The name of
 * a second file within one second on one host ends with a number. `epochs` above 0 means that the
 * training was resumed after that many epochs. The file then begins with a session log, at which
 * TensorBoard drops the values of later epochs from earlier files of the folder. Fails with
 * STATUS_MACHINE on disk errors. The result is in `arena`. */
MUST_CHECK bool tensorboard_open(const char *folder, const char *host, double wall_s,
                                 int64_t epochs, Arena *arena, TensorBoard **board, Status *status);
/* Adds the measures of an epoch except its seconds and those that are NaN. The file is flushed, but
 * not synced. */
MUST_CHECK bool tensorboard_add(TensorBoard *board, double wall_s, const EpochRecord *record,
                                Status *status);
/* NULL is allowed. Cannot lose data, because tensorboard_add flushes. */
void tensorboard_close(TensorBoard *board);
const char *tensorboard_path(const TensorBoard *board);

/* The current time for `wall_s`. */
double tensorboard_clock_s(void);

#endif
