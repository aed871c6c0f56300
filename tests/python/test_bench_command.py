# SPDX-License-Identifier: MIT
"""The benchmark's command line: its forms, and one line for whatever it cannot use."""

from __future__ import annotations

import pytest

from convtranspose.bench.command import SPECIALS, add_arguments, main
from convtranspose.cli import main as cli
from convtranspose.command_line import OneLineErrorParser

LAYER = "n2_c8x5x6_o12x10x12_k4x4_s2x2_p1,1,1,1"
QUICK = ["--layers", LAYER, "--peers", "--sample", "1e-4", "--rounds", "1", "--budget", "0"]


def parse(*words: str):
    parser = OneLineErrorParser()
    add_arguments(parser)
    return parser.parse_args(words)


def test_forms():
    assert parse().form is None
    given = parse("--layers", LAYER, "c1x1x1_o1x1x1_k1", "--op", "all")
    assert [len(layers) for layers in given.layers] == [1, 1]
    assert str(given.layers[0][0].problem) == LAYER
    assert parse("compare", "a.json", "b.json").form == "compare"
    assert parse("compare", "--python", "p", "q").python == ["p", "q"]


def test_list(capsys):
    assert main(parse("--match", "espcn", "list")) == 0
    assert capsys.readouterr().out.startswith("n1_c36x360x640_o4x1080x1920_k3x3_s3x3")


def test_every_special_bench_can_be_named():
    pytest.importorskip("rich")
    from convtranspose.bench import special

    assert set(SPECIALS) == set(special.BENCHES)


def test_run_and_show(tmp_path, capsys):
    pytest.importorskip("rich")
    saved, csv = tmp_path / "run.json", tmp_path / "run.csv"
    assert main(parse(*QUICK, "--json", str(saved))) == 0
    assert main(parse("show", str(saved), "--csv", str(csv))) == 0
    assert "GFLOP/s" in capsys.readouterr().out
    assert csv.exists()


def test_shards_divide_the_layers():
    layers = list(range(10))
    shards = [layers[parse("--shard", f"{index}/3").shard] for index in (1, 2, 3)]
    assert shards == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]


def error_line(capsys, words) -> str:
    """What the one line on stderr says about words that cannot be used."""
    try:
        code = cli(["bench", *words])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1, captured.err
    return captured.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--layers nonsense", "n1_c8x4x4_o8x8x8_k4x4_s2x2_p1,1,1,1_d1x1_g1, got 'nonsense'"),
        ("--layers c8x4x4_o8x8x8_k4_s0_p1", "stride: expected at least 1, got 0"),
        ("--layers c8x4x4_o8x8x8_k4_s2_p1_g0", "groups: expected at least 1, got 0"),
        ("--layers c8x4x4_o8x12x8_k4_s2_p1", "expected 10..11, got 14"),
        ("--match (", "expected a regular expression, got '('"),
        ("--match nothing_is_called_so", "nothing to time: 0 layers"),
        ("--shard x", "expected I/N with 1 <= I <= N, got 'x'"),
        ("--shard 0/3", "got '0/3'"),
        ("--shard 4/3", "got '4/3'"),
        ("--shard 1/0", "got '1/0'"),
        ("--shard 1/2/3", "got '1/2/3'"),
        ("--threads 0", "expected a whole number from 1 to 1024, got '0'"),
        ("--threads two", "got 'two'"),
        ("--threads 99999999", "got '99999999'"),
        ("--isa mmx", "'mmx'"),
        ("--rounds 0", "expected a whole number from 1 to"),
        ("--rounds 1.5", "got '1.5'"),
        ("--sample 0", "expected seconds from 1e-06 to 60, got '0'"),
        ("--sample nan", "got 'nan'"),
        ("--sample inf", "got 'inf'"),
        ("--budget -1", "--budget"),
        ("--budget soon", "expected seconds from 0 to"),
        ("--algorithm magic", "expected one of auto, reference, gemm"),
        ("--dtype int8", "'int8'"),
        ("--json absent/folder/run.json", "expected a file in an existing folder"),
        ("--csv absent/folder/run.csv", "expected a file in an existing folder"),
        ("show absent.json", "absent.json: expected results of the bench: No such file"),
        ("compare absent.json absent.json", "absent.json: expected results of the bench: No such"),
        ("compare", "expected two JSON files or --python A B, got 0 files"),
        ("compare --python absent absent", "absent: No such file"),
    ],
)
def test_unusable_arguments(words, said, capsys):
    pytest.importorskip("rich")
    assert said in error_line(capsys, words.split())


@pytest.mark.parametrize(
    "text", ["", "not JSON", "[1]", "{}", '{"format": 1}', '{"format": 1, "records": [{}]}', "\xff"]
)
@pytest.mark.parametrize("form", ["show", "compare"])
def test_unreadable_results(text, form, tmp_path, capsys):
    pytest.importorskip("rich")
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("latin-1"))
    files = [str(path)] * (2 if form == "compare" else 1)
    assert f"{path}: expected results of the bench: " in error_line(capsys, [form, *files])


def test_layers_from_a_file_that_is_none(tmp_path, capsys):
    path = tmp_path / "layers.txt"
    path.write_bytes(b"\xff\xfe")
    assert str(path) in error_line(capsys, ["--layers", str(path)])


def test_algorithm_that_can_do_no_layer(capsys):
    pytest.importorskip("rich")
    words = [*QUICK, "--algorithm", "outer_product"]
    assert "no candidate could do any of these layers" in error_line(capsys, words)


def test_a_python_without_convtranspose(tmp_path, capsys):
    pytest.importorskip("rich")
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no\n", encoding="utf-8")
    python.chmod(0o755)
    said = error_line(capsys, [*QUICK, "compare", "--python", str(python), str(python)])
    assert "expected a Python that has convtranspose" in said
