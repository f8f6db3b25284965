"""Train networks with PyTorch, on a GPU.

The loss, the first weights and the schedule are those of `zermelo.learn.network_training`; the batches are larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from zermelo.core.network import Network
from zermelo.errors import LimitError, MissingDependency
from zermelo.learn.features import Array
from zermelo.learn.least_squares import Progress
from zermelo.learn.network_training import (
    LARGEST_WEIGHT,
    LEARNING_RATE,
    PATIENCE,
    WEIGHT_DECAY,
    Sample,
    exchanged_inputs,
    first_weights,
    named_weights,
)

#: Positions of a batch, at most.
BATCH = 16_384


def train_by_torch(
    network: type[Network],
    sample: Sample,
    held_out: Sample,
    *,
    device: str,
    slope: float = 1.0,
    passes: int = 20,
    seed: int = 0,
    rate: float = LEARNING_RATE,
    start: dict[str, Array] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> dict[str, Array]:
    """Return the weights of the lowest held-out loss, as `Network.from_floats` takes them.

    The parameters are those of `zermelo.learn.network_training.train_network`, and `device`, the name of a device of
    PyTorch: "cpu", "cuda". Floating-point sums have no fixed order there, so two runs differ by rounding.

    Raises
    ------
    MissingDependency
        If PyTorch is not installed.
    LimitError
        If PyTorch does not have the device.
    """
    try:
        import torch
        from torch.nn.functional import embedding_bag
    except ImportError:
        raise MissingDependency("training on a device needs PyTorch: pip install 'zermelo[torch]'") from None
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as problem:
        raise LimitError(f"PyTorch has no device {device}: {str(problem).splitlines()[0]}") from None

    first = first_weights(network, np.random.default_rng(seed))
    weights = named_weights(network, first) if start is None else start
    inputs = network.plane_count * network.squares
    # The last row stays 0: it stands for the unused places of a row of inputs.
    hidden_rows = np.append(weights["input_weights"], np.zeros((1, network.hidden), np.float32), 0)
    parameters = [
        torch.nn.Parameter(torch.as_tensor(each, dtype=torch.float32, device=device))
        for each in (hidden_rows, *(weights[name] for name in ("hidden_bias", "output_weights", "output_bias")))
    ]
    first_layer, hidden_bias, second_layer, output_bias = parameters
    exchanged = torch.tensor(np.append(exchanged_inputs(network), inputs), device=device)
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=WEIGHT_DECAY)

    def on_device(part: Sample) -> tuple[torch.Tensor, ...]:
        rows = torch.as_tensor(part.inputs, device=device)
        return rows, torch.as_tensor(part.stages, device=device), torch.as_tensor(part.targets, device=device)

    def loss_of(part: tuple[torch.Tensor, ...], rows: torch.Tensor) -> torch.Tensor:
        own = part[0][rows].long()
        own = torch.where(own < 0, inputs, own)
        views = [
            embedding_bag(each, first_layer, mode="sum", padding_idx=inputs) + hidden_bias
            for each in (own, exchanged[own])
        ]
        hidden = torch.cat(views, 1).clamp(0, 1).square()
        stages = part[1][rows].long()
        output = (hidden * second_layer[stages]).sum(1) + output_bias[stages]
        found = torch.sigmoid(slope * output) if slope > 0 else output
        return (found - part[2][rows]).square().sum()

    train, check = on_device(sample), on_device(held_out)
    count, checked = len(sample.inputs), len(held_out.inputs)
    batch = min(BATCH, -(-count // 8))
    steps = passes * -(-count // batch)
    source = torch.Generator().manual_seed(seed)
    best, lowest, failed, step = weights, math.inf, 0, 0
    try:
        for iteration in range(1, passes + 1):
            order = torch.randperm(count, generator=source).to(device)
            for rows in order.split(batch):
                step += 1
                for group in optimizer.param_groups:
                    group["lr"] = rate * (1 + math.cos(math.pi * step / steps)) / 2
                optimizer.zero_grad(set_to_none=True)
                (loss_of(train, rows) / len(rows)).backward()
                optimizer.step()
                with torch.no_grad():
                    for each in parameters:
                        each.clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)
                    if network.move_bonus is not None:
                        own, other = second_layer.chunk(2, 1)
                        own.copy_((own - other) / 2)
                        other.copy_(-own)
            with torch.no_grad():
                parts = torch.arange(checked, device=device).split(BATCH)
                error = sum(float(loss_of(check, rows)) for rows in parts) / max(checked, 1)
            failed += 1
            if error < lowest:
                arrays = [each.detach().cpu().numpy() for each in parameters]
                best = dict(zip(network.shapes(), [arrays[0][:inputs], *arrays[1:]], strict=True))
                best = {name: array.copy() for name, array in best.items()}
                lowest, failed = error, 0
            on_progress(Progress(iteration, error, lowest))
            if failed >= PATIENCE:
                break
    except KeyboardInterrupt:
        pass
    return best
