#include "sim/study/format/study_types.h"

#define POINTER_OR_LIST                                                                            \
    "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": "      \
    "{\"type\": \"string\"}}]}"

#define NUMBER_OR_QUANTITY "{\"type\": [\"number\", \"string\"]}"

#define OWNER FactorText
static const char *const spacing_words[] = {
#define X(name, text) text,
    SPACINGS(X)
#undef X
        NULL};
static const Field factor_fields[] = {
    FIELD_JSON("set", set, POINTER_OR_LIST,
               "the values of the scenario that it changes: JSON pointers as of `run --set`"),
    FIELD_TEXT("param", param, NULL,
               "the parameter of the scenario that it sets; the default is the factor's name"),
    FIELD_JSON("values", values,
               "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1}]}",
               "its levels: a list of values, a range of integers such as \"1..16\" or "
               "\"10..100 by 10\", or \"all\": the words that the value may have, such as all "
               "policies, or the choices of a parameter"),
    FIELD_JSON("scale", scale,
               "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"number\"}}",
               "its levels as multiples of the scenario's own value"),
    FIELD_JSON("choices", choices,
               "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"type\": "
               "\"object\"}}",
               "its levels by name, each with the values that it sets: {pointer: value}"),
    FIELD_JSON("between", between, "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2}",
               "its lowest and highest value: two numbers, durations or sizes"),
    FIELD_CHOICE("on", on, spacing_words, "linear",
                 "how the levels of `between` are spaced: equal differences or equal ratios"),
    FIELD_INTEGER("levels", levels, 2, 1000, "5",
                  "the number of levels of `between` in a grid or one at a time"),
    {0},
};
#undef OWNER
const ObjectType factor_type = {"factor",
                                "A factor varies from point to point. It has one of `values`, "
                                "`scale`, `choices` and `between`, "
                                "and sets a parameter or the values at its pointers.",
                                sizeof(FactorText), factor_fields};

#define OWNER SeedsText
static const Field seeds_fields[] = {
    FIELD_INTEGER("first", first, 0, INT64_C(1) << 52, "1",
                  "seed of the first replication; replication r of each point has seed first + r"),
    FIELD_BOOLEAN("independent", independent, "false",
                  "points share no seeds; "
                  "differences to the baseline are then compared by Welch's t"),
    FIELD_INTEGER("at_least", at_least, 1, REPLICATIONS_MAX, "20",
                  "replications of each point before the first decision"),
    FIELD_INTEGER("at_most", at_most, 1, REPLICATIONS_MAX, NULL,
                  "most replications of a point; the default is `at_least`"),
    FIELD_JSON("until", until,
               "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"string\", "
               "\"number\"]}}",
               "a point is finished when the 95 % half-width of each of these metrics is at most "
               "this part of its value, such as {\"cost_usd.total\": \"2%\"}, or at most this "
               "amount: \"30s\", \"1 USD\", 0.02 for a share"),
    {0},
};
#undef OWNER
static const ObjectType seeds_type = {
    "seeds",
    "How often each point is run. All points share their seeds, so that differences between "
    "points are not blurred by chance, unless they are independent.",
    sizeof(SeedsText), seeds_fields};

#define OWNER HorizonText
static const char *const horizon_words[] = {
#define X(name, text) text,
    HORIZONS(X)
#undef X
        NULL};
static const char *const steady_method_words[] = {
#define X(name, text) text,
    STEADY_METHODS(X)
#undef X
        NULL};
static const Field horizon_fields[] = {
    FIELD_CHOICE("kind", kind, horizon_words, "terminating",
                 "terminating: the scenario from its beginning to its end, such as a day. steady: "
                 "the long run of a system that never ends; the scenario's workloads then have no "
                 "end, and its `measure` and `until` are not used"),
    FIELD_CHOICE("method", method, steady_method_words, "replications",
                 "steady: replications are `at_least` runs, each with its warm-up. batch-means is "
                 "one long run, cut into 30 pieces of equal time whose means are the values; the "
                 "interval is left out if successive pieces depend on each other. It takes means "
                 "of times and shares of jobs"),
    FIELD_TEXT("warm_up", warm_up, "auto",
               "steady: how long a run is not measured at first; auto: MSER-5 finds it in "
               "pilot runs of each point"),
    FIELD_TEXT("length", length, "auto",
               "steady: how long the measured part of each run is; auto: as long as the "
               "half-widths of `until` need in `at_least` runs"),
    FIELD_INTEGER("jobs", jobs, 1000, INT64_C(1) << 40, "10000000",
                  "steady: with auto, the most jobs of a point; a point that needs more is marked "
                  "\"run too short\" and has no interval"),
    {0},
};
#undef OWNER
static const ObjectType horizon_type = {
    "horizon", "The runs of a study are about something that ends, or about the long run.",
    sizeof(HorizonText), horizon_fields};

#define LEVELS_OR_NONE "{\"oneOf\": [{\"type\": \"object\"}, {\"const\": \"" CANDIDATE_NONE "\"}]}"
#define OWNER StudyExpectText
static const char *const subject_words[] = {
#define X(name, text) text,
    STUDY_SUBJECTS(X)
#undef X
        NULL};
static const Field study_expect_fields[] = {
    FIELD_JSON("at", at, "{\"type\": \"object\"}",
               "the points that it is about: {factor: level}; without it, all points"),
    FIELD_TEXT("metric", metric, NULL, "a metric of the study"),
    FIELD_CHOICE("of", of, subject_words, "value",
                 "what the limits are about: the metric's value, or its difference to the "
                 "baseline. The whole 95 % interval has to be within them"),
    FIELD_JSON("equals", equals, NUMBER_OR_QUANTITY, "the value that all runs have"),
    FIELD_JSON(
        "between", between,
        "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": " NUMBER_OR_QUANTITY
        "}",
        "smallest and largest value"),
    FIELD_JSON("at_least", at_least, NUMBER_OR_QUANTITY, "smallest value"),
    FIELD_JSON("at_most", at_most, NUMBER_OR_QUANTITY,
               "largest value; a lower bound is not at most anything"),
    FIELD_TEXT("idle", idle, NULL,
               "instead of a metric: a factor, some of whose levels change "
               "nothing"),
    FIELD_JSON("answer", answer, LEVELS_OR_NONE,
               "instead of a metric, with an objective: levels of the candidate that `trainyard "
               "plan` recommends, {factor: level}; \"none\" when no candidate meets the "
               "constraints"),
    FIELD_JSON("next_best", next_best, LEVELS_OR_NONE,
               "levels of the best of the others; \"none\" when no other meets the constraints"),
    FIELD_JSON("nearest_miss", nearest_miss, LEVELS_OR_NONE,
               "levels of the candidate that misses the constraints least, when none meets them"),
    FIELD_JSON("sure", sure, LEVELS_OR_NONE,
               "levels of the best candidate that is sure to meet the constraints in other times "
               "like those of the log from which runs draw; \"none\" when none was found"),
    {0},
};
#undef OWNER
static const ObjectType study_expect_type = {"study_expectation",
                                             "An expected result of a study, for `trainyard test`.",
                                             sizeof(StudyExpectText), study_expect_fields};

#define OWNER ConstraintText
static const Field constraint_fields[] = {
    FIELD_TEXT("share", share, NULL,
               "a share of jobs, such as \"workloads.day.waited_within(20m)\""),
    FIELD_TEXT(
        "metric", metric, NULL,
        "or any other metric. A percentile of waits or turnarounds that is at most a time is "
        "tested as a share: p95 at most 20m is waited_within(20m) at least 95 %. The mean of "
        "waits or turnarounds, at most a time, is tested as `mean_completed`, because jobs still "
        "wait when a run ends"),
    FIELD_JSON("at_least", at_least, NUMBER_OR_QUANTITY,
               "the smallest value that is right: \"95%\", \"2h\", \"10 USD\", 0.9"),
    FIELD_JSON("at_most", at_most, NUMBER_OR_QUANTITY, "or the largest"),
    {0},
};
#undef OWNER
static const ObjectType constraint_type = {
    "constraint",
    "A limit that the mean of all runs has to meet. It has one of `share` and "
    "`metric`, and one of `at_least` and `at_most`.",
    sizeof(ConstraintText), constraint_fields};

#define OWNER BudgetText
static const Field budget_fields[] = {
    NEEDED_INTEGER("runs", runs, 1, INT64_C(1) << 40, "the most runs"),
    {0},
};
#undef OWNER
static const ObjectType budget_type = {
    "budget",
    "The most that a plan may spend. It then divides the runs among the candidates so that the "
    "answer is most likely right, and states how likely that is.",
    sizeof(BudgetText), budget_fields};

static const char *const weather_words[] = {
#define X(name, text) text,
    WEATHER_RULES(X)
#undef X
        NULL};

#define OWNER StudyText
static const Field study_fields[] = {
    NEEDED_INTEGER("trainyard_study", version, STUDY_FORMAT, STUDY_FORMAT,
                   "version of the study format"),
    FIELD_TEXT("description", description, NULL, "the question that the study answers"),
    NEEDED_NAME("scenario", scenario, "the scenario file, relative to the study"),
    FIELD_ROW(NAMED, "factors", factors, .type = &factor_type, .is_required = true,
              .doc = "what varies, by name"),
    FIELD_JSON("zip", zip,
               "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"type\": "
               "\"string\"}}}",
               "groups of factors that change together: [[\"nodes\", \"minimum\"]]"),
    FIELD_JSON("where", where, POINTER_OR_LIST,
               "conditions on the points, such as \"nodes * gpus <= 64\"; other points are left "
               "out"),
    FIELD_JSON(
        "design", design,
        "{\"anyOf\": [{\"enum\": [\"grid\", \"one-at-a-time\"]}, {\"type\": \"object\"}]}",
        "how points are made of factors: \"grid\" (the default), \"one-at-a-time\", or "
        "points within the ranges of `between`: {\"latin_hypercube\": 200}, {\"sobol\": 256}, "
        "{\"morris\": 20}, {\"saltelli\": 64}, each also with a \"seed\""),
    FIELD_OBJECT("horizon", horizon, horizon_type, "what ends a run"),
    FIELD_OBJECT("seeds", seeds, seeds_type, "how often each point is run"),
    FIELD_JSON(
        "metrics", metrics,
        "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
        "the metrics to record: members of summary.json such as "
        "\"workloads.day.queue_s.p95\"; `*` stands for any characters of a key, as in "
        "\"workloads.*.queue_s.mean\" or \"workloads.day.sizes.*.queue_s.p95\". Those of the "
        "goal are recorded without being listed"),
    FIELD_JSON("baseline", baseline, "{\"type\": \"object\"}",
               "levels to compare with: {factor: level}. A factor that is not named keeps the "
               "level of the point that is compared"),
    FIELD_TEXT("minimise", minimise, NULL,
               "of a plan: the metric whose smallest value is best. A study with it, or with "
               "`maximise`, has a goal, and `trainyard plan` looks for the combination of levels "
               "that is best and meets the constraints"),
    FIELD_TEXT("maximise", maximise, NULL, "of a plan: the metric whose largest value is best"),
    FIELD_ROW(OBJECTS, "subject_to", subject_to, .type = &constraint_type, .takes_texts = true,
              .doc = "of a plan: the constraints, which all have to be met; as objects, or as "
                     "`--slo` has them: \"waited_within(20m) >= 95%\""),
    FIELD_TEXT("confidence", confidence, "95%",
               "of a plan: how likely the answer has to be right, above 50 %"),
    FIELD_JSON("indifference", indifference, "{\"type\": [\"string\", \"object\"]}",
               "of a plan: differences that do not matter, as a part of the objective and of each "
               "limit, or by metric: {\"cost_usd.total\": \"5 USD\"}; the default is \"1%\". The "
               "smaller, the more runs. When combinations differ by less, and perhaps by "
               "chance alone, the first of them is the answer, so list preferred levels first"),
    FIELD_OBJECT("budget", budget, budget_type,
                 "of a plan: what it may spend; without it, as many runs as the confidence needs"),
    FIELD_JSON("weather", weather, POINTER_OR_LIST,
               "of a plan: the factors that are not chosen, such as the load of next year"),
    FIELD_CHOICE("weather_rule", weather_rule, weather_words, "each",
                 "of a plan: constraints are met in each weather, or on average over all; the "
                 "objective is always the average"),
    FIELD_OBJECTS("expect", expect, study_expect_type, "expected results, for `trainyard test`"),
    {0},
};
#undef OWNER
const ObjectType study_type = {"study", "Many runs of one scenario.", sizeof(StudyText),
                               study_fields};

const ReferenceExample study_examples[] = {
    {&study_type,
     "{\n"
     "  \"trainyard_study\": 1,\n"
     "  \"description\": \"How many nodes, dedicated or low-priority?\",\n"
     "  \"scenario\": \"scenario.json\",\n"
     "  \"factors\": {\n"
     "    \"nodes\": {\"set\": "
     "\"/commands/0/config/properties/scaleSettings/autoScale/maximumNodeCount\", \"values\": "
     "\"1..4\"},\n"
     "    \"load\": {\"set\": \"/workloads/0/rate\", \"scale\": [1, 1.5]}\n"
     "  },\n"
     "  \"seeds\": {\"at_least\": 20, \"at_most\": 400, \"until\": {\"cost_usd.total\": "
     "\"2%\"}},\n"
     "  \"metrics\": [\"workloads.day.queue_s.p95\", \"cost_usd.total\"],\n"
     "  \"baseline\": {\"nodes\": 4}\n"
     "}"},
    {&constraint_type,
     "{ \"share\": \"workloads.day.waited_within(20m)\", \"at_least\": \"95%\" }"},
    {NULL, NULL},
};
