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
    restarts: int = 0  # of the server, which had ended
    leftovers: int = 0  # processes, files in shared memory; descriptors and memory of the server's
    problems: list[str] = field(default_factory=list)

    def wrong(self) -> dict[str, int]:
        """The counts that have to be 0 and are not."""
        return {name: count for name in WRONG if (count := getattr(self, name))}

    def good(self) -> bool:
        """Whether something was run, and nothing went wrong."""
        return self.runs > 0 and self.faults > 0 and not self.wrong()


COUNTS = [count for count in fields(Tally) if count.name != "problems"]
WRONG = ("hangs", "losses", "surprises", "refusals", "restarts", "leftovers")


def total(tallies: list[Tally]) -> Tally:
    everything = Tally()
    for count in COUNTS:
        setattr(everything, count.name, sum(getattr(tally, count.name) for tally in tallies))
    return everything


def all_good(tallies: list[Tally]) -> bool:
    return bool(tallies) and all(tally.good() for tally in tallies)


def verdict(tallies: list[Tally], whole: bool = True) -> str:
    """The last line: what was done, and what must not have happened. `whole`: it was not interrupted."""
    everything = total(tallies)
    done = f"{everything.runs} runs, {everything.faults} faults injected"
    wrong = ", ".join(f"{name} {getattr(everything, name)}" for name in WRONG)
    how = "good" if whole and all_good(tallies) else "NOT GOOD" if whole else "INTERRUPTED"
    return f"{how}: {done}, {wrong}"


def table(names: list[str], tallies: list[Tally]) -> str:
    """A line a count, a column a transport."""
    width = max(10, *map(len, names)) + 2
    lines = [" " * 10 + "".join(f"{name:>{width}}" for name in names)]
    for count in COUNTS:
        values = [getattr(tally, count.name) for tally in tallies]
        lines.append(f"{count.name:<10}" + "".join(f"{value:>{width}}" for value in values))
    return "\n".join(lines)
