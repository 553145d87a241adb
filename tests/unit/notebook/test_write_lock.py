"""Writers of entries take turns: who waits is woken, and who gives up lets go of a turn that comes too late."""

from pathlib import Path
from threading import Event, Thread

import pytest

from waymeet.notebook.write_lock import alone

PATIENCE = 60.0


def test_one_at_a_time_and_everybody_in_the_end(tmp_path: Path) -> None:
    inside, most, came = 0, 0, []

    def write(number: int) -> None:
        nonlocal inside, most
        with alone(tmp_path / "lock", PATIENCE):
            inside += 1
            most = max(most, inside)
            came.append(number)
            inside -= 1

    writers = [Thread(target=write, args=(number,)) for number in range(30)]
    for each in writers:
        each.start()
    for each in writers:
        each.join(PATIENCE)
    assert sorted(came) == list(range(30))
    assert most == 1
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600


def test_who_gives_up_does_not_keep_others_waiting(tmp_path: Path) -> None:
    held, done = Event(), Event()

    def hold() -> None:
        with alone(tmp_path / "lock", PATIENCE):
            held.set()
            done.wait(PATIENCE)

    holder = Thread(target=hold)
    holder.start()
    held.wait(PATIENCE)
    with pytest.raises(TimeoutError), alone(tmp_path / "lock", 0.05):
        pytest.fail("somebody else has it")
    done.set()
    holder.join(PATIENCE)
    with alone(tmp_path / "lock", PATIENCE):  # comes though the one who gave up was first in line
        pass


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"), alone(tmp_path / "no" / "lock", 1.0):
        pytest.fail("there is none")
