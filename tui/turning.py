"""An app that turns from run to run: to one that is there, to a new one, or back to a checkpoint.

Whatever is left behind stays as it is, or is stopped first where that was agreed to. Tested by
`tests/tui/test_turning.py`.
"""

import asyncio
from collections.abc import Callable

from trainer.branch import BranchError, branch
from trainer.checkpoint_list import CheckpointRefusedError
from trainer.config_file import ConfigError, load_config
from trainer.control import CommandName, send
from trainer.run_dir import RunDir
from tui import launcher
from tui.following import FollowingApp
from tui.launcher import Launch
from tui.messages import NewRunWanted, RollBackWanted, RunWanted
from tui.quitting import Quitting
from tui.rolling_back import Order, RollingBack
from tui.screens.new_run import NewRun
from tui.watched import RefusedError, Watched, watch


class TurningApp(FollowingApp):
    """One run after another."""

    _rolling: RollingBack | None = None
    """The way back that is being gone."""

    @property
    def going_back(self) -> bool:
        """Whether a run is on its way back to a checkpoint."""
        return self._rolling is not None and self._rolling.stage != "over"

    def _take_up(self, watched: Watched) -> None:
        super()._take_up(watched)
        self._rolling = None

    def on_run_wanted(self, message: RunWanted) -> None:
        """Watch another run; nothing is started for it."""
        run = RunDir(message.path)
        if not self._refuse_while_going_back():
            self._turn(lambda: Watched(run, load_config(run.config)))

    def on_new_run_wanted(self, message: NewRunWanted) -> None:
        """Open the form; what comes of it is trained and watched."""
        if self._refuse_while_going_back():
            return

        def made(launch: Launch | None) -> None:
            if launch is not None:
                self._turn(lambda: watch(launch))

        self.push_screen(NewRun(message.folder), made)

    def on_roll_back_wanted(self, message: RollBackWanted) -> None:
        """Begin the way back, unless one is being gone."""
        if not self.going_back:
            self._rolling = RollingBack(self.run_dir.path, message.checkpoint, message.new_run)
            self._show_state()

    def _refuse_while_going_back(self) -> bool:
        """Whether it is too early to turn elsewhere: the old run would never be gone on from."""
        if self._rolling is not None and self.going_back:
            self.notify(f"Wait a moment: {self._rolling.words}", severity="warning", markup=False)
            return True
        return False

    def _give_up_going_back(self) -> Quitting | None:
        """Go no further than what the run was asked already; None when it does not go back."""
        if self._rolling is None or not self.going_back:
            return None
        return self._rolling.give_up(self._clock())

    def _show_state(self) -> None:
        super()._show_state()
        launcher.reap()
        if self.is_running and self._rolling is not None:
            for order in self._rolling.orders(self.situation, self._known.now):
                self._go_back(order, self._rolling)

    def _go_back(self, order: Order, rolling: RollingBack) -> None:
        if order == "branch":
            self.notify(rolling.words, markup=False)
            self.run_worker(self._branch(rolling))
        elif order == "launch":
            self._turn(lambda: watch(Launch(RunDir(rolling.new_run))))
        elif order == "send":
            self._send("quit")
        else:
            launcher.interrupt(self._known.status, self._watched.child)

    async def _branch(self, rolling: RollingBack) -> None:
        old, new = RunDir(rolling.run), RunDir(rolling.new_run)
        try:
            await asyncio.to_thread(branch, old, rolling.checkpoint, new)
        except (BranchError, CheckpointRefusedError, ConfigError, OSError) as error:
            rolling.refused(str(error))
        else:
            rolling.branched(self._clock())
        self.notify(
            rolling.words, severity="error" if rolling.refusal else "information", markup=False
        )
        self._show_state()

    def _turn(self, take_up: Callable[[], Watched]) -> None:
        """Watch what `take_up` gives, or say why it gives nothing."""
        try:
            watched = take_up()
        except (RefusedError, ConfigError, OSError) as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            self.run_worker(self.watch_run(watched))

    def _send(self, command: CommandName) -> bool:
        try:
            send(self.run_dir, command)
        except OSError as error:
            self.notify(f"The trainer cannot be asked: {error}", severity="error", markup=False)
            return False
        return True
