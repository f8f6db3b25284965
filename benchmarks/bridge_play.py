"""Bridge with hidden hands: how many tricks more one player takes as declarer than the other, on the same deals.

    python benchmarks/bridge_play.py pimc strategy:simple --deals 21

Each deal is played twice, with the players exchanged. Minutes: `pimc` takes some seconds a deal.
"""

import argparse
import math
import random
import statistics

import report

from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.arena.players.specs import player_for
from zermelo.core.player_view import consistent
from zermelo.games.bridge import BridgePlay

CONTRACTS = ("3NT S", "4S S", "4H N", "1NT W", "2D E", "3C S", "2S W")


def dealt(number, source):
    """Return a random deal with one of the contracts, before the opening lead."""
    state = BridgePlay.parse(CONTRACTS[number % len(CONTRACTS)])
    cards = list(range(52))
    source.shuffle(cards)
    for card in cards:
        state = state.play(card)
    return state


def play(state, specs, seed):
    """Return the utility of a game between the players of MAX and MIN, each of whom sees its own view only."""
    source = random.Random(seed)

    def view(side):
        return consistent(state, side, source.getrandbits(40))

    players = {side: player_for(BridgePlay, spec) for side, spec in specs.items()}
    for side, player in players.items():
        player.new_game(GameSetup(view(side), side, source.getrandbits(40)))
    while not state.is_over():
        side = state.to_move()
        state = state.play(players[side].choose(Turn(view(side), (), (), Clock.of(TimeControl()))).move)
    return state.utility()


def main():
    parser = argparse.ArgumentParser(description="Compare two players of bridge-play on the same deals.")
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--deals", type=int, default=21)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)
    differences = []
    for number in range(options.deals):
        state = dealt(number, source)
        there = play(state, {1: options.one, -1: options.other}, number)
        back = play(state, {1: options.other, -1: options.one}, number)
        differences.append((there - back) / 2)  # the utility counts a trick twice: as won, and as not lost
        if number:
            error = statistics.stdev(differences) / math.sqrt(len(differences))
            print(f"{number + 1} deals: {statistics.mean(differences):+.2f} ± {error:.2f} tricks", flush=True)


if __name__ == "__main__":
    report.run(main)
