"""Scene of a run of percuss: bodies as tubes and surfaces with magnified displacements, planes and belts, contact forces as arrows, time.

    pvpython view.py [DIR]                          in ParaView; or its menu Tools > Python Shell > Run Script
    python3 view.py [DIR] --png FILE [--frame N]    a picture, without ParaView (Debian: python3-vtk9, and xvfb where there is no display)
    python3 view.py [DIR] --frames FOLDER           a picture of each frame, for an animation

DIR is a results directory; default: the directory of this file. --scale S and --colour stress|speed|displacement override the automatic choice.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

# Size of motion, arrows and the thickest tube (at least) relative to the size of the model; number of frames that are read to choose the scales.
MOTION, ARROW, THICK, LOOKED_AT = 0.05, 0.12, 0.004, 40
PICTURE = (1280, 720)
ARRAYS = {"stress": "stress", "speed": "velocity", "displacement": "displacement"}  # quantities for colours
FLAT = 0.3  # models that are so flat along z, of their smaller extent in the plane, are shown from the front
MARGIN, LEGEND = 1.3, 0.14  # margin around the model; share of the picture for the colour bar
INK, PAPER, PLANE, FORCE = (0.1, 0.1, 0.1), (1.0, 1.0, 1.0), (0.55, 0.55, 0.6), (0.0, 0.55, 0.35)
SIDES = 16


class ViewError(Exception):
    """User error, in one line."""


# What to draw, and its scale --------------------------------------------------------------------------------------------------------------


def read_series(path):
    """(time, file) of each frame, from the file that ParaView opens."""
    try:
        if path.suffix == ".pvd":
            return [(float(file.get("timestep")), path.parent / file.get("file")) for file in xml.etree.ElementTree.parse(path).iter("DataSet")]
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (json.JSONDecodeError, xml.etree.ElementTree.ParseError) as error:
        raise ViewError(f"{path}: {error}") from None
    return [(file["time"], path.parent / file["name"]) for file in files]


@dataclasses.dataclass
class Scene:
    """Frames of a run, and the settings to draw all of them in the same way."""

    title: str
    series: pathlib.Path
    frames: list
    contact_series: pathlib.Path
    contacts: list
    plane_series: pathlib.Path = None
    planes: list = ()
    scale: float = 1.0  # of displacements
    size: float = 1.0  # m, diagonal of the box of all frames
    corners: tuple = ()  # lower and upper corner of the box that the camera shows
    planar: bool = False
    solid: bool = False  # stresses of solids
    faces: bool = False  # some cells have surfaces
    thicker: float = 1.0  # factor of radii
    colour: str = "stress"
    limit: float = 1.0  # of the colours
    force: str = "force"  # the array that arrows show, and its largest value
    largest_force: float = 0.0
    mode: bool = False  # frames of a mode shape, over one period
    opacity: float = 1.0

    def prefix(self):
        """Prefix of the unit in which the colour bar is labelled, and its size: MPa for stresses of some million Pa."""
        power = min(3, max(-3, math.floor(math.log10(self.limit) / 3))) if self.limit > 0 else 0
        return {-3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}[power], 1000.0**power

    def words(self, time):
        """The title of a frame."""
        return f"{self.title}\n" + ("" if self.mode else f"t = {time:.6g} s, ") + f"displacements x {self.scale:g}"

    def arrow(self):
        """Length of an arrow per N, or N s."""
        return ARROW * self.size / self.largest_force if self.largest_force else 0.0

    def camera(self):
        """Focal point, unit vectors towards the camera and up, and half the height to show: flat models from the front, others from above."""
        back, up = ((0, 0, 1), (0, 1, 0)) if self.planar else ((0.35, -1, 0.3), (0, 0, 1))
        right = unit(cross(up, back))
        back = unit(back)
        up = cross(back, right)
        half = [(b - a) / 2 for a, b in zip(*self.corners)]
        height, width = (sum(abs(a * b) for a, b in zip(axis, half)) for axis in (up, right))
        aspect = PICTURE[0] / PICTURE[1]
        shown = MARGIN * max(height, width / aspect / (1 - LEGEND))
        return [(a + b) / 2 + LEGEND * shown * aspect * c for a, b, c in zip(*self.corners, unit(right))], back, up, shown


def cross(a, b):
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def unit(a):
    """The direction of a vector."""
    return tuple(x / math.hypot(*a) for x in a)


def find_scene(directory, mode):
    """Series of the run in a results directory; for results of `percuss modes`, that of a mode (from 1)."""
    try:
        info = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ViewError(f"{directory}/run.json: {error}") from None
    except (FileNotFoundError, NotADirectoryError):
        raise ViewError(f"{directory}: not a results directory of percuss: it has no run.json") from None
    series, contacts, planes = (newest(directory / f"{info['name']}{end}.{kind}" for kind in ("vtk.series", "pvd")) for end in ("", "_contacts", "_planes"))
    modes = sorted(directory.glob(f"{info['name']}_mode_*.vtk.series"))
    if modes:
        if not 1 <= mode <= len(modes):
            raise ViewError(f"{directory}: no mode {mode}; there are modes 1 to {len(modes)}")
        series, info["title"] = modes[mode - 1], f"{info['title'] or info['name']}: mode {mode}"
    if not series.exists():
        drawn = "" if info.get("model", {}).get("kind", "finite elements") == "finite elements" else " (a plugin also needs its function `draw`)"
        raise ViewError(f"{directory}: no frames; put `frames: {{every: 20}}` under output: and run again{drawn}")
    others = ([] if modes or not path.exists() else present(read_series(path)) for path in (contacts, planes))
    scene = Scene(info["title"] or info["name"], series, present(read_series(series)), contacts, next(others), planes, next(others))
    scene.mode = bool(modes)
    if not scene.frames:
        raise ViewError(f"{directory}: no frame is written yet; is the run still in progress?")
    return scene


def newest(lists):
    """The list that was written last, of the two formats."""
    return max(lists, key=lambda path: path.stat().st_mtime if path.exists() else 0.0)


def present(frames):
    """Frames whose files exist: some may be missing if the run is in progress or was killed, or if files were deleted."""
    return [(time, path) for time, path in frames if path.exists()]


def some(frames):
    """Some of the frames, including the last."""
    step = max(1, len(frames) // LOOKED_AT)
    return frames[::-1][::step]


def largest(arrays, name):
    """Largest norm in an array; 0 if it is empty."""
    array = arrays.GetArray(name)
    return array.GetMaxNorm() if array and array.GetNumberOfTuples() else 0.0


def round_down(value):
    """1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(value))
    return max(digit for digit in (1, 2, 5) if digit * power <= value * (1 + 1e-9)) * power


def box_of(vtk, grids, scale):
    """Lower and upper corner of the box around all of them."""
    boxes = [(warp_planes if grid.GetPointData().HasArray("gap") else warp)(vtk, grid, scale).GetOutput().GetBounds() for grid in grids]
    return ([pick(box[2 * k + side] for box in boxes) for k in range(3)] for side, pick in ((0, min), (1, max)))


def measure(vtk, scene, scale, colour):
    """Chooses scales, colours and camera from some of the frames."""
    motion = stress = speed = reach = 0.0
    shown = [read(vtk, path) for _, path in some(scene.frames)]
    for grid in shown:
        motion = max(motion, largest(grid.GetPointData(), "displacement"))
        speed = max(speed, largest(grid.GetPointData(), "velocity"))
        stress = max(stress, largest(grid.GetCellData(), "stress"))
        reach = max(reach, grid.GetPointData().GetArray("radius").GetRange()[1])
    length = shown[0].GetLength() or reach or 1.0
    scene.solid = shown[0].GetCellData().GetArray("stress_tensor") is not None
    scene.faces = any(shown[0].GetCellType(i) > 4 for i in range(shown[0].GetNumberOfCells()))  # VTK_VERTEX to VTK_POLY_LINE are at most 4
    scene.scale = scale or (max(1.0, round_down(MOTION * length / motion)) if motion else 1.0)
    low, high = box_of(vtk, shown, scene.scale)
    scene.planar = high[2] - low[2] <= max(1e-6 * length, FLAT * min(high[0] - low[0], high[1] - low[1]))
    scene.size = math.dist(low, high) or length
    scene.thicker = max(1.0, THICK * scene.size / reach) if reach else 1.0
    reach *= scene.thicker
    for name in ("force", "impulse"):
        scene.force = name
        scene.largest_force = max((largest(read(vtk, path).GetPointData(), name) for _, path in some(scene.contacts)), default=0.0)
        if scene.largest_force:
            reach += ARROW * scene.size
            break
    low, high = box_of(vtk, shown + [read(vtk, path) for _, path in some(scene.planes)], scene.scale)
    scene.corners = tuple(x - reach for x in low), tuple(x + reach for x in high)
    scene.colour = colour or ("stress" if stress else "speed" if speed else "displacement")  # mode shapes have neither of them
    scene.limit = {"stress": stress, "speed": speed, "displacement": motion}[scene.colour] or 1.0


# Drawing with VTK --------------------------------------------------------------------------------------------------------------------------------


def read(vtk, path):
    """The data of a file."""
    if path.suffix == ".vtu":
        reader = vtk.vtkXMLUnstructuredGridReader()
    else:
        reader = vtk.vtkDataSetReader()
        reader.ReadAllScalarsOn()
        reader.ReadAllVectorsOn()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def build(part, source=None, **settings):
    """An object of VTK with these settings, a filter behind `source`."""
    if source:
        part.SetInputConnection(source.GetOutputPort())
    for name, value in settings.items():
        getattr(part, "Set" + name)(*(value if isinstance(value, tuple) else (value,)))
    return part


def warp(vtk, data, scale, by="displacement"):
    """The filter that displaces points; keep a reference until another filter has its output."""
    warped = build(vtk.vtkWarpVector(), InputData=data, InputArrayToProcess=(0, 0, 0, 0, by), ScaleFactor=scale)
    warped.Update()
    return warped


def add_actor(vtk, renderer, source):
    """Actor for the output of a filter, in the line colour."""
    mapper = build(vtk.vtkPolyDataMapper(), source, ScalarVisibility=False)
    actor = build(vtk.vtkActor(), Mapper=mapper)
    actor.GetProperty().SetColor(*INK)
    renderer.AddActor(actor)
    return mapper, actor


def paint(scene, mapper, actor, colours):
    """Colours by the quantity of the scene."""
    build(actor.GetProperty(), Opacity=scene.opacity, Ambient=0.35, Diffuse=0.65)
    if scene.colour == "stress":
        mapper.SetScalarModeToUseCellFieldData()
    else:
        mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray(ARRAYS[scene.colour])
    build(mapper, ScalarVisibility=True, LookupTable=colours, UseLookupTableScalarRange=True)


def add_bodies(vtk, renderer, scene, path):
    """Tubes with the thickness of the bodies, surfaces with the edges of their cells, balls, and a dot for points without a line."""
    warped = warp(vtk, read(vtk, path), scene.scale)
    surface = build(vtk.vtkGeometryFilter(), warped)
    thick = build(vtk.vtkArrayCalculator(), surface, Function=f"{scene.thicker!r}*radius", ResultArrayName="thickness")
    thick.SetAttributeTypeToPointData()
    thick.AddScalarArrayName("radius")
    tubes = build(vtk.vtkTubeFilter(), thick, InputArrayToProcess=(0, 0, 0, 0, "thickness"), NumberOfSides=SIDES, Capping=True)
    tubes.SetVaryRadiusToVaryRadiusByAbsoluteScalar()
    colours = colour_table(vtk, scene)
    shown, (mapper, dots) = add_actor(vtk, renderer, tubes), add_actor(vtk, renderer, surface)
    paint(scene, *shown, colours)
    dots.GetProperty().SetPointSize(6)
    balls = balls_of(vtk, warped.GetOutput())
    if balls:
        paint(scene, *add_actor(vtk, renderer, balls), colours)
    if scene.faces:
        paint(scene, mapper, dots, colours)
        add_edges(vtk, renderer, surface, scene.solid)
    add_bar(vtk, renderer, scene)


def add_bar(vtk, renderer, scene):
    """What the colours mean."""
    prefix, size = scene.prefix()
    title = {"stress": "stress ({}Pa)", "speed": "speed ({}m/s)", "displacement": "displacement ({}m)"}[scene.colour].format(prefix)
    bar = build(vtk.vtkScalarBarActor(), LookupTable=colour_table(vtk, scene, size), Title=title, LabelFormat="%.3g", NumberOfLabels=5)
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        write_like(text, 16)
    renderer.AddActor2D(build(bar, UnconstrainedFontSize=True, Position=(0.88, 0.2), Width=0.09, Height=0.6))


def add_edges(vtk, renderer, surface, all_alike):
    """Edges of cells; drawn weaker where they only approximate a round body."""
    every, sharp = build(vtk.vtkExtractEdges(), surface), build(vtk.vtkFeatureEdges(), surface, FeatureAngle=40)
    for edges, opacity in ((every, 1.0 if all_alike else 0.15), (sharp, 1.0)):
        _, actor = add_actor(vtk, renderer, edges)
        build(actor.GetProperty(), LineWidth=0.5, Opacity=opacity)


def balls_of(vtk, grid):
    """The filter that draws spheres at the points that are cells of their own and have a radius; None without such points."""
    radius, cells = grid.GetPointData().GetArray("radius"), vtk.vtkIdList()
    for i in range(grid.GetNumberOfCells()):
        if grid.GetCellType(i) == vtk.VTK_VERTEX and radius.GetValue(grid.GetCell(i).GetPointId(0)) > 0:
            cells.InsertNextId(i)
    if not cells.GetNumberOfIds():
        return None
    chosen = build(vtk.vtkExtractCells(), InputData=grid, CellList=cells)
    ball = build(vtk.vtkSphereSource(), Radius=1.0, ThetaResolution=2 * SIDES, PhiResolution=SIDES)
    glyph = build(vtk.vtkGlyph3D(), chosen, SourceConnection=ball.GetOutputPort(), InputArrayToProcess=(0, 0, 0, 0, "radius"), ScaleFactor=1.0)
    glyph.SetScaleModeToScaleByScalar()
    return glyph


def colour_table(vtk, scene, unit_size=1.0):
    """Blue for compression, red for tension; speed, and von Mises' stress of solids, from blue to red. In units of this size."""
    table = vtk.vtkColorTransferFunction()
    table.SetColorSpaceToDiverging()
    low = -scene.limit if scene.colour == "stress" and not scene.solid else 0.0
    table.AddRGBPoint(low / unit_size, 0.23, 0.30, 0.75)
    table.AddRGBPoint(scene.limit / unit_size, 0.71, 0.02, 0.15)
    table.SetVectorModeToMagnitude()
    return table


def warp_planes(vtk, data, scale):
    """The plane, displaced and shifted so that closed contacts look closed where displacements are magnified."""
    return warp(vtk, warp(vtk, data, 1 - scale, "gap").GetOutput(), scale)


def add_arrows(vtk, renderer, points, arrow, vector, length, colour):
    """An arrow at each point along this vector, of this length per unit of the vector."""
    glyph = build(vtk.vtkGlyph3D(), points, SourceConnection=arrow.GetOutputPort(), InputArrayToProcess=(1, 0, 0, 0, vector), ScaleFactor=length)
    glyph.SetVectorModeToUseVector()
    glyph.SetScaleModeToScaleByVector()
    _, actor = add_actor(vtk, renderer, glyph)
    actor.GetProperty().SetColor(*colour)


def add_planes(vtk, renderer, scene, path):
    """The planes that bodies may touch, and arrows at the corners of each that moves or is a belt."""
    warped = warp_planes(vtk, read(vtk, path), scene.scale)
    surface = build(vtk.vtkGeometryFilter(), warped)
    _, actor = add_actor(vtk, renderer, surface)
    build(actor.GetProperty(), Color=PLANE, Opacity=0.45)
    add_edges(vtk, renderer, surface, True)
    speed = largest(warped.GetOutput().GetPointData(), "velocity")
    if speed:
        add_arrows(vtk, renderer, warped, vtk.vtkArrowSource(), "velocity", ARROW * scene.size / speed, PLANE)


def add_contacts(vtk, renderer, scene, path):
    """An arrow along the force on the body, with its tip at the contact point."""
    move = vtk.vtkTransform()
    move.Translate(-1, 0, 0)
    arrow = build(vtk.vtkTransformPolyDataFilter(), vtk.vtkArrowSource(), Transform=move)
    add_arrows(vtk, renderer, warp(vtk, read(vtk, path), scene.scale), arrow, scene.force, scene.arrow(), FORCE)


def write_like(text, size):
    """Common style of all texts."""
    build(text, Color=INK, FontSize=size, Bold=False, Italic=False, Shadow=False)
    text.SetFontFamilyToArial()


def add_label(vtk, renderer, words, place):
    """Text at a position of the picture."""
    label = build(vtk.vtkTextActor(), Input=words, Position=place)
    write_like(label.GetTextProperty(), 20)
    renderer.AddActor2D(label)


def aim(renderer, middle, position, up, height):
    """The camera of a renderer, without perspective; `height`: half of that which is shown."""
    build(renderer.GetActiveCamera(), FocalPoint=middle, Position=position, ViewUp=up, ParallelProjection=True, ParallelScale=height)
    renderer.ResetCameraClippingRange()


def add_axes(vtk, window, back, up):
    """Directions of x, y, z in the lower left corner."""
    renderer, axes = vtk.vtkRenderer(), vtk.vtkAxesActor()
    for axis in "XYZ":
        getattr(axes, f"Get{axis}AxisShaftProperty")().SetColor(*INK)
        getattr(axes, f"Get{axis}AxisTipProperty")().SetColor(*INK)
    renderer.SetViewport(0.0, 0.0, 0.11, 0.11 * PICTURE[0] / PICTURE[1])
    renderer.SetLayer(1)
    renderer.AddActor(axes)
    for caption in (axes.GetXAxisCaptionActor2D(), axes.GetYAxisCaptionActor2D(), axes.GetZAxisCaptionActor2D()):
        write_like(caption.GetCaptionTextProperty(), 14)
        caption.GetTextActor().SetTextScaleModeToNone()
    window.SetNumberOfLayers(2)
    window.AddRenderer(renderer)
    aim(renderer, (0, 0, 0), tuple(5 * b for b in back), up, 1.6)


def draw(vtk, scene, number, file):
    """One frame as a PNG file."""
    try:
        file.open("ab").close()  # VTK reports every failure as a full disk
    except OSError as error:
        raise ViewError(f"{file}: {error.strerror}") from None
    time, path = scene.frames[number]
    renderer = build(vtk.vtkRenderer(), Background=PAPER)
    window = build(vtk.vtkRenderWindow(), OffScreenRendering=True, MultiSamples=8, Size=PICTURE)
    window.AddRenderer(renderer)
    add_bodies(vtk, renderer, scene, path)
    planes = dict(scene.planes).get(time)
    if planes:
        add_planes(vtk, renderer, scene, planes)
    contacts = dict(scene.contacts).get(time)  # the last frame of a run in progress may have none yet
    if contacts and scene.largest_force:
        add_contacts(vtk, renderer, scene, contacts)
    add_label(vtk, renderer, scene.words(time), (24, PICTURE[1] - 64))
    middle, back, up, height = scene.camera()
    aim(renderer, tuple(middle), tuple(m + scene.size * b for m, b in zip(middle, back)), up, height)
    add_axes(vtk, window, back, up)
    window.Render()
    image = build(vtk.vtkWindowToImageFilter(), Input=window, ReadFrontBuffer=False)
    writer = build(vtk.vtkPNGWriter(), image, FileName=str(file))
    writer.Write()
    if writer.GetErrorCode():
        raise ViewError(f"{file}: cannot write this file")


def draw_unseen():
    """Runs this program again on a virtual display; returns its exit code."""
    if not shutil.which("Xvfb"):
        raise ViewError("there is no display, and Xvfb is not installed; on Debian: apt install xvfb")
    ready, tell = os.pipe()
    words = ["Xvfb", "-displayfd", str(tell), "-screen", "0", "1600x1200x24", "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(words, pass_fds=[tell], stderr=subprocess.DEVNULL) as server, os.fdopen(ready) as answer:
        os.close(tell)
        try:
            number = answer.readline().strip()
            if not number:
                raise ViewError("there is no display, and Xvfb does not start")
            return subprocess.run([sys.executable, *sys.argv], env={**os.environ, "DISPLAY": ":" + number}, check=False).returncode
        finally:
            server.terminate()


# Drawing with ParaView ---------------------------------------------------------------------------------------------------------------------------


def open_series(simple, path):
    """ParaView's reader of a list of frames."""
    if path.suffix == ".pvd":
        return simple.PVDReader(registrationName=path.stem, FileName=str(path))
    return simple.LegacyVTKReader(registrationName=path.stem, FileNames=[str(path)])


def build_paraview(simple, scene):
    """The same scene with filters of ParaView, which the user can then change; returns the view."""
    view = simple.GetActiveViewOrCreate("RenderView")
    view.ViewSize = PICTURE
    model = open_series(simple, scene.series)
    warped = simple.WarpByVector(registrationName="displaced", Input=model, Vectors=["POINTS", "displacement"], ScaleFactor=scene.scale)
    surface = simple.ExtractSurface(registrationName="lines", Input=warped)
    thick = simple.Calculator(registrationName="thickness", Input=surface, Function=f"{scene.thicker!r}*radius", ResultArrayName="thickness")
    tubes = simple.Tube(registrationName="tubes", Input=thick, Scalars=["POINTS", "thickness"], VaryRadius="By Absolute Scalar", NumberofSides=SIDES)
    shown = simple.Show(tubes, view)
    shown.Opacity = scene.opacity
    name, low = ARRAYS[scene.colour], -scene.limit if scene.colour == "stress" else 0.0
    simple.ColorBy(shown, ("CELLS", name) if scene.colour == "stress" else ("POINTS", name, "Magnitude"))
    simple.GetColorTransferFunction(name).RescaleTransferFunction(low, scene.limit)
    shown.SetScalarBarVisibility(view, True)
    dots = simple.Show(surface, view)
    dots.PointSize = 6.0
    if scene.faces:
        simple.ColorBy(dots, ("CELLS", name) if scene.colour == "stress" else ("POINTS", name, "Magnitude"))
        dots.SetRepresentationType("Surface With Edges")
    else:
        dots.ColorArrayName = ["POINTS", ""]
        dots.AmbientColor = dots.DiffuseColor = INK
    if scene.planes:
        planes = open_series(simple, scene.plane_series)
        moved = simple.WarpByVector(registrationName="planes moved back", Input=planes, Vectors=["POINTS", "gap"], ScaleFactor=1 - scene.scale)
        moved = simple.WarpByVector(registrationName="planes", Input=moved, Vectors=["POINTS", "displacement"], ScaleFactor=scene.scale)
        shown = simple.Show(moved, view)
        shown.SetRepresentationType("Surface With Edges")
        shown.ColorArrayName = ["POINTS", ""]
        shown.AmbientColor = shown.DiffuseColor = PLANE
        shown.Opacity = 0.45
    if scene.contacts and scene.largest_force:
        contacts = open_series(simple, scene.contact_series)
        moved = simple.WarpByVector(registrationName="contacts displaced", Input=contacts, ScaleFactor=scene.scale)
        moved.Vectors = ["POINTS", "displacement"]
        arrows = simple.Glyph(registrationName="contact " + scene.force, Input=moved, GlyphType="Arrow", GlyphMode="All Points")
        arrows.OrientationArray = arrows.ScaleArray = ["POINTS", scene.force]
        arrows.ScaleFactor = scene.arrow()
        arrows.GlyphTransform.Translate = [-1.0, 0.0, 0.0]  # tips at the contact points
        shown = simple.Show(arrows, view)
        shown.ColorArrayName = ["POINTS", ""]
        shown.AmbientColor = shown.DiffuseColor = FORCE
    if not scene.mode:
        simple.Show(simple.AnnotateTimeFilter(registrationName="time", Input=model, Format="t = {time:.6g} s"), view)
    view.CameraFocalPoint, back, view.CameraViewUp, view.CameraParallelScale = scene.camera()
    view.CameraPosition = [m + scene.size * b for m, b in zip(view.CameraFocalPoint, back)]
    view.CameraParallelProjection = 1
    return view


def show_paraview(simple, scene, numbers, file):
    """In ParaView: pictures if files are requested, else an interactive scene."""
    view = build_paraview(simple, scene)
    animation = simple.GetAnimationScene()
    animation.UpdateAnimationUsingDataTimeSteps()
    if not file:
        simple.Render(view)
        if started_as_script():
            simple.Interact(view)
        return
    for number in numbers:
        animation.AnimationTime = scene.frames[number][0]
        simple.Render(view)
        simple.SaveScreenshot(str(file(number)), view, ImageResolution=PICTURE)


# Command -----------------------------------------------------------------------------------------------------------------------------------------


def started_as_script():
    """Whether this runs as a program with arguments, not in the window of ParaView."""
    return bool(sys.argv) and sys.argv[0].endswith(".py")


def own_directory():
    """Directory of this file."""
    return pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()


def chosen(arguments, scene):
    """(numbers of the frames to draw, function from number to file; None: write no file)"""
    count = len(scene.frames)
    if arguments.frames:
        arguments.frames.mkdir(parents=True, exist_ok=True)
        return range(count), lambda number: arguments.frames / f"{number:06d}.png"
    if not -count <= arguments.frame < count:
        raise ViewError(f"no frame {arguments.frame}; there are frames 0 to {count - 1}")
    return [arguments.frame % count], (lambda number: arguments.png) if arguments.png else None


def view(arguments):
    """Draws with ParaView if it is available, else with VTK. Returns the exit code."""
    scene = find_scene(arguments.directory, arguments.mode)
    numbers, file = chosen(arguments, scene)
    try:
        from paraview import simple
    except ImportError:
        simple = None
    try:
        import vtkmodules.all as vtk
    except ImportError:
        raise ViewError("this Python has no modules of ParaView or VTK; on Debian: apt install python3-vtk9") from None
    if not simple and not file:
        raise ViewError("without ParaView, use --png FILE or --frames FOLDER")
    if not simple and hasattr(vtk, "vtkXOpenGLRenderWindow") and not os.environ.get("DISPLAY"):
        return draw_unseen()  # otherwise VTK for X11 aborts
    measure(vtk, scene, arguments.scale, arguments.colour)
    scene.opacity = min(1.0, max(0.05, arguments.opacity))
    print(f"displacements x {scene.scale:g}, radii x {scene.thicker:.3g}, coloured by {scene.colour}, up to {scene.limit:.4g}")
    if scene.largest_force:
        print(f"arrows: {scene.force}, up to {scene.largest_force:.4g} {'N' if scene.force == 'force' else 'N s'}")
    if simple:
        show_paraview(simple, scene, numbers, file)
    else:
        for number in numbers:
            draw(vtk, scene, number, file(number))
    return 0


def main():
    """Exit code 0, or 2 for wrong input."""
    parser = argparse.ArgumentParser(description="Scene of a run of percuss, in ParaView or as pictures.")
    parser.add_argument("directory", nargs="?", type=pathlib.Path, default=own_directory(), help="a results directory; default: the directory of this file")
    parser.add_argument("--png", type=pathlib.Path, metavar="FILE", help="write one frame as a picture")
    parser.add_argument("--frame", type=int, default=-1, metavar="N", help="number of the frame, from 0; default: the last (-1)")
    parser.add_argument("--frames", type=pathlib.Path, metavar="FOLDER", help="write every frame as a picture")
    parser.add_argument("--mode", type=int, default=1, metavar="N", help="number of the mode, for results of percuss modes; default: the first")
    parser.add_argument("--scale", type=float, metavar="S", help="magnification of displacements; default: automatic")
    parser.add_argument("--opacity", type=float, default=1.0, metavar="A", help="of bodies, to see what is within a casing: 0.05 to 1; default: 1")
    parser.add_argument("--colour", choices=tuple(ARRAYS), help="quantity for colours; default: stress if there is any")
    arguments = parser.parse_args(sys.argv[1:] if started_as_script() else [])
    try:
        return view(arguments)
    except (ViewError, OSError) as error:
        print(f"view.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    code = main()
    if started_as_script() and code:  # a sys.exit after drawing makes pvpython 5.11 crash
        sys.exit(code)
elif __name__ == "__vtkconsole__":
    main()
