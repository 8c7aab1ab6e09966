#!/usr/bin/env python3
"""Writes the meshes of solids in this folder, as Gmsh files of format 2.2.

    meshes/solids.py            ball.msh, patch_quad.msh, patch_hex.msh, patch_quad_tri.msh, patch_mixed.msh

ball.msh (mm): half the section of a ball of 10 mm on the plane y = 0, for an axisymmetric body; fine where it touches. patch_quad.msh,
patch_hex.msh (m): the patches of MacNeal and Harder, A proposed standard set of problems to test finite element accuracy, Finite
Elements in Analysis and Design 1 (1985), 3-20. patch_quad_tri.msh (m): the first with triangles; patch_mixed.msh (m): a bar of
prisms, hexahedra, pyramids and tetrahedra. Only the standard library.
"""
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {(0, 1): 15, (1, 2): 1, (2, 3): 2, (2, 4): 3, (3, 4): 4, (3, 8): 5, (3, 6): 6, (3, 5): 7}  # by dimension and nodes


def write(name, nodes, groups):
    """groups: [(dimension, name, [elements by indices of nodes])]"""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
    lines += ['%d %d "%s"' % (dimension, tag, group) for tag, (dimension, group, _) in enumerate(groups, 1)]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(nodes))]
    lines += ["%d %.12g %.12g %.12g" % ((number,) + tuple(x)) for number, x in enumerate(nodes, 1)]
    elements = [(tag, dimension, element) for tag, (dimension, _, elements) in enumerate(groups, 1) for element in elements]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    for number, (tag, dimension, element) in enumerate(elements, 1):
        kind = TYPES[dimension, len(element)]
        lines.append("%d %d 2 %d %d %s" % (number, kind, tag, tag, " ".join(str(node + 1) for node in element)))
    lines += ["$EndElements", ""]
    with open(os.path.join(HERE, name), "w") as file:
        file.write("\n".join(lines))


def graded(cells, ratio):
    """fractions 0 ... 1 of cells that grow by this ratio"""
    sizes = [ratio**k for k in range(cells)]
    return [sum(sizes[:k]) / sum(sizes) for k in range(cells + 1)]


class Mesh:
    """Blocks of quadrangles; nodes at the same place are one."""

    def __init__(self):
        self.nodes, self.number, self.quads = [], {}, []

    def node(self, x, y):
        x = 0.0 if abs(x) < 1e-9 else x
        y = 0.0 if abs(y) < 1e-9 else y
        key = (round(x * 1e7), round(y * 1e7))
        if key not in self.number:
            self.number[key] = len(self.nodes)
            self.nodes.append((x, y, 0.0))
        return self.number[key]

    def block(self, low, high, left, right):
        """Four sides as lists of points, low and high from left to right, left and right from low to high: interpolated between them."""
        n, m = len(low) - 1, len(left) - 1
        grid = []
        for j in range(m + 1):
            row = []
            for i in range(n + 1):
                s = (1 - j / m) * low[i][2] + j / m * high[i][2]
                t = (1 - i / n) * left[j][2] + i / n * right[j][2]
                row.append(self.node(*(
                    (1 - t) * low[i][d] + t * high[i][d] + (1 - s) * left[j][d] + s * right[j][d]
                    - (1 - s) * ((1 - t) * low[0][d] + t * high[0][d]) - s * ((1 - t) * low[n][d] + t * high[n][d]) for d in range(2))))
            grid.append(row)
        for j in range(m):
            for i in range(n):
                self.quads.append((grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i]))


def line(a, b, fractions):
    """points with their fraction of the side"""
    return [(a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), s) for s in fractions]


def arc(radius, first, last, fractions):
    """of the circle around (0, radius), angles from its lowest point"""
    angles = [first + s * (last - first) for s in fractions]
    return [(radius * math.sin(a), radius * (1 - math.cos(a)), s) for a, s in zip(angles, fractions)]


def ball():
    radius, mesh = 10.0, Mesh()
    fine, across, along = graded(24, 1.14), graded(16, 1.19), graded(12, 1.0)
    even, coarse = graded(24, 1.06), graded(24, 1 / 1.06)
    inner = (4.0, 6.5)  # corners of the core: (0, 4), (4, 6.5) and their mirror images
    south, q1, q2 = (0.0, 4.0), inner, (inner[0], 2 * radius - inner[1])
    north, s1 = (0.0, 2 * radius - 4.0), math.pi / 4
    p1 = (radius * math.sin(s1), radius * (1 - math.cos(s1)))
    p2 = (p1[0], 2 * radius - p1[1])
    top = (0.0, 2 * radius)
    mesh.block(arc(radius, 0, s1, fine), line(south, q1, even), line((0.0, 0.0), south, across), line(p1, q1, across))
    mesh.block(arc(radius, s1, 3 * s1, along), line(q1, q2, along), line(p1, q1, across), line(p2, q2, across))
    mesh.block(arc(radius, 3 * s1, 4 * s1, coarse), line(q2, north, coarse), line(p2, q2, across), line(top, north, across))
    mesh.block(line(south, q1, even), line(north, q2, even), line(south, north, along), line(q1, q2, along))
    edges = {}
    for quad in mesh.quads:
        for k in range(4):
            edge = (quad[k], quad[(k + 1) % 4])
            edges[tuple(sorted(edge))] = None if tuple(sorted(edge)) in edges else edge
    outer = [edge for edge in edges.values() if edge]
    x = mesh.nodes
    on_axis = [edge for edge in outer if x[edge[0]][0] == 0 and x[edge[1]][0] == 0]
    contact = [edge for edge in outer if edge not in on_axis and max(x[edge[0]][0], x[edge[1]][0]) < 1.0 and x[edge[0]][1] < 1.0]
    write("ball.msh", x, [(2, "body", mesh.quads), (1, "axis", on_axis), (1, "contact", contact), (0, "pole", [(mesh.node(0, 0),)]),
                          (0, "top", [(mesh.node(*top),)])])


def patch_quad():
    nodes = [(0, 0, 0), (0.24, 0, 0), (0.24, 0.12, 0), (0, 0.12, 0), (0.04, 0.02, 0), (0.18, 0.03, 0), (0.16, 0.08, 0), (0.08, 0.08, 0)]
    quads = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7)]
    write("patch_quad.msh", nodes, [(2, "body", quads), (1, "bottom", [(0, 1)]), (1, "right", [(1, 2)]), (1, "top", [(2, 3)]), (1, "left", [(3, 0)]),
                                    (0, "corner", [(0,)]), (0, "corner_right", [(1,)])])


def patch_quad_tri():
    nodes = [(0, 0, 0), (0.24, 0, 0), (0.24, 0.12, 0), (0, 0.12, 0), (0.04, 0.02, 0), (0.18, 0.03, 0), (0.16, 0.08, 0), (0.08, 0.08, 0)]
    body = [(0, 1, 5), (0, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6), (6, 7, 4)]
    write("patch_quad_tri.msh", nodes, [(2, "body", body), (1, "bottom", [(0, 1)]), (1, "right", [(1, 2)]), (1, "top", [(2, 3)]),
                                        (1, "left", [(3, 0)]), (0, "corner", [(0,)]), (0, "corner_right", [(1,)])])


def patch_mixed():
    """0 < x < 4: a cell of two prisms, a hexahedron, one of five pyramids and two tetrahedra, one of six tetrahedra"""
    shift = [[0, 0, 0, 0], [0.15, -0.1, 0.05, 0.1], [-0.1, 0.05, 0.1, -0.15], [0.1, 0.1, -0.05, -0.1], [0, 0, 0, 0]]
    corner = [(0, 0), (1, 0), (1, 1), (0, 1)]
    nodes = [((i + shift[i][k]) / 4, corner[k][0], corner[k][1]) for i in range(5) for k in range(4)] + [(2.55 / 4, 0.45, 0.6)]
    cell = [[4 * i, 4 * i + 4, 4 * i + 5, 4 * i + 1, 4 * i + 3, 4 * i + 7, 4 * i + 6, 4 * i + 2] for i in range(4)]
    a, b, c, d = cell
    middle = 20
    body = [(a[0], a[1], a[2], a[4], a[5], a[6]), (a[0], a[2], a[3], a[4], a[6], a[7]), tuple(b)]
    body += [tuple(c[k] for k in face) + (middle,) for face in [(0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (2, 6, 7, 3), (0, 3, 7, 4)]]
    body += [(d[0], d[3], d[7], middle), (d[0], d[7], d[4], middle)]
    body = [element if len(element) != 4 else (element[0], element[2], element[1], element[3]) for element in body]
    body += [tuple(d[k] for k in tet) for tet in [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]]
    sides = {"left": [(a[0], a[4], a[7], a[3])], "right": [(d[1], d[2], d[6]), (d[1], d[6], d[5])],
             "bottom": [], "top": [], "back": [], "front": []}
    for cells in (b, c):
        for name, face in (("bottom", (0, 1, 5, 4)), ("top", (3, 7, 6, 2)), ("back", (0, 3, 2, 1)), ("front", (4, 5, 6, 7))):
            sides[name].append(tuple(cells[k] for k in face))
    sides["bottom"] += [(a[0], a[1], a[5], a[4]), (d[0], d[4], d[5]), (d[0], d[5], d[1])]
    sides["top"] += [(a[3], a[7], a[6], a[2]), (d[2], d[3], d[6]), (d[3], d[7], d[6])]
    sides["back"] += [(a[0], a[2], a[1]), (a[0], a[3], a[2]), (d[0], d[2], d[1]), (d[0], d[3], d[2])]
    sides["front"] += [(a[4], a[5], a[6]), (a[4], a[6], a[7]), (d[4], d[7], d[6]), (d[4], d[6], d[5])]
    write("patch_mixed.msh", nodes, [(3, "body", body)] + [(2, name, faces) for name, faces in sides.items()]
          + [(0, "p0", [(a[0],)]), (0, "p1", [(d[1],)]), (0, "p3", [(a[3],)])])


def patch_hex():
    inner = [(0.249, 0.342, 0.192), (0.826, 0.288, 0.288), (0.850, 0.649, 0.263), (0.273, 0.750, 0.230), (0.320, 0.186, 0.643),
             (0.677, 0.305, 0.683), (0.788, 0.693, 0.644), (0.165, 0.745, 0.702)]
    corner = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    faces = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]  # seen from outside
    # a hexahedron between each outer face and the inner one: the inner face first, which its outer one follows
    cells = [tuple(8 + k for k in face) + face for face in faces] + [tuple(range(8, 16))]
    names = ("back", "front", "bottom", "right", "top", "left")
    write("patch_hex.msh", corner + inner, [(3, "body", cells)] + [(2, name, [face]) for name, face in zip(names, faces)]
          + [(0, "p0", [(0,)]), (0, "p1", [(1,)]), (0, "p3", [(3,)])])


if __name__ == "__main__":
    ball()
    patch_quad()
    patch_quad_tri()
    patch_mixed()
    patch_hex()
