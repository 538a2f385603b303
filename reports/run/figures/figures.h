/* The figures of a run's page, by section. */
#ifndef REPORTS_RUN_FIGURES_H
#define REPORTS_RUN_FIGURES_H

#include "reports/figure/figure.h"
#include "reports/run/facts/facts.h"

typedef enum {
    SECTION_QUEUE,
    SECTION_WAITS,
    SECTION_NODES,
    SECTION_GANTT,
    SECTION_SPLIT,
    SECTION_LEARNING,
    SECTION_MONEY,
    SECTION_COST,
    SECTION_COUNT
} RunSection;

/* All figures of a run, in the order of the page. The sections of a training are absent where no
 * listed job trained; those of queues are there where the run is about many jobs. */
Figures run_figures(Arena *arena, const Facts *facts);

/* --- One file each, which adds the figures of a section --- */

void figures_queue(Figures *figures, const Facts *facts);
void figures_waits(Figures *figures, const Facts *facts);
void figures_slots(Figures *figures, const Facts *facts);
void figures_nodes(Figures *figures, const Facts *facts);
/* Into SECTION_NODES; nothing where no job asks for GPUs. */
void figures_gpus(Figures *figures, const Facts *facts);
void figures_gantt(Figures *figures, const Facts *facts);
void figures_split(Figures *figures, const Facts *facts);
void figures_learning(Figures *figures, const Facts *facts);
void figures_money(Figures *figures, const Facts *facts);
void figures_cost(Figures *figures, const Facts *facts);

#endif
