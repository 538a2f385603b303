/* The HDF5 library, which is loaded when the first Keras file is read or written. It needs some
 * thirty other libraries (of HTTP, Kerberos, LDAP), and loading them takes longer than a small
 * simulation. Private to sim/formats. */
#ifndef SIM_FORMATS_HDF5_LIBRARY_H
#define SIM_FORMATS_HDF5_LIBRARY_H

#include <hdf5.h>

#include "sim/base/status.h"

/* hdf5.h would call the library in each of its constants, to open it. hdf5_load opens it. */
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

/* The library's functions in use, without their prefix H5. */
#define HDF5_FUNCTIONS(X)                                                                          \
    X(Aclose)                                                                                      \
    X(Acreate2)                                                                                    \
    X(Aexists)                                                                                     \
    X(Aget_space)                                                                                  \
    X(Aget_type)                                                                                   \
    X(Aopen)                                                                                       \
    X(Aread)                                                                                       \
    X(Awrite)                                                                                      \
    X(Dclose)                                                                                      \
    X(Dcreate2)                                                                                    \
    X(Dget_create_plist)                                                                           \
    X(Dget_space)                                                                                  \
    X(Dget_storage_size)                                                                           \
    X(Dget_type)                                                                                   \
    X(Dopen2)                                                                                      \
    X(Dread)                                                                                       \
    X(Dwrite)                                                                                      \
    X(Eset_auto2)                                                                                  \
    X(Fclose)                                                                                      \
    X(Fcreate)                                                                                     \
    X(Fflush)                                                                                      \
    X(Fget_file_image)                                                                             \
    X(Fopen)                                                                                       \
    X(Gclose)                                                                                      \
    X(Gcreate2)                                                                                    \
    X(Gopen2)                                                                                      \
    X(Lunregister)                                                                                 \
    X(Pclose)                                                                                      \
    X(Pcreate)                                                                                     \
    X(Pget_external_count)                                                                         \
    X(Pget_layout)                                                                                 \
    X(Pset_create_intermediate_group)                                                              \
    X(Pset_fapl_core)                                                                              \
    X(Pset_file_image)                                                                             \
    X(Pset_libver_bounds)                                                                          \
    X(Pset_obj_track_times)                                                                        \
    X(Sclose)                                                                                      \
    X(Screate)                                                                                     \
    X(Screate_simple)                                                                              \
    X(Sget_simple_extent_dims)                                                                     \
    X(Sget_simple_extent_ndims)                                                                    \
    X(Sget_simple_extent_npoints)                                                                  \
    X(Tclose)                                                                                      \
    X(Tcopy)                                                                                       \
    X(Tequal)                                                                                      \
    X(Tget_class)                                                                                  \
    X(Tget_size)                                                                                   \
    X(Tis_variable_str)                                                                            \
    X(Tset_size)                                                                                   \
    X(Tset_strpad)                                                                                 \
    X(free_memory)                                                                                 \
    X(open)

/* Types and classes of property lists: our name | the library's variable. hdf5.h has a macro for
 * each (H5T_C_S1), which names the variable and therefore works only in linked programs. */
#define HDF5_IDS(X)                                                                                \
    X(string, H5T_C_S1_g)                                                                          \
    X(float32_le, H5T_IEEE_F32LE_g)                                                                \
    X(float32_be, H5T_IEEE_F32BE_g)                                                                \
    X(float64_le, H5T_IEEE_F64LE_g)                                                                \
    X(int64_le, H5T_STD_I64LE_g)                                                                   \
    X(int64_be, H5T_STD_I64BE_g)                                                                   \
    X(native_float, H5T_NATIVE_FLOAT_g)                                                            \
    X(native_int64, H5T_NATIVE_INT64_g)                                                            \
    X(file_access, H5P_CLS_FILE_ACCESS_ID_g)                                                       \
    X(file_creation, H5P_CLS_FILE_CREATE_ID_g)                                                     \
    X(group_creation, H5P_CLS_GROUP_CREATE_ID_g)                                                   \
    X(link_creation, H5P_CLS_LINK_CREATE_ID_g)                                                     \
    X(dataset_creation, H5P_CLS_DATASET_CREATE_ID_g)

typedef struct {
#define X(name) __typeof__(H5##name) *name;
    HDF5_FUNCTIONS(X)
#undef X
#define X(name, variable) hid_t name;
    HDF5_IDS(X)
#undef X
} Hdf5;

/* Fills in `h5` and makes the library silent: it would print its error stack on stderr, and our
 * messages are one line. The library stays loaded until the process ends. STATUS_MACHINE when it is
 * not installed or is another version. */
MUST_CHECK bool hdf5_load(Hdf5 *h5, Status *status);

#endif
