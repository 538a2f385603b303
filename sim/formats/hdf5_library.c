#include "sim/formats/hdf5_library.h"

#include <string.h>

#ifdef TRAINYARD_HDF5_SONAME
#include <dlfcn.h>

static bool fail(Status *status)
{
    status_fail(status, STATUS_MACHINE, place_in(NULL, 0, 0),
                "Keras files need the HDF5 library, which cannot be loaded: %s", dlerror());
    return status_hint(status, "install HDF5; the Debian package is libhdf5-dev");
}

/* The address of `symbol`; NULL when the library has no such symbol. */
static const void *find(void *library, const char *symbol, Status *status)
{
    const void *found = dlsym(library, symbol);
    if (found == NULL)
        fail(status);
    return found;
}

static bool fill(Hdf5 *h5, Status *status)
{
    const void *found;
    void *library = dlopen(TRAINYARD_HDF5_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return fail(status);
#define X(name)                                                                                    \
    found = find(library, "H5" #name, status);                                                     \
    if (found == NULL)                                                                             \
        return false;                                                                              \
    memcpy(&h5->name, &found, sizeof found); // C has no conversion from data to function pointers
    HDF5_FUNCTIONS(X)
#undef X
    h5->open(); // gives the variables their values
#define X(name, variable)                                                                          \
    found = find(library, #variable, status);                                                      \
    if (found == NULL)                                                                             \
        return false;                                                                              \
    h5->name = *(const hid_t *)found;
    HDF5_IDS(X)
#undef X
    return true;
}

#else // the build has no shared library of HDF5, so the program links it

static bool fill(Hdf5 *h5, Status *status)
{
    (void)status;
#define X(name) h5->name = H5##name;
    HDF5_FUNCTIONS(X)
#undef X
    h5->open(); // gives the variables their values
#define X(name, variable) h5->name = variable;
    HDF5_IDS(X)
#undef X
    return true;
}

#endif

bool hdf5_load(Hdf5 *h5, Status *status)
{
    if (!fill(h5, status))
        return false;
    h5->Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return true;
}
