"""The build backend that pyproject.toml names: `pip install .` and `pip wheel .` make a wheel of the module for Python and libtrainyard.

Needs what the build of the program needs (tools/setup.sh), and no package of Python. Compiles in build/wheel; $TRAINYARD_BUILD names
another build, whose target `library` is made already. The same build makes the same bytes.
"""
import base64
import hashlib
import os
import pathlib
import shutil
import stat
import subprocess
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = "libtrainyard.so.0"


class UnsupportedOperation(Exception):
    """Front ends expect this class of a backend that makes no source distributions."""


def cmake(*arguments):
    subprocess.run(["cmake", *map(str, arguments)], cwd=ROOT, check=True)


def library_build():
    """The folder of a build that has the library."""
    if os.environ.get("TRAINYARD_BUILD"):
        return ROOT / os.environ["TRAINYARD_BUILD"]
    build = ROOT / "build/wheel"
    cmake("-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DTRAINYARD_CUDA=OFF")
    cmake("--build", build, "--target", "library")
    return build


def install(folder):
    """Installs what a wheel contains; returns the folder of modules, the folder of their description in it, and the kind of machine."""
    build = library_build()
    for component in ("python", "library"):
        cmake("--install", build, "--component", component, "--prefix", folder, "--strip")
    library = next(folder.rglob(LIBRARY), None)
    if not library:
        raise SystemExit(f"{build} has no {LIBRARY}: cmake --build {build} --target library")
    [info] = folder.rglob("*.dist-info")
    modules = info.parent
    shutil.copyfile(library, modules / "trainyard" / LIBRARY)
    shutil.copyfile(ROOT / "LICENSE", info / "LICENSE")
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
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


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517 requires it."""
    del sdist_directory, config_settings
    raise UnsupportedOperation("trainyard is built from its repository: pip wheel . makes a wheel")
