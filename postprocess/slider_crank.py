"""The slider-crank mechanism with every scheme: figures of two papers recomputed with percuss, and a comparison of the schemes. `--help` lists the arguments."""
import sys
import percuss_path  # noqa: F401
from percuss.papers.slider_crank import main
sys.exit(main())
