#!/usr/bin/env bash
# tools/gpu_check.sh builds where none of Debian's development packages are: the folder /usr is covered by one without them.
#
#   test_gpu_packed.sh [--build]     --build also builds and starts programs, which takes minutes
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || { echo "skipped: no CUDA toolkit (nvcc) was found"; exit 77; }
export CUDACXX=$nvcc

# without_packages COMMAND...: runs a command in an own view of /usr.
without_packages()
{
    unshare --mount bash -c '
        set -e
        mkdir -p cover && mount -t tmpfs cover cover && mkdir cover/upper cover/work
        mount -t overlay cover -o "lowerdir=/usr,upperdir=$PWD/cover/upper,workdir=$PWD/cover/work" /usr
        shopt -s nullglob
        rm -rf /usr/include/{hdf5,gsl,Random123,check*.h,dnnl*,microhttpd.h,sqlite3.h,zlib.h} /usr/bin/{pkg-config,pkgconf,mpirun,mpicc,orterun,orted} \
            /usr/share/{pkgconfig,openmpi} /usr/lib/*-linux-gnu/{pkgconfig,openmpi,hdf5} /usr/lib/*-linux-gnu/lib{mpi,open-pal,open-rte,hdf5,gsl}*.so* \
            /usr/lib/*-linux-gnu/lib{z,sz,aec,check,subunit,dnnl,microhttpd,sqlite3}.{so,a}
        "$@"' bash "$@"
}

without_packages true 2>/dev/null || { echo "skipped: this user may not cover /usr (unshare --mount, overlay)"; exit 77; }

example "libraries are packed"
"$source_folder/tools/gpu_check.sh" libraries "$PWD/packed" >stdout 2>stderr
status=$?
exit_is 0
holds [ -e packed/lib/libgsl.a ]
holds [ -x packed/mpi/bin/mpirun ]

example "a machine without packages configures with all of CUDA and with MPI"
export TRAINYARD_PACKED=$PWD/packed
without_packages "$source_folder/tools/gpu_check.sh" configure "$PWD/gpu" -DCMAKE_CUDA_ARCHITECTURES=90 >stdout 2>stderr
status=$?
exit_is 0
stdout_has "trainer: cuda on"
stdout_has "trainer: mpi on"
stdout_has "emulator: off"
for library in cublas cudnn nccl; do
    ! compgen -G "$(dirname "$nvcc")/../lib*/lib$library.so*" >/dev/null || stdout_has "trainer: $library on"
done

[ "${1:-}" = --build ] || finish

example "it builds and runs programs"
without_packages cmake --build gpu --parallel --target trainyard trainyard-bench-allreduce trainyard-bench-training gpu_tests >stdout 2>stderr
status=$?
exit_is 0
without_packages bash -c 'packed_mpi=$TRAINYARD_PACKED/mpi && source "$0/tools/packed/mpi_environment.sh" &&
    source "$0/tests/trainer/comm/mpi/support.sh" && mpirun -n 2 gpu/bin/trainyard bench-allreduce --comm mpi -e 1024 --check' \
    "$source_folder" >stdout 2>stderr
status=$?
exit_is 0
stdout_has "# Out of bounds values : 0 OK"

finish
