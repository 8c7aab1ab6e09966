"""Modal integration compared with the whole mesh: error and time of the schemes modal and half_explicit for a bar that hits a wall and a rotor that rubs. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.modal_study import main
sys.exit(main())
