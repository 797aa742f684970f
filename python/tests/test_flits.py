# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""cxlgpu.flits: every field as `cxlgpu flit decode --json` prints it."""

import gzip
import json
import pathlib
import subprocess
from typing import Any

import cxlgpu
import pytest


def command_says(command: pathlib.Path, file: pathlib.Path, *words: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [command, "flit", "decode", "--json", *words, file], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def log(command: pathlib.Path, tmp_path_factory: Any) -> pathlib.Path:
    """Of a link with bit errors, so that flits are damaged, discarded and sent again."""
    file: pathlib.Path = tmp_path_factory.mktemp("log") / "flits.log.gz"
    words = ["vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=512", "--set", "link.bit_error_rate_s2m=1e-6"]
    subprocess.run([command, "run", *words, "--flit-log", file, "-q"], check=True)
    return file


@pytest.fixture(scope="module")
def vectors(source: pathlib.Path) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = json.loads((source / "flits/vectors/flits.json").read_text())["vectors"]
    return made


def test_a_log(log: pathlib.Path, command: pathlib.Path) -> None:
    read = list(cxlgpu.flits.read(log))
    assert read == command_says(command, log)
    assert len(read) > 500 and {flit["link"] for flit in read} == {"link0", "link1"}
    times = sorted(flit["time_ps"] for flit in read)
    first, last = times[len(times) // 4], times[len(times) // 2]
    some = list(cxlgpu.flits.read(log, link="link1", from_ps=first, to_ps=last))
    assert some == command_says(command, log, "--link", "link1", "--from-ps", str(first), "--to-ps", str(last))
    assert 0 < len(some) < len(read)
    plain = log.with_name("plain.log")
    plain.write_bytes(gzip.decompress(log.read_bytes()))
    assert list(cxlgpu.flits.read(str(plain))) == read


@pytest.mark.parametrize("direction", ["M2S", "S2M"])
def test_flits_of_the_standard(
    direction: Any, vectors: list[dict[str, Any]], command: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    digits = [vector["flit"] for vector in vectors if len(vector["flit"]) == 136]
    assert len(digits) > 20
    file = tmp_path / "bare.txt"
    file.write_text("\n".join(digits) + "\n")
    expected = command_says(command, file, "--direction", direction)
    assert cxlgpu.flits.decode(digits, direction) == expected
    assert cxlgpu.flits.decode([bytes.fromhex(one) for one in digits], direction) == expected
    assert cxlgpu.flits.decode(memoryview(bytes.fromhex("".join(digits))), direction) == expected
    assert list(cxlgpu.flits.read(file, direction=direction)) == expected


def test_one_flit_by_hand(vectors: list[dict[str, Any]]) -> None:
    read = next(vector["flit"] for vector in vectors if vector["name"] == "MemRd")
    (flit,) = cxlgpu.flits.decode(bytes.fromhex(read))
    message = flit["slots"][0]["messages"][0]
    assert (flit["direction"], flit["protocol"], flit["kind"]) == ("M2S", "CXL.cachemem", "protocol")
    assert (message["kind"], message["opcode"]) == ("M2S Req", "MemRd") and int(message["address"], 0) == 0x123456780
    assert flit["crc_ok"] is True and flit["discarded"] is False
    damaged = bytearray.fromhex(read)
    damaged[10] ^= 1
    (flit,) = cxlgpu.flits.decode(damaged)
    assert flit["crc_ok"] is False and flit["discarded"] is True
    assert cxlgpu.flits.decode(b"") == [] == cxlgpu.flits.decode([])


def test_a_reader_may_be_left(log: pathlib.Path) -> None:
    for _ in range(50):
        flits = cxlgpu.flits.read(log)
        assert next(flits)["link"] in ("link0", "link1")
        del flits


@pytest.mark.parametrize(
    ("flits", "wrong"),
    [
        (bytes(67), "67 bytes"),
        (bytes(69), "69 bytes"),
        ([bytes(68), bytes(3)], "flit 1: flit has 3 bytes"),
        ("zz", "is no flit"),
        ("g" * 136, "is no flit"),
        (None, "are no flits"),
        (7, "are no flits"),
        ([None], "has no bytes"),
        ([7], "has no bytes"),
        (["é" * 136], "is no flit"),
    ],
)
def test_bad_flits(flits: Any, wrong: str) -> None:
    with pytest.raises(cxlgpu.Error, match=wrong):
        cxlgpu.flits.decode(flits)


def test_bad_files(tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.log"
    bad.write_text("100 link0 M2S 00\n")
    cases: list[tuple[str | pathlib.Path, str]] = [
        (bad, "bad.log:1"),
        (tmp_path / "none", "none"),
        (tmp_path, str(tmp_path.name)),
        ("", "is no file"),
    ]
    for path, wrong in cases:
        with pytest.raises(cxlgpu.Error, match=wrong) as error:
            list(cxlgpu.flits.read(path))
        assert "\n" not in str(error.value)
    for words in [{"direction": "UP"}, {"link": 3}, {"from_ps": -1}, {"to_ps": 1.5}, {"direction": None}]:
        with pytest.raises(cxlgpu.Error):
            cxlgpu.flits.read(bad, **words)  # type: ignore[arg-type]
