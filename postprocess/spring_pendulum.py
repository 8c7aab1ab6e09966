"""The spring pendulum on a wall of Capobianco and Eugster, A Moreau-type variational integrator: their Fig. 2 recomputed with percuss. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.spring_pendulum import main
sys.exit(main())
