"""Imported by the scripts here before the package percuss, which is beside this folder: puts it on Python's path."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
