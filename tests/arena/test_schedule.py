"""Pairings, numbers of games and sides for every format, in any order of results."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zermelo.arena.game_record import GameJob, GameResult
from zermelo.arena.plans.entrants import Entrant
from zermelo.arena.plans.knock_out import MAX_TIEBREAKS, seeded_bracket
from zermelo.arena.plans.pairing import Matching
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.schedule import LOOKAHEAD_FIRST, schedule_for
from zermelo.arena.plans.single_stage import berger_pairings
from zermelo.arena.plans.swiss import default_rounds

POINTS = (1.0, 0.5, 0.0)


def plan(count: int, format: str, games: int = 2, **more: object) -> Plan:
    entrants = tuple(Entrant(f"p{number}", "random") for number in range(count))
    return Plan("tictactoe", entrants, format, games, **more, is_checked=True)  # type: ignore[arg-type]


def result(job: GameJob, points: float) -> GameResult:
    return GameResult(job.number, job.names, points, "rules", round=job.round, game_pair=job.game_pair)


def play(of: Plan, points: Callable[[GameJob], float]) -> list[tuple[GameJob, float]]:
    """Play all games in order, each from a fresh call of the schedule."""
    results: dict[int, GameResult] = {}
    schedule = schedule_for(of)
    played = []
    while not schedule.is_over(results):
        new = list(schedule.jobs_from(results, first=len(results)))
        assert new, "nothing to play, and not over"
        for job in new:
            assert job.number == len(results)
            results[job.number] = result(job, points(job))
            played.append((job, results[job.number].points))
    assert schedule.total(results) == len(results)
    assert [job for job, _ in played] == schedule_for(of).jobs(results)
    return played


def draw_points(seed: int) -> Callable[[GameJob], float]:
    return lambda job: POINTS[hash((seed, job.number * 7919)) % 3]


def met(played: Sequence[tuple[GameJob, float]]) -> Counter[frozenset[str]]:
    return Counter(frozenset(job.names) for job, _ in played)


counts = st.integers(2, 20)
games = st.sampled_from([1, 2, 4, 6])
seeds = st.integers(0, 1000)


# ---- all formats ----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(["round-robin", "gauntlet", "knock-out", "swiss"]), counts, games, seeds)
def test_games_come_in_pairs_with_reversed_sides(format: str, count: int, games: int, seed: int) -> None:
    of = plan(count, format, games, openings="plies=2", seed=seed)
    played = play(of, draw_points(seed))
    pairs = defaultdict(list)
    for job, _ in played:
        pairs[job.game_pair].append(job)
    assert list(pairs) == list(range(len(pairs)))
    for pair in pairs.values():
        assert len({(job.start, job.opening, job.seed, job.round) for job in pair}) == 1
        if games > 1:
            first, second = pair
            assert second.number == first.number + 1
            assert first.names == second.names[::-1]
            assert first.players == second.players[::-1]
    assert len({job.seed for job, _ in played}) == len(pairs)
    rounds = [job.round for job, _ in played]
    assert rounds == sorted(rounds)
    assert set(rounds) == set(range(max(rounds) + 1))


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from(["match", "round-robin", "gauntlet", "knock-out", "swiss"]),
    st.integers(2, 9),
    games,
    seeds,
    st.randoms(use_true_random=False),
)
def test_known_games_do_not_depend_on_the_order_of_results(
    format: str, count: int, games: int, seed: int, dice: object
) -> None:
    """Results in any order, some games failed: the list of jobs only grows, and a new schedule gives the same."""
    of = plan(2 if format == "match" else count, format, games, seed=seed)
    points = draw_points(seed)
    results: dict[int, GameResult] = {}
    failed: set[int] = set()
    schedule = schedule_for(of)
    before: list[GameJob] = []
    while not schedule.is_over(results, failed):
        jobs = schedule.jobs(results, failed)
        assert jobs[: len(before)] == before
        assert [job.number for job in jobs] == list(range(len(jobs)))
        assert jobs == schedule_for(of).jobs(dict(results), set(failed))
        assert schedule.known_count(results, failed) == len(jobs)
        before = jobs
        open_jobs = [job for job in jobs if job.number not in results and job.number not in failed]
        assert open_jobs, "the schedule waits for games that nobody plays"
        job = dice.choice(open_jobs)  # type: ignore[attr-defined]
        if dice.random() < 0.1:  # type: ignore[attr-defined]
            failed.add(job.number)
        else:
            results[job.number] = result(job, points(job))
    assert schedule.counted(results, failed) == [results[number] for number in sorted(results)]


def test_games_are_handed_out_ahead() -> None:
    schedule = schedule_for(plan(2, "match", 10_000))
    results: dict[int, GameResult] = {}
    jobs = schedule.jobs(results)
    assert len(jobs) == LOOKAHEAD_FIRST
    assert schedule.total(results) == 10_000
    for job in jobs[1:]:
        results[job.number] = result(job, 1)
    assert len(schedule.jobs(results)) == LOOKAHEAD_FIRST
    results[0] = result(jobs[0], 1)
    assert len(schedule.jobs(results)) > LOOKAHEAD_FIRST


# ---- round robin, gauntlet ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(2, 21))
@pytest.mark.parametrize("games", [1, 2, 4])
def test_round_robin_has_all_pairings(count: int, games: int) -> None:
    played = play(plan(count, "round-robin", games), lambda job: 0.5)
    pairs = {frozenset((f"p{one}", f"p{other}")) for one, other in itertools.combinations(range(count), 2)}
    assert met(played) == dict.fromkeys(pairs, games)
    begun = Counter(job.names[0] for job, _ in played)
    if games > 1:
        assert set(begun.values()) == {(count - 1) * games // 2}
    else:  # as nearly half of the games as can be
        assert {begun[f"p{one}"] for one in range(count)} <= {(count - 1) // 2, count // 2}
    for _, jobs in itertools.groupby(played, lambda each: each[0].round):  # nobody is in two places
        names = [name for job, _ in jobs for name in job.names]
        assert set(Counter(names).values()) == {min(games, 2)}


def test_round_robin_matches_the_published_tables() -> None:
    """FIDE Handbook, C.05 Annex 1: the Berger table of 7 or 8 players."""
    table = """
    1-8 2-7 3-6 4-5
    8-5 6-4 7-3 1-2
    2-8 3-1 4-7 5-6
    8-6 7-5 1-4 2-3
    3-8 4-2 5-1 6-7
    8-7 1-6 2-5 3-4
    4-8 5-3 6-2 7-1
    """
    rounds = [[tuple(map(int, pair.split("-"))) for pair in line.split()] for line in table.strip().splitlines()]
    found: list[list[tuple[int, int]]] = [[] for _ in rounds]
    for meeting in berger_pairings(8):
        found[meeting.round].append((meeting.first + 1, meeting.second + 1))
    assert found == rounds


def test_each_pair_of_players_has_the_same_openings() -> None:
    played = play(plan(4, "round-robin", 6, openings="plies=2"), lambda job: 0.5)
    openings = defaultdict(list)
    for job, _ in played:
        openings[frozenset(job.names)].append(job.opening)
    first, *others = openings.values()
    assert len(set(first)) == 3
    assert all(other == first for other in others)


def test_gauntlet_pairs_the_first_with_all_others() -> None:
    played = play(plan(5, "gauntlet", 4), lambda job: 0.5)
    assert met(played) == {frozenset(("p0", f"p{other}")): 4 for other in range(1, 5)}


# ---- knock-out ------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(counts, games, seeds)
def test_the_winner_of_a_knock_out_lost_no_match(count: int, games: int, seed: int) -> None:
    played = play(plan(count, "knock-out", games, seed=seed), draw_points(seed))
    ties: dict[tuple[int, frozenset[str]], dict[str, float]] = {}
    for job, points in played:
        score = ties.setdefault((job.round, frozenset(job.names)), dict.fromkeys(job.names, 0.0))
        score[job.names[0]] += points
        score[job.names[1]] += 1 - points
    assert len(ties) == count - 1
    out: set[str] = set()
    for round, tied in itertools.groupby(ties.items(), lambda item: item[0][0]):
        playing = [name for (_, names), _ in tied for name in names]
        assert len(playing) == len(set(playing))
        assert not out & set(playing), f"somebody who is out plays in round {round}"
        for (each, _), score in ties.items():
            if each == round and len(set(score.values())) > 1:
                out.add(min(score, key=lambda name: score[name]))
    results = {job.number: result(job, points) for job, points in played}
    schedule = schedule_for(plan(count, "knock-out", games, seed=seed))
    winner = schedule.winner(results)
    assert winner is not None
    assert winner not in out
    assert schedule.winner({}) is None
    for (_, names), number in Counter((job.round, frozenset(job.names)) for job, _ in played).items():
        assert number in range(games, games + 2 * MAX_TIEBREAKS + 1, 2), names


def test_level_matches_are_decided_by_lot() -> None:
    winners = set()
    for seed in range(20):
        played = play(plan(2, "knock-out", 2, seed=seed), lambda job: 0.5)
        assert len(played) == 2 + 2 * MAX_TIEBREAKS
        of = plan(4, "knock-out", 2, seed=seed)
        winners.add(schedule_for(of).winner({job.number: result(job, 0.5) for job, _ in play(of, lambda job: 0.5)}))
    assert winners == {"p0", "p1", "p2", "p3"}


def test_top_seeds_meet_late() -> None:
    assert seeded_bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert seeded_bracket(5) == [0, None, 3, 4, 1, None, 2, None]
    played = play(plan(16, "knock-out", 2), lambda job: float(int(job.names[0][1:]) < int(job.names[1][1:])))
    assert set(played[-1][0].names) == {"p0", "p1"}


# ---- Swiss ------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(counts, games, seeds, st.integers(0, 12))
@example(count=5, games=1, seed=5, rounds=0)  # a player has a second bye, which avoids a rematch
def test_swiss_pairings(count: int, games: int, seed: int, rounds: int) -> None:
    """Everyone plays in each round except the bye; no rematch, then no second bye, while it can be avoided."""
    of = plan(count, "swiss", games, rounds=rounds, seed=seed)
    played = play(of, draw_points(seed))
    rounds = rounds or default_rounds(count)
    before: set[frozenset[str]] = set()
    free: Counter[str] = Counter()
    names = {f"p{number}" for number in range(count)}
    by_round = {round: list(jobs) for round, jobs in itertools.groupby(played, lambda each: each[0].round)}
    assert len(by_round) == rounds
    for round in range(rounds):
        pairs = {frozenset(job.names) for job, _ in by_round[round]}
        assert Counter(frozenset(job.names) for job, _ in by_round[round]) == dict.fromkeys(pairs, games)
        playing = [name for pair in pairs for name in pair]
        assert len(playing) == len(set(playing)) == count - count % 2
        for name in names - set(playing):
            fewer = [each for each in names if free[each] < free[name]]
            assert not any(_can_all_be_new(sorted(names - {each}), before) for each in fewer)
            free[name] += 1
        if pairs & before:
            assert not _can_all_be_new(sorted(names), before)
        before |= pairs
    results = {job.number: result(job, points) for job, points in played}
    assert schedule_for(of).bye_points(results) == {name: games * times for name, times in free.items()}


def _can_all_be_new(names: list[str], before: set[frozenset[str]]) -> bool:
    """Exhaustive search: whether all players (except a bye) can have a new opponent."""
    if len(names) < 2:
        return True
    first, *others = names
    pairs = (other for other in others if frozenset((first, other)) not in before)
    if any(_can_all_be_new([each for each in others if each != other], before) for other in pairs):
        return True
    return len(names) % 2 == 1 and _can_all_be_new_even(others, before)


def _can_all_be_new_even(names: list[str], before: set[frozenset[str]]) -> bool:
    return len(names) % 2 == 0 and _can_all_be_new(names, before)


def test_swiss_pairs_upper_against_lower_half() -> None:
    wins = play(plan(8, "swiss", 2, rounds=2), lambda job: float(int(job.names[0][1:]) < int(job.names[1][1:])))
    rounds = [
        [tuple(sorted(job.names)) for job, _ in jobs][::2] for _, jobs in itertools.groupby(wins, lambda x: x[0].round)
    ]
    assert rounds[0] == [("p0", "p4"), ("p1", "p5"), ("p2", "p6"), ("p3", "p7")]
    assert rounds[1] == [("p0", "p2"), ("p1", "p3"), ("p4", "p6"), ("p5", "p7")]


def test_swiss_finds_the_best() -> None:
    played = play(plan(33, "swiss", 2), lambda job: float(int(job.names[0][1:]) < int(job.names[1][1:])))
    points: dict[str, float] = defaultdict(float)
    for job, each in played:
        points[job.names[0]] += each
        points[job.names[1]] += 1 - each
    assert max(points, key=lambda name: points[name]) == "p0"


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 9), st.data())
def test_matchings_are_maximum(count: int, data: st.DataObject) -> None:
    edges = list(itertools.combinations(range(count), 2))
    chosen = [edge for edge in edges if data.draw(st.booleans())]
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for one, other in chosen:
        neighbours[one].append(other)
        neighbours[other].append(one)
    mate = Matching(neighbours).mate
    assert all(other < 0 or (mate[other] == one and other in neighbours[one]) for one, other in enumerate(mate))

    def largest(left: list[tuple[int, int]]) -> int:
        if not left:
            return 0
        (one, other), *rest = left
        free = [edge for edge in rest if one not in edge and other not in edge]
        return max(1 + largest(free), largest(rest))

    assert sum(other >= 0 for other in mate) == 2 * largest(chosen)


# ---- SPRT --------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=6)
@given(seeds, st.randoms(use_true_random=False), st.sets(st.integers(0, 60), max_size=4))
def test_sprt_does_not_depend_on_the_order_of_results(seed: int, dice: object, failing: set[int]) -> None:
    of = plan(2, "match", 2_000, sprt="elo0=0,elo1=150", seed=seed)

    def points(job: GameJob) -> float:
        share = POINTS[hash((seed, job.number)) % 3] if hash((seed, 1, job.number)) % 3 else 1.0
        return share if job.number % 2 == 0 else 1 - share

    counted = []
    for shuffled in (False, True):
        schedule = schedule_for(of)
        results: dict[int, GameResult] = {}
        failed: set[int] = set()
        waiting: list[GameJob] = []
        given_out = 0
        while not schedule.is_over(results, failed):
            waiting += schedule.jobs_from(results, failed, given_out)
            given_out = max(given_out, schedule.known_count(results, failed))
            place = dice.randrange(min(20, len(waiting))) if shuffled else 0  # type: ignore[attr-defined]
            job = waiting.pop(place)
            if job.number in failing:
                failed.add(job.number)
            else:
                results[job.number] = result(job, points(job))
        counted.append([each.number for each in schedule.counted(results, failed)])
        anew = schedule_for(of)
        assert anew.is_over(dict(results), failed)
        assert [each.number for each in anew.counted(dict(results), failed)] == counted[-1]
        assert anew.total(dict(results), failed) == schedule.total(results, failed)
        monitor = schedule.sprt(results, failed)
        assert monitor is not None
        assert len(monitor.llr_path) <= len(counted[-1]) // 2
        if monitor.stopped_at is not None:
            assert len(counted[-1]) + len(failing & set(range(counted[-1][-1] + 1))) == schedule.total(results, failed)
    assert counted[0] == counted[1]


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(["knock-out", "swiss"]), st.integers(3, 9), seeds, st.randoms(use_true_random=False))
def test_failed_games_change_no_later_pairings(format: str, count: int, seed: int, dice: object) -> None:
    """A resumed tournament does not know of earlier failures; rounds begun after them stay the same."""
    of = plan(count, format, 2, seed=seed)
    points = draw_points(seed)
    results: dict[int, GameResult] = {}
    failed: set[int] = set()
    schedule = schedule_for(of)
    jobs: list[GameJob] = []
    while not schedule.is_over(results, failed):
        jobs = schedule.jobs(results, failed)
        for job in jobs[len(results) + len(failed) :]:
            if dice.random() < 0.2:  # type: ignore[attr-defined]
                failed.add(job.number)
            else:
                results[job.number] = result(job, points(job))
    later = schedule_for(of).jobs(dict(results))
    assert later == jobs[: len(later)]
    assert max(results, default=-1) < len(later)
