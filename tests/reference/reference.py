"""The schemes of percuss a second time, for a small plane truss, with numpy and nothing else.

Written to be checked by eye against the formulas of the papers, so dense matrices and inverses throughout, and local contact problems solved by trying every
combination of open, sticking and slipping contacts. Nothing is shared with percuss but the data of the model: what both agree on to rounding is either right or wrong
in two independent ways.

    M dv = (w + f(t) - K q - C v) dt + W' P,    g(q) = g0 + W q  (rows n, or n and t, of each contact)

Arrays of reactions are [contact, direction]: direction 0 is normal, 1 tangential (with friction only). Reactions P are in impulse units, N s.
"""
import functools
import itertools
from dataclasses import dataclass, field

import numpy as np

# ---- the truss: SI units -------------------------------------------------------------------------------------------------------------------------------

NODES = np.array([[0, 0], [0.5, 0.03], [1.0, 0.0], [0.22, 0.41], [0.77, 0.45], [0.5, 0.9]])
BARS = ((0, 1), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (3, 4), (3, 5), (4, 5), (0, 4))
LEFT, MIDDLE, RIGHT, SIDE, TOP = 0, 1, 2, 3, 5  # nodes with a name; SIDE is held in x

ROUNDING = 1e-15 * sum(np.linalg.norm(NODES[b] - NODES[a]) for a, b in BARS)  # m: a gap up to this is closed

DENSITY, YOUNG, AREA = 1200.0, 2e7, 1.3e-3
RAYLEIGH_MASS, RAYLEIGH_STIFFNESS = 1.5, 2e-5
GRAVITY = np.array([0.3, -9.81])
TOP_MASS = 0.7
GROUND_SPRING = {"stiffness": 300.0, "damping": 4.0, "direction": (1.0, 0.5)}  # TOP to the ground
INNER_SPRING = {"stiffness": 5000.0, "damping": 9.0}  # LEFT to TOP
INITIAL_DISPLACEMENT, INITIAL_VELOCITY = np.array([0.001, 0.002]), np.array([0.3, -0.5])  # of every node

HARMONIC = {"force": (6.0, -9.0), "frequency": 7.0, "phase": 0.3}  # Hz; at TOP
PULSE = {"force": (0.0, -40.0), "start": 0.05, "duration": 0.1}  # at SIDE
TABLE = {"force_per_length": (2.0, -1.0), "times": (0.0, 0.1, 0.3), "values": (0.0, 1.0, 0.2)}  # along every bar

PLANE_POINT, PLANE_NORMAL = np.array([0.1, -0.02]), np.array([-0.25, 1.0])
CONTACTS = ((LEFT, -0.001), (RIGHT, 0.205))  # node, offset added to its gap


def harmonic(t):
    return np.sin(2 * np.pi * HARMONIC["frequency"] * t + HARMONIC["phase"])


def pulse(t):
    """Half a sine wave."""
    x = (t - PULSE["start"]) / PULSE["duration"]
    return np.sin(np.pi * x) if 0 < x < 1 else 0.0


def table(t):
    return np.interp(t, TABLE["times"], TABLE["values"])


def pulse_mean(low, high):
    """Of the half sine wave, where the interval has a part of it; else None."""
    a, b = (np.clip((t - PULSE["start"]) / PULSE["duration"], 0, 1) for t in (low, high))
    return PULSE["duration"] / np.pi * (np.cos(np.pi * a) - np.cos(np.pi * b)) / (high - low) if b > a else None


def table_mean(low, high):
    """Of the table, where it bends in the interval; else None."""
    room = 1e-9 * (high - low)
    bends = [t for t in TABLE["times"] if low - room < t <= high * (1 + 1e-15)]
    if not bends:
        return None
    times = np.unique([low, high, *(t for t in bends if low < t < high)])
    values = table(times)
    return ((values[1:] + values[:-1]) / 2 * np.diff(times)).sum() / (high - low)


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


class Truss:
    """Matrices of the truss over its free unknowns: M, K, C; weight w and loads f(t); contact rows W, gaps g0."""

    def __init__(self, mass, friction, restitution):
        """mass: "consistent" or "lumped"; friction mu and restitution e of both contacts."""
        self.friction, self.restitution = friction, restitution
        self.unknowns = 2 * len(NODES)
        self.free = [i for i in range(self.unknowns) if i != 2 * SIDE]
        self.assemble_bars(mass)
        self.M[2 * TOP : 2 * TOP + 2, 2 * TOP : 2 * TOP + 2] += TOP_MASS * np.eye(2)
        self.add_spring(self.at(TOP, unit(GROUND_SPRING["direction"])), GROUND_SPRING)
        along = unit(NODES[TOP] - NODES[LEFT])
        self.add_spring(self.at(TOP, along) - self.at(LEFT, along), INNER_SPRING)
        weight = self.M @ np.tile(GRAVITY, len(NODES))
        loads = (
            (self.at(TOP, HARMONIC["force"]), harmonic, lambda low, high: None),
            (self.at(SIDE, PULSE["force"]), pulse, pulse_mean),
            (self.along_bars(), table, table_mean),
        )

        square = np.ix_(self.free, self.free)
        self.M, self.K, self.C = self.M[square], self.K[square], self.C[square]
        self.Minv = np.linalg.inv(self.M)
        self.w = weight[self.free]
        self.loads = [(vector[self.free], time, mean) for vector, time, mean in loads]
        self.before = self.after = 0.0  # s: the interval that a force represents
        self.add_contacts()
        self.q0 = np.tile(INITIAL_DISPLACEMENT, len(NODES))[self.free]
        self.v0 = np.tile(INITIAL_VELOCITY, len(NODES))[self.free]
        if (self.gaps(self.q0) <= 0).any():
            raise ValueError("the truss touches at the start, where the schemes below take all contacts for open")

    def at(self, node, vector):
        """Row over all unknowns with `vector` at one node."""
        row = np.zeros(self.unknowns)
        row[2 * node : 2 * node + 2] = vector
        return row

    def assemble_bars(self, mass):
        """A bar of direction c: K_e = E A / L [[cc', -cc'], [-cc', cc']];  M_e = m/6 [[2, 1], [1, 2]] or m/2 [[1, 0], [0, 1]], m = rho A L;  C_e = a M_e + b K_e."""
        self.M, self.K, self.C = (np.zeros((self.unknowns, self.unknowns)) for _ in range(3))
        shape = {"consistent": np.array([[2, 1], [1, 2]]) / 6, "lumped": np.eye(2) / 2}[mass]
        for a, b in BARS:
            length = np.linalg.norm(NODES[b] - NODES[a])
            c = unit(NODES[b] - NODES[a])
            Ke = YOUNG * AREA / length * np.kron([[1, -1], [-1, 1]], np.outer(c, c))
            Me = DENSITY * AREA * length * np.kron(shape, np.eye(2))
            where = np.ix_([2 * a, 2 * a + 1, 2 * b, 2 * b + 1], [2 * a, 2 * a + 1, 2 * b, 2 * b + 1])
            self.M[where] += Me
            self.K[where] += Ke
            self.C[where] += RAYLEIGH_MASS * Me + RAYLEIGH_STIFFNESS * Ke

    def add_spring(self, row, spring):
        self.K += spring["stiffness"] * np.outer(row, row)
        self.C += spring["damping"] * np.outer(row, row)

    def along_bars(self):
        """Force per length: half of each bar's at either end."""
        total = np.zeros(self.unknowns)
        for a, b in BARS:
            half = np.linalg.norm(NODES[b] - NODES[a]) / 2 * np.array(TABLE["force_per_length"])
            total += self.at(a, half) + self.at(b, half)
        return total

    def add_contacts(self):
        """W and g0. The tangent is the x axis laid into the plane."""
        n = unit(PLANE_NORMAL)
        t = unit(np.array([1.0, 0.0]) - n[0] * n)
        directions = (n, t) if self.friction > 0 else (n,)
        self.contacts, self.directions = len(CONTACTS), len(directions)
        self.W = np.array([self.at(node, d)[self.free] for node, _ in CONTACTS for d in directions])
        self.g0 = np.array([n @ (NODES[node] - PLANE_POINT) + offset for node, offset in CONTACTS])

    def load(self, t):
        """f(t); a load that jumps or has a kink in the interval that t represents acts with its mean over it."""
        total = 0
        for vector, time, mean in self.loads:
            value = mean(max(0.0, t - self.before), t + self.after)
            total = total + vector * (time(t) if value is None else value)
        return total

    def force(self, t, q, v):
        """h = w + f(t) - K q - C v"""
        return self.w + self.load(t) - self.K @ q - self.C @ v

    def gaps(self, q):
        return self.g0 + self.W[:: self.directions] @ q

    def gap_rates(self, v):
        return self.W[:: self.directions] @ v

    def all_unknowns(self, x):
        """With the zero of the support; [node, axis]."""
        full = np.zeros(self.unknowns)
        full[self.free] = x
        return full.reshape(-1, 2)


# ---- the local problem ---------------------------------------------------------------------------------------------------------------------------------

OPEN, STICK, SLIP_PLUS, SLIP_MINUS = range(4)  # SLIP_PLUS: friction along +t, so the node slips along -t. Without friction STICK is plainly closed.
ADMITTED = 1e-9  # by how much, of its scale, a solution may miss an inequality
DISTINCT = 1e-6  # from which difference, of the scale, two solutions are two


@functools.lru_cache(maxsize=None)
def combinations(contacts, directions, friction):
    """Every combination of modes, [combination, contact], and the linear conditions that they make on P:
    rows with `still` [combination, row] say u = 0, the others L P = 0, L [combination, row, row]."""
    modes = np.array(list(itertools.product((OPEN, STICK, SLIP_PLUS, SLIP_MINUS) if directions == 2 else (OPEN, STICK), repeat=contacts)))
    rows = contacts * directions
    still = np.repeat(modes != OPEN, directions, axis=1)
    L = np.tile(np.eye(rows), (len(modes), 1, 1))
    for s, contact in np.argwhere(modes >= SLIP_PLUS):  # P_T = +- mu P_N
        n = directions * contact
        still[s, n + 1] = False
        L[s, n + 1, n] = -friction if modes[s, contact] == SLIP_PLUS else friction
    return modes, still, L


def solve_local(G, b, directions, friction):
    """P, modes [contact], and whether no other P solves:  u = b + G P,  0 <= u_N _|_ P_N >= 0,  |P_T| <= mu P_N, and P_T = -mu P_N sign(u_T) where it slips.

    Each combination of modes gives a linear system; a solution of it counts where the inequalities of its modes hold."""
    contacts = len(b) // directions
    modes, still, L = combinations(contacts, directions, friction)
    A = np.where(still[:, :, None], G, L)
    P = np.linalg.solve(A, np.where(still, -b, 0)[:, :, None])[:, :, 0]
    u = (b + P @ G.T).reshape(-1, contacts, directions)
    P = P.reshape(-1, contacts, directions)

    velocity = max(np.abs(b).max(), np.finfo(float).tiny)
    impulse = velocity / G.diagonal().min()
    miss = np.where(modes == OPEN, -u[:, :, 0] / velocity, -P[:, :, 0] / impulse)
    if directions == 2:
        miss = np.where(modes == STICK, np.maximum(miss, (np.abs(P[:, :, 1]) - friction * P[:, :, 0]) / impulse), miss)
        miss = np.where(modes == SLIP_PLUS, np.maximum(miss, u[:, :, 1] / velocity), miss)
        miss = np.where(modes == SLIP_MINUS, np.maximum(miss, -u[:, :, 1] / velocity), miss)
    miss = np.maximum(miss, 0).max(axis=1)
    best = miss.argmin()
    if not miss[best] <= ADMITTED:
        raise ArithmeticError("a local problem has no solution")
    single = np.abs(P[miss <= ADMITTED] - P[best]).max() <= DISTINCT * impulse
    return P[best], modes[best], single


# ---- the schemes ---------------------------------------------------------------------------------------------------------------------------------------


@dataclass
class Step:
    """What a step from t0 to t1 did."""

    q: np.ndarray  # at t1, as all that follows but the work
    v: np.ndarray
    force: np.ndarray  # [contact, direction], N
    impulse: np.ndarray  # N s
    modes: np.ndarray  # [contact] of the last local problem; OPEN: without reaction
    impact: np.ndarray  # [contact] an impulse that is more than a lasting contact's reaction
    work: dict = field(default_factory=dict)  # J, of the step: damping, impact, friction taken out, load put in


class Scheme:
    """From (t0, q0, v0) to t1 = t0 + dt. Contacts start open."""

    def __init__(self, truss, dt, compliance=None):
        """compliance: A^-1 of the scheme's linear system, M^-1 if not given."""
        self.truss, self.dt = truss, dt
        truss.before = truss.after = dt / 2
        self.compliance = truss.Minv if compliance is None else compliance
        self.G = truss.W @ self.compliance @ truss.W.T
        self.was = np.zeros(truss.contacts, bool)  # active in the step before
        self.ambiguous = 0  # local problems with a second solution

    def none(self):
        return np.zeros((self.truss.contacts, self.truss.directions))

    def acceleration(self, t, q, v):
        return self.truss.Minv @ self.truss.force(t, q, v)

    def velocities(self, v):
        """u = W v as [contact, direction]"""
        return (self.truss.W @ v).reshape(self.truss.contacts, -1)

    def kick(self, P):
        """A^-1 W' P"""
        return self.compliance @ (self.truss.W.T @ P.ravel())

    def reactions(self, active, u):
        """P and modes of all contacts, those of `active` by the law for u + G P."""
        P, modes = self.none(), np.full(self.truss.contacts, OPEN)
        if active.any():
            rows = np.repeat(active, self.truss.directions)
            P[active], modes[active], single = solve_local(self.G[np.ix_(rows, rows)], u[active].ravel(), self.truss.directions, self.truss.friction)
            self.ambiguous += not single
        return P, modes

    def bounce(self, u_free, u_before, where):
        """u_N + e u_N^- in the place of u_N"""
        u = u_free.copy()
        u[where, 0] += self.truss.restitution * u_before[where, 0]
        return u


def work_taken(P, u):
    """What reactions P take out at relative velocities u: the normal ones, the tangential ones."""
    taken = -u * P
    return taken[:, 0].sum(), taken[:, 1:].sum()


class HalfExplicit(Scheme):
    """v_a = v0 + dt a0 + M^-1 W' P0,          P0 on the contacts closed at q0, 0 <= u_a _|_ P0 >= 0
    q1  = q0 + dt/2 (v0 + v_a)
    v1  = v0 + dt/2 (a0 + a1) + M^-1 W' (P0/2 + P1),   a1 = a(t1, q1, v_a),   P1 on those closed at q1, 0 <= u1 _|_ P1 >= 0;  force 2 P1/dt
    Contacts that an impact reaches (the newly closed ones, and what the Delassus matrix couples to them) have no P0, P1 but impulses, from v^-, the velocity without
    them:  0 <= u1 + e u^- _|_ Lambda >= 0, e for the newly closed ones."""

    def reached(self, newly, closed):
        """By the impacts of `newly`, which travel on through closed contacts."""
        d = self.truss.directions
        coupled = np.abs(self.G).reshape(self.truss.contacts, d, self.truss.contacts, d).max(axis=(1, 3)) > 0
        reached = newly
        while True:
            more = reached | coupled[:, reached & closed].any(axis=1)
            if (more == reached).all():
                return reached
            reached = more

    def step(self, t0, q0, v0):
        truss, dt, t1 = self.truss, self.dt, t0 + self.dt
        a0 = self.acceleration(t0, q0, v0)
        va = v0 + dt * a0
        P0, _ = self.reactions(self.was, self.velocities(va))
        va = va + self.kick(P0)
        q1 = q0 + dt / 2 * (v0 + va)
        a1 = self.acceleration(t1, q1, va)

        closed = truss.gaps(q1) <= ROUNDING
        newly = closed & ~self.was
        struck = self.reached(newly, closed)
        P0[struck] = 0
        before = v0 + dt / 2 * (a0 + a1) + self.kick(P0) / 2
        P, modes = self.reactions(closed, self.bounce(self.velocities(before), self.velocities(before), newly))
        P1, impulse = P.copy(), P.copy()
        P1[struck] = 0
        impulse[~struck] = 0
        before = before + self.kick(P1)  # at the end of the smooth part of the step
        v1 = before + self.kick(impulse)
        self.was = closed

        vm = (v0 + before) / 2
        impact, friction = work_taken(impulse, self.velocities((before + v1) / 2))
        work = {
            "damping": dt / 2 * vm @ truss.C @ (v0 + va),
            "load": dt / 2 * vm @ (truss.load(t0) + truss.load(t1)),
            "impact": impact,
            "friction": friction + work_taken(P0 / 2 + P1, self.velocities(vm))[1],
        }
        return Step(q1, v1, 2 / dt * P1, impulse, modes, impulse[:, 0] > 0, work)


class MoreauMidpoint(Scheme):
    """v1 = v0 + dt a(t_M, q_M, v0) + M^-1 W' P,   q_M = q0 + dt/2 v0,   0 <= u1 + e u0 _|_ P >= 0 where g(q_M) <= 0;   q1 = q0 + dt/2 (v0 + v1)"""

    def step(self, t0, q0, v0):
        truss, dt = self.truss, self.dt
        tm, qm = t0 + dt / 2, q0 + dt / 2 * v0
        active = truss.gaps(qm) <= ROUNDING
        v1 = v0 + dt * self.acceleration(tm, qm, v0)
        P, modes = self.reactions(active, self.bounce(self.velocities(v1), self.velocities(v0), active))
        v1 = v1 + self.kick(P)
        vm = (v0 + v1) / 2
        impact, friction = work_taken(P, self.velocities(vm))
        work = {"damping": dt * vm @ truss.C @ v0, "load": dt * vm @ truss.load(tm), "impact": impact, "friction": friction}
        new, self.was = active & ~self.was, active
        return Step(q0 + dt * vm, v1, self.none(), P, modes, new & (P[:, 0] > 0), work)


class MoreauJean(Scheme):
    """A (v1 - v0) = dt h(t_th, q0 + th dt v0, v0) + W' P,   A = M + th dt C + (th dt)^2 K,   t_th = t0 + th dt
    0 <= u1 + e u0 _|_ P >= 0 where g(q0) + gamma dt u0 <= 0;   q1 = q0 + dt v_th,   v_th = (1 - th) v0 + th v1"""

    def __init__(self, truss, dt, theta, gamma):
        th = theta * dt
        super().__init__(truss, dt, np.linalg.inv(truss.M + th * truss.C + th**2 * truss.K))
        self.theta, self.gamma = theta, gamma
        truss.before, truss.after = th, dt - th

    def step(self, t0, q0, v0):
        truss, dt, th = self.truss, self.dt, self.theta * self.dt
        active = truss.gaps(q0) + self.gamma * dt * truss.gap_rates(v0) <= ROUNDING
        v1 = v0 + dt * self.compliance @ truss.force(t0 + th, q0 + th * v0, v0)
        P, modes = self.reactions(active, self.bounce(self.velocities(v1), self.velocities(v0), active))
        v1 = v1 + self.kick(P)
        vm, vth = (v0 + v1) / 2, (1 - self.theta) * v0 + self.theta * v1
        impact, friction = work_taken(P, self.velocities(vm))
        work = {"damping": dt * vm @ truss.C @ vth, "load": dt * vm @ truss.load(t0 + th), "impact": impact, "friction": friction}
        new, self.was = active & ~self.was, active
        return Step(q0 + dt * vth, v1, self.none(), P, modes, new & (P[:, 0] > 0), work)


class SchatzmanPaoli(Scheme):
    """w_{k+1} = w_k + dt a(t_k, q_k, w_k) + M^-1 W' J_k,   q_{k+1} = q_k + dt w_{k+1},   v_k = (w_k + w_{k+1})/2
    0 <= g(q_{k+1}) + e g(q_{k-1}) _|_ J_k >= 0;   w_1 = v_0 + dt/2 a(0, q_0, v_0). Without friction. The impact law takes two steps.

    The scheme is one position ahead: v_k needs q_{k+1}. The loss of an impact is that of Newton's law with the effective mass of its first impulse; until its second step has
    passed, what its impulses have taken stands in its place."""

    def __init__(self, truss, dt):
        super().__init__(truss, dt)
        self.w_last = truss.v0
        self.w = truss.v0 + dt / 2 * self.acceleration(0, truss.q0, truss.v0)
        self.ahead = truss.q0 + dt * self.w
        self.last = self.none()  # J_k
        self.age = np.zeros(truss.contacts, int)  # steps of contact without a break
        self.net = np.zeros(truss.contacts)  # taken by the impulses of the present impact
        self.law = np.zeros(truss.contacts)
        if (truss.gaps(self.ahead) <= 0).any():
            raise ValueError("the truss touches in the first step")

    def step(self, t0, q0, v0):
        truss, dt, t1 = self.truss, self.dt, t0 + self.dt
        q1, w = self.ahead, self.w
        w2 = w + dt * self.acceleration(t1, q1, w)
        u = (truss.gaps(q1 + dt * w2) + truss.restitution * truss.gaps(q0)) / dt
        J, modes = self.reactions(np.ones(truss.contacts, bool), u[:, None])
        w2 = w2 + self.kick(J)
        v1 = (w + w2) / 2
        vm = (v0 + v1) / 2
        pushed = J[:, 0] > 0
        before = self.velocities(w)[:, 0]
        jump = self.velocities(w + self.kick(J))[:, 0] - before
        begins = pushed & (self.age == 0) & (before < 0) & (jump > 0)
        self.law[begins] = ((1 - truss.restitution**2) / 2 * J[:, 0] * before**2)[begins] / jump[begins]
        taken = -(self.last + J)[:, 0] / 2 * self.velocities(vm)[:, 0]
        self.net += taken
        over = ~pushed | (self.age >= 2)
        booked = taken.sum() + (self.law - self.net)[over].sum()
        self.net[over] = self.law[over] = 0
        work = {
            "damping": dt / 2 * vm @ truss.C @ (self.w_last + w),
            "load": dt / 2 * vm @ (truss.load(t0) + truss.load(t1)),
            "impact": booked,
            "friction": 0.0,
        }
        impact = pushed & (self.age < 2)
        self.age = np.where(pushed, self.age + 1, 0)
        self.ahead, self.w_last, self.w, self.last = q1 + dt * w2, w, w2, J
        return Step(q1, v1, self.none(), J, modes, impact, work)


# ---- a run ---------------------------------------------------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """Tables of a run; the first index is the step, 0 the start."""

    u: np.ndarray  # [step, node, axis]
    v: np.ndarray
    gap: np.ndarray  # [step, contact]
    gap_rate: np.ndarray
    force: np.ndarray  # [step, contact, direction]
    impulse: np.ndarray
    state: np.ndarray  # [step, contact] "open", "closed", "stick", "slip"
    impact: np.ndarray  # [step, contact]
    energy: dict  # of arrays [step]
    ambiguous: int  # local problems that had a second solution


def name_states(truss, step):
    """open by the gap at the end of the step, but for rounding (1e-15 of the size); stick and slip by the modes, closed without friction or reaction."""
    names = []
    for gap, mode, P in zip(truss.gaps(step.q), step.modes, step.force + step.impulse):
        if gap > ROUNDING:
            names.append("open")
        elif truss.friction == 0 or mode == OPEN or P[0] <= 0:
            names.append("closed")
        else:
            names.append("stick" if mode == STICK else "slip")
    return names


def energies(truss, steps):
    """Columns of the ledger; `numerical` is what is left of the balance, made by the scheme itself."""
    energy = {
        "kinetic": np.array([s.v @ truss.M @ s.v / 2 for s in steps]),
        "elastic": np.array([s.q @ truss.K @ s.q / 2 for s in steps]),
        "potential": np.array([-truss.w @ s.q for s in steps]),
    }
    total = sum(energy.values())
    for name in ("damping", "impact", "friction", "load"):
        energy[name] = np.cumsum([s.work.get(name, 0.0) for s in steps])
    energy["numerical"] = total - total[0] - energy["load"] + energy["damping"] + energy["impact"] + energy["friction"]
    return energy


def run(scheme, steps):
    """`steps` steps from the start."""
    truss, none = scheme.truss, scheme.none()
    done = [Step(truss.q0, truss.v0, none, none, np.full(truss.contacts, OPEN), np.zeros(truss.contacts, bool))]
    for k in range(steps):
        done.append(scheme.step(k * scheme.dt, done[-1].q, done[-1].v))
    return Run(
        u=np.array([truss.all_unknowns(s.q) for s in done]),
        v=np.array([truss.all_unknowns(s.v) for s in done]),
        gap=np.array([truss.gaps(s.q) for s in done]),
        gap_rate=np.array([truss.gap_rates(s.v) for s in done]),
        force=np.array([s.force for s in done]),
        impulse=np.array([s.impulse for s in done]),
        state=np.array([name_states(truss, s) for s in done]),
        impact=np.array([s.impact for s in done]),
        energy=energies(truss, done),
        ambiguous=scheme.ambiguous,
    )
