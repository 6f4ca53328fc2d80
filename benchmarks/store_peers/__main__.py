"""Run the comparison: see measure.py. Apart from it, because worker processes import what they run by its name."""

import sys

from benchmarks.store_peers.measure import main

sys.exit(main())
