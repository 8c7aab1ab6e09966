"""The bouncing ball in a box of Schindler, Rezaei, Kursawe and Acary, [A] 6.2: their Figs. 15 to 18 recomputed with percuss. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.ball_in_box import main
sys.exit(main())
