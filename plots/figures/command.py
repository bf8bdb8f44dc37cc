"""What the commands share: their options, and how they end."""

import argparse
import sys
from pathlib import Path
from typing import Callable

from figures.results import Fault
from figures.sheet import Sheet


def picture(text: str) -> Path:
    path = Path(text)
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise argparse.ArgumentTypeError(f"{text}: the name must end in .png, .svg or .pdf")
    return path


def size(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    digits = text[:-1] if text[-1:].upper() in units else text
    if not (digits.isascii() and digits.isdecimal()):
        raise argparse.ArgumentTypeError(f"'{text}' is no size: an integer, then K, M or G")
    return int(digits) * units.get(text[-1].upper(), 1)


def parser_of(description: str, files: str = "a result of pairbench") -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=files)
    help_of_out = "the figure: .png, .svg or .pdf"
    parser.add_argument("-o", "--out", required=True, type=picture, metavar="OUT", help=help_of_out)
    parser.add_argument("--title", help="instead of the figure's own")
    return parser


def finish(sheet: Sheet, options: argparse.Namespace) -> None:
    """Saves the picture and says what it lacks."""
    sheet.title = options.title or sheet.title
    sheet.save(options.out)
    for note in sheet.notes:
        print(note, file=sys.stderr)


def run(command: Callable[[], None]) -> int:
    """The exit status; what went wrong is one line."""
    try:
        command()
    except Fault as fault:
        print(f"{Path(sys.argv[0]).name}: {' '.join(str(fault).split())}", file=sys.stderr)
        return fault.status
    except (AttributeError, KeyError, TypeError) as error:
        what = "a member of the result is missing or of a wrong kind (results/validate tells which)"
        print(f"{Path(sys.argv[0]).name}: {what}: {error}", file=sys.stderr)
        return 1
    return 0
