#!/usr/bin/env python3
"""Compares frames of both formats: vtk_same.py DIR

Each NAME.vtu of the directory is read with VTK, and so is NAME.vtk beside it; points, cells, and arrays by name must be the same to the last bit. Exit 0: they are.
"""

import pathlib
import sys

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOLegacy import vtkDataSetReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader


def read(path):
    if path.suffix == ".vtk":
        reader = vtkDataSetReader()
        reader.ReadAllScalarsOn()
        reader.ReadAllVectorsOn()
        reader.ReadAllTensorsOn()
        reader.ReadAllFieldsOn()
    else:
        reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def contents(grid):
    points = vtk_to_numpy(grid.GetPoints().GetData()) if grid.GetNumberOfPoints() else np.empty((0, 3))
    cells = [(grid.GetCellType(c), [grid.GetCell(c).GetPointId(k) for k in range(grid.GetCell(c).GetNumberOfPoints())]) for c in range(grid.GetNumberOfCells())]
    return {"points": points, "cells": cells, "of points": arrays(grid.GetPointData()), "of cells": arrays(grid.GetCellData()), "of all": arrays(grid.GetFieldData())}


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b


def main():
    frames = sorted(pathlib.Path(sys.argv[1]).rglob("*.vtu"))
    for path in frames:
        a, b = contents(read(path)), contents(read(path.with_suffix(".vtk")))
        if not a["points"].size:
            a["of points"] = b["of points"] = {}
        if wrong := [part for part in a if not same(a[part], b[part])]:
            print(f"{path}: other {', '.join(wrong)} than the legacy file", {part: (a[part], b[part]) for part in wrong}, file=sys.stderr)
            return 1
    return 0 if frames else 1


sys.exit(main())
