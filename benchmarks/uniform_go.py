"""Go whose playouts choose uniformly among the moves that fill no own eye, for `mcts.py`."""

from zermelo import game
from zermelo.games.go import Go


@game
class UniformGo(Go):
    """Go with uniform playouts."""

    def playout_move(self, random: int) -> int:
        return self.uniform_move(random)
