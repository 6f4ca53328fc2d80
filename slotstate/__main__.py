"""`python -m slotstate`."""

import sys

from slotstate.cli import main

sys.exit(main())
