"""Effect of position projection on velocities, after Acary and Bonnefon [C]: a ball that bounces to rest, and a pendulum in a ring. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.projection import main
sys.exit(main())
