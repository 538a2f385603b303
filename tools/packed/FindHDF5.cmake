# See FindPkgConfig.cmake.
packed_library(packed_hdf5 hdf5_serial sz aec z dl m pthread)
set(HDF5_INCLUDE_DIRS ${TRAINYARD_PACKED}/include)
set(HDF5_C_LIBRARIES packed_hdf5)
set(HDF5_FOUND ON)
