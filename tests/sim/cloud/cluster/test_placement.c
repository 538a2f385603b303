/* Requests for GPUs, and the nodes that placement policies choose for them. */
#include "sim/cloud/cluster/placement.h"

#include "tests/support/suite.h"

enum { GPUS = 4, NODES = 6 };

static Arena *arena;
static PlaceSet places[GPUS + 1];
static Room room;
static const SlotLimit no_limit = {0};

/* Nodes at the places 0, 1, ... with so many free GPUs; -1: the node takes no job. */
static void begin_with(const int32_t *free, int32_t idle_nodes)
{
    arena = arena_create();
    for (int32_t gpus = 0; gpus <= GPUS; gpus++) {
        places[gpus] = (PlaceSet){0};
        place_set_reserve(arena, &places[gpus], NODES);
    }
    for (int32_t place = 0; place < NODES; place++)
        if (free[place] >= 0)
            place_set_add(&places[free[place]], place);
    room = (Room){.gpus_per_node = GPUS, .idle_nodes = idle_nodes, .places = places};
}

static void end(void)
{
    arena_destroy(arena);
}

static int32_t chosen(PlacementKind kind, int32_t gpus, bool is_remainder)
{
    return placement_of(kind)->choose(
        &room, (PlacementPart){.need.gpus = gpus, .is_remainder = is_remainder});
}

START_TEST(policies_choose_the_node_that_their_descriptions_name)
{
    static const struct {
        PlacementKind kind;
        int32_t gpus;
        bool is_remainder;
        int32_t place;
    } rows[] = {
        // Free GPUs: 2 4 1 4 1 3
        {PLACEMENT_FIRST_FIT, 1, false, 0},   {PLACEMENT_FIRST_FIT, 3, false, 1},
        {PLACEMENT_FIRST_FIT, 2, true, 0},    {PLACEMENT_BEST_FIT, 1, false, 2},
        {PLACEMENT_BEST_FIT, 2, false, 0},    {PLACEMENT_BEST_FIT, 3, false, 5},
        {PLACEMENT_BEST_FIT, 3, true, 5},     {PLACEMENT_BEST_FIT, 4, false, 1},
        {PLACEMENT_SPREAD, 1, false, 1},      {PLACEMENT_SPREAD, 4, false, 1},
        {PLACEMENT_CONSOLIDATE, 1, false, 2}, {PLACEMENT_CONSOLIDATE, 3, false, 5},
        {PLACEMENT_CONSOLIDATE, 3, true, 1},  {PLACEMENT_CONSOLIDATE, 0, false, 2},
    };
    begin_with((const int32_t[NODES]){2, 4, 1, 4, 1, 3}, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(chosen(rows[i].kind, rows[i].gpus, rows[i].is_remainder) == rows[i].place,
                      "row %d", (int)i);
    end();
}
END_TEST

START_TEST(no_policy_chooses_a_node_without_enough_free_gpus)
{
    begin_with((const int32_t[NODES]){2, 0, -1, 2, 1, 0}, 0);
    for (PlacementKind kind = 0; kind < PLACEMENT_COUNT; kind++)
        for (int32_t remainder = 0; remainder < 2; remainder++) {
            ck_assert_int_eq(chosen(kind, 3, remainder), -1);
            ck_assert_int_eq(chosen(kind, GPUS + 1, remainder), -1);
        }
    end();
}
END_TEST

/* --- Requests --- */

START_TEST(a_request_for_gpus_takes_whole_nodes_and_a_remainder)
{
    const JobRequest small = request_of_gpus(3, GPUS), wide = request_of_gpus(10, GPUS),
                     even = request_of_gpus(8, GPUS), none = request_of_gpus(0, GPUS);
    ck_assert_int_eq(small.nodes, 1);
    ck_assert_int_eq(request_part(small, 0, GPUS), 3);
    ck_assert_int_eq(wide.nodes, 3);
    ck_assert_int_eq(request_part(wide, 0, GPUS), 4);
    ck_assert_int_eq(request_part(wide, 1, GPUS), 4);
    ck_assert_int_eq(request_part(wide, 2, GPUS), 2);
    ck_assert_int_eq(even.nodes, 2);
    ck_assert_int_eq(request_part(even, 1, GPUS), 4);
    ck_assert_int_eq(none.nodes, 1);
    ck_assert_int_eq(request_gpus(none, GPUS), 0);
    const JobRequest each = {.kind = REQUEST_GPUS_PER_NODE, .nodes = 3, .gpus = 2};
    ck_assert_int_eq(request_gpus(each, GPUS), 6);
    const JobRequest whole = {.nodes = 3};
    ck_assert_int_eq(request_gpus(whole, GPUS), 12);
    ck_assert_int_eq(request_slots(whole, 0), 3);
    ck_assert_int_eq(request_gpus(whole, 0), 0);
}
END_TEST

START_TEST(a_shape_says_on_how_many_nodes_a_job_runs)
{
    static const struct {
        int32_t gpus, gpus_per_node_max, nodes; /* 0: not stated */
        int32_t parts[6];                       /* ended by -1 */
    } rows[] = {
        {8, 0, 0, {4, 4, -1}},       {8, 0, 4, {2, 2, 2, 2, -1}},
        {9, 0, 4, {3, 2, 2, 2, -1}}, {6, 0, 2, {3, 3, -1}}, // not 4 + 2
        {8, 2, 0, {2, 2, 2, 2, -1}}, {5, 2, 0, {2, 2, 1, -1}},
        {8, 6, 0, {4, 4, -1}}, // a node has fewer
        {8, 0, 1, {4, 4, -1}}, // as many nodes as it needs
        {9, 0, 1, {3, 3, 3, -1}},    {4, 1, 2, {1, 1, 1, 1, -1}},
        {2, 0, 3, {1, 1, 0, -1}},    {0, 0, 2, {0, 0, -1}},
        {0, 3, 0, {0, -1}},
    };
    for (int r = 0; r < (int)(sizeof rows / sizeof rows[0]); r++) {
        const RequestShape shape = {rows[r].gpus_per_node_max, rows[r].nodes};
        const JobRequest request = request_of_shape(rows[r].gpus, shape, GPUS);
        int32_t nodes = 0;
        for (; rows[r].parts[nodes] >= 0; nodes++)
            ck_assert_msg(request_part(request, nodes, GPUS) == rows[r].parts[nodes],
                          "row %d, node %d", r, (int)nodes);
        ck_assert_msg(request.nodes == nodes, "row %d", r);
        ck_assert_int_eq(request_gpus(request, GPUS), rows[r].gpus);
    }
}
END_TEST

static JobRequest per_node(int32_t nodes, int32_t gpus)
{
    return (JobRequest){.kind = REQUEST_GPUS_PER_NODE, .nodes = nodes, .gpus = gpus};
}

START_TEST(a_request_fits_if_its_parts_find_different_nodes)
{
    // Free GPUs: 2 4 1 4 1 3; the two nodes with 4 are idle.
    begin_with((const int32_t[NODES]){2, 4, 1, 4, 1, 3}, 2);
    ck_assert_int_eq(room_slots_of_kind(&room), 15);
    const struct {
        JobRequest request;
        bool fits;
    } rows[] = {
        {{.nodes = 2}, true},
        {{.nodes = 3}, false},
        {request_of_gpus(4, GPUS), true},
        {request_of_gpus(8, GPUS), true},
        {request_of_gpus(11, GPUS), true},  // 4 + 4 + 3
        {request_of_gpus(12, GPUS), false}, // 4 + 4 + 4, although 15 are free
        {per_node(4, 2), true},
        {per_node(5, 2), false},
        {per_node(6, 1), true},
        {per_node(1, 5), false},
        {request_of_shape(8, (RequestShape){.nodes = 4}, GPUS), true},
        {request_of_shape(9, (RequestShape){.nodes = 4}, GPUS), true},  // 3 + 2 + 2 + 2
        {request_of_shape(11, (RequestShape){.nodes = 4}, GPUS), true}, // 3 + 3 + 3 + 2
        {request_of_shape(12, (RequestShape){.nodes = 4}, GPUS), false},
        {request_of_shape(6, (RequestShape){.gpus_per_node_max = 1}, GPUS), true},
        {request_of_shape(7, (RequestShape){.gpus_per_node_max = 1}, GPUS), false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(request_fits(&rows[i].request, &no_limit, &room) == rows[i].fits, "row %d",
                      (int)i);
    ck_assert(request_is_possible(request_of_gpus(24, GPUS), 6, (NodeShare){GPUS, 0, 0}));
    ck_assert(!request_is_possible(request_of_gpus(25, GPUS), 6, (NodeShare){GPUS, 0, 0}));
    ck_assert(!request_is_possible(per_node(1, GPUS + 1), 6, (NodeShare){GPUS, 0, 0}));
    end();
}
END_TEST

START_TEST(cores_and_memory_are_divided_in_proportion_to_gpus_and_rounded_up)
{
    // 10 GPUs on nodes of 4: 4, 4 and 2. A node of 4 gives 10 of the 25 cores and the last one 5.
    JobRequest request = request_of_gpus(10, GPUS);
    request.cpus = 25;
    request.memory_mib = 1001;
    ck_assert_int_eq(request_share(request, 0, GPUS).cpus, 10);
    ck_assert_int_eq(request_share(request, 2, GPUS).cpus, 5);
    ck_assert_int_eq(request_share(request, 0, GPUS).memory_mib, 401); // 400.4
    ck_assert_int_eq(request_share(request, 2, GPUS).memory_mib, 201); // 200.2
    request = request_of_gpus(0, GPUS);
    request.cpus = 7;
    ck_assert_int_eq(request_share(request, 0, GPUS).cpus, 7);
}
END_TEST

START_TEST(placement_passes_over_nodes_without_cores_or_memory)
{
    // All nodes have 2 free GPUs. The first has too few free cores, the second too little memory.
    static const NodeShare free[NODES] = {{2, 3, 500}, {2, 8, 100}, {2, 8, 500},
                                          {2, 8, 500}, {2, 0, 500}, {2, 8, 0}};
    static const int32_t gpus[NODES] = {2, 2, 2, 2, 2, 2};
    JobRequest request = request_of_gpus(2, GPUS);
    begin_with(gpus, 0);
    room.free = free;
    request.cpus = 4;
    request.memory_mib = 200;
    for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
        const PlacementPart part = {.need = request_share(request, 0, GPUS)};
        ck_assert_int_eq(placement_of((PlacementKind)kind)->choose(&room, part), 2);
    }
    ck_assert(request_fits(&request, &no_limit, &room));
    request.memory_mib = 501;
    ck_assert(!request_fits(&request, &no_limit, &room));
    ck_assert_int_eq(request_shortage(&request, &no_limit, &room), SHORT_OF_MEMORY);
    request.cpus = 9;
    ck_assert_int_eq(request_shortage(&request, &no_limit, &room), SHORT_OF_CORES);
    request.gpus = 3;
    ck_assert_int_eq(request_shortage(&request, &no_limit, &room), SHORT_OF_GPUS);
    end();
}
END_TEST

START_TEST(a_job_with_more_cores_than_a_node_is_impossible)
{
    JobRequest request = request_of_gpus(8, GPUS); // two whole nodes
    request.cpus = 16;
    ck_assert(request_is_possible(request, 2, (NodeShare){GPUS, 8, MEMORY_NEVER_BINDS}));
    ck_assert(!request_is_possible(request, 2, (NodeShare){GPUS, 7, MEMORY_NEVER_BINDS}));
    request.memory_mib = 100;
    ck_assert(!request_is_possible(request, 2, (NodeShare){GPUS, 8, 49}));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("placement");
    TCase *tests = tcase_create("placement");
    tcase_add_test(tests, policies_choose_the_node_that_their_descriptions_name);
    tcase_add_test(tests, no_policy_chooses_a_node_without_enough_free_gpus);
    tcase_add_test(tests, cores_and_memory_are_divided_in_proportion_to_gpus_and_rounded_up);
    tcase_add_test(tests, placement_passes_over_nodes_without_cores_or_memory);
    tcase_add_test(tests, a_job_with_more_cores_than_a_node_is_impossible);
    tcase_add_test(tests, a_request_for_gpus_takes_whole_nodes_and_a_remainder);
    tcase_add_test(tests, a_shape_says_on_how_many_nodes_a_job_runs);
    tcase_add_test(tests, a_request_fits_if_its_parts_find_different_nodes);
    suite_add_tcase(suite, tests);
    return suite;
}
