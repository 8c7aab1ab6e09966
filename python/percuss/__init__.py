"""percuss from Python: run configs, read results with units, draw figures, step by step.

    import percuss

    run = percuss.run("configs/elastic_bar.yaml", set={"scheme.step": "0.2 us"})
    run.contacts["wall"]["force"].max()
    run.plot.energy().savefig("energy.png")

percuss.check, modes, response, static, orbit and study are the commands of the same names. A wrong config raises percuss.ConfigError with file, line, column and hint.
docs/guide/python.md is the manual.
"""

from percuss.model import Model
from percuss.program import Check, ConfigError, Message, PercussWarning, RunError, Study, check, modes, orbit, response, run, static, study
from percuss.results import Frame, PercussError, ResultsError, Run, Table, read_frame, read_table
from percuss.stepper import Stepper

__version__ = "0.1.0"
__all__ = ["Check", "ConfigError", "Frame", "Message", "Model", "PercussError", "PercussWarning", "ResultsError", "Run", "RunError", "Stepper", "Study", "Table", "check", "modes", "orbit",
           "read_frame", "read_table", "response", "run", "static", "study"]  # fmt: skip
