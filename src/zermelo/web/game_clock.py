"""The clock of a game: the seconds left to both sides, of which at most one runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from zermelo.web.game_store import ClockSetting, Side


class GameClock:
    """A clock that stands.

    Parameters
    ----------
    setting : ClockSetting
        Time and increment.
    left : tuple of float
        Seconds left to MAX and MIN.
    """

    def __init__(self, setting: ClockSetting, left: tuple[float, float]) -> None:
        self.setting = setting
        #: The side whose time runs.
        self.running: Side | None = None
        self._left: dict[Side, float] = {"max": left[0], "min": left[1]}
        self._since = 0.0
        self._flag: asyncio.TimerHandle | None = None

    @property
    def left(self) -> tuple[float, float]:
        """Seconds left to MAX and MIN now."""
        return self.left_to("max"), self.left_to("min")

    def left_to(self, side: Side) -> float:
        """Return the seconds left to a side now."""
        spent = time.monotonic() - self._since if side == self.running else 0.0
        return max(self._left[side] - spent, 0.0)

    def start(self, side: Side, on_flag: Callable[[], None]) -> None:
        """Let the time of a side run; `on_flag` is called when it is over."""
        self.running, self._since = side, time.monotonic()
        self._flag = asyncio.get_running_loop().call_later(self._left[side], on_flag)

    def stop(self, *, moved: bool = False) -> None:
        """Stop the clock; a side that has moved gets the increment."""
        if self._flag is not None:
            self._flag.cancel()
        if self.running is not None:
            self._left[self.running] = self.left_to(self.running) + (self.setting.increment if moved else 0.0)
        self.running = self._flag = None
