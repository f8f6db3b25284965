from __future__ import annotations
from zermelo.evaluation import Evaluation, evaluation
@evaluation
class Material(Evaluation):
    """5 for each king and 1 for each man of black, minus the same of white."""

    def score(self, state):
        black = state.black.count() + 4 * (state.black & state.kings).count()
        white = state.white.count() + 4 * (state.white & state.kings).count()
        return black - white

EVALUATIONS = {"material": Material()}
