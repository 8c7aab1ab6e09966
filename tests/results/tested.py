"""The repository, and the program that a script tests: `test_NAME.py [PERCUSS] [NAMES OF TESTS]`. Without it, that of the environment, or the release build."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMED = os.path.basename(sys.argv[0]).startswith("test_") and len(sys.argv) > 1 and os.path.isfile(sys.argv[1])
PERCUSS = os.path.abspath(sys.argv.pop(1) if NAMED else os.environ.get("PERCUSS", os.path.join(ROOT, "build/release/percuss")))
