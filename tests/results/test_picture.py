#!/usr/bin/python3
"""percuss check: the picture of a model before it runs, and the groups of its meshes. Usage: test_picture.py PERCUSS"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from tested import PERCUSS, ROOT

SVG = "{http://www.w3.org/2000/svg}"


class Picture(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_picture_")
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, config, *options):
        path = os.path.join(ROOT, "configs", config + ".yaml")
        if "\n" in config:
            path = os.path.join(self.folder, "model.yaml")
            with open(path, "w") as file:
                file.write(config)
        done = subprocess.run([PERCUSS, "check", path, "--quick", *options], capture_output=True, text=True, timeout=200, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def draw(self, config):
        path = os.path.join(self.folder, "picture.svg")
        code, _, said = self.check(config, "--picture", path)
        self.assertEqual(code, 0, said)
        root = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        width, height = float(root.get("width")), float(root.get("height"))
        for path in root.iter(SVG + "path"):
            for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d")):
                self.assertTrue(-60 < float(x) < width + 60 and -60 < float(y) < height + 60, f"{config}: {path.get('d')} is off the page")
        return root, [text.text for text in root.iter(SVG + "text")]

    def test_kinds_of_models(self):
        for config, words in (("elastic_bar", {"bar", "plane", "contact point, normal", "x", "y"}), ("block_on_base", {"block", "base", "support"}), ("truss_on_stop", {"support", "contact point, normal"}),
                              ("rotor_in_two_bearings", {"spring, bearing", "mass, disc", "z"}), ("box_on_belt", {"plane", "z"}), ("four_bar", {"joint"}), ("slider_crank", {"contact point, normal"}),
                              ("shaken_beam", {"support"}), ("blade_rubs", {"blade", "support", "plane"})):
            _, texts = self.draw(config)
            self.assertLessEqual(words, set(texts), config)

    def test_only_faces_on_the_surface(self):
        """A box of 3 x 2 x 2 cells has 32 faces on its surface, and a plate of 3 x 2 has 6."""
        solid = """
bodies:
  b:
    type: solid
    mesh: {box: {from: [0, 0, 0], to: [3 m, 2 m, %s], cells: [3, 2, %d]}}
    material: {density: 1000 kg/m^3, young: 1 GPa, poisson: 0.3}
loads: {push: {at: b.left, force: [6 N, 0, 0]}}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 us}
"""
        for thickness, cells, faces in (("2 m", 2, 32), ("0", 0, 6)):
            text = solid % (thickness, cells)
            if not cells:
                text = text.replace("    material", "    thickness: 1 mm\n    state: plane_stress\n    material")
            root, texts = self.draw(text)
            self.assertEqual(sum("Z" in path.get("d") for path in root.iter(SVG + "path")), faces)
            self.assertIn("load", texts)

    def test_scale_and_colour(self):
        """A square metre has the width of the scale's metre times its metres; names and titles are quoted."""
        root, texts = self.draw("""
title: "a < b & c"
bodies:
  b: {type: truss, mesh: {line: {from: [0, 0, 0], to: [2 m, 0, 0], elements: 1}}, material: {density: 1000 kg/m^3, young: 1 GPa}, section: {circle: {radius: 100 mm}}}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 us}
""")
        self.assertIn("a < b & c", texts)
        line = next(path for path in root.iter(SVG + "path") if path.get("stroke-linecap") == "round")
        (x0, _), (x1, _) = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", line.get("d"))
        length = abs(float(x1) - float(x0))
        self.assertAlmostEqual(float(line.get("stroke-width")), 0.1 * length, delta=0.1)  # 200 mm of 2 m
        bar = next(path for path in root.iter(SVG + "path") if "v6h" in path.get("d"))
        unit = next(text for text in texts if re.fullmatch(r"[\d.]+ m?m", text))
        metres = float(unit.split()[0]) * (1e-3 if unit.endswith("mm") else 1)
        self.assertAlmostEqual(float(re.search(r"h([\d.]+)", bar.get("d"))[1]), metres / 2 * length, delta=0.2)

    def test_files_of_others(self):
        """Its own pictures are replaced, other files are not."""
        path = os.path.join(self.folder, "mine.svg")
        with open(path, "w") as file:
            file.write("<svg/>")
        code, _, said = self.check("elastic_bar", "--picture", path)
        self.assertEqual(code, 2)
        self.assertIn("is not a picture made by percuss and is left unchanged", said)
        with open(path) as file:
            self.assertEqual(file.read(), "<svg/>")
        os.remove(path)
        for _ in range(2):
            self.assertEqual(self.check("elastic_bar", "--picture", path)[0], 0)

    def test_dampers_of_a_shaft_are_not_drawn(self):
        rotor = """
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 4}}
    material: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {circle: {radius: 10 mm}}
    spin: 3000 rpm
    damping: {%s}
supports: {ends: {at: shaft.left, fix: all}}
scheme: {type: moreau_jean, step: 10 us}
time: {end: 1 ms}
"""
        self.assertNotIn("spring, bearing", self.draw(rotor % "rotating: 10 us")[1])

    def test_wrong_names(self):
        code, _, said = self.check("elastic_bar", "--picture", os.path.join(self.folder, "picture.png"))
        self.assertEqual(code, 2)
        self.assertIn("must end in .svg", said)
        code, _, said = self.check("elastic_bar", "--picture", os.path.join(self.folder, "none", "picture.svg"))
        self.assertEqual(code, 2)
        self.assertIn("cannot write", said)

    def test_groups_of_a_mesh(self):
        config = f"""
bodies:
  b:
    type: bar
    mesh: {{file: {ROOT}/tests/unit/meshes/groups_22.msh, group: both}}
    material: {{density: 7800 kg/m^3, young: 210 GPa}}
    section: {{circle: {{radius: 10 mm}}}}
scheme: {{type: half_explicit, step: 0.1 us}}
time: {{end: 1 us}}
"""
        code, said, errors = self.check(config)
        self.assertEqual(code, 0, errors)
        line = next(line for line in said.split("\n") if line.startswith("  groups"))
        self.assertRegex(line, r"b: a \(1 node\), .*all \(5 nodes, 4 elements of dimension 1\), .*one \(2 elements of dimension 1\)")
        code, said, errors = self.check(config, "--json")
        groups = json.loads(said)["figures"]["groups"]
        self.assertEqual({group["body"] for group in groups}, {"b"})
        self.assertIn({"body": "b", "name": "all", "nodes": 5, "elements": 4, "sides": 0, "dimension": 1}, groups)
        code, said, errors = self.check("elastic_bar")
        self.assertNotIn("groups", said)


if __name__ == "__main__":
    unittest.main()
