#include "trainer/data/synthetic_cifar.h"

#include <math.h>
#include <string.h>

enum { SPECIES = 4, HARMONICS = 5, GRATINGS = 2, PARTS = 3, SCENES = 24, SCENES_PREFERRED = 3 };

/* --- The recipe ---
 *
 * Lengths are in pixels, or in radii of the object where a comment says so; colours go from 0 to 1.
 * "Spread" is the half width of a uniform draw, "sigma" the deviation of a Gaussian one. Harmonic h
 * counts from 0; its sigma is divided by (1 + falloff * h). */

/* The variation between species of a class, and between images of a species. */
typedef struct {
    double sigma, falloff;
} ContourNoise;

static const struct {
    double scene_middle, scene_spread; /* of a scene's colour */
    struct {
        ContourNoise contour;
        double first_harmonic; /* factor: the first only moves the object */
        double weight_min, weight_range, frequency_spread; /* gratings; cycles per 2 radii */
        double base_middle, base_spread, swing_spread;     /* palette */
        double part_place_spread, part_radius_min, part_radius_range; /* radii */
        double aspect_spread;
    } class;
    struct {
        double contour_kept; /* factor on the class' own */
        ContourNoise contour;
        double frequency_spread, weight_min, weight_range;
        double base_spread, swing_spread;
        double part_place_spread, part_radius_min, part_radius_range, part_colour_kept;
        double aspect_spread;
    } species;
    struct {
        ContourNoise contour;
        double frequency_sigma, weight_spread;
        double luma_sigma, chroma_sigma, swing_sigma;
        double turn_sigma; /* whole turns */
        double aspect_spread, aspect_min;
        double part_place_sigma;
        double radius_min; /* of the contour, in radii */
        double light, falloff;
    } pose;
    double blend_max;      /* share of the other species: blend_max * u * u */
    double preferred_rate; /* how often the scene is one of the class' own */
    struct {
        double brightness_sigma, chroma_sigma;
        double coarse, coarse_chroma, fine, fine_chroma; /* noise */
    } background;
    struct {
        double rate, place_spread, radius_min, radius_range, opacity;
    } distractor;
    struct {
        double radius, radius_spread, place_spread, easing, opacity; /* easing: factor on spreads */
    } object;
    struct {
        double rate, half_min, half_range, opacity;
    } occluder;
    struct {
        double contrast_min, contrast_range, brightness_sigma;
        double noise, noise_min, noise_range; /* noise: of 255 */
    } camera;
} recipe = {
    .scene_middle = .5,
    .scene_spread = .38,
    .class = {.contour = {.42, .6},
              .first_harmonic = .3,
              .weight_min = .6,
              .weight_range = .4,
              .frequency_spread = 2.6,
              .base_middle = .5,
              .base_spread = .22,
              .swing_spread = .25,
              .part_place_spread = .8,
              .part_radius_min = .15,
              .part_radius_range = .25,
              .aspect_spread = .35},
    .species = {.contour_kept = .7,
                .contour = {.30, .6},
                .frequency_spread = .9,
                .weight_min = .6,
                .weight_range = .8,
                .base_spread = .22,
                .swing_spread = .2,
                .part_place_spread = .25,
                .part_radius_min = .7,
                .part_radius_range = .6,
                .part_colour_kept = .6,
                .aspect_spread = .2},
    // Products are a kind of variation and how strong it is: .8 of shape, .7 of colour.
    .pose = {.contour = {.8 * .14, .5},
             .frequency_sigma = .8 * .35,
             .weight_spread = .8 * .4,
             .luma_sigma = .7 * .16,
             .chroma_sigma = .7 * .10,
             .swing_sigma = .7 * .10,
             .turn_sigma = .8 * .09,
             .aspect_spread = .8 * .15,
             .aspect_min = .3,
             .part_place_sigma = .8 * .08,
             .radius_min = .25,
             .light = .10,
             .falloff = .10},
    .blend_max = .75,
    .preferred_rate = .6,
    // Amount of clutter: .7.
    .background = {.brightness_sigma = .12,
                   .chroma_sigma = .06,
                   .coarse = .13,
                   .coarse_chroma = .35,
                   .fine = .7 * .07,
                   .fine_chroma = .4},
    .distractor =
        {.rate = .7 * .6, .place_spread = 13, .radius_min = 3, .radius_range = 2.5, .opacity = .85},
    .object =
        {.radius = 7.5, .radius_spread = 3.2, .place_spread = 4, .easing = .6, .opacity = .97},
    .occluder = {.rate = .7 * .35, .half_min = 2, .half_range = 7, .opacity = .9},
    .camera = {.contrast_min = .75,
               .contrast_range = .5,
               .brightness_sigma = .10,
               .noise = 10,
               .noise_min = .3,
               .noise_range = 1.4},
};

/* --- Random numbers: SplitMix64 ---
 * Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. C leaves
 * the order of draws within an expression open: there is one in each statement. */

typedef struct {
    uint64_t state;
} Random;

/* The use of a sequence. The sequences of images have numbers 50 and 100, plus the split. */
enum { STREAM_SCENE = 1, STREAM_CLASS, STREAM_SPECIES, STREAM_LABEL = 50, STREAM_IMAGE = 100 };

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

static Random random_start(uint64_t seed, uint64_t stream, uint64_t index)
{
    // Odd multipliers and different offsets: equal numbers in different places do not cancel out.
    const uint64_t hash = mix(seed + 0x1234567) ^ mix(stream * UINT64_C(0x9e3779b97f4a7c15) + 77) ^
                          mix(index * UINT64_C(0xd1342543de82ef95) + 991);
    return (Random){mix(hash)};
}

static uint64_t random_bits(Random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(random->state);
}

/* 0 to `count` - 1 */
static int random_below(Random *random, int count)
{
    return (int)(random_bits(random) % (uint64_t)count);
}

/* [0, 1) */
static double random_uniform(Random *random)
{
    return (double)(random_bits(random) >> 11) * (1.0 / 9007199254740992.0);
}

/* [-1, 1) */
static double random_signed(Random *random)
{
    return 2 * random_uniform(random) - 1;
}

/* Mean 0, deviation 1, nearly normal: the sum of four uniform draws (deviation sqrt(4 / 12)),
 * because logarithm and sine differ between libraries. */
static double random_gaussian(Random *random)
{
    double sum = random_uniform(random);
    sum += random_uniform(random);
    sum += random_uniform(random);
    sum += random_uniform(random);
    return (sum - 2) * 1.7320508075688772;
}

/* --- Classes and species --- */

typedef struct {
    double weight, x, y; /* x, y: cycles per 2 radii */
} Grating;

typedef struct {
    double x, y, radius; /* in radii of the object, from its centre */
    double colour[IMAGE_CHANNELS];
} Part;

/* The appearance of an object. It consists of doubles only, so that two can be blended. */
typedef struct {
    double cosine[HARMONICS], sine[HARMONICS]; /* contour: radius 1 + sum of these */
    Grating gratings[GRATINGS];
    double base[IMAGE_CHANNELS], swing[IMAGE_CHANNELS]; /* colour = base + swing * gratings */
    Part parts[PARTS];
    double aspect;
} Look;

enum { LOOK_NUMBERS = sizeof(Look) / sizeof(double) };

typedef struct {
    int scenes[SCENES_PREFERRED];
    Look species[SPECIES];
} Class;

struct SyntheticCifar {
    uint64_t seed;
    double scenes[SCENES][IMAGE_CHANNELS];
    Class classes[CLASS_COUNT];
};

static void vary_contour(Look *look, ContourNoise noise, Random *random)
{
    for (int h = 0; h < HARMONICS; h++) {
        const double sigma = noise.sigma / (1 + noise.falloff * h);
        look->cosine[h] += sigma * random_gaussian(random);
        look->sine[h] += sigma * random_gaussian(random);
    }
}

static void draw_class(Look *look, int scenes[SCENES_PREFERRED], Random *random)
{
    *look = (Look){0};
    vary_contour(look, recipe.class.contour, random);
    look->cosine[0] *= recipe.class.first_harmonic;
    look->sine[0] *= recipe.class.first_harmonic;
    for (Grating *grating = look->gratings; grating < look->gratings + GRATINGS; grating++) {
        grating->weight =
            recipe.class.weight_min + recipe.class.weight_range * random_uniform(random);
        grating->x = recipe.class.frequency_spread * random_signed(random);
        grating->y = recipe.class.frequency_spread * random_signed(random);
    }
    for (int k = 0; k < IMAGE_CHANNELS; k++) {
        look->base[k] = recipe.class.base_middle + recipe.class.base_spread * random_signed(random);
        look->swing[k] = recipe.class.swing_spread * random_signed(random);
    }
    for (Part *part = look->parts; part < look->parts + PARTS; part++) {
        part->x = recipe.class.part_place_spread * random_signed(random);
        part->y = recipe.class.part_place_spread * random_signed(random);
        part->radius =
            recipe.class.part_radius_min + recipe.class.part_radius_range * random_uniform(random);
        for (int k = 0; k < IMAGE_CHANNELS; k++)
            part->colour[k] = random_uniform(random);
    }
    look->aspect = 1 + recipe.class.aspect_spread * random_signed(random);
    for (int i = 0; i < SCENES_PREFERRED; i++)
        scenes[i] = random_below(random, SCENES);
}

/* Turns the look of a class into the look of one of its species. */
static void draw_species(Look *look, Random *random)
{
    for (int h = 0; h < HARMONICS; h++) {
        look->cosine[h] *= recipe.species.contour_kept;
        look->sine[h] *= recipe.species.contour_kept;
    }
    vary_contour(look, recipe.species.contour, random);
    for (Grating *grating = look->gratings; grating < look->gratings + GRATINGS; grating++) {
        grating->x += recipe.species.frequency_spread * random_signed(random);
        grating->y += recipe.species.frequency_spread * random_signed(random);
        grating->weight *=
            recipe.species.weight_min + recipe.species.weight_range * random_uniform(random);
    }
    for (int k = 0; k < IMAGE_CHANNELS; k++) {
        look->base[k] += recipe.species.base_spread * random_signed(random);
        look->swing[k] += recipe.species.swing_spread * random_signed(random);
    }
    for (Part *part = look->parts; part < look->parts + PARTS; part++) {
        part->x += recipe.species.part_place_spread * random_signed(random);
        part->y += recipe.species.part_place_spread * random_signed(random);
        part->radius *= recipe.species.part_radius_min +
                        recipe.species.part_radius_range * random_uniform(random);
        const double kept = recipe.species.part_colour_kept;
        for (int k = 0; k < IMAGE_CHANNELS; k++)
            part->colour[k] = kept * part->colour[k] + (1 - kept) * random_uniform(random);
    }
    look->aspect *= 1 + recipe.species.aspect_spread * random_signed(random);
}

SyntheticCifar *synthetic_cifar_create(Arena *arena, uint64_t seed)
{
    enum { SPECIES_ADDRESSES = 64 }; // of each class; SPECIES of them are used
    SyntheticCifar *set = ARENA_NEW(arena, SyntheticCifar);
    set->seed = seed;
    for (uint64_t i = 0; i < SCENES; i++) {
        Random random = random_start(seed, STREAM_SCENE, i);
        for (int k = 0; k < IMAGE_CHANNELS; k++)
            set->scenes[i][k] = recipe.scene_middle + recipe.scene_spread * random_signed(&random);
    }
    for (uint64_t i = 0; i < CLASS_COUNT; i++) {
        Class *class = &set->classes[i];
        Random random = random_start(seed, STREAM_CLASS, i);
        Look look;
        draw_class(&look, class->scenes, &random);
        for (uint64_t j = 0; j < SPECIES; j++) {
            random = random_start(seed, STREAM_SPECIES, i * SPECIES_ADDRESSES + j);
            class->species[j] = look;
            draw_species(&class->species[j], &random);
        }
    }
    return set;
}

/* (1 - share) * a + share * b, number by number */
static Look blend(const Look *a, const Look *b, double share)
{
    double left[LOOK_NUMBERS], right[LOOK_NUMBERS];
    memcpy(left, a, sizeof left);
    memcpy(right, b, sizeof right);
    for (int i = 0; i < LOOK_NUMBERS; i++)
        left[i] = (1 - share) * left[i] + share * right[i];
    Look look;
    memcpy(&look, left, sizeof look);
    return look;
}

/* --- Painting --- */

typedef struct {
    double pixel[IMAGE_CHANNELS][IMAGE_SIDE][IMAGE_SIDE];
} Canvas;

static double clamp(double value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* sin(2 pi turns) within .0012: two parabolas, corrected by their square. */
static double sine_of(double turns)
{
    turns -= floor(turns);
    const double x = turns * 2 - 1;
    const double parabola = -4 * x * (1 - fabs(x));
    return parabola * (.775 + .225 * fabs(parabola));
}

static void fill(Canvas *canvas, int channel, double value)
{
    for (int y = 0; y < IMAGE_SIDE; y++) {
        for (int x = 0; x < IMAGE_SIDE; x++)
            canvas->pixel[channel][y][x] = value;
    }
}

enum { CELLS_COARSE = 3, CELLS_FINE = 9, CELLS_MAX = CELLS_FINE };

/* A place between the nodes of a lattice. `share` is a smoothstep, so that the nodes show no
 * edges. */
typedef struct {
    int cell;
    double share;
} LatticePlace;

static LatticePlace lattice_place(int at, int cells)
{
    const double place = at * cells / (double)IMAGE_SIDE;
    const int cell = (int)place;
    const double rest = place - cell;
    return (LatticePlace){cell, rest * rest * (3 - 2 * rest)};
}

/* Adds value noise: random numbers on a lattice of cells x cells, smooth between them. */
static void add_noise(Canvas *canvas, int cells, double amplitude, double chroma, Random *random)
{
    double node[IMAGE_CHANNELS][CELLS_MAX + 1][CELLS_MAX + 1];
    for (int y = 0; y <= cells; y++) {
        for (int x = 0; x <= cells; x++) {
            const double luma = random_gaussian(random);
            for (int k = 0; k < IMAGE_CHANNELS; k++)
                node[k][y][x] = amplitude * (luma + chroma * random_gaussian(random));
        }
    }
    for (int y = 0; y < IMAGE_SIDE; y++) {
        const LatticePlace row = lattice_place(y, cells);
        for (int x = 0; x < IMAGE_SIDE; x++) {
            const LatticePlace column = lattice_place(x, cells);
            for (int k = 0; k < IMAGE_CHANNELS; k++) {
                const double *upper = &node[k][row.cell][column.cell];
                const double *lower = &node[k][row.cell + 1][column.cell];
                canvas->pixel[k][y][x] +=
                    (upper[0] * (1 - column.share) + upper[1] * column.share) * (1 - row.share) +
                    (lower[0] * (1 - column.share) + lower[1] * column.share) * row.share;
            }
        }
    }
}

/* The place where an object is painted. */
typedef struct {
    double x, y, radius;
    double opacity;
} Spot;

/* An object in one image. */
typedef struct {
    Look look;
    Spot spot;
    double cosine, sine; /* of its turn */
    double radius_x, radius_y;
    bool is_mirrored;
    double phases[GRATINGS];
    double light_x, light_y;
} Pose;

/* Cosine and sine of a small turn by the first terms of their series, then on the circle again. */
static void set_turn(Pose *pose, double turns)
{
    // (2 pi)^2 / 2, (2 pi)^4 / 24; 2 pi, (2 pi)^3 / 6
    const double cosine = 1 - turns * turns * 19.739 + turns * turns * turns * turns * 64.94;
    const double sine = turns * 6.28318 - turns * turns * turns * 41.34;
    const double length = sqrt(cosine * cosine + sine * sine);
    pose->cosine = cosine / length;
    pose->sine = sine / length;
}

static void vary_look(Look *look, Random *random)
{
    vary_contour(look, recipe.pose.contour, random);
    for (Grating *grating = look->gratings; grating < look->gratings + GRATINGS; grating++) {
        grating->x += recipe.pose.frequency_sigma * random_gaussian(random);
        grating->y += recipe.pose.frequency_sigma * random_gaussian(random);
        grating->weight *= 1 + recipe.pose.weight_spread * random_signed(random);
    }
    const double luma = recipe.pose.luma_sigma * random_gaussian(random);
    for (int k = 0; k < IMAGE_CHANNELS; k++) {
        look->base[k] += luma + recipe.pose.chroma_sigma * random_gaussian(random);
        look->swing[k] += recipe.pose.swing_sigma * random_gaussian(random);
    }
}

static Pose draw_pose(const Look *look, Spot spot, Random *random)
{
    Pose pose = {.look = *look, .spot = spot};
    vary_look(&pose.look, random);
    set_turn(&pose, recipe.pose.turn_sigma * random_gaussian(random));
    double aspect = pose.look.aspect * (1 + recipe.pose.aspect_spread * random_signed(random));
    aspect = aspect < recipe.pose.aspect_min ? recipe.pose.aspect_min : aspect;
    pose.radius_x = spot.radius * sqrt(aspect);
    pose.radius_y = spot.radius / sqrt(aspect);
    pose.is_mirrored = random_uniform(random) < .5;
    for (int i = 0; i < GRATINGS; i++)
        pose.phases[i] = random_uniform(random);
    pose.light_x = random_signed(random);
    pose.light_y = random_signed(random);
    for (Part *part = pose.look.parts; part < pose.look.parts + PARTS; part++) {
        part->x += recipe.pose.part_place_sigma * random_gaussian(random);
        part->y += recipe.pose.part_place_sigma * random_gaussian(random);
    }
    return pose;
}

/* A pixel in the object's coordinates: in its radii, turned with it. */
typedef struct {
    double u, v;
    double distance;
    double edge; /* the contour in this direction */
} Seen;

static Seen seen_from(const Pose *pose, int x, int y)
{
    const double down = y - pose->spot.y;
    const double right = pose->is_mirrored ? -(x - pose->spot.x) : x - pose->spot.x;
    Seen seen = {.u = (pose->cosine * right + pose->sine * down) / pose->radius_x,
                 .v = (-pose->sine * right + pose->cosine * down) / pose->radius_y,
                 .edge = 1};
    seen.distance = sqrt(seen.u * seen.u + seen.v * seen.v) + 1e-9; // never 0: divided by
    const double cosine = seen.u / seen.distance;
    const double sine = seen.v / seen.distance;
    double cosine_h = 1; // of h + 1 times the angle, by the angle's addition
    double sine_h = 0;
    for (int h = 0; h < HARMONICS; h++) {
        const double next = cosine_h * cosine - sine_h * sine;
        sine_h = sine_h * cosine + cosine_h * sine;
        cosine_h = next;
        seen.edge += pose->look.cosine[h] * cosine_h + pose->look.sine[h] * sine_h;
    }
    seen.edge = seen.edge < recipe.pose.radius_min ? recipe.pose.radius_min : seen.edge;
    return seen;
}

/* How much of a pixel is within an edge that is `inside` radii away: soft over 1.25 pixels. */
static double coverage(const Pose *pose, double inside)
{
    return inside * pose->spot.radius * .8 + .5;
}

/* The part that covers the pixel, and its share of the pixel. The last part wins; NULL if there is
 * none. */
static const Part *part_at(const Pose *pose, const Seen *seen, double *share)
{
    const Part *found = NULL;
    for (const Part *part = pose->look.parts; part < pose->look.parts + PARTS; part++) {
        const double u = seen->u - part->x;
        const double v = seen->v - part->y;
        const double covered = coverage(pose, part->radius - sqrt(u * u + v * v));
        if (covered <= 0)
            continue;
        found = part;
        *share = covered > 1 ? 1 : covered;
    }
    return found;
}

/* The brightness that gratings add to the pixel, roughly from -1 to 1. */
static double gratings_at(const Pose *pose, const Seen *seen)
{
    double value = 0;
    for (int i = 0; i < GRATINGS; i++) {
        const Grating *grating = &pose->look.gratings[i];
        value += grating->weight *
                 sine_of(grating->x * seen->u * .5 + grating->y * seen->v * .5 + pose->phases[i]);
    }
    return value;
}

static void paint_pixel(Canvas *canvas, const Pose *pose, int x, int y)
{
    const Seen seen = seen_from(pose, x, y);
    const double covered = clamp(coverage(pose, seen.edge - seen.distance));
    if (covered <= 0)
        return;
    const double opacity = covered * pose->spot.opacity;
    const double texture = gratings_at(pose, &seen);
    const double shade =
        recipe.pose.light * (pose->light_x * seen.u + pose->light_y * seen.v) -
        recipe.pose.falloff * seen.distance * seen.distance / (seen.edge * seen.edge);
    double share = 0;
    const Part *part = part_at(pose, &seen, &share);
    for (int k = 0; k < IMAGE_CHANNELS; k++) {
        double value = pose->look.base[k] + pose->look.swing[k] * texture + shade;
        if (part)
            value = value * (1 - share) + part->colour[k] * share;
        double *pixel = &canvas->pixel[k][y][x];
        *pixel = *pixel * (1 - opacity) + value * opacity;
    }
}

static void paint_object(Canvas *canvas, const Look *look, Spot spot, Random *random)
{
    const Pose pose = draw_pose(look, spot, random);
    for (int y = 0; y < IMAGE_SIDE; y++) {
        for (int x = 0; x < IMAGE_SIDE; x++)
            paint_pixel(canvas, &pose, x, y);
    }
}

/* --- An image, from the back to the front --- */

static void paint_background(Canvas *canvas, const SyntheticCifar *set, const Class *class,
                             Random *random)
{
    int scene;
    if (random_uniform(random) < recipe.preferred_rate)
        scene = class->scenes[random_below(random, SCENES_PREFERRED)];
    else
        scene = random_below(random, SCENES);
    const double luma = recipe.background.brightness_sigma * random_gaussian(random);
    for (int k = 0; k < IMAGE_CHANNELS; k++)
        fill(canvas, k,
             set->scenes[scene][k] + luma +
                 recipe.background.chroma_sigma * random_gaussian(random));
    add_noise(canvas, CELLS_COARSE, recipe.background.coarse, recipe.background.coarse_chroma,
              random);
    add_noise(canvas, CELLS_FINE, recipe.background.fine, recipe.background.fine_chroma, random);
}

/* Sometimes paints a small object of any class. */
static void paint_distractor(Canvas *canvas, const SyntheticCifar *set, Random *random)
{
    if (random_uniform(random) >= recipe.distractor.rate)
        return;
    const int class = random_below(random, CLASS_COUNT);
    Spot spot = {.opacity = recipe.distractor.opacity};
    spot.x = IMAGE_SIDE / 2.0 + recipe.distractor.place_spread * random_signed(random);
    spot.y = IMAGE_SIDE / 2.0 + recipe.distractor.place_spread * random_signed(random);
    const int species = random_below(random, SPECIES);
    spot.radius =
        recipe.distractor.radius_min + recipe.distractor.radius_range * random_uniform(random);
    paint_object(canvas, &set->classes[class].species[species], spot, random);
}

static void paint_subject(Canvas *canvas, const Look *look, Random *random)
{
    const double middle = (IMAGE_SIDE - 1) / 2.0;
    const double easing = recipe.object.easing;
    Spot spot = {.opacity = recipe.object.opacity};
    spot.radius =
        recipe.object.radius + recipe.object.radius_spread * random_signed(random) * easing;
    spot.x = middle + recipe.object.place_spread * easing * random_signed(random);
    spot.y = middle + recipe.object.place_spread * easing * random_signed(random);
    paint_object(canvas, look, spot, random);
}

/* Sometimes paints a flat rectangle in front of everything. */
static void paint_occluder(Canvas *canvas, Random *random)
{
    if (random_uniform(random) >= recipe.occluder.rate)
        return;
    const double middle_x = IMAGE_SIDE * random_uniform(random);
    const double middle_y = IMAGE_SIDE * random_uniform(random);
    const double half_x =
        recipe.occluder.half_min + recipe.occluder.half_range * random_uniform(random);
    const double half_y =
        recipe.occluder.half_min + recipe.occluder.half_range * random_uniform(random);
    double colour[IMAGE_CHANNELS];
    for (int k = 0; k < IMAGE_CHANNELS; k++)
        colour[k] = random_uniform(random);
    const double opacity = recipe.occluder.opacity;
    for (int y = 0; y < IMAGE_SIDE; y++) {
        for (int x = 0; x < IMAGE_SIDE; x++) {
            if (fabs(x - middle_x) >= half_x || fabs(y - middle_y) >= half_y)
                continue;
            for (int k = 0; k < IMAGE_CHANNELS; k++)
                canvas->pixel[k][y][x] =
                    (1 - opacity) * canvas->pixel[k][y][x] + opacity * colour[k];
        }
    }
}

/* Applies contrast, brightness and noise, and converts to bytes. */
static void take_picture(const Canvas *canvas, Random *random, uint8_t planes[IMAGE_BYTES])
{
    const double contrast =
        recipe.camera.contrast_min + recipe.camera.contrast_range * random_uniform(random);
    const double brightness = recipe.camera.brightness_sigma * random_gaussian(random);
    const double noise_sigma =
        recipe.camera.noise *
        (recipe.camera.noise_min + recipe.camera.noise_range * random_uniform(random)) / 255;
    for (int k = 0; k < IMAGE_CHANNELS; k++) {
        for (int y = 0; y < IMAGE_SIDE; y++) {
            for (int x = 0; x < IMAGE_SIDE; x++) {
                const double value = (canvas->pixel[k][y][x] - .5) * contrast + .5 + brightness +
                                     noise_sigma * random_gaussian(random);
                *planes++ = (uint8_t)(clamp(value) * 255 + .5);
            }
        }
    }
}

uint8_t synthetic_cifar_label(const SyntheticCifar *set, SyntheticSplit split, int32_t index)
{
    Random random = random_start(set->seed, STREAM_LABEL + (uint64_t)split, (uint64_t)index);
    return (uint8_t)random_below(&random, CLASS_COUNT);
}

void synthetic_cifar_image(const SyntheticCifar *set, SyntheticSplit split, int32_t index,
                           uint8_t planes[IMAGE_BYTES])
{
    Random random = random_start(set->seed, STREAM_IMAGE + (uint64_t)split, (uint64_t)index);
    const int label = synthetic_cifar_label(set, split, index);
    const Class *class = &set->classes[label];
    const Look *own = &class->species[random_below(&random, SPECIES)];
    const int other_label = (label + 1 + random_below(&random, CLASS_COUNT - 1)) % CLASS_COUNT;
    const Look *other = &set->classes[other_label].species[random_below(&random, SPECIES)];
    const double draw = random_uniform(&random);
    const Look look = blend(own, other, recipe.blend_max * draw * draw);
    Canvas canvas;
    paint_background(&canvas, set, class, &random);
    paint_distractor(&canvas, set, &random);
    paint_subject(&canvas, &look, &random);
    paint_occluder(&canvas, &random);
    take_picture(&canvas, &random, planes);
}
