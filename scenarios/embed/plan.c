/* How many nodes does the team of scenarios/studies/cifar-team need? Runs the scenario with 1 to 4
 * nodes until 95 % of its jobs wait at most half an hour.
 *
 *     cc plan.c $(pkg-config --cflags --libs trainyard) && ./a.out SCENARIO */
#include <stdio.h>
#include <trainyard.h>

/* False after printing what is wrong. */
static int is_fine(const trainyard_result *run)
{
    if (trainyard_code(run) == TRAINYARD_OK)
        return 1;
    for (size_t i = 0; i < trainyard_error_count(run); i++) {
        const trainyard_error error = trainyard_error_at(run, i);
        fprintf(stderr, "%s", error.source);
        if (error.line > 0)
            fprintf(stderr, ":%d:%d", (int)error.line, (int)error.column);
        fprintf(stderr, ": %s\n", error.message);
    }
    return 0;
}

static void count_ends(void *owner, const trainyard_record *record)
{
    (void)record;
    ++*(long *)owner;
}

int main(int argc, char **argv)
{
    if (argc != 2 || trainyard_abi() != TRAINYARD_ABI)
        return 2;
    for (int nodes = 1; nodes <= 4; nodes++) {
        char param[32];
        snprintf(param, sizeof param, "nodes=%d", nodes);
        const char *const params[] = {param};
        long records = 0;
        double within = 0, usd = 0;
        const trainyard_request request = {.size = sizeof request,
                                           .path = argv[1],
                                           .params = params,
                                           .param_count = 1,
                                           .trace = count_ends,
                                           .owner = &records};
        trainyard_result *run = trainyard_run(&request);
        const int is_known =
            is_fine(run) &&
            trainyard_metric(run, "workloads.team.waited_within(30m)", &within).code ==
                TRAINYARD_OK &&
            trainyard_metric(run, "cost_usd.total", &usd).code == TRAINYARD_OK;
        trainyard_free(run);
        if (!is_known)
            return 2;
        printf("%d nodes: %.1f %% wait at most 30 min, %.2f USD, %s\n", nodes, 100 * within, usd,
               records > 0 ? "traced" : "no trace");
        if (within >= 0.95)
            return 0;
    }
    return 1;
}
