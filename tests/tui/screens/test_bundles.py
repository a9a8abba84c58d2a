"""Export and verify from the dashboard, with the real programs on a real checkpoint."""

from tests.trainer.tiny_runs import train_tiny
from tests.tui.conftest import record, until
from tests.tui.screens.pages import opened
from trainer.checkpoint_folder import list_checkpoints
from trainer.run_dir import RunDir


async def test_a_checkpoint_is_exported_and_its_bundle_verified_in_view(run: RunDir) -> None:
    train_tiny(run, iterations=1)
    (folder,) = list_checkpoints(run)
    bundle = run.bundles / str(int(folder.name))
    for file in (run.status, run.metrics, run.events):
        file.unlink()
    record(run)
    async with opened(run, "5") as page:
        await page.has_rows(1)
        await page.pilot.press("e")
        await until(
            page.pilot,
            lambda: page.text("#child-state") == f"Done: {bundle}",
            "it is exported",
            seconds=90,
        )
        assert (bundle / "policy.onnx").exists()
        await page.pilot.press("escape", "v")
        await until(
            page.pilot,
            lambda: "it plays as it was trained" in page.text("#child-state"),
            "it is verified",
            seconds=90,
        )
