"""What a soak counts."""

from dataclasses import dataclass, field, fields


@dataclass
class Tally:
    """Of one transport. What is no problem comes first."""

    runs: int = 0
    faults: int = 0
    strangers: int = 0
    repeats: int = 0  # announced by runs, hence to be found in their files
    hangs: int = 0  # a run, or a session's end, that did not come in time
    losses: int = 0  # announced repeats that no file has, and files that cannot be read
    surprises: int = 0  # an end that the fault does not explain
    refusals: int = 0  # a good run after a fault that did not end well
    restarts: int = 0  # the server had ended
    leftovers: int = 0  # processes, descriptors of the server's
    problems: list[str] = field(default_factory=list)

    def good(self) -> bool:
        """Whether something was run, and nothing went wrong."""
        wrong = (
            self.hangs,
            self.losses,
            self.surprises,
            self.refusals,
            self.restarts,
            self.leftovers,
        )
        return self.runs > 0 and not any(wrong)


def table(names: list[str], tallies: list[Tally]) -> str:
    """A line a count, a column a transport."""
    width = max(10, *map(len, names)) + 2
    lines = [" " * 10 + "".join(f"{name:>{width}}" for name in names)]
    for count in fields(Tally):
        if count.name != "problems":
            values = [getattr(tally, count.name) for tally in tallies]
            lines.append(f"{count.name:<10}" + "".join(f"{value:>{width}}" for value in values))
    return "\n".join(lines)
