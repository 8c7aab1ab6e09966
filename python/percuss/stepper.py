"""A run in memory, step by step, through the C interface of libpercuss (include/percuss/percuss.h)."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.program import Config, ConfigError, RunError, arguments_of, config_file, find_program, parse_messages
from percuss.results import ResultsError

API = 1
STATES = ("open", "closed", "stick", "slip")
POINTER, NUMBER = ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)


class Contact(ctypes.Structure):
    """percuss_contact: gap (m), gap_rate (m/s), force[3] (N), impulse[3] (N s), state."""

    _fields_ = [("gap", ctypes.c_double), ("gap_rate", ctypes.c_double), ("force", ctypes.c_double * 3), ("impulse", ctypes.c_double * 3), ("number", ctypes.c_int)]

    @property
    def state(self) -> str:
        """open, closed, stick or slip."""
        return STATES[self.number]


class Energies(ctypes.Structure):
    """percuss_energies, J."""

    _fields_ = [(name, ctypes.c_double) for name in ("kinetic", "elastic", "potential", "initial", "load", "damping", "impact", "friction", "numerical")]


FUNCTIONS: dict[str, tuple[Any, tuple]] = {
    "api": (ctypes.c_int, ()),
    "version": (ctypes.c_char_p, ()),
    "open": (ctypes.c_int, (ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(POINTER))),
    "close": (None, (POINTER,)),
    "messages": (ctypes.c_char_p, (POINTER,)),
    "step": (ctypes.c_int, (POINTER, ctypes.c_longlong)),
    "is_at_end": (ctypes.c_int, (POINTER,)),
    "time": (ctypes.c_double, (POINTER,)),
    "steps": (ctypes.c_longlong, (POINTER,)),
    "time_step": (ctypes.c_double, (POINTER,)),
    "end": (ctypes.c_double, (POINTER,)),
    "dof": (ctypes.c_int, (POINTER,)),
    "q": (NUMBER, (POINTER,)),
    "v": (NUMBER, (POINTER,)),
    "dof_name": (ctypes.c_int, (POINTER, ctypes.c_int, ctypes.c_char_p, ctypes.c_int)),
    "probe": (ctypes.c_int, (POINTER, ctypes.c_char_p, NUMBER)),
    "contacts": (ctypes.c_int, (POINTER,)),
    "contact_name": (ctypes.c_int, (POINTER, ctypes.c_int, ctypes.c_char_p, ctypes.c_int)),
    "contact_report": (ctypes.c_int, (POINTER, ctypes.c_int, ctypes.POINTER(Contact))),
    "energy": (ctypes.c_int, (POINTER, ctypes.POINTER(Energies))),
    "inputs": (ctypes.c_int, (POINTER,)),
    "input_name": (ctypes.c_char_p, (POINTER, ctypes.c_int)),
    "set_input": (ctypes.c_int, (POINTER, ctypes.c_int, ctypes.c_double)),
}


@functools.cache
def library() -> ctypes.CDLL:
    """libpercuss: the file of the variable PERCUSS_LIBRARY, that beside the program, or the installed one."""
    name = "libpercuss.so.0"
    program = pathlib.Path(find_program()).parent
    beside = [program / name, *program.parent.glob(f"lib/{name}"), *program.parent.glob(f"lib/*/{name}")]
    file = os.environ.get("PERCUSS_LIBRARY") or next((str(path) for path in beside if path.exists()), ctypes.util.find_library("percuss") or name)
    try:
        found = ctypes.CDLL(file, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise ResultsError(f"no library {file}: {error}; build it (`cmake --build build/release`), or name it in the variable PERCUSS_LIBRARY") from None
    for word, (result, arguments) in FUNCTIONS.items():
        function = getattr(found, f"percuss_{word}")
        function.restype, function.argtypes = result, arguments
    if found.percuss_api() != API:
        raise ResultsError(f"{file} has the interface {found.percuss_api()}, this package needs {API}")
    return found


class Stepper:
    """A run that is stepped from Python. Its states are those of `percuss run`, bit for bit; no files are written.

    >>> with Stepper("configs/library/pushed_bar.yaml") as run:
    ...     run.apply("push", 0.5)
    ...     more = run.step(100)
    ...     print(f"{run.time:.6g} s", len(run.q), run.contact("wall").state, f"{run.probe('bar.right.vx'):.6f} m/s")
    1e-05 s 51 open -0.104942 m/s
    """

    def __init__(self, config: Config, set: Mapping[str, Any] | None = None) -> None:  # noqa: A002
        self._library, self._run = library(), POINTER()
        words = [word.encode() for word in arguments_of(set)[1::2]]
        with config_file(config) as path:
            code = self._library.percuss_open(os.fsencode(path), len(words), (ctypes.c_char_p * len(words))(*words), ctypes.byref(self._run))
        self.messages = tuple(parse_messages(self._said()))
        if code:
            said = self._said()
            self.close()
            raise ConfigError(self.messages, said) if code == 2 else RunError(said.strip())
        name = ctypes.create_string_buffer(256)
        self.contact_names = [self._text("contact_name", number, name) for number in range(self._library.percuss_contacts(self._run))]
        self.input_names = [self._library.percuss_input_name(self._run, number).decode() for number in range(self._library.percuss_inputs(self._run))]

    def _text(self, function: str, number: int, buffer: Any) -> str:
        getattr(self._library, f"percuss_{function}")(self._open, number, buffer, len(buffer))
        return buffer.value.decode()

    @property
    def _open(self) -> ctypes.c_void_p:
        if not self._run:
            raise ResultsError("this stepper is closed")
        return self._run

    def _said(self) -> str:
        return self._library.percuss_messages(self._run).decode()

    def __enter__(self) -> Stepper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the run; arrays that q and v have returned stay."""
        self._library.percuss_close(self._run)
        self._run = POINTER()

    def step(self, steps: int = 1) -> bool:
        """Makes so many steps, fewer if the end is reached; whether there are more to make."""
        if self._library.percuss_step(self._open, steps):
            raise RunError(f"t = {self.time:.9g} s: {self._said().strip()}")
        return not self.at_end

    @property
    def at_end(self) -> bool:
        """Whether the end of the config is reached."""
        return bool(self._library.percuss_is_at_end(self._open))

    @property
    def time(self) -> float:
        """Time of the state, s."""
        return self._library.percuss_time(self._open)

    @property
    def steps(self) -> int:
        """Steps so far."""
        return self._library.percuss_steps(self._open)

    @property
    def time_step(self) -> float:
        """Time step of the config, s."""
        return self._library.percuss_time_step(self._open)

    @property
    def q(self) -> np.ndarray:
        """Positions of all degrees of freedom (m, rad), a copy."""
        return np.ctypeslib.as_array(self._library.percuss_q(self._open), (self._library.percuss_dof(self._open),)).copy()

    @property
    def v(self) -> np.ndarray:
        """Their velocities (m/s, rad/s), a copy."""
        return np.ctypeslib.as_array(self._library.percuss_v(self._open), (self._library.percuss_dof(self._open),)).copy()

    def dof_name(self, number: int) -> str:
        """What a degree of freedom is."""
        return self._text("dof_name", number, ctypes.create_string_buffer(256))

    def probe(self, name: str) -> float:
        """A quantity of a point, such as "bar.left.ux", as in history.csv."""
        value = ctypes.c_double()
        if self._library.percuss_probe(self._open, name.encode(), ctypes.byref(value)):
            raise ResultsError(self._said().strip())
        return value.value

    def contact(self, name: str) -> Contact:
        """What the last step did at a contact: gap, gap_rate, force, impulse, state."""
        if name not in self.contact_names:
            raise ResultsError(f"no contact '{name}'; the contacts are {', '.join(self.contact_names)}")
        report = Contact()
        self._library.percuss_contact_report(self._open, self.contact_names.index(name), ctypes.byref(report))
        return report

    @property
    def energy(self) -> dict[str, float]:
        """The energy balance, J: kinetic + elastic + potential = initial + load - damping - impact - friction + numerical."""
        energies = Energies()
        self._library.percuss_energy(self._open, ctypes.byref(energies))
        return {name: getattr(energies, name) for name, _ in Energies._fields_}

    def apply(self, load: str, factor: float) -> None:
        """Sets the factor of a load or drive that has `time: {input: {}}`; it is reached at the end of the next step, and kept."""
        if load not in self.input_names:
            known = f"the inputs are {', '.join(self.input_names)}" if self.input_names else "no load has `time: {input: {}}`"
            raise ResultsError(f"no input '{load}'; {known}")
        if self._library.percuss_set_input(self._open, self.input_names.index(load), factor):
            raise ResultsError(f"input '{load}': {factor} is not finite")
