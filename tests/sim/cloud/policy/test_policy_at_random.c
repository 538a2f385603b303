/* Policies that save themselves work in long queues, against plain ones that do not. */
#include "sim/cloud/policy/policy.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/engine/rng.h"
#include "sim/model/bounded.h"
#include "tests/support/suite.h"

enum { KINDS = 3, GPUS = 4, JOBS_MAX = 700 };

/* --- Views at random --- */

typedef struct {
    uint64_t seed, draw;
    Room rooms[KINDS];
    PlaceSet places[KINDS][GPUS + 1];
    WaitingJob waiting[JOBS_MAX];
    RunningJob running[JOBS_MAX];
    PolicyStep steps[KINDS * (2 * JOBS_MAX + 1)];
    int32_t indices[2 * JOBS_MAX];
    int64_t used_node_us;
    PolicyView view;
} Case;

static int32_t roll(Case *random, int32_t sides)
{
    return (int32_t)(rng_word(random->seed, RNG_IDENTITY, 78, random->draw++) >> 33) % sides;
}

static void set_rooms(Case *random, int32_t kinds)
{
    for (int32_t k = 0; k < kinds; k++) {
        Room *room = &random->rooms[k];
        *room = (Room){.kind = k,
                       .gpus_per_node = GPUS,
                       .places = random->places[k],
                       .most_nodes = roll(random, 9),
                       .unusable_nodes = roll(random, 4) == 0 ? roll(random, 3) : 0,
                       .speed_ppm = roll(random, 3) * (PPM / 2),
                       .closes = roll(random, 4) == 0,
                       .closes_ns = roll(random, 200) * NS_PER_S,
                       .next = k + 1 < kinds ? room + 1 : NULL};
        for (int32_t free = 0; free <= GPUS; free++)
            random->places[k][free].count = roll(random, 3);
        room->idle_nodes = random->places[k][GPUS].count;
        room->most_nodes += room->idle_nodes;
    }
}

static JobRequest request(Case *random, int32_t kinds)
{
    JobRequest made =
        roll(random, 3) == 0
            ? (JobRequest){.kind = REQUEST_NODES, .nodes = 1 + roll(random, 4)}
            : request_of_gpus(roll(random, 3) == 0 ? roll(random, 16) : roll(random, 4), GPUS);
    if (kinds > 1)
        made.kinds = (KindSet)(1 + roll(random, (1 << kinds) - 1)) & KIND_SET_ALL;
    return made;
}

/* Often equal, sometimes 0 or without an end. */
static int64_t duration(Case *random)
{
    const int32_t kind = roll(random, 20);
    return kind == 0 ? INT64_MAX : kind < 3 ? 0 : (1 + roll(random, 40)) * 5 * NS_PER_S;
}

static void set_jobs(Case *random, int32_t kinds, int32_t jobs)
{
    PolicyView *view = &random->view;
    int64_t end_ns = 0;
    view->waiting_count = roll(random, jobs + 1);
    view->running_count = roll(random, 20);
    for (int32_t i = 0; i < view->waiting_count; i++)
        random->waiting[i] = (WaitingJob){.job = {(uint32_t)i},
                                          .request = request(random, kinds),
                                          .expected_ns = duration(random),
                                          .owed_ns = roll(random, 3) * NS_PER_S,
                                          .fastest_ppm = PPM};
    for (int32_t i = 0; i < view->running_count; i++) {
        JobRequest held = request(random, kinds);
        if (kinds > 1)
            held.kinds = kind_set_of(roll(random, kinds)) & KIND_SET_ALL;
        end_ns = bounded_add(end_ns, roll(random, 30) * NS_PER_S);
        random->running[i] = (RunningJob){.job = {(uint32_t)(1000 + i)},
                                          .request = held,
                                          .expected_end_ns = end_ns,
                                          .speed_ppm = PPM,
                                          .fastest_ppm = PPM};
    }
}

static const PolicyView *view_at_random(Case *random, uint64_t seed, int32_t jobs)
{
    *random = (Case){.seed = seed};
    const int32_t kinds = 1 + roll(random, KINDS);
    set_rooms(random, kinds);
    set_jobs(random, kinds, jobs);
    random->view.now_ns = roll(random, 60) * NS_PER_S;
    random->view.room = random->rooms;
    random->view.takes_fastest = roll(random, 2) == 0;
    random->view.waiting = random->waiting;
    random->view.running = random->running;
    random->view.used_node_us = &random->used_node_us;
    random->view.steps = random->steps;
    random->view.indices = random->indices;
    if (roll(random, 4) == 0)
        random->view.limit = (SlotLimit){true, 10 + roll(random, 20), roll(random, 10)};
    return &random->view;
}

/* --- Conservative, as its definition says: a reservation for each job, in order --- */

typedef struct {
    int64_t begin_ns, end_ns; /* INT64_MAX: no end */
    int64_t slots;
    int32_t kind;
} Reservation;

typedef struct {
    const PolicyView *view;
    Reservation made[JOBS_MAX];
    int32_t count;
    int64_t spare[KINDS];
} Plain;

/* The slots of a kind that are free at a time from now on. */
static int64_t free_at(const Plain *plain, const Room *kind, int64_t at_ns)
{
    const PolicyView *view = plain->view;
    int64_t slots = policy_free_slots(view, kind) + policy_slots_to_come(view, kind);
    for (int32_t i = 0; i < view->running_count; i++)
        if (view->running[i].expected_end_ns <= at_ns)
            slots += policy_held_slots(&view->running[i], kind);
    for (int32_t i = 0; i < plain->count; i++) {
        const Reservation *made = &plain->made[i];
        if (made->kind == kind->kind && made->begin_ns <= at_ns &&
            (at_ns < made->end_ns || made->end_ns == INT64_MAX))
            slots -= made->slots;
    }
    return slots;
}

/* Whether the slots are free from `from_ns` on for the time of the job. Free slots only become
 * fewer where a reservation begins. */
static bool is_free(const Plain *plain, const Room *kind, int64_t slots, int64_t from_ns,
                    int64_t length_ns)
{
    const int64_t end_ns = bounded_add(from_ns, length_ns);
    if (free_at(plain, kind, from_ns) < slots)
        return false;
    for (int32_t i = 0; i < plain->count; i++) {
        const int64_t at_ns = plain->made[i].begin_ns;
        if (at_ns > from_ns && at_ns < end_ns && free_at(plain, kind, at_ns) < slots)
            return false;
    }
    return true;
}

/* The first time at which the job may begin on a kind; INT64_MAX: none. */
static int64_t first_begin_ns(const Plain *plain, const Room *kind, int64_t slots,
                              int64_t length_ns)
{
    const PolicyView *view = plain->view;
    if (is_free(plain, kind, slots, view->now_ns, length_ns))
        return view->now_ns;
    int64_t first_ns = INT64_MAX;
    for (int32_t i = 0; i < view->running_count + plain->count; i++) {
        const int64_t at_ns = i < view->running_count ? view->running[i].expected_end_ns
                                                      : plain->made[i - view->running_count].end_ns;
        if (at_ns > view->now_ns && at_ns < first_ns &&
            is_free(plain, kind, slots, at_ns, length_ns))
            first_ns = at_ns;
    }
    return first_ns;
}

static KindSet kinds_now(const Plain *plain, const WaitingJob *job)
{
    const PolicyView *view = plain->view;
    KindSet kinds = 0;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next) {
        const int64_t slots = request_slots_on(job->request, kind);
        if (slots <= plain->spare[kind->kind] &&
            request_fits_on(&job->request, &view->limit, kind) &&
            is_free(plain, kind, slots, view->now_ns, policy_expected_ns(job, kind)))
            kinds |= kind_set_of(kind->kind);
    }
    return kinds;
}

static void plain_reserve(Plain *plain, const WaitingJob *job)
{
    const PolicyView *view = plain->view;
    const Room *order[NODE_KINDS_MAX];
    const int32_t count = policy_kinds_in_order(view, job, order);
    Reservation first = {.begin_ns = INT64_MAX};
    for (int32_t k = 0; k < count; k++) {
        const int64_t slots = request_slots_on(job->request, order[k]);
        const int64_t length_ns = policy_expected_ns(job, order[k]);
        if (!request_may_start_on(&job->request, &view->limit, order[k]))
            continue;
        const int64_t begin_ns = first_begin_ns(plain, order[k], slots, length_ns);
        if (begin_ns < first.begin_ns && begin_ns <= policy_last_start_ns(job, order[k]))
            first =
                (Reservation){begin_ns, bounded_add(begin_ns, length_ns), slots, order[k]->kind};
    }
    if (first.begin_ns == INT64_MAX)
        return;
    if (first.begin_ns == view->now_ns)
        plain->spare[first.kind] -= first.slots;
    plain->made[plain->count++] = first;
}

static PolicyChoice plain_conservative(const PolicyView *view)
{
    Plain plain = {.view = view};
    for (const Room *kind = view->room; kind != NULL; kind = kind->next)
        plain.spare[kind->kind] = policy_free_slots(view, kind);
    for (int32_t i = 0; i < view->waiting_count; i++) {
        const KindSet kinds = kinds_now(&plain, &view->waiting[i]);
        if (kinds != 0)
            return (PolicyChoice){.job = i, .kinds = kinds};
        plain_reserve(&plain, &view->waiting[i]);
    }
    return (PolicyChoice){.job = POLICY_NONE};
}

/* Compares choices until none is left, each as if the chosen job had left the queue without taking
 * its nodes: so many later jobs are chosen, too. */
static int32_t compare(uint64_t seed, int32_t jobs)
{
    static Case random;
    PolicyView view = *view_at_random(&random, seed, jobs);
    int32_t choices = 0;
    for (;;) {
        const PolicyChoice expected = plain_conservative(&view);
        const PolicyChoice chosen = policy_conservative(&view);
        ck_assert_msg(chosen.job == expected.job && chosen.kinds == expected.kinds,
                      "seed %" PRIu64 ": job %" PRId32 " instead of %" PRId32, seed, chosen.job,
                      expected.job);
        if (chosen.job == POLICY_NONE)
            return choices;
        choices += chosen.job > 0; // it passed others
        memmove(&random.waiting[chosen.job], &random.waiting[chosen.job + 1],
                (size_t)(view.waiting_count - chosen.job - 1) * sizeof *random.waiting);
        view.waiting_count--;
    }
}

START_TEST(conservative_makes_the_choices_of_a_plan_with_all_reservations)
{
    int32_t passes = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++)
        passes += compare(seed, seed % 10 == 0 ? 60 : 15);
    ck_assert_int_gt(passes, 3000);
}
END_TEST

START_TEST(conservative_makes_these_choices_in_long_queues)
{
    for (uint64_t seed = 1; seed <= 8; seed++)
        compare(10000 + seed, 600);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("policy_at_random");
    TCase *plain = tcase_create("plain");
    tcase_set_timeout(plain, 120);
    tcase_add_test(plain, conservative_makes_the_choices_of_a_plan_with_all_reservations);
    tcase_add_test(plain, conservative_makes_these_choices_in_long_queues);
    suite_add_tcase(suite, plain);
    return suite;
}
