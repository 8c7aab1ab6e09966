#!/usr/bin/python3
"""What `cmake --install` and cpack make, used from outside: program, report, Python, a plugin and a program against the installed tree, the Debian package; and that packaging/*
says what the rest of the repository says. Usage: test_install.py BUILD"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else str(ROOT / "build/release")

PLUGIN = """cmake_minimum_required(VERSION 3.20)
project(outside C)
find_package(percuss 0.1 REQUIRED)
percuss_add_plugin(belt_block belt_block.c)
add_executable(step step.c)
target_link_libraries(step PRIVATE percuss::percuss)
"""


def call(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.folder / "prefix"
        call("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.lib = next(cls.prefix.glob("lib/**/libpercuss.so")).parent
        # nothing of the source tree or of the build helps
        cls.environment = {key: value for key, value in os.environ.items() if not key.startswith(("PERCUSS", "PYTHONPATH"))}
        cls.environment |= {"PATH": f"{cls.prefix}/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": str(cls.lib), "MPLBACKEND": "Agg"}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_files(self):
        for name in ("bin/percuss", "include/percuss/percuss.h", "include/percuss/mechanism.h", "share/man/man1/percuss.1.gz", "share/percuss/percuss.schema.json",
                     "share/percuss/configs/elastic_bar.yaml", "share/percuss/postprocess/report.py", "share/percuss/python/percuss/__init__.py",
                     "share/percuss/python/percuss/columns.json", "share/bash-completion/completions/percuss", "share/doc/percuss/copyright", "share/doc/percuss/guide/README.md",
                     "share/doc/percuss/notebooks/run.ipynb", "share/doc/percuss/CITATION.cff"):  # fmt: skip
            self.assertTrue((self.prefix / name).exists(), name)
        self.assertEqual(sorted(os.listdir(self.prefix / "include/percuss")), ["mechanism.h", "percuss.h"])
        self.assertFalse(list(self.prefix.glob("**/__pycache__")))
        self.assertIn(".TH", call("gzip", "-dc", self.prefix / "share/man/man1/percuss.1.gz"))
        schema = json.loads((self.prefix / "share/percuss/percuss.schema.json").read_text())
        self.assertIn("bodies", json.dumps(schema))

    def test_program_report_and_python(self):
        out = self.folder / "bar"
        config = self.prefix / "share/percuss/configs/elastic_bar.yaml"
        call("percuss", "run", config, "--out", out, "--set", "time.end=0.6 ms", "--quiet", "--report", env=self.environment, cwd=self.folder)
        self.assertTrue((out / "report.html").exists())
        look = f"""import percuss
assert percuss.__file__.startswith({str(self.prefix)!r}), percuss.__file__
assert percuss.program.find_program() == {os.path.realpath(self.prefix / "bin/percuss")!r}
print(percuss.Run({str(out)!r}).status)
with percuss.Stepper({str(config)!r}) as stepper: print(stepper.step(10), percuss.stepper.library()._name)"""
        said = call("/usr/bin/python3", "-c", look, env={**self.environment, "PYTHONPATH": f"{self.prefix}/share/percuss/python", "PYTHONDONTWRITEBYTECODE": "1"}).split()
        self.assertEqual(said[:2], ["done", "True"])
        self.assertTrue(said[2].startswith(os.path.realpath(self.prefix)), said[2])

    def test_plugin_and_program_outside(self):
        outside = self.folder / "outside"
        outside.mkdir()
        for name in ("plugin/belt_block.c", "plugin/belt_block.yaml", "library/step.c", "library/pushed_bar.yaml"):
            shutil.copy(self.prefix / "share/percuss/configs" / name, outside)
        (outside / "CMakeLists.txt").write_text(PLUGIN)
        call("cmake", "-S", outside, "-B", outside / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        call("cmake", "--build", outside / "build")
        self.assertEqual(len(call(outside / "build/step", outside / "pushed_bar.yaml").splitlines()), 101)
        said = call("percuss", "check", outside / "belt_block.yaml", "--set", f"bodies.block.library={outside}/build/belt_block.so", env=self.environment)
        self.assertIn("2 degrees of freedom", said)
        packages = {**self.environment, "PKG_CONFIG_PATH": f"{self.lib}/pkgconfig"}
        self.assertEqual(call("pkg-config", "--modversion", "percuss", env=packages).strip(), "0.1.0")
        flags = call("pkg-config", "--cflags", "--libs", "percuss", env=packages).split()
        call("cc", outside / "step.c", *flags, "-o", outside / "step")
        self.assertEqual(len(call(outside / "step", outside / "pushed_bar.yaml", env=self.environment).splitlines()), 101)

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps") and shutil.which("file"), "dpkg-dev or file, with which cpack finds the packages needed, is missing")
    def test_debian_package(self):
        call("cpack", "-G", "DEB", "-B", self.folder / "deb", cwd=BUILD)
        package, = (self.folder / "deb").glob("*.deb")
        self.assertRegex(package.name, r"^percuss_0\.1\.0_\w+\.deb$")
        fields = call("dpkg-deb", "-f", package)
        for needed in ("libpetsc-real3.18", "libslepc-real3.18", "libyaml-0-2", "libmetis5", "libc6"):
            self.assertIn(needed, fields)
        content = call("dpkg-deb", "-c", package)
        self.assertIn("./usr/lib/python3/dist-packages/percuss -> ../../../share/percuss/python/percuss", content)
        self.assertNotIn("/tmp", content)
        self.assertEqual([line for line in content.splitlines() if "root/root" not in line], [])
        root = self.folder / "root"
        call("dpkg-deb", "-x", package, root)
        environment = {**self.environment, "PATH": f"{root}/usr/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": str(next(root.glob("usr/lib/**/libpercuss.so.0")).parent)}
        self.assertIn("percuss 0.1.0", call("percuss", "--version", env=environment))
        self.assertNotIn("debug_info", call("file", "-L", root / "usr/bin/percuss"))
        if shutil.which("lintian"):
            call("lintian", "--allow-root", "--fail-on", "error,warning", package)


class Texts(unittest.TestCase):
    """Versions, packages and files that packaging/*, CITATION.cff and the documentation name."""

    def test_one_version(self):
        version = re.search(r"project\(percuss VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.M)[1], version)
        self.assertEqual(re.search(r'^  version: "(\S+)"', (ROOT / "packaging/conda/meta.yaml").read_text(), re.M)[1], version)

    def test_one_list_of_packages(self):
        wanted = set(re.search(r"^packages=\((.*?)\)", (ROOT / "quickstart").read_text(), re.M | re.S)[1].split())
        docker = (ROOT / "packaging/Dockerfile").read_text()
        listed = set(re.search(r"--no-install-recommends \\\n(.*?)\nCOPY", docker, re.S)[1].replace("\\", " ").split())
        self.assertEqual(listed - wanted, {"dpkg-dev", "file"})  # of cpack
        self.assertEqual(wanted - listed, set())

    def test_conda_has_the_libraries_of_cmake(self):
        recipe = (ROOT / "packaging/conda/meta.yaml").read_text()
        for name in re.findall(r"pkg_check_modules\((\w+) REQUIRED", (ROOT / "CMakeLists.txt").read_text()) + ["metis", "openmpi", "lapack"]:
            self.assertRegex(recipe, rf"(?im)^    - (lib)?{name}\b", name)

    def test_headers_that_are_installed_stand_alone(self):
        for language in ("c", "c++"):
            for name in ("percuss.h", "mechanism.h"):
                call("cc", "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-", input=f"#include <percuss/{name}>\n")


if __name__ == "__main__":
    unittest.main()
