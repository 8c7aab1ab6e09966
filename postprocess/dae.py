"""Three DAE solvers on two mechanisms, after Haddouni, Acary and Beley [E]: work, precision, orders and drift of the event-driven schemes between events. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.dae import main
sys.exit(main())
