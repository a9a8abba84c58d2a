import subprocess
import sys

FORBIDDEN = ("torch", "numpy", "RocketSim", "onnxruntime", "rlbot", "rlbot_agent", "safetensors")


def test_the_dashboard_loads_neither_torch_nor_the_simulator_nor_the_bot() -> None:
    code = f"import sys, tui.__main__; print([m for m in {FORBIDDEN} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
