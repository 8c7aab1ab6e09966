#!/usr/bin/python3
"""Tables of numbers from CSV files: runs with them give the bytes of runs with the same numbers in the config. Usage: test_tables.py PERCUSS"""
import os
import shutil
import subprocess
import tempfile
import unittest

import yaml

from tested import PERCUSS

BAR = """
bodies:
  bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 8}}, material: {density: 7800 kg/m^3, young: 210 GPa}, section: {area: 1 cm^2}}
springs: {end: {between: [ground, bar.right], direction: [1, 0, 0], law: {table: %s}}}
loads: {shaker: {at: bar.left, force: [1 kN, 0, 0], time: {table: %s}}}
contacts: {stop: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}], restitution: {table: %s}, friction: {table: %s}}}
scheme: {type: half_explicit, step: 2 us}
time: {end: 2 ms}
output: {frames: {every: 0}, history: {probes: [bar.left]}}
"""
ROTOR = """
bodies:
  shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [0.3, 0, 0], elements: 2}}, material: {density: 7850, young: 210 GPa}, section: {circle: {radius: 8 mm}}, spin: {table: %s}}
unbalances: {u: {at: shaft.right, mass_eccentricity: 1e-4}}
bearings:
  a: {between: [ground, shaft.left], stiffness: 1 MN/m, rotational_stiffness: 1e5, over_speed: %s}
scheme: {type: moreau_jean, step: 50 us}
time: {end: 10 ms}
output: {frames: {every: 0}, history: {probes: [shaft.right]}}
"""


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        os.mkdir(os.path.join(self.folder, "data"))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.join(self.folder, name)

    def results(self, config, *words):
        out = os.path.join(self.folder, "out")
        done = subprocess.run([PERCUSS, "run", self.write("model.yaml", config), "--quiet", "--overwrite", "--out", out, *words], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        for name in ("history.csv", "energy.csv", "contacts.csv"):
            if os.path.exists(os.path.join(out, name)):
                with open(os.path.join(out, name), "rb") as file:
                    found[name] = file.read()
        with open(os.path.join(out, "config.yaml"), encoding="utf-8") as file:
            return found, yaml.safe_load(file)

    def test_all_tables_of_a_bar(self):
        self.write("data/shaker.csv", '# measured\n"t [ms]";F;other\n0;0;9\n\n0.5;-2;9\n# here the amplifier was switched off\n2;0;9\n')
        self.write("data/spring.csv", "F/N\tr/mm\n-50\t-2\n0\t0\n10\t1\n")
        self.write("data/laws.csv", "\ufeff0,0.9,0.5\r\n0.1,0.5,0.4\r\n1,0.3,0.3\r\n")
        plain = BAR % ("[[-2 mm, -50 N], [0 mm, 0 N], [1 mm, 10 N]]", "[[0 ms, 0], [0.5 ms, -2], [2 ms, 0]]", "[[0, 0.9], [0.1, 0.5], [1, 0.3]]", "[[0, 0.5], [0.1, 0.4], [1, 0.3]]")
        files = BAR % (
            "{file: data/spring.csv, columns: [r/mm, F/N], units: [mm, N]}", "{file: data/shaker.csv, columns: [t, F]}", "{file: data/laws.csv}", "{file: data/laws.csv, columns: [1, 3], units: [m/s, \"\"]}")
        wanted, _ = self.results(plain)
        found, config = self.results(files)
        self.assertIn("contacts.csv", wanted)
        self.assertEqual(found, wanted)
        self.assertEqual(config["loads"]["shaker"]["time"]["table"], [["0 ms", 0], ["0.5 ms", -2], ["2 ms", 0]])  # results can be run without the files
        again, _ = self.results(files, "--set", "loads.shaker.time.table.file=data/shaker.csv")
        self.assertEqual(again, wanted)

    def test_tables_of_a_rotor(self):
        self.write("data/spin.csv", "t [s],n [rpm]\n0,0\n0.01,6000\n")
        self.write("data/seal.csv", "speed [rpm],k22,k23,k32,k33,c22,c23,c32,c33\n0,1e6,0,0,1e6,10,0,0,10\n6000,2e6,5e5,-5e5,2e6,50,0,0,50\n")
        wanted, _ = self.results(ROTOR % ("[[0 s, 0 rpm], [0.01 s, 6000 rpm]]", "[[0 rpm, 1e6, 0, 0, 1e6, 10, 0, 0, 10], [6000 rpm, 2e6, 5e5, -5e5, 2e6, 50, 0, 0, 50]]"))
        found, _ = self.results(ROTOR % ("{file: data/spin.csv}", "{file: data/seal.csv}"))
        self.assertEqual(found, wanted)

    def test_what_is_no_table_is_refused(self):
        def refused(file):
            path = self.write("model.yaml", BAR % ("[[0, 0], [1, 1]]", "{file: %s}" % file, "0", "0"))
            done = subprocess.run([PERCUSS, "check", path, "--quick"], capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            return done.stderr

        os.mkfifo(os.path.join(self.folder, "data/pipe.csv"))
        self.assertIn("cannot read the table 'data/pipe.csv': it is not a regular file", refused("data/pipe.csv"))  # and does not wait for a writer
        self.assertIn("it is not a regular file", refused("/dev/zero"))
        path = self.write("including.yaml", "include: data/pipe.csv\ntitle: x\n")
        done = subprocess.run([PERCUSS, "check", path, "--quick"], capture_output=True, text=True, timeout=20, check=False)
        self.assertIn("cannot read the file 'data/pipe.csv': it is not a regular file", done.stderr)
        path = self.write("meshed.yaml", "bodies: {b: {type: bar, mesh: data/pipe.csv, material: {density: 1, young: 1}, section: {area: 1}}}\n")
        done = subprocess.run([PERCUSS, "modes", path], capture_output=True, text=True, timeout=20, check=False)
        self.assertIn("data/pipe.csv': it is not a regular file", done.stderr)
        with open(os.path.join(self.folder, "data/large.csv"), "wb") as file:
            file.truncate((4 << 20) + 1)
        self.assertIn("it has more than 4 MB", refused("data/large.csv"))
        self.write("data/many.csv", "".join(f"{i},0\n" for i in range(40000)))
        self.assertIn("data/many.csv: error: a config may have 100000 values; this table has more", refused("data/many.csv"))
        with open(os.path.join(self.folder, "data/binary.csv"), "wb") as file:
            file.write(bytes(range(256)) * 10)
        self.assertIn("data/binary.csv", refused("data/binary.csv"))
        os.symlink("shaker.csv", os.path.join(self.folder, "data/link.csv"))
        self.assertIn("No such file", refused("data/link.csv"))


if __name__ == "__main__":
    unittest.main()
