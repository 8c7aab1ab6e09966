#!/usr/bin/env python3
"""Writes matrices of a clamped bar of hexahedra as CalculiX does (*FREQUENCY, SOLVER=MATRIXSTORAGE, GLOBAL=YES), with its deck: cantilever.inp, .sti, .mas, .dof, in N, mm, t.

    cantilever_matrices.py [FOLDER]

Elements as C3D8 (eight points), consistent mass. DOF of the clamped nodes are left out, as in CalculiX. Only the Python standard library is used."""
import itertools
import os
import sys

CELLS, SIZE = (6, 1, 1), (120.0, 10.0, 10.0)  # mm
DENSITY, YOUNG, POISSON = 7.8e-9, 210e3, 0.3  # t/mm^3, MPa
CORNERS = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
POINTS = list(itertools.product((-1 / 3**0.5, 1 / 3**0.5), repeat=3))


def element(h):
    """K and M of a box with the edges h."""
    lame, shear = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
    K, M = ([[0.0] * 24 for _ in range(24)] for _ in range(2))
    volume = h[0] * h[1] * h[2] / 8
    for xi in POINTS:
        N, dN = [], []
        for corner in CORNERS:
            part = [1 + corner[k] * xi[k] for k in range(3)]
            N.append(part[0] * part[1] * part[2] / 8)
            dN.append([corner[k] * part[(k + 1) % 3] * part[(k + 2) % 3] / 8 * 2 / h[k] for k in range(3)])
        for a, i, b, j in itertools.product(range(8), range(3), range(8), range(3)):
            value = lame * dN[a][i] * dN[b][j] + shear * dN[a][j] * dN[b][i]
            if i == j:
                value += shear * sum(dN[a][k] * dN[b][k] for k in range(3))
                M[3 * a + i][3 * b + j] += DENSITY * N[a] * N[b] * volume
            K[3 * a + i][3 * b + j] += value * volume
    return K, M


def node(i, j, k):
    return 1 + k + (CELLS[2] + 1) * (j + (CELLS[1] + 1) * i)


def main(folder):
    h = [SIZE[d] / CELLS[d] for d in range(3)]
    places = {node(*at): [at[d] * h[d] for d in range(3)] for at in itertools.product(*(range(n + 1) for n in CELLS))}
    elements = [[node(*(at[d] + (corner[d] + 1) // 2 for d in range(3))) for corner in CORNERS] for at in itertools.product(*(range(n) for n in CELLS))]
    dofs = [(n, k) for n in sorted(places) for k in (1, 2, 3) if places[n][0] > 0]
    row = {dof: i + 1 for i, dof in enumerate(dofs)}
    sums = ({}, {})
    for nodes in elements:
        for matrix, total in zip(element(h), sums):
            for a, b in itertools.product(range(24), range(24)):
                i, j = row.get((nodes[a // 3], a % 3 + 1)), row.get((nodes[b // 3], b % 3 + 1))
                if i and j and i <= j:
                    total[j, i] = total.get((j, i), 0) + matrix[a][b]
    for name, total in zip(("sti", "mas"), sums):
        with open(os.path.join(folder, f"cantilever.{name}"), "w") as file:
            for (j, i), value in sorted(total.items()):
                file.write(f"{i} {j} {value:.13e}\n")
    with open(os.path.join(folder, "cantilever.dof"), "w") as file:
        file.writelines(f"{n}.{k}\n" for n, k in dofs)
    with open(os.path.join(folder, "cantilever.inp"), "w") as file:
        file.write("** Clamped bar, N mm t s\n*NODE, NSET=NALL\n")
        file.writelines(f"{n}, {x:g}, {y:g}, {z:g}\n" for n, (x, y, z) in places.items())
        file.write("*ELEMENT, TYPE=C3D8, ELSET=EALL\n")
        file.writelines(f"{e + 1}, " + ", ".join(map(str, nodes)) + "\n" for e, nodes in enumerate(elements))
        file.write("*NSET, NSET=CLAMP\n" + ", ".join(str(n) for n in places if places[n][0] == 0) + "\n")
        file.write(f"*NSET, NSET=TIP, GENERATE\n{node(CELLS[0], 0, 0)}, {node(*CELLS)}, 1\n")
        file.write(f"*NSET, NSET=EDGE\n{node(CELLS[0], 0, 0)}, {node(CELLS[0], 0, 1)}\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))
