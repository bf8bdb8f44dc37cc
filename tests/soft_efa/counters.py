#!/usr/bin/python3
"""What a soft EFA device counted, from the file that SOFT_EFA_COUNTERS names (counters.cc writes it).

    counters.py FILE

Prints a line for each counter, its name and its value; or that no device was used.
"""

import struct
import sys
from pathlib import Path

RECORD = struct.Struct("=24sQ")


def read(path: Path) -> dict[str, int]:
    """Sums over all processes that had this file. Empty where no device has been opened."""
    data = path.read_bytes() if path.exists() else b""
    return {name.rstrip(b"\0").decode(): value for name, value in RECORD.iter_unpack(data)}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    counted = read(Path(sys.argv[1]))
    print("\n".join(f"{name} {value}" for name, value in counted.items()) or "no device was used")
