"""The name by which git's settings know the merge driver, which is an extra."""

import sys

from msgbook_format.extras.merging.driver import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
