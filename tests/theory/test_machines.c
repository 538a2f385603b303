/* Nodes as machines that fail and are repaired, each by a separate crew, as in the service, or by
 * few crews. With a crew for each, a node is up for the fraction up / (up + down) of the time, for
 * any distribution of both, and independently of the others. (R. Barlow, F. Proschan, "Mathematical
 * Theory of Reliability", 1965, chapter 3.) */
#include <math.h>
#include <stdio.h>

#include "sim/base/units.h"
#include "tests/support/closed_forms.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { REPLICATIONS = 20, NODES = 16, YEARS = 20 };

/* All nodes are new at the start; after a year the distribution of their ages is stationary. */
static const int64_t warm_up_ns = 365 * NS_PER_DAY;

typedef struct {
    const World *world;
    int64_t since_ns;
    int32_t down;
    int64_t down_ns;     /* node time */
    int64_t all_up_ns;   /* time */
    int64_t two_down_ns; /* time with two or more nodes down */
} Repairs;

static void add_up(Repairs *repairs, int64_t at_ns)
{
    int64_t begin_ns = repairs->since_ns > warm_up_ns ? repairs->since_ns : warm_up_ns;
    int64_t span_ns = at_ns > begin_ns ? at_ns - begin_ns : 0;
    repairs->down_ns += repairs->down * span_ns;
    repairs->all_up_ns += repairs->down == 0 ? span_ns : 0;
    repairs->two_down_ns += repairs->down >= 2 ? span_ns : 0;
    repairs->since_ns = at_ns;
}

static void look(void *listener, int64_t at_ns)
{
    Repairs *repairs = listener;
    add_up(repairs, at_ns);
    if (world_cluster_count(repairs->world) > 0)
        repairs->down = world_cluster(repairs->world, (ClusterId){0})->node_count[NODE_UNUSABLE];
}

typedef struct {
    const FailureModel *model;
    int32_t nodes;
    int32_t crews; /* 0: one for each node */
    int32_t years; /* watched, after the first */
} Machines;

static Repairs watch_machines(Arena *arena, const Machines *machines, uint64_t seed)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, machines->nodes));
    Scenario *scenario = scenario_of(&list, seed);
    scenario->service = idle_service(arena, machines->nodes);
    scenario->failures.rate_ppm = PPM;
    scenario->failures.nodes = machines->model;
    scenario->failures.repair_crews = machines->crews;
    scenario->until_ns = warm_up_ns + machines->years * 365 * NS_PER_DAY;
    Repairs repairs = {0};
    World *world =
        world_create(arena, scenario,
                     (TraceSink){.listener = &repairs, .level = TRACE_LEVEL_JOBS, .instant = look});
    repairs.world = world;
    world_run(world);
    add_up(&repairs, world_now_ns(world));
    ck_assert_int_eq(repairs.since_ns, scenario->until_ns);
    return repairs;
}

static void check_machines(const char *what, const FailureModel *model, double up_h, double down_h)
{
    const double watched_ns = YEARS * 365.0 * (double)NS_PER_DAY;
    double down[REPLICATIONS], all_up[REPLICATIONS];
    for (uint64_t r = 0; r < REPLICATIONS; r++) {
        Arena *arena = arena_create();
        const Machines machines = {.model = model, .nodes = NODES, .years = YEARS};
        const Repairs repairs = watch_machines(arena, &machines, theory_seed(3000 + r));
        down[r] = (double)repairs.down_ns / watched_ns;
        all_up[r] = (double)repairs.all_up_ns / watched_ns;
        arena_destroy(arena);
    }
    double availability = up_h / (up_h + down_h);
    check_mean(what, down, REPLICATIONS, NODES * (1 - availability), .02);
    check_mean("    share of the time with all nodes up", all_up, REPLICATIONS,
               pow(availability, NODES), .005);
}

START_TEST(node_availability_matches_the_repair_model)
{
    // 1 / (1 + 10 / 1000): 16 machines have 0.158416 down on average, and all are up 85.28 % of the
    // time.
    const FailureModel model = {.name = "exponential",
                                .between = exponential_of(1000 * NS_PER_HOUR),
                                .repair = exponential_of(10 * NS_PER_HOUR),
                                .recovery = RECOVERY_REBOOT,
                                .reason = "theory"};
    check_machines("machine repair, exponential: nodes down", &model, 1000, 10);
}
END_TEST

START_TEST(only_the_means_matter)
{
    // Weibull with shape 0.5: the mean is twice the scale. Lognormal with sigma 0.5: the mean is
    // exp(1/8) = 1.133148453 times the median.
    const FailureModel model = {
        .name = "other",
        .between = {.kind = DISTRIBUTION_WEIBULL, .scale = 500 * NS_PER_HOUR, .shape_ppm = PPM / 2},
        .repair = {.kind = DISTRIBUTION_LOGNORMAL, .scale = 20 * NS_PER_HOUR, .shape_ppm = PPM / 2},
        .recovery = RECOVERY_REBOOT,
        .reason = "theory"};
    check_machines("machine repair, Weibull and lognormal: down", &model, 1000,
                   20 * 1.133148453066826);
}
END_TEST

/* A birth and death process: k nodes are down, (N - k) / MTBF fail, min(k, crews) / MTTR are
 * repaired.
 */
START_TEST(nodes_wait_for_few_crews)
{
    static const struct {
        const char *point;
        int32_t nodes, crews, years;
        int64_t up_h, down_h;
        double down_most, up_most, two_most; /* relative errors */
    } rows[] = {
        {"N=16 crews=1 MTBF=1000h MTTR=10h", 16, 1, 40, 1000, 10, .02, .005, .04},
        {"N=16 crews=2 MTBF=1000h MTTR=10h", 16, 2, 40, 1000, 10, .02, .005, .04},
        {"N=64 crews=2 MTBF=500h MTTR=5h", 64, 2, 10, 500, 5, .02, .01, .03},
        {"N=64 crews=4 MTBF=200h MTTR=4h", 64, 4, 5, 200, 4, .02, .02, .02},
        {"N=256 crews=8 MTBF=300h MTTR=4h", 256, 8, 3, 300, 4, .02, .04, .01},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const FailureModel model = {.name = "exponential",
                                    .between = exponential_of(rows[i].up_h * NS_PER_HOUR),
                                    .repair = exponential_of(rows[i].down_h * NS_PER_HOUR),
                                    .recovery = RECOVERY_REBOOT,
                                    .reason = "theory"};
        const Machines machines = {&model, rows[i].nodes, rows[i].crews, rows[i].years};
        const double watched_ns = machines.years * 365.0 * (double)NS_PER_DAY;
        double down[REPLICATIONS], all_up[REPLICATIONS], two_down[REPLICATIONS];
        for (uint64_t r = 0; r < REPLICATIONS; r++) {
            Arena *arena = arena_create();
            const Repairs repairs =
                watch_machines(arena, &machines, theory_seed(3100 + 50 * i + r));
            down[r] = (double)repairs.down_ns / watched_ns;
            all_up[r] = (double)repairs.all_up_ns / watched_ns;
            two_down[r] = (double)repairs.two_down_ns / watched_ns;
            arena_destroy(arena);
        }
        printf("machine repair, %s\n", rows[i].point);
        check_mean("nodes down", down, REPLICATIONS,
                   closed_form("machine repair", rows[i].point, "E[down]"), rows[i].down_most);
        check_mean("share of the time with all nodes up", all_up, REPLICATIONS,
                   closed_form("machine repair", rows[i].point, "P(all up)"), rows[i].up_most);
        check_mean("share of the time with two down", two_down, REPLICATIONS,
                   closed_form("machine repair", rows[i].point, "P(>=2 down)"), rows[i].two_most);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("machines");
    TCase *tests = tcase_create("machines");
    tcase_add_test(tests, node_availability_matches_the_repair_model);
    tcase_add_test(tests, only_the_means_matter);
    tcase_add_test(tests, nodes_wait_for_few_crews);
    suite_add_tcase(suite, tests);
    return suite;
}
