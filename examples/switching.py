"""Shannon's switching game, with a dict: Short keeps edges to connect home and goal, Cut removes edges."""

from zermelo import MAX, MIN, game

NETWORK = {
    "home": ("ash", "birch"),
    "ash": ("home", "birch", "cedar", "elm"),
    "birch": ("home", "ash", "elm"),
    "cedar": ("ash", "elm", "goal"),
    "elm": ("ash", "birch", "cedar", "goal"),
    "goal": ("cedar", "elm"),
}
EDGES = sorted({tuple(sorted((here, there))) for here, others in NETWORK.items() for there in others})


def connected(edges):
    """Whether a path of these edges leads from home to the goal."""
    reached = {"home"}
    while True:
        more = {there for edge in edges if reached & set(edge) for there in edge} - reached
        if not more:
            return "goal" in reached
        reached |= more


@game(compiled=False)
class Switching:
    """Shannon's switching game. `owner` maps each edge that was played to the player who took it: MAX is Short."""

    owner: dict = {}
    turn: int = MAX

    def key(self):
        return frozenset(self.owner.items()), self.turn

    def to_move(self):
        return self.turn

    def moves(self):
        return [edge for edge in EDGES if edge not in self.owner]

    def play(self, edge):
        return Switching({**self.owner, edge: self.turn}, -self.turn)

    def is_over(self):
        kept = [edge for edge, player in self.owner.items() if player == MAX]
        return connected(kept) or not connected([edge for edge in EDGES if self.owner.get(edge) != MIN])

    def utility(self):
        return 1 if connected([edge for edge in EDGES if self.owner.get(edge) == MAX]) else -1

    def board(self):
        return "\n".join(f"{' - '.join(edge):15}{'.SC'[self.owner.get(edge, 0)]}" for edge in EDGES)

    def player_name(self, player):
        return "Short" if player == MAX else "Cut"
