#include "sim/model/work.h"

#include "sim/model/bounded.h"

int64_t work_duration_ns(WorkRhythm rhythm, int64_t work_ns)
{
    if (rhythm.every_ns == 0 || work_ns == 0)
        return work_ns;
    const int64_t checkpoints = (work_ns - 1) / rhythm.every_ns;
    return bounded_add(work_ns, bounded_times(rhythm.takes_ns, checkpoints));
}

WorkDone work_done_after(WorkRhythm rhythm, int64_t passed_ns)
{
    if (rhythm.every_ns == 0 || passed_ns == 0)
        return (WorkDone){.work_ns = passed_ns};
    const int64_t cycle_ns = bounded_add(rhythm.every_ns, rhythm.takes_ns);
    const int64_t begun = passed_ns / cycle_ns, in_cycle_ns = passed_ns % cycle_ns;
    const int64_t written = (passed_ns - 1) / cycle_ns;
    const int64_t work_ns =
        begun * rhythm.every_ns + (in_cycle_ns < rhythm.every_ns ? in_cycle_ns : rhythm.every_ns);
    return (WorkDone){.work_ns = work_ns,
                      .writing_ns = passed_ns - work_ns,
                      .kept_ns = written * rhythm.every_ns,
                      .kept_writing_ns = written * rhythm.takes_ns};
}

bool work_is_unsaved(WorkRhythm rhythm, int64_t passed_ns)
{
    if (rhythm.every_ns == 0)
        return passed_ns > 0;
    const int64_t in_cycle_ns = passed_ns % bounded_add(rhythm.every_ns, rhythm.takes_ns);
    return in_cycle_ns > 0 && in_cycle_ns < rhythm.every_ns;
}
