#!/usr/bin/python3
"""Checks the pictures of a run: check_vtk.py RUNDIR

Every file that a *.vtk.series of the directory names is checked byte by byte (vtk_strict.py) and read with VTK, in a child process because
VTK's reader crashes on bad files. What VTK reads is then compared with what the run wrote as numbers:
history.csv (displacements, velocities and rotations of probes) and contacts.csv (gap, force and state of closed contacts).
Exit 0 and a line of summary, or 1 and the first mismatch.
"""
import csv
import json
import os
import pickle
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import vtk_strict

STATES = ('open', 'closed', 'stick', 'slip')  # NsContactState


class Mismatch(Exception):
    pass


def demand(condition, message):
    if not condition:
        raise Mismatch(message)


def read_with_vtk(paths, result):
    """The child: all arrays of all files, pickled. Warnings of VTK are errors."""
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    log = vtk.vtkStringOutputWindow()
    vtk.vtkOutputWindow.SetInstance(log)
    frames = []
    for path in paths:
        reader = vtk.vtkDataSetReader()
        reader.SetFileName(path)
        reader.ReadAllScalarsOn()
        reader.ReadAllVectorsOn()
        reader.ReadAllFieldsOn()
        reader.Update()
        data = reader.GetOutput()
        if log.GetOutput() or data is None:
            sys.exit('%s: %s' % (path, log.GetOutput() or 'VTK reads nothing'))
        frame = {'points': vtk_to_numpy(data.GetPoints().GetData()).copy() if data.GetPoints() else None}
        frame['lines'] = [[data.GetCell(c).GetPointId(k) for k in range(data.GetCell(c).GetNumberOfPoints())]
                          for c in range(data.GetNumberOfCells())]
        for where, arrays in (('point', data.GetPointData()), ('cell', data.GetCellData()), ('field', data.GetFieldData())):
            frame[where] = {arrays.GetArrayName(i): vtk_to_numpy(arrays.GetArray(i)).copy() for i in range(arrays.GetNumberOfArrays())}
        frames.append(frame)
    with open(result, 'wb') as file:
        pickle.dump(frames, file)


def load(paths):
    """Frames as VTK reads them, or None without VTK."""
    try:
        import numpy  # noqa: F401
        if subprocess.run([sys.executable, '-c', 'import vtk'], stderr=subprocess.DEVNULL).returncode:
            return None
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, 'frames')
        job = os.path.join(folder, 'paths')
        with open(job, 'w') as file:
            json.dump(paths, file)
        child = subprocess.run([sys.executable, os.path.abspath(__file__), '--read', job, result], capture_output=True, text=True)
        demand(child.returncode == 0, 'reading with VTK failed (%d): %s' % (child.returncode, child.stderr.strip()))
        with open(result, 'rb') as file:
            return pickle.load(file)


def read_series(path):
    with open(path) as file:
        series = json.load(file)
    demand(series.get('file-series-version') == '1.0', '%s: file-series-version' % path)
    times = [entry['time'] for entry in series['files']]
    demand(times, '%s: no frames' % path)
    demand(all(a < b for a, b in zip(times, times[1:])), '%s: times do not increase' % path)
    names = [os.path.join(os.path.dirname(path), entry['name']) for entry in series['files']]
    for name in names:
        demand(os.path.isfile(name), '%s: %s is missing' % (path, name))
        try:
            vtk_strict.check(name)
        except Exception as fault:
            raise Mismatch('%s: %s' % (name, fault))
    return times, names


def read_table(path):
    """Rows by time; words stay words."""
    if not os.path.isfile(path):
        return [], {}
    with open(path, newline='') as file:
        rows = list(csv.reader(file))
    for number, row in enumerate(rows, 1):
        demand(len(row) == len(rows[0]), '%s:%d: %d columns, the header has %d' % (path, number, len(row), len(rows[0])))
    return rows[0], {float(row[0]): row for row in rows[1:]}


def close(a, b, scale):
    return abs(a - b) <= 1e-9 * scale


def check_probes(times, frames, header, rows):
    """Each probe is a point of the picture, or a place on a cell: the same in all frames, for displacement, velocity and rotation."""
    import numpy
    both = [k for k, time in enumerate(times) if time in rows]
    if not both:
        return 0, []
    probes = {}
    arrays = {'u': 'displacement', 'v': 'velocity'}
    if 'rotation' in frames[0]['point']:
        arrays['r'] = 'rotation'
    for column, name in enumerate(header):
        probe, _, suffix = name.rpartition('.')
        if len(suffix) == 2 and suffix[0] in arrays and suffix[1] in 'xyz':
            probes.setdefault(probe, []).append((column, arrays[suffix[0]], 'xyz'.index(suffix[1])))
    unplaced = []
    for probe, columns in probes.items():
        wanted = numpy.array([[float(rows[times[k]][column]) for k in both] for column, _, _ in columns])
        shown = numpy.array([[frames[k]['point'][array][:, axis] for k in both] for _, array, axis in columns])
        scale = numpy.maximum(abs(shown).max(axis=(1, 2)), abs(wanted).max(axis=1))
        scale[scale == 0] = 1
        wanted, shown = wanted / scale[:, None], shown / scale[:, None, None]
        errors = abs(shown - wanted[:, :, None]).max(axis=(0, 1))
        if errors.min() <= 1e-9:
            continue
        found = False
        for line in frames[0]['lines']:
            if len(line) == 2 and not found:
                a, b = shown[:, :, line[0]], shown[:, :, line[1]]
                length = ((b - a) ** 2).sum()
                place = ((wanted - a) * (b - a)).sum() / length if length else 0
                found = -1e-9 <= place <= 1 + 1e-9 and abs(a + place * (b - a) - wanted).max() <= 1e-9
        if not found:
            # Between nodes only a straight shape function can be followed from here.
            demand('@' in probe, 'probe %s of history.csv is at no point of the frames (nearest: off by %.3g of the largest value)' % (probe, errors.min()))
            unplaced.append(probe)
    return len(both), unplaced


def check_contacts(times, frames, header, rows):
    names = [name[:-len('.gap')] for name in header if name.endswith('.gap')]
    place = {name: column for column, name in enumerate(header)}
    both = 0
    for time, frame in zip(times, frames):
        if time not in rows:
            continue
        both += 1
        row = rows[time]
        arrays = frame['point']
        shown = {names[int(c)]: i for i, c in enumerate(arrays['contact'])}
        for name in names:
            state = row[place[name + '.state']]
            gap, force = float(row[place[name + '.gap']]), float(row[place[name + '.force']])
            where = 'contact %s at t = %r' % (name, time)
            if name not in shown:
                demand(state == 'open', '%s is %s but not in the picture' % (where, state))
                continue
            i = shown[name]
            demand(STATES[int(arrays['state'][i])] == state, '%s: state %s, picture %s' % (where, state, STATES[int(arrays['state'][i])]))
            demand(bool(arrays['active'][i]) == (state != 'open'), '%s: active flag' % where)
            demand(close(arrays['gap'][i], gap, abs(gap)), '%s: gap %r, picture %r' % (where, gap, arrays['gap'][i]))
            normal = (arrays['force'][i] * arrays['normal'][i]).sum()
            demand(close((arrays['normal'][i] ** 2).sum(), 1, 1), '%s: normal is no unit vector' % where)
            demand(close(normal, force, abs(force)), '%s: force %r, picture %r' % (where, force, normal))
    return both


def check_run(directory):
    found = sorted(name for name in os.listdir(directory) if name.endswith('.vtk.series'))
    demand(found, '%s: no *.vtk.series' % directory)
    summary = []
    for name in found:
        times, paths = read_series(os.path.join(directory, name))
        summary.append('%s: %d frames' % (name, len(times)))
        frames = load(paths)
        if frames is None:
            summary[-1] += ' (bytes checked; python3-vtk9 is missing, so they were not read back)'
            continue
        for time, path, frame in zip(times, paths, frames):
            demand(frame['field']['TimeValue'][0] == time, '%s: TimeValue %r, series %r' % (path, frame['field']['TimeValue'][0], time))
        if name.endswith('_contacts.vtk.series'):
            header, rows = read_table(os.path.join(directory, 'contacts.csv'))
            if rows:
                summary[-1] += ', %d compared with contacts.csv' % check_contacts(times, frames, header, rows)
        elif not name.endswith('_planes.vtk.series'):  # the planes of contacts have no probes
            header, rows = read_table(os.path.join(directory, 'history.csv'))
            if rows:
                both, unplaced = check_probes(times, frames, header, rows)
                summary[-1] += ', %d compared with history.csv' % both
                if unplaced:
                    summary[-1] += ' (not checked, inside curved elements: %s)' % ', '.join(unplaced)
    return '; '.join(summary)


if __name__ == '__main__':
    if len(sys.argv) == 4 and sys.argv[1] == '--read':
        with open(sys.argv[2]) as job:
            read_with_vtk(json.load(job), sys.argv[3])
    elif len(sys.argv) == 2:
        try:
            print('ok', check_run(sys.argv[1]))
        except (Mismatch, OSError, ValueError, KeyError) as fault:
            sys.exit('check_vtk.py: %s' % fault)
    else:
        sys.exit(__doc__)
