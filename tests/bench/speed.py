#!/usr/bin/python3
"""How fast percuss is: against the limit of the machine, a peer, and itself. Usage: tests/bench/speed.py [LETTERS] [--quick] [--counts] [--parallel] [--build DIR] [--against DIR]

    tests/bench/speed.py             every figure, a quarter of an hour
    tests/bench/speed.py abd         some figures
    tests/bench/speed.py --quick g   three rounds instead of seven, the peer without its largest meshes
    tests/bench/speed.py --counts    instructions a step by function (valgrind): the same on a noisy machine
    tests/bench/speed.py --parallel  one and two processes beside the memory bandwidth of one and two cores (figure k)
    tests/bench/speed.py --against ../before/build/release
                                     this build and another one (of an earlier commit, say) in turns: one more table, with the times of this one over those of the other.
                                     Letters as above; l are the shipped configs, as they are and without output. Build percuss and bench_step there first

It measures and asserts nothing about speed: a target missed is a word in the table. It ends with 1 only where something is broken: a program fails, or two programs that
should compute the same do not.

How: on one core, programs take turns (ABC, CBA, ...) round after round, and each repeats its loop within a round and gives its quickest by processor time. A ratio is the
median of those of the rounds, with their range: what else the machine does hits both sides. Times are minima. Loops only, no output, where nothing else is said.
"""
import argparse
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")
ROTOR = os.path.join(ROOT, "configs/rotor_in_safety_bearing.yaml")
WAVE, APPROACH = 5188.745, 0.1  # m/s: speed of sound of the bar, and its own
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HWLOC_COMPONENTS": "-gl"}
CORES = sorted(os.sched_getaffinity(0))


def output(**wanted):
    """--set word of these outputs and no other: output(history="{every: 1}")."""
    kinds = {"frames": "{every: 0}", "history": "{every: 0}", "contacts": "{every: 0}", "energy": "{every: 0}", "events": "false", **wanted}
    return f"output={{{', '.join(f'{kind}: {what}' for kind, what in kinds.items())}}}"


class Bench:
    """Options, where programs are, and the table so far."""

    def __init__(self, options, folder):
        self.build, self.quick, self.folder = options.build, options.quick, folder
        self.builds = [options.build] + ([os.path.abspath(options.against)] if options.against else [])
        self.rounds = 3 if options.quick else 7
        self.seconds = 0.1 if options.quick else 0.25  # of stepping in a round, at least
        self.rows, self.compared, self.broken = [], [], []

    @property
    def percuss(self):
        return os.path.join(self.build, "percuss")

    def program(self, name):
        return os.path.join(self.build, "tests", "bench_" + name)

    def add(self, figure, measured, target="", verdict=""):
        self.rows.append((figure, measured, target, verdict))
        print(f"  {figure}: {measured}{'; target ' + target if target else ''}{': ' + verdict if verdict else ''}", file=sys.stderr, flush=True)

    def ratio(self, figure, ours, theirs, target):
        """A row with the median of paired ratios; target: at most."""
        pairs = [a / b for a, b in zip(ours, theirs)]
        middle = statistics.median(pairs)
        self.add(figure, f"{middle:.3g} ({min(pairs):.3g} .. {max(pairs):.3g}); {min(ours):.4g} against {min(theirs):.4g} us per step", f"{target:g}" if target else "",
                 judge(middle, target))

    def fail(self, what):
        self.broken.append(what)
        print(f"  BROKEN: {what}", file=sys.stderr, flush=True)


def judge(value, target):
    return "" if not target else "met" if value <= target else f"missed by a factor of {value / target:.2f}"


def call(words, **more):
    """The line of JSON that a program prints."""
    done = subprocess.run([str(word) for word in words], env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr[-2000:]}{done.stdout[-500:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


PEERS = ("limit", "one pass", "two loops", "petsc", "Siconos")  # tasks that run no percuss: the same in every build


def take_turns(bench, title, tasks):
    """{name: [what the task gave, a round each]}; tasks: {name: function that asks bench for its program}. With --against, percuss takes a turn in the other build, too."""
    turns = [(name, build) for name in tasks for build in (bench.builds[:1] if (name if isinstance(name, str) else name[0]) in PEERS else bench.builds)]
    results = {turn: [] for turn in turns}
    for r in range(bench.rounds):
        for name, bench.build in turns if r % 2 == 0 else reversed(turns):
            results[name, bench.build].append(tasks[name]())
    bench.build = bench.builds[0]
    for name, build in turns:
        if build != bench.build:
            ours, theirs = us(results[name, bench.build]), us(results[name, build])
            ratios = [a / b for a, b in zip(ours, theirs)]
            row = f"{title}, {name if isinstance(name, str) else ', '.join(map(str, name))}", statistics.median(ratios), min(ratios), max(ratios), min(ours), min(theirs)
            bench.compared.append(row)
            print("  {}: {:.3f} ({:.3f} .. {:.3f})".format(*row), file=sys.stderr, flush=True)
    return {name: results[name, bench.build] for name in tasks}


def us(results):
    return [result["us"] for result in results]


def bar_sets(elements, steps, step, mass="consistent", flight=0.25, more=(), **wanted):
    """A bar that flies for this share of the steps and then lies on its wall; wanted: of output()."""
    gap = APPROACH * step * (int(steps * flight) + 0.5)
    return [output(**wanted), f"bodies.bar.mesh={{line: {{from: [{gap:.9g}, 0, 0], to: [{1 + gap:.17g}, 0, 0], elements: {elements}}}}}", f"bodies.bar.mass={mass}",
            f"scheme.step={step:.9g}", f"time.end={steps * step:.9g}", *more]


def step_of(elements):
    return 0.3 / elements / WAVE


def bar_task(bench, elements, steps, step, **how):
    """Steps of percuss; how: see bar_sets."""
    return lambda: call([bench.program("step"), BAR, steps, bench.seconds, *bar_sets(elements, steps, step, **how)])


def against_limit(bench, elements, steps, target):
    tasks = {"percuss": bar_task(bench, elements, steps, step_of(elements)),
             "limit": lambda: call([bench.program("limit_bar"), elements, steps, bench.seconds])}
    results = take_turns(bench, f"bar, N = {elements}, consistent", tasks)
    bench.ratio(f"bar, N = {elements}, consistent, contact {results['percuss'][0]['contact']:.0%} of the steps: to the limit of the machine", us(results["percuss"]),
                us(results["limit"]), target)


def figure_a(bench):
    """bars of 1000 and 100000 elements against the limit of the machine"""
    against_limit(bench, 1000, 4000, 1.6)
    against_limit(bench, 100000, 150, 1.6)


def figure_b(bench):
    """a bar of 1000000 elements against the limit of the machine"""
    against_limit(bench, 1000000, 30, 1.5)


def figure_c(bench):
    """a bar of 50 elements"""
    tasks = {"percuss": bar_task(bench, 50, 5000, 1e-7), "limit": lambda: call([bench.program("limit_bar"), 50, 5000, bench.seconds])}
    results = take_turns(bench, "bar, N = 50", tasks)
    best = min(us(results["percuss"]))
    bench.add(f"bar, N = 50, contact {results['percuss'][0]['contact']:.0%} of the steps",
              f"{best:.3g} us per step (the limit of the machine: {min(us(results['limit'])):.3g})", "0.9 us", judge(best, 0.9))


def figure_d(bench):
    """a lumped bar of 1000000 elements against plain C"""
    n, steps = 1000000, 40
    limit = [bench.program("limit_lumped"), n, steps, bench.seconds]
    results = take_turns(bench, f"bar, N = {n}, lumped", {"percuss": bar_task(bench, n, steps, step_of(n), mass="lumped"), "one pass": lambda: call(limit),
                                                          "two loops": lambda: call(limit + ["loops"])})
    check_equal(bench, "bench_limit_lumped in one pass and in two", results["one pass"][0]["speed"], results["two loops"][0]["speed"])
    bench.ratio(f"bar, N = {n}, lumped: to two plain loops in C", us(results["percuss"]), us(results["two loops"]), 1.3)
    bench.ratio(f"bar, N = {n}, lumped: to the limit of the machine, one pass over memory", us(results["percuss"]), us(results["one pass"]), None)


def figure_e(bench):
    """`free_dynamics: petsc` against plain PETSc calls, in free flight"""
    for n, steps in (1000, 4000), (100000, 100):
        results = take_turns(bench, f"bar, N = {n}, free_dynamics: petsc", {
            "percuss": bar_task(bench, n, steps, step_of(n), flight=2, more=["free_dynamics=petsc"]),
            "petsc": lambda: call([bench.program("petsc_bar"), n, steps, bench.seconds])})
        limit = call([bench.program("limit_bar"), n, steps, 0])
        check_equal(bench, f"bench_limit_bar and bench_petsc_bar, N = {n}", limit["speed"], results["petsc"][0]["speed"])
        bench.ratio(f"bar, N = {n}, free_dynamics: petsc: to plain PETSc calls", us(results["percuss"]), us(results["petsc"]), 1.05)


def check_equal(bench, what, a, b):
    if abs(a - b) > 1e-9 * abs(a):
        bench.fail(f"{what} do not compute the same: {a!r}, {b!r}")


def figure_f(bench):
    """the rotor in its safety bearing, touching and free"""
    common = ["scheme={type: half_explicit, step: 1 us}"]
    tasks = {}
    for elements in 5, 20, 80:
        # A clearance of 0.1 um, so that fine meshes with their small steps touch soon, too; and one that never closes.
        for name, gap in ("touching", "-99.9 um"), ("free", "1 m"):
            tasks[elements, name] = lambda elements=elements, gap=gap: call(
                [bench.program("step"), ROTOR, 10000, bench.seconds, "--at", 0.7, *common, f"bodies.shaft.mesh.line.elements={elements}", f"contacts.rub.gap_offset={gap}"])
    for (elements, name), results in take_turns(bench, "rotor", tasks).items():
        best, first = min(us(results)), results[0]
        bench.add(f"rotor, {elements} elements, {first['unknowns']} unknowns, {name} ({first['contact']:.0%} of the steps in contact)",
                  f"{best:.3g} us per step, {1e3 * best / first['unknowns']:.1f} ns per DOF")


# ---- the peer --------------------------------------------------------------------------------------------------------------------------------

SCHEMES = {"half_explicit": "half-explicit (there: D1MinusLinear)", "moreau_jean": "Moreau-Jean, theta = 1/2"}
# Siconos 4.4 rebuilt for speed (Release, no MUMPS, banded matrices), us per step, on another day: it is not to be had as a package.
# There, as here, a quarter of the steps is in contact: CONTACT.
CONTACT = 0.26
TUNED = {("moreau_jean", 50): 5.2, ("half_explicit", 50): 17.1, ("moreau_jean", 200): 15.6, ("half_explicit", 200): 49, ("moreau_jean", 1000): 70,
         ("half_explicit", 1000): 251}
TIMES_FASTER = {50: 5, 1000: 30}  # than the tuned peer
# What a bar does on its wall with dt = 1e-7 s: its time there less 2 L/c0 (per cent of that), mean force (N), energy lost (per cent, from .. to).
PHYSICS = {50: (-0.90, 1269.7, (0.57, 0.585)), 200: (-0.35, 1270.7, (0.14, 0.15)), 1000: (-0.09, 1271.2, (0.02, 0.04))}


def compile_peer(bench):
    """The peer's program, or None where Siconos is not installed."""
    source, target = os.path.join(ROOT, "tests/bench/siconos_bar.cpp"), os.path.join(bench.folder, "siconos_bar")
    if not os.path.exists("/usr/include/siconos/kernel/SiconosKernel.hpp") or not shutil.which("g++"):
        return None
    subprocess.run(["g++", "-O2", "-DNDEBUG", "-w", "-I/usr/include/siconos", "-I/usr/include/siconos/kernel", "-I/usr/include/siconos/numerics", source, "-o", target,
                    "-lsiconos_kernel", "-lsiconos_numerics", "-lsiconos_externals"], check=True)
    return target


def columns(path):
    with open(path) as file:
        names = file.readline().strip().split(",")
        rows = [line.strip().split(",") for line in file]
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def our_physics(bench, scheme, elements, steps, gap):
    """Time on the wall (s), impulse (N s) and energy lost, from a run's own results."""
    folder = os.path.join(bench.folder, "physics")
    mesh = f"bodies.bar.mesh={{line: {{from: [{gap}, 0, 0], to: [{1 + gap!r}, 0, 0], elements: {elements}}}}}"
    subprocess.run([bench.percuss, "run", BAR, "--out", folder, "--overwrite", "--quiet", "--set", mesh, "--set", f"scheme={{type: {scheme}, step: 0.1 us}}", "--set",
                    f"time.end={steps * 1e-7:.9g}", "--set",
                    output(history="{probes: [bar.left], every: 1}", contacts="{every: 1}", energy="{every: 1}")], check=True, env={**os.environ, **ENVIRONMENT})
    contact, energy = columns(os.path.join(folder, "contacts.csv")), columns(os.path.join(folder, "energy.csv"))
    speed = columns(os.path.join(folder, "history.csv"))["bar.left.vx"]
    total = [float(energy["kinetic"][i]) + float(energy["elastic"][i]) for i in (0, -1)]
    return {"duration": 1e-7 * sum(abs(float(v)) < 1e-6 * APPROACH for v in speed),
            "impulse": 1e-7 * sum(map(float, contact["wall.force"])) + sum(map(float, contact["wall.impulse"])), "loss": 1 - total[1] / total[0]}


def same_physics(bench, peer, scheme, elements):
    """Whether both do on the wall what bars do; a row with both."""
    steps, gap = 3950, 1.05e-7
    late, force, lost = PHYSICS[elements]
    theory, agree, text = 2 / WAVE, True, []
    for who, x in ("percuss", our_physics(bench, scheme, elements, steps, gap)), ("Siconos", call([peer, scheme, elements, steps, gap, 1e-7, "physics"])):
        x["late"], x["force"], x["loss"] = 100 * (x["duration"] / theory - 1), x["impulse"] / x["duration"], 100 * x["loss"]
        agree = agree and abs(x["late"] - late) < 0.1 and abs(x["force"] / force - 1) < 1e-3 and lost[0] - 0.005 < x["loss"] < lost[1] + 0.005
        text.append(f"{who} {x['late']:+.2f} %, {x['force']:.1f} N, {x['loss']:.3f} %")
    bench.add(f"peer, N = {elements}, {SCHEMES[scheme]}: time on the wall against 2 L/c0, mean force, energy lost", "; ".join(text),
              f"{late:+.2f} +- 0.1 %, {force} N +- 0.1 %, {lost[0]} .. {lost[1]} %", "agree" if agree else "DIFFER")
    if not agree:
        bench.fail(f"percuss and Siconos differ in physics: {scheme}, N = {elements}")
    return agree


def figure_g(bench):
    """against Siconos (its C++ library, compiled loop): half-explicit and Moreau-Jean schemes, dt = 1e-7 s, a quarter of the steps in contact"""
    peer = compile_peer(bench)
    for elements, steps in (50, 400), (200, 200), (1000, 40 if bench.quick else 80):
        tasks = {}
        for scheme in SCHEMES:
            if peer and not (bench.quick and elements == 1000):  # a minute and a half each
                same_physics(bench, peer, scheme, elements)
            tasks["percuss", scheme] = bar_task(bench, elements, 5000, 1e-7, flight=1 - CONTACT, more=[f"scheme={{type: {scheme}, step: 0.1 us}}"])
            if peer:
                gap = APPROACH * 1e-7 * (int(steps * (1 - CONTACT)) + 0.5)
                tasks["Siconos", scheme] = lambda scheme=scheme, gap=gap: call([peer, scheme, elements, steps, gap, 1e-7])
        results = take_turns(bench, f"bar, N = {elements}", tasks)
        for scheme, title in SCHEMES.items():
            ours = us(results["percuss", scheme])
            if peer:
                theirs = us(results["Siconos", scheme])
                pairs = [b / a for a, b in zip(ours, theirs)]
                bench.add(f"peer as packaged, N = {elements}, {title}", f"{statistics.median(pairs):.0f} times faster ({min(pairs):.0f} .. {max(pairs):.0f}); "
                          f"{min(ours):.3g} against {min(theirs):.4g} us per step")
            else:
                bench.add(f"peer as packaged, N = {elements}, {title}", "not installed")
            faster, goal = TUNED[scheme, elements] / min(ours), TIMES_FASTER.get(elements)
            bench.add(f"peer rebuilt for speed, N = {elements}, {title}", f"{faster:.3g} times faster; {min(ours):.3g} against {TUNED[scheme, elements]} us per step, "
                      "which was measured on another day", f"{goal} times" if goal else "", judge(goal / faster, 1) if goal else "")


# ---- around the step -------------------------------------------------------------------------------------------------------------------------

def wall(words):
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT})
    return time.perf_counter() - start


def processor(words):
    before = os.times()
    wall(words)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def figure_h(bench):
    """start-up: percuss check"""
    check = [bench.percuss, "check", BAR]
    tasks = {"check": lambda: wall(check), "processor": lambda: processor(check), "load": lambda: wall([bench.percuss, "--version"]),
             "petsc": lambda: wall([bench.program("petsc_bar"), "50", "1", "0"])}
    best = {name: min(task() for _ in range(10)) for name, task in tasks.items()}
    bench.add("percuss check configs/elastic_bar.yaml, wall", f"{best['check']:.3f} s; {best['processor']:.2f} s of them computed; percuss --version, which loads the same "
              f"libraries, {best['load']:.3f} s; a program that only starts and ends PETSc, with all that MPI looks for, {best['petsc']:.3f} s", "0.3 s", judge(best["check"], 0.3))


def figure_i(bench):
    """what contact, ledger and tables add to a step, N = 50"""
    steps = 3800
    folder = os.path.join(bench.folder, "run")

    def loop(**wanted):
        """The whole loop, contact closed, with one kind of output."""
        return lambda: call([bench.program("step"), BAR, 1, bench.seconds, "--execute", folder, *bar_sets(50, steps, 1e-7, flight=1 / steps, **wanted)])

    results = take_turns(bench, "bar, N = 50", {
        "none": bar_task(bench, 50, steps, 1e-7, flight=2, more=["contacts={}"]), "open": bar_task(bench, 50, steps, 1e-7, flight=2),
        "closed": bar_task(bench, 50, steps, 1e-7, flight=1 / steps), "loop": loop(), "energy": loop(energy="{every: 1}"),
        "contacts": loop(contacts="{every: 1}"), "history": loop(history="{probes: [bar.left], every: 1}")})

    def add(figure, name, base, target):
        extra = [a - b for a, b in zip(us(results[name]), us(results[base]))]
        middle = statistics.median(extra)
        bench.add(figure, f"{middle:.3g} us ({min(extra):.3g} .. {max(extra):.3g}) upon {min(us(results[base])):.3g} us", f"{target} us", judge(middle, target))

    add("what a step takes more with one contact, open", "open", "none", 0.5)
    add("what a step takes more with one contact, closed, its work booked", "closed", "none", 0.5)
    add("what the loop takes more than its steps, without output", "loop", "closed", 0.5)
    add("what a step takes more with a row of energy.csv (closes the ledger, 9 numbers)", "energy", "loop", 0.5)
    add("what a step takes more with a row of contacts.csv (6 columns)", "contacts", "loop", 0.5)
    add("what a step takes more with a row of history.csv (1 probe, 3 numbers)", "history", "loop", 0.5)


def figure_j(bench):
    """output: frames against plain writes, numbers of tables a second"""
    folder, plain = os.path.join(bench.folder, "output"), os.path.join(bench.folder, "plain")
    n, frames, rows, probes = 100000, 10, 4000, 40

    def write_frames():
        return call([bench.program("step"), BAR, 1, 0, "--execute", folder, *bar_sets(n, frames, step_of(n), frames="{every: 1}")])["writing"]

    def write_plainly():
        contents = []
        for path in sorted(glob.glob(os.path.join(folder, "frames", "*.vtk"))):
            with open(path, "rb") as file:
                contents.append(file.read())
        shutil.rmtree(plain, ignore_errors=True)
        os.mkdir(plain)
        start = time.perf_counter()
        for i, content in enumerate(contents):
            file = os.open(os.path.join(plain, str(i)), os.O_WRONLY | os.O_CREAT, 0o666)
            os.write(file, content)
            os.close(file)
        return time.perf_counter() - start, sum(map(len, contents))

    def write_table():
        names = ", ".join(f"bar@{(i + 0.5) / probes:.6g}" for i in range(probes))
        done = call([bench.program("step"), BAR, 1, 0, "--execute", folder, *bar_sets(50, rows, 1e-7, flight=1 / rows, history=f"{{every: 1, probes: [{names}]}}")])
        with open(os.path.join(folder, "history.csv")) as file:
            columns = file.readline().count(",") + 1
            numbers = columns * sum(1 for _ in file)
        return numbers / done["writing"], os.path.getsize(os.path.join(folder, "history.csv")) / done["writing"]

    ours, theirs = [], []
    for _ in range(2 * bench.rounds):  # short, and the state of the page cache varies
        shutil.rmtree(folder, ignore_errors=True)
        ours.append(write_frames())
        seconds, size = write_plainly()
        theirs.append(seconds)
    shutil.rmtree(plain)
    ratios = [a / b for a, b in zip(ours, theirs)]
    bench.add(f"frames of a bar, N = {n}, {size / (frames + 1) / 1e6:.0f} MB each, to the page cache (as they are never synced)",
              f"{size / min(ours) / 1e6:.0f} MB/s; plain writes of the same bytes {size / min(theirs) / 1e6:.0f} MB/s; "
              f"{statistics.median(ratios):.3g} times their time ({min(ratios):.3g} .. {max(ratios):.3g})")
    tables = [write_table() for _ in range(bench.rounds)]
    best = max(tables)
    bench.add(f"history.csv, {probes} probes every step", f"{best[0] / 1e6:.2f} million numbers a second, {best[1] / 1e6:.0f} MB/s", "5 million", judge(5e6 / best[0], 1))


def figure_k(bench):
    """one and two processes (only with --parallel, or by letter)"""
    os.sched_setaffinity(0, CORES)
    cores = min(len(CORES), 2)
    alone, both = [], []
    for _ in range(bench.rounds):
        alone.append(bandwidth(bench, CORES[:1]))
        both.append(bandwidth(bench, CORES[:2]))
    gain = max(both) / max(alone)  # of the best: what else runs on the other core takes bandwidth, and gives none
    bench.add("memory bandwidth, triad", f"one core {max(alone):.1f} GB/s, {cores} at once {max(both):.1f} GB/s: gain {gain:.2f}")
    for mass in "lumped", "consistent":
        tasks = {count: lambda count=count: parallel_run(bench, count, mass) for count in (1, 2)}
        results = take_turns(bench, f"bar, N = 1000000, {mass}", tasks)
        refused = next((word for word in results[2] if isinstance(word, str)), None)
        if refused:
            bench.add(f"bar, N = 1000000, {mass}: 2 processes", f"refused: {refused}")
            continue
        pairs = [a / b for a, b in zip(results[1], results[2])]
        bench.add(f"bar, N = 1000000, {mass}: 1 and 2 processes", f"speed-up {statistics.median(pairs):.2f} ({min(pairs):.2f} .. {max(pairs):.2f}); "
                  f"{1e3 * min(results[1]):.3g} and {1e3 * min(results[2]):.3g} ms a step; two cores have {gain:.2f} times the bandwidth of one")
    os.sched_setaffinity(0, CORES[-1:])


def bandwidth(bench, cores):
    """GB/s of all these cores at once."""
    running = [subprocess.Popen([bench.program("triad"), "0.7"], stdout=subprocess.PIPE, text=True, preexec_fn=lambda core=core: os.sched_setaffinity(0, {core}))
               for core in cores]
    return sum(json.loads(process.communicate()[0])["gigabytes"] for process in running)


def parallel_run(bench, count, mass):
    """Wall seconds a step, or the word of the refusal."""
    n, steps, folder = 1000000, 40, os.path.join(bench.folder, "parallel")
    words = ["mpiexec", "-n", str(count), bench.percuss, "run", BAR, "--out", folder, "--overwrite", "--quiet"]
    for word in bar_sets(n, steps, step_of(n), mass=mass):
        words += ["--set", word]
    done = subprocess.run(words, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True)
    if done.returncode:
        return next((line for line in done.stderr.splitlines() if line.startswith("percuss")), "mpiexec: " + done.stderr.strip()[:80])
    with open(os.path.join(folder, "run.json")) as file:
        summary = json.load(file)["summary"]
    return (summary["loop_seconds"] - summary["writing_seconds"]) / summary["steps"]  # the last energies count as writing


def config_task(bench, config, sets):
    """The loop of `percuss run`, by its own clock, in as many runs as fill a round; the quickest counts."""
    folder, words = os.path.join(bench.folder, "config"), [word for one in sets for word in ("--set", one)]

    def one():
        subprocess.run([bench.percuss, "run", config, "--out", folder, "--overwrite", "--quiet", *words], check=True, capture_output=True, env={**os.environ, **ENVIRONMENT})
        with open(os.path.join(folder, "run.json")) as file:
            summary = json.load(file)["summary"]
        return summary["loop_seconds"], {"us": 1e6 * summary["loop_seconds"] / summary["steps"], "steps": summary["steps"]}

    def task():
        end, runs = time.perf_counter() + 2 * bench.seconds, [one()]
        while time.perf_counter() < end:
            runs.append(one())
        return min(runs, key=lambda run: run[0])[1]

    return task


def figure_l(bench):
    """the shipped configs, one by one"""
    for config in sorted(glob.glob(os.path.join(ROOT, "configs", "*.yaml"))):
        name = os.path.basename(config)[:-5]
        results = take_turns(bench, name, {"without output": config_task(bench, config, [output()]), "as shipped": config_task(bench, config, [])})
        bare, whole = (min(us(results[kind])) for kind in ("without output", "as shipped"))
        bench.add(name, f"{bare:.3g} us per step, with its output {whole:.3g} us; {results['as shipped'][0]['steps']} steps")


def write_distinct_hexahedra(path, n):
    """A cube of n x n x n hexahedra in Gmsh's format, no two alike."""
    random = 12345
    with open(path, "w") as file:
        file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{(n + 1) ** 3}\n")
        for node in range((n + 1) ** 3):
            place = []
            for k in node // (n + 1) ** 2, node // (n + 1) % (n + 1), node % (n + 1):
                random = (1103515245 * random + 12345) % 2 ** 31
                place.append((k + 0.2 * random / 2 ** 31) / n)
            file.write("{} {:.15g} {:.15g} {:.15g}\n".format(node + 1, *place))
        file.write(f"$EndNodes\n$Elements\n{n ** 3}\n")
        for cell in range(n ** 3):
            first = 1 + (cell // n ** 2 * (n + 1) + cell // n % n) * (n + 1) + cell % n
            low = first, first + (n + 1) ** 2, first + (n + 1) ** 2 + n + 1, first + n + 1
            file.write(f"{cell + 1} 5 2 1 1 {' '.join(str(node) for node in (*low, *(node + 1 for node in low)))}\n")
        file.write("$EndElements\n")


def figure_m(bench):
    """lumped solids: ns an element and explicit step; the bytes that a step reads and writes, over the bandwidth of one core"""
    mesh, path = os.path.join(bench.folder, "distinct.msh"), os.path.join(bench.folder, "solid.yaml")
    write_distinct_hexahedra(mesh, 40)
    box = "{{box: {{from: [0, 0, 0], to: [1, 1, 1], cells: [{0}, {0}, {0}], elements: {1}}}}}"
    for name, elements, target, where in (("hex8, all alike", 50 ** 3, 344, box.format(50, "hex8")), ("tet4", 6 * 30 ** 3, 140, box.format(30, "tet4")),
                                          ("tet10", 6 * 18 ** 3, 540, box.format(18, "tet10")), ("hex8, no two alike", 40 ** 3, 1376, f"{{file: {mesh}}}")):
        with open(path, "w") as file:
            file.write(f"bodies: {{solid: {{type: solid, mesh: {where}, material: {{density: 7800, young: 210 GPa, poisson: 0.3}}, mass: lumped}}}}\n"
                       f"scheme: {{type: half_explicit, step: 100 ns}}\ntime: {{end: 1 ms}}\n")
        results = take_turns(bench, f"solid, {name}", {"percuss": lambda: call([bench.program("step"), path, 20, bench.seconds]), "limit": lambda: call([bench.program("triad"), "0.7"])})
        best = 1e3 * min(us(results["percuss"])) / elements
        bandwidth = max(result["gigabytes"] for result in results["limit"])
        bench.add(f"solid, {name}: explicit step", f"{best:.1f} ns an element; {target} B of it take {target / bandwidth:.1f} ns at {bandwidth:.1f} GB/s")


def figure_n(bench):
    """a beam dropped flat, all nodes in contact: a whole run, with its set-up, over that of a beam with fewer elements"""
    config, steps = os.path.join(ROOT, "configs/beam_drop.yaml"), 1200
    sizes = (200, 800) if bench.quick else (200, 800, 3200)
    results = take_turns(bench, "beam dropped flat", {f"{elements} elements": lambda elements=elements: {"us": 1e6 / steps * processor(
        [bench.percuss, "run", config, "--quiet", "--overwrite", "--out", os.path.join(bench.folder, "beam"), "--set", output(), "--set", f"bodies.beam.mesh.line.elements={elements}"])}
        for elements in sizes})
    for few, many in zip(sizes, sizes[1:]):
        bench.ratio(f"beam dropped flat, {many} elements: a step over that with {few}", us(results[f"{many} elements"]), us(results[f"{few} elements"]), 1.25 * many / few)


# ---- instructions ----------------------------------------------------------------------------------------------------------------------------

def counts(bench):
    """Tables of instructions a step."""
    if not shutil.which("valgrind"):
        print("counts: valgrind is not installed")
        return
    for elements, steps in (50, 2000), (1000, 200):
        for name, flight in ("in free flight", 2), ("in contact", 1 / steps):
            out = os.path.join(bench.folder, "callgrind.out")
            step = 1e-7 if elements == 50 else step_of(elements)
            call(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=NsSchemeStep", bench.program("step"), BAR, steps, 0,
                  *bar_sets(elements, steps, step, flight=flight)])
            text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", out], capture_output=True, text=True, check=True).stdout
            # "1,234 ( 5.6%)  file:function [library]"; functions without a name are listed by their library
            lines = [re.match(r"\s*([\d,]+)\s+\(\s*([\d.]+)%\)\s+(?:\S*:)?(\S+)(?:.*\[(\S+)\])?", line) for line in text.splitlines()]
            found = [(int(line[1].replace(",", "")), float(line[2]), line[3] + (f" of {os.path.basename(line[4])}" if line[3].startswith("0x") and line[4] else ""))
                     for line in lines if line]
            total = next(number for number, _, function in found if function == "PROGRAM")
            print(f"\nN = {elements}, {name}: {total / steps:.0f} instructions a step, {total / steps / (elements + 1):.1f} an unknown\n")
            print("| instructions a step | % | function |\n|---:|---:|---|")
            for number, share, function in [row for row in found if row[2] != "PROGRAM"][:15]:
                print(f"| {number / steps:.1f} | {share:.1f} | `{function}` |")


FIGURES = {letter: globals()["figure_" + letter] for letter in "abcdefghijklmn"}


def machine():
    with open("/proc/cpuinfo") as file:
        name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    return f"{name}, {len(CORES)} cores, load {os.getloadavg()[0]:.2f}"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("letters", nargs="?", default="", help="; ".join(f"{letter}: {figure.__doc__}" for letter, figure in FIGURES.items()))
    words.add_argument("--quick", action="store_true")
    words.add_argument("--counts", action="store_true")
    words.add_argument("--parallel", action="store_true")
    words.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    words.add_argument("--against", metavar="DIR", help="another build directory")
    options = words.parse_args()
    unknown = [letter for letter in options.letters if letter not in FIGURES]
    if unknown:
        words.error(f"no figure '{unknown[0]}'; figures are {', '.join(FIGURES)}")
    if options.against and (set(options.letters) & set("hk") or options.parallel):
        words.error("figures h and k are not compared with another build")
    letters = options.letters or ("" if options.counts or options.parallel else "abcdefgilmn" if options.against else "abcdefghijmn")
    if options.parallel and "k" not in letters:
        letters += "k"

    subprocess.run(["cmake", "--build", options.build, "--target", "percuss", "bench_step", "bench_petsc_bar", "bench_limit_bar", "bench_limit_lumped", "bench_triad"],
                   check=True, stdout=subprocess.DEVNULL)
    version = subprocess.run([os.path.join(options.build, "percuss"), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    os.sched_setaffinity(0, CORES[-1:])
    with tempfile.TemporaryDirectory(prefix="percuss_speed_", dir=options.build) as folder:
        bench = Bench(options, folder)
        print(f"{version}; {machine()}; {bench.rounds} rounds", flush=True)
        for letter in letters:
            print(f"{letter}: {FIGURES[letter].__doc__}", file=sys.stderr, flush=True)
            try:
                FIGURES[letter](bench)
            except (RuntimeError, subprocess.CalledProcessError, OSError) as error:
                bench.fail(f"figure {letter}: {error}")
        if bench.rows:
            print("\n| figure | measured | target | verdict |\n|---|---|---|---|")
            for row in bench.rows:
                print("| " + " | ".join(row) + " |")
        if bench.compared:
            print(f"\n| to {options.against} | ratio, median | range | us per step | there |\n|---|---|---|---|---|")
            for row in bench.compared:
                print("| {} | {:.3f} | {:.3f} .. {:.3f} | {:.4g} | {:.4g} |".format(*row))
        if options.counts:
            counts(bench)
    for what in bench.broken:
        print(f"broken: {what}", file=sys.stderr)
    return 1 if bench.broken else 0


if __name__ == "__main__":
    sys.exit(main())
