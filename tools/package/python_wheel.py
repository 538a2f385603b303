"""The build backend that pyproject.toml names: `pip install .`, `pip wheel .` and `python3 -m build` make a wheel of the module for Python
and libtrainyard, and the source distribution that such a wheel is made from.

Needs what libtrainyard needs: a C compiler, CMake, ninja, the headers of HDF5 and Random123 (tools/setup.sh), and no package of Python.
Compiles in build/wheel; $TRAINYARD_BUILD names another build, whose target `library` is made already. The same sources make the same bytes.
"""
import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = "libtrainyard.so.0"
# What the wheel is made of, from ROOT: what CMake reads with TRAINYARD_LIBRARY_ONLY, and this backend.
SOURCES = ("CMakeLists.txt", "LICENSE", "pyproject.toml", "tools/embed.cmake", "tools/package/python_wheel.py", "sim/**/CMakeLists.txt",
           "sim/**/*.[ch]", "sim/**/*.in", "sim/library/python/trainyard/*.py", "sim/library/python/trainyard/py.typed")
# Parts of the C library, by the names of manylinux (PEP 600).
C_LIBRARY = re.compile(r"lib(c|m|dl|rt|pthread)\.so\.[0-9]+|ld-linux.*\.so\.[0-9]+")


def run(*command, **options):
    try:
        return subprocess.run([*map(str, command)], cwd=ROOT, check=True, **options)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} is missing, which compiles libtrainyard (Debian packages: gcc cmake ninja-build libhdf5-dev "
                         "librandom123-dev)") from None


def library_build():
    """The folder of a build that has the library."""
    if os.environ.get("TRAINYARD_BUILD"):
        return ROOT / os.environ["TRAINYARD_BUILD"]
    build = ROOT / "build/wheel"
    run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTRAINYARD_LIBRARY_ONLY=ON")
    run("cmake", "--build", build, "--target", "library")
    return build


def machine_of(library):
    """The kind of machine that a library runs on, in a wheel's name: manylinux and the version of the C library whose names it needs, if
    it needs no other library (PEP 600)."""
    machine = re.sub(r"\W", "_", sysconfig.get_platform())
    headers = run(os.environ.get("OBJDUMP", "objdump"), "-p", library, text=True, stdout=subprocess.PIPE).stdout
    needed = re.findall(r"^ *NEEDED +(\S+)", headers, re.MULTILINE)
    versions = {tuple(map(int, version)) for version in re.findall(r" GLIBC_([0-9]+)\.([0-9]+)", headers)}
    if not versions or not all(C_LIBRARY.fullmatch(name) for name in needed):
        return machine
    return re.sub("^linux", "manylinux_{}_{}".format(*max(versions)), machine)


def install(folder):
    """Installs what a wheel contains; returns the folder of modules, the folder of their description in it, and the kind of machine."""
    build = library_build()
    for component in ("python", "library"):
        run("cmake", "--install", build, "--component", component, "--prefix", folder, "--strip")
    library = next(folder.rglob(LIBRARY), None)
    if not library:
        raise SystemExit(f"{build} has no {LIBRARY}: cmake --build {build} --target library")
    [info] = folder.rglob("*.dist-info")
    modules = info.parent
    shutil.copyfile(library, modules / "trainyard" / LIBRARY)
    shutil.copyfile(ROOT / "LICENSE", info / "LICENSE")
    machine = machine_of(library)
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: trainyard\nRoot-Is-Purelib: false\nTag: py3-none-{machine}\n", "ascii")
    return modules, info, machine


def write(wheel, name, content):
    """Adds a file to a wheel; returns its line of RECORD."""
    member = zipfile.ZipInfo(name)  # of 1980
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    wheel.writestr(member, content, zipfile.ZIP_DEFLATED)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a folder; returns its name (PEP 517)."""
    del config_settings, metadata_directory
    with tempfile.TemporaryDirectory() as folder:
        modules, info, machine = install(pathlib.Path(folder))
        file = f"{info.stem}-py3-none-{machine}.whl"
        with zipfile.ZipFile(pathlib.Path(wheel_directory) / file, "w") as wheel:
            lines = [write(wheel, path.relative_to(modules).as_posix(), path.read_bytes())
                     for path in sorted(modules.rglob("*")) if path.is_file()]
            record = f"{info.name}/RECORD"
            write(wheel, record, "".join(lines + [f"{record},,\n"]).encode())
        return file


def metadata():
    """The version and METADATA, as CMake makes it."""
    version = re.search(r"^project\(trainyard VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text("utf-8"), re.MULTILINE).group(1)
    return version, (ROOT / "sim/library/python/METADATA.in").read_text("utf-8").replace("@PROJECT_VERSION@", version)


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source distribution into a folder; returns its name (PEP 517)."""
    del config_settings
    version, description = metadata()
    base = f"trainyard-{version}"
    embedded = re.findall(r"\$\{catalog\}/(\S+\.json)", (ROOT / "sim/CMakeLists.txt").read_text("utf-8"))
    patterns = [*SOURCES, *(f"scenarios/catalog/{name}" for name in embedded)]
    contents = {path.relative_to(ROOT).as_posix(): path.read_bytes() for pattern in patterns for path in ROOT.glob(pattern)}
    contents["PKG-INFO"] = description.encode()
    with open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(contents.items()):
            member = tarfile.TarInfo(f"{base}/{name}")
            member.size, member.mode, member.mtime = len(content), 0o644, 315532800  # 1980, as in wheels
            archive.addfile(member, io.BytesIO(content))
    return f"{base}.tar.gz"
