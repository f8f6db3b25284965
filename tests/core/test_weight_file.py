"""Weight files (`zermelo.core.weight_file`): what is written is read, everything else is refused."""

import json
import struct
import time

import numpy as np
import pytest

from zermelo import FileError, Float32Weights, FormatError, Int8Weights, Weights, evaluation, load
from zermelo.core.array_file import Provenance, digest
from zermelo.core.patterns import Patterns, symmetric
from zermelo.core.weight_file import WEIGHTS, chosen_evaluation, from_bytes, load_weights, save_weights, to_bytes
from zermelo.games.othello.patterns import DiscPatterns

OTHELLO, CHESS = load("othello"), load("chess")
MADE = Provenance("zermelo learn othello --games 200 --seed 1", 1, "0123abcd")


def discs(seed=1):
    weights = np.random.default_rng(seed).integers(-32767, 32768, (DiscPatterns.stages, DiscPatterns.weight_count()))
    return DiscPatterns.with_weights(weights)


@evaluation
class Several:
    table: Weights
    small: Int8Weights
    real: Float32Weights
    scale: int = 3

    def score(self, state):
        return int(self.table[0, 0] + self.small[0] * self.real[0])


SEVERAL = Several([[1, 2**62], [-3, 4]], [-128, 127], [0.5, -1e30])


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "discs.weights"
    made = discs()
    save_weights(path, OTHELLO, made, MADE)
    begin = time.process_time()
    found, provenance = load_weights(path, OTHELLO, DiscPatterns)
    print(f"loaded in {time.process_time() - begin:.3f} s, {path.stat().st_size:,} bytes")
    assert found == made
    assert provenance == MADE
    assert path.stat().st_size < 4_000_000
    assert from_bytes(to_bytes(CHESS, SEVERAL), CHESS, Several, "x") == (SEVERAL, Provenance())


def test_the_same_weights_give_the_same_bytes():
    assert to_bytes(OTHELLO, discs(), MADE) == to_bytes(OTHELLO, discs(), MADE)
    assert to_bytes(OTHELLO, discs(2), MADE) != to_bytes(OTHELLO, discs(), MADE)


def test_a_file_is_chosen_by_its_path_and_names_its_evaluation(tmp_path):
    path = str(tmp_path / "discs.weights")
    made = discs()
    save_weights(path, OTHELLO, made)
    assert chosen_evaluation(OTHELLO, path) == made
    assert [chosen_evaluation(OTHELLO, name) for name in ("diff", "no_such", None)] == ["diff", "no_such", None]
    with pytest.raises(FormatError, match="for the game 'Othello', not Chess"):
        chosen_evaluation(CHESS, path)
    save_weights(path, OTHELLO, Several([[1]], [1], [1]))
    with pytest.raises(FormatError, match="for the evaluation 'Several'; Othello does not have it"):
        chosen_evaluation(OTHELLO, path)
    with pytest.raises(FileError, match="No such file"):
        chosen_evaluation(OTHELLO, f"{path}x")


def test_the_format_is_as_documented():
    content = to_bytes(CHESS, SEVERAL, MADE)
    magic, version, length = struct.unpack_from("<8sII", content)
    assert (magic, version) == (b"ZERMELOW", 1)
    assert (16 + length) % 64 == 0
    header = json.loads(content[16 : 16 + length])
    assert (header["game"], header["evaluation"]) == ("Chess", "Several")
    assert [header[name] for name in Provenance._fields] == list(MADE)
    assert header["arrays"][1] == {"name": "small", "dtype": "int8", "shape": [2]}
    assert np.frombuffer(content[16 + length :][:32], "<i8").tolist() == [1, 2**62, -3, 4]
    assert content[16 + length + 64 :][:2] == b"\x80\x7f"


def refused(content, match, game=CHESS, kind=Several):
    with pytest.raises(FormatError, match=match):
        from_bytes(content, game, kind, "w.weights")


def test_damaged_files_are_refused():
    content = to_bytes(CHESS, SEVERAL)
    refused(b"", "w.weights is not a weight file: it does not start with ZERMELOW")
    refused(b"PNG" + content, "is not a weight file")
    for at in range(16, len(content)):
        broken = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        refused(broken, r"w\.weights: the weight file is damaged \(wrong checksum\)")
    for end in range(48, len(content)):
        refused(content[:end], "damaged")
    refused(content + b"\0", "damaged")


def test_other_versions_are_refused():
    content = to_bytes(CHESS, SEVERAL)
    older = content[:8] + struct.pack("<I", 0) + content[12:-32]
    refused(older + digest(older), "weight file of version 0; this version of Zermelo reads version 1")


def test_weights_of_something_else_are_refused():
    refused(to_bytes(OTHELLO, SEVERAL), "these weights are for the game 'Othello', not Chess")
    refused(
        to_bytes(CHESS, SEVERAL),
        "these weights are for the evaluation 'Several', not DiscPatterns",
        CHESS,
        DiscPatterns,
    )

    def corners(count):
        @evaluation
        class Corners(Patterns):
            patterns = (symmetric(8, 8, "a1 b2"),)
            stages = count

            def planes(self, state):
                return state.black, state.white

        return Corners

    before = to_bytes(OTHELLO, corners(1).with_weights(), MADE)
    assert from_bytes(before, OTHELLO, corners(1), "x")[1] == MADE
    refused(
        before,
        "Corners or Othello has been changed since .*; make them again with 'zermelo learn othello --g",
        OTHELLO,
        corners(2),
    )


def with_header(**changed):
    content = to_bytes(CHESS, SEVERAL)
    length = struct.unpack_from("<I", content, 12)[0]
    header = {**json.loads(content[16 : 16 + length]), **changed}
    text = json.dumps({key: value for key, value in header.items() if value != "absent"}).encode()
    text += b" " * (-(len(text) + 16) % 64)
    body = WEIGHTS.magic + struct.pack("<II", 1, len(text)) + text + content[16 + length : -32]
    return body + digest(body)


ARRAYS = [
    {"name": "table", "dtype": "int64", "shape": [2, 2]},
    {"name": "small", "dtype": "int8", "shape": [2]},
    {"name": "real", "dtype": "float32", "shape": [2]},
]


def test_wrong_headers_are_refused():
    assert from_bytes(with_header(), CHESS, Several, "x")[0] == SEVERAL
    assert from_bytes(with_header(arrays=ARRAYS), CHESS, Several, "x")[0] == SEVERAL
    for wrong in ({"game": 3}, {"seed": "1"}, {"data": "absent"}, {"arrays": "absent"}, {"arrays": 3}, {"arrays": [3]},
                  {"arrays": [{"name": "table"}]}):  # fmt: skip
        refused(with_header(**wrong), "the weight file has a wrong header")
    for change in ({"shape": [2, -2]}, {"shape": [2, 2**40]}, {"shape": [2, 10]}, {"dtype": "object"}, {"name": 3},
                   {"shape": [2, True]}):  # fmt: skip
        refused(with_header(arrays=[ARRAYS[0] | change, *ARRAYS[1:]]), "wrong header|must be an array")
    refused(with_header(arrays=ARRAYS[:1]), "wrong header")
    refused(
        with_header(arrays=[ARRAYS[0] | {"name": "other"}, *ARRAYS[1:]]), "Several has the arrays table, small, real"
    )
    refused(with_header(arrays=[ARRAYS[0] | {"dtype": "int32"}, *ARRAYS[1:]]), "wrong header|must be an array of int64")


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(FileError):
        load_weights(tmp_path / "none", OTHELLO, DiscPatterns)
    with pytest.raises(FileError, match="directory not found"):
        save_weights(tmp_path / "none" / "w", CHESS, SEVERAL)
