"""Train networks with PyTorch, on a GPU: the steps for `zermelo.learn.network_training`, in larger batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from zermelo.core.network import Network
from zermelo.errors import LimitError, MissingDependency
from zermelo.learn.features import Array
from zermelo.learn.network_training import LARGEST_WEIGHT, WEIGHT_DECAY, Sample, exchanged_inputs


class TorchTrainer:
    """Training on a device of PyTorch. Floating-point sums have no fixed order there, so two runs differ by rounding.

    Raises
    ------
    MissingDependency
        If PyTorch is not installed.
    LimitError
        If PyTorch does not have the device.
    """

    batch = 16_384

    def __init__(
        self, network: type[Network], sample: Sample, held_out: Sample, weights: dict[str, Array], slope: float,
        device: str,
    ) -> None:  # fmt: skip
        try:
            import torch
        except ImportError:
            raise MissingDependency("training on a device needs PyTorch: pip install 'zermelo[torch]'") from None
        try:
            torch.zeros(1, device=device)
        except (RuntimeError, AssertionError) as problem:
            raise LimitError(f"PyTorch has no device {device}: {str(problem).splitlines()[0]}") from None
        self._torch, self._network, self._slope, self._device = torch, network, slope, device
        self._padding = network.plane_count * network.squares
        # A last row that stays 0 stands for the unused places of a row of inputs.
        first_layer = np.append(weights["input_weights"], np.zeros((1, network.hidden), np.float32), 0)
        self._parameters = [
            torch.nn.Parameter(torch.as_tensor(each, dtype=torch.float32, device=device))
            for each in (first_layer, *(weights[name] for name in ("hidden_bias", "output_weights", "output_bias")))
        ]
        self._exchanged = torch.tensor(np.append(exchanged_inputs(network), self._padding), device=device)
        self._optimizer = torch.optim.AdamW(self._parameters, weight_decay=WEIGHT_DECAY)
        self._sample, self._held_out = (
            [torch.as_tensor(array, device=device) for array in part] for part in (sample, held_out)
        )

    def step(self, rows: Array, rate: float) -> None:
        torch = self._torch
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.zero_grad(set_to_none=True)
        (self._loss_of(self._sample, torch.as_tensor(rows, device=self._device)) / len(rows)).backward()
        self._optimizer.step()
        with torch.no_grad():
            for each in self._parameters:
                each.clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)
            second_layer = self._parameters[2]
            second_layer.copy_(self._network.balanced(second_layer.clone()))

    def loss(self) -> float:
        torch, count = self._torch, len(self._held_out[0])
        with torch.no_grad():
            parts = torch.arange(count, device=self._device).split(self.batch)
            return sum(float(self._loss_of(self._held_out, rows)) for rows in parts) / max(count, 1)

    def weights(self) -> dict[str, Array]:
        first_layer, *others = (each.detach().cpu().numpy().copy() for each in self._parameters)
        return dict(zip(self._network.shapes(), [first_layer[: self._padding], *others], strict=True))

    def _loss_of(self, part: list[Any], rows: Any) -> Any:
        """The sum of the losses of some rows."""
        torch = self._torch
        inputs, stages, targets = part
        first_layer, hidden_bias, second_layer, output_bias = self._parameters
        own = inputs[rows].long()
        own = torch.where(own < 0, self._padding, own)
        views = [
            torch.nn.functional.embedding_bag(each, first_layer, mode="sum", padding_idx=self._padding) + hidden_bias
            for each in (own, self._exchanged[own])
        ]
        hidden = torch.cat(views, 1).clamp(0, 1).square()
        stage = stages[rows].long()
        output = (hidden * second_layer[stage]).sum(1) + output_bias[stage]
        found = torch.sigmoid(self._slope * output) if self._slope > 0 else output
        return (found - targets[rows]).square().sum()
