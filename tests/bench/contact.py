#!/usr/bin/python3
"""Many contacts: percuss beside every fc3d solver of Siconos, where it is installed (Debian: python3-siconos), on the same problems in the same run.

    tests/bench/contact.py                  small set: a few minutes
    tests/bench/contact.py --full           all sizes, friction coefficients and seeds; walls up to 40 x 60
    tests/bench/contact.py --only "wall 6 8 0.6 0" "block 9 1 0.3 0"
                                            these problems: kind, rows, columns, friction, seed (tests/contact_problems.h)
    tests/bench/contact.py --plot FILE.svg  the performance profile (E. D. Dolan, J. J. More 2002): the share of problems that a solver has solved within so many times the time of the best

Build bench_contact first (cmake --build build/release --target bench_contact). A problem is solved where the residual of percuss/local.h is 1e-10 or less. Seconds are processor time of one
core. It ends with 1 where percuss leaves a problem unsolved.
"""
import argparse
import csv
import multiprocessing
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOLVED = 1e-10
WAIT = 3  # s of processor time for one solver of the peer
PEERS = {"Siconos NSGS": ("SICONOS_FRICTION_3D_NSGS", 20000), "Siconos NSN_AC": ("SICONOS_FRICTION_3D_NSN_AC", 200), "Siconos ADMM": ("SICONOS_FRICTION_3D_ADMM", 20000),
         "Siconos PROX": ("SICONOS_FRICTION_3D_PROX", 1000), "Siconos TFP": ("SICONOS_FRICTION_3D_TFP", 1000), "Siconos DSFP": ("SICONOS_FRICTION_3D_DSFP", 20000)}


def problems(full):
    mus, seeds = ((0, 0.1, 0.3, 0.6, 1), range(5)) if full else ((0.1, 0.6), range(2))
    sizes = [("block", n, 1) for n in ((4, 9, 15, 22, 30) if full else (4, 9, 15))]
    sizes += [("wall", r, c) for r, c in ((3, 4), (6, 8), (12, 12)) + (((20, 30), (40, 60)) if full else ())]
    sizes += [("tower", 20, 1), ("planar", 12, 12), ("joints", 6, 8)]
    return [(*size, mu, seed) for size in sizes for mu in mus for seed in (seeds if size[0] != "block" else list(seeds)[:1])]


def residual(contacts, mu, b, G, P):
    """That of percuss/local.h, but for the powers of two."""
    import numpy as np
    d = np.diag(G).reshape(contacts, 3).copy()
    d[:, 1:] = d[:, 1:].max(1)[:, None]
    p, u = (np.sqrt(d) * P.reshape(contacts, 3)), (b + G @ P).reshape(contacts, 3) / np.sqrt(d)
    x, radius = p - u, np.maximum(p[:, 0], 0) * mu * np.sqrt(d[:, 1] / d[:, 0])
    length = np.hypot(x[:, 1], x[:, 2])
    nearest = np.column_stack([np.maximum(x[:, 0], 0), x[:, 1:] * np.where(length > radius, radius / np.maximum(length, 1e-300), 1)[:, None]])
    return abs(p - nearest).max() / max(abs(b.reshape(contacts, 3) / np.sqrt(d)).max(), abs(p).max())


def ask_peer(name, path, answer):
    import numpy as np
    import siconos.numerics as sn
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    resource.setrlimit(resource.RLIMIT_CPU, (WAIT, WAIT))
    with open(path, "rb") as file:
        data = file.read()
    contacts, = struct.unpack("i", data[:4])
    values, n = np.frombuffer(data, float, offset=4), 3 * contacts
    mu, b, G = values[:contacts].copy(), values[contacts:contacts + n].copy(), values[contacts + n:].reshape(n, n).copy()
    best = None
    for tolerance in (1e-8, 1e-10, 1e-12):  # of its own measure: the quickest that is good enough by ours
        word, most = PEERS[name]
        options = sn.SolverOptions(getattr(sn, word))
        options.dparam[sn.SICONOS_DPARAM_TOL], options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = tolerance, most
        problem, P, w = sn.FrictionContactProblem(3, np.asfortranarray(G), b, mu), np.zeros(n), np.zeros(n)
        start = time.process_time()
        sn.fc3d_driver(problem, P, w, options)
        took = time.process_time() - start
        if residual(contacts, mu, b, G, P) <= SOLVED:
            best = took
            break
    answer.put(best)


def peer_seconds(name, path):
    """None: not solved within the time."""
    answer = multiprocessing.Queue()
    process = multiprocessing.Process(target=ask_peer, args=(name, path, answer))
    process.start()
    process.join()
    return answer.get() if not answer.empty() else None


def draw(times, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    best = [min((t[k] for t in times.values() if t[k]), default=None) for k in range(len(next(iter(times.values()))))]
    figure, axes = plt.subplots(figsize=(6, 4))
    for name, values in times.items():
        ratios = sorted(value / least for value, least in zip(values, best) if value and least)
        axes.step([1] + ratios + [1e4], [0] + [(i + 1) / len(best) for i in range(len(ratios))] + [len(ratios) / len(best)], where="post", label=name)
    axes.set(xscale="log", xlim=(1, 1e4), ylim=(0, 1.02), xlabel="times the time of the quickest", ylabel="share of the problems solved")
    axes.legend(fontsize=8, loc="lower right")
    figure.tight_layout()
    figure.savefig(path)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--full", action="store_true")
    words.add_argument("--only", nargs="+", metavar="PROBLEM")
    words.add_argument("--plot", metavar="FILE")
    words.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    options = words.parse_args()
    try:
        import siconos.numerics  # noqa: F401
        peers = list(PEERS)
    except ImportError:
        peers = []
    with tempfile.TemporaryDirectory() as folder:
        wanted = [only.split() for only in options.only] if options.only else problems(options.full)
        lines = "\n".join(" ".join(map(str, problem)) for problem in wanted)
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        os.environ.update(environment)
        out = subprocess.run([os.path.join(options.build, "tests/bench_contact"), folder], input=lines, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout
        rows = list(csv.DictReader(out.splitlines()))
        times = {name: [] for name in ["percuss"] + peers}
        print("%-24s %8s %10s %10s %9s  %-16s %s" % ("problem", "contacts", "ms", "ms again", "residual", "solver", "best peer, ms (times)"))
        for row in rows:
            name = "%(kind)s_%(rows)s_%(columns)s_%(mu)s_%(seed)s" % row
            path, solved = os.path.join(folder, name + ".bin"), float(row["residual"]) <= SOLVED and row["solver"] != "none"
            seconds = float(row["seconds"])
            took = {peer: peer_seconds(peer, path) if os.path.exists(path) and row["kind"] != "joints" else None for peer in peers}
            best = min(((t, peer) for peer, t in took.items() if t), default=None)
            if peers and os.path.exists(path) and row["kind"] != "joints":
                times["percuss"].append(seconds if solved else None)
                for peer in peers:
                    times[peer].append(took[peer])
            print("%-24s %8s %10.3f %10.3f %9s  %-16s %s" % (name, row["contacts"], 1e3 * seconds, 1e3 * float(row["seconds_warm"]), row["residual"], row["solver"],
                  "%s %.3f (%.1f)" % (best[1], 1e3 * best[0], best[0] / seconds) if best else ""), flush=True)
    missed = [row for row in rows if not float(row["residual"]) <= SOLVED or row["solver"] == "none"]
    print("%d problems, %d not solved" % (len(rows), len(missed)))
    for name, values in times.items():
        if values:
            print("  %-16s solves %d of %d" % (name, sum(1 for value in values if value), len(values)))
    if options.plot and peers:
        draw(times, options.plot)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
