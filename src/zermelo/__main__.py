"""`python -m zermelo`: the command line."""

import sys

from zermelo.cli import main

if __name__ == "__main__":
    sys.exit(main())
