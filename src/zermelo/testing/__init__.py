"""Tests for games of your own: does a game keep the contract of `zermelo.core.game`?

    from zermelo.testing import check_game

    def test_my_game():
        check_game(MyGame)

`check_game` plays random games and compares, in every position, the results of the methods with each other and with
those of compiled code. `playthrough` writes one random game as text; compared with a stored copy (a golden file), it
shows any change of a game's behaviour.
"""

from zermelo.testing.checker import Report, check_game
from zermelo.testing.playthrough import playthrough

__all__ = ["Report", "check_game", "playthrough"]
