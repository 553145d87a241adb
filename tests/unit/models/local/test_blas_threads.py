"""Threads of BLAS: one while vectors are computed, as many as before afterwards."""

from threading import Event, Thread

import pytest

from waymeet.models.local.blas_threads import _find_blas, run_batches, single_threaded_blas


def _count_threads() -> list[int]:
    return [library["num_threads"] for library in _find_blas().info()]


@pytest.fixture
def before() -> list[int]:
    threads = _count_threads()
    if not any(number > 1 for number in threads):
        pytest.skip("BLAS has one thread here")
    return threads


def test_products_use_one_thread_while_batches_run(before: list[int]) -> None:
    seen: list[list[int]] = []
    for batches in ([[0]], [[0], [1], [2]]):
        run_batches(lambda _: seen.append(_count_threads()), batches)
        assert _count_threads() == before
    assert seen == [[1] * len(before)] * 4


def test_the_last_of_several_users_restores_the_limit_of_the_first(before: list[int]) -> None:
    entered, leave = Event(), Event()

    def first() -> None:
        with single_threaded_blas():
            entered.set()
            leave.wait(10)

    thread = Thread(target=first)
    thread.start()
    entered.wait(10)
    with single_threaded_blas():
        leave.set()
        thread.join()
        assert _count_threads() == [1] * len(before)
    assert _count_threads() == before


def test_a_limit_is_restored_while_the_thread_that_set_it_is_alive(before: list[int]) -> None:
    entered, leave, left, end = Event(), Event(), Event(), Event()

    def first() -> None:
        with single_threaded_blas():
            entered.set()
            leave.wait(10)
        left.set()
        end.wait(10)

    thread = Thread(target=first)
    thread.start()
    entered.wait(10)
    with single_threaded_blas():
        leave.set()
        left.wait(10)
    assert _count_threads() == before
    end.set()
    thread.join()
