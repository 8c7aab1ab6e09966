"""The bouncing bar of Doyen, Ern and Piperno over ten periods: error of the motion and noise of the contact force of every scheme. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.bouncing_bar import main
sys.exit(main())
