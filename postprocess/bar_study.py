"""Convergence study and comparison of schemes for the bar that hits a rigid wall. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.bar_study import main
sys.exit(main())
