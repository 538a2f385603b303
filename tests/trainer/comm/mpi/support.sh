# Sourced by scripts that start ranks under mpirun: an environment in which Open MPI works the same way as root in a container, as
# an ordinary user, and on fewer cores than ranks.
# shellcheck shell=bash
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# More ranks than cores, and several tests at once must not share the first core. The names are those of Open MPI 4 and 5.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_btl=self,vader # this machine only, without its network
export OMPI_MCA_mpi_yield_when_idle=1 # other tests share the cores: waiting ranks must not use them
# Containers often forbid process_vm_readv, which vader notices only after a message on stderr.
export OMPI_MCA_btl_vader_single_copy_mechanism=none

# Ends the script as skipped if there is no mpirun.
need_mpirun()
{
    command -v mpirun >/dev/null && return
    echo "skipped: mpirun is not installed (Debian package: openmpi-bin)"
    exit 77
}
