"""Choice of scheme and step: error against cost of the schemes for an elastic bar, a beam on a stop, a rotor in a safety bearing and a slider-crank. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.choose import main
sys.exit(main())
