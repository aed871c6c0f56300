# SPDX-License-Identifier: MIT
"""The benchmark's reading, counting and statistics, and the peers' agreement. Nothing is timed."""

from __future__ import annotations

import importlib
import io
import itertools
import json
import math
import re
from dataclasses import replace

import pytest

from convtranspose.bench import compare, peers, summary, timing, worker
from convtranspose.bench.candidate import Unsupported
from convtranspose.bench.layers import published, read_layers, read_lines, select
from convtranspose.bench.machine import Machine
from convtranspose.bench.operands import OPS, WEIGHTS_GRADIENT, Operands
from convtranspose.bench.peers import ours
from convtranspose.bench.problem import Problem
from convtranspose.bench.results import Record, Results, read_all
from convtranspose.bench.runner import Plan, run_layer
from convtranspose.bench.summary import LayerSummary
from convtranspose.bench.timing import Effort
from convtranspose.command_line import UserError

QUICK = Effort(sample_seconds=1e-4, rounds=2, budget_seconds=0.1, least_rounds=1)
MACHINE = Machine(1, 100e9, "given", 0.0, ((1 << 20, 50e9), (1 << 29, 20e9)))

SMALL_PROBLEMS = {
    "plain": "n2_c8x5x6_o12x10x12_k4x4_s2x2_p1,1,1,1",
    "asymmetric": "n1_c8x5x6_o12x10x12_k5x5_s2x2_p1,2,1,2",
    "crop at the end": "n1_c8x1x9_o6x1x45_k1x10_s1x5_p0,5,0,0",
    "crop at the front": "n1_c8x5x6_o4x12x7_k3x3_s2x1_p2,1,0,1_d2x2",
    "grouped": "n2_c8x4x4_o12x9x9_k3x3_s2x2_g4",
    "depthwise": "n3_c6x4x4_o6x8x8_k4x4_s2x2_p1,1,1,1_g6",
    "output padding": "n1_c8x5x6_o12x12x14_k3x3_s2x2_p0,0,0,0",
}


def record(candidate: str, seconds: float, **changes: object) -> Record:
    fields = {
        "op": "forward",
        "layer": "net/layer",
        "tier": "core",
        "problem": SMALL_PROBLEMS["plain"],
        "dtype": "float32",
        "threads": 1,
        "candidate": candidate,
        "library": "convtranspose" if candidate.startswith("ours") else "PyTorch",
        "layout": "NHWC" if "NHWC" in candidate else "NCHW",
        "prepared": "plan" in candidate,
        "note": "",
        "flops": 1000,
        "moved_bytes": 100,
        "attainable_flops": 1e9,
        "seconds": seconds,
        "samples": (seconds,) * 5,
        "calls_per_sample": 1,
        "error": 1e-7,
    }
    return Record(**{**fields, **changes})


class TestProblem:
    @pytest.mark.parametrize("text", SMALL_PROBLEMS.values())
    def test_string_reads_back(self, text: str) -> None:
        problem = Problem.parse(text)
        assert Problem.parse(str(problem)) == problem

    def test_short_forms_and_defaults(self) -> None:
        assert Problem.parse("k4_s2_p1_c8x4x4_o6x8x8") == Problem(
            (1, 8, 4, 4), (1, 6, 8, 8), (4, 4), (2, 2), (1, 1, 1, 1)
        )

    def test_counts(self) -> None:
        problem = Problem.parse("n2_c8x4x5_o6x8x10_k4_s2_p1_g2")
        assert problem.weights_shape == (8, 3, 4, 4)
        assert problem.flops == 2 * 2 * 4 * 5 * 8 * 3 * 16
        assert problem.elements == 2 * 8 * 20 + 8 * 3 * 16 + 2 * 6 * 80

    def test_padding_is_left_right_top_bottom(self) -> None:
        problem = Problem.parse("c1x4x1_o1x11x1_k5x1_s2x1_p0,0,0,0")
        moved = Problem.parse("c1x4x1_o1x8x1_k5x1_s2x1_p0,0,1,2")
        assert problem.pads(0) == (0, 0)
        assert moved.pads(0) == (1, 2)
        assert moved.slack(0) == problem.slack(0) == 0

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("c8x4x4_o8x8x8", "expected c, o and k"),
            ("c8x4x4_o8x8x8_k4_s2_p1_z3", "n1_c8x4x4_o8x8x8_k4x4_s2x2_p1,1,1,1_d1x1_g1, got 'z3'"),
            ("c8x4x4_o8x8x8_k4_s0_p1", "stride: expected at least 1, got 0"),
            ("c8x4x4_o8x8x8_k4_s2_p1_g0", "groups: expected at least 1, got 0"),
            ("n0_c8x4x4_o8x8x8_k4_s2_p1", "source extents: expected at least 1, got 0"),
            ("c8x4x4_o8x8x8_k4_k4", "got it twice"),
            ("c8x4x4_o8x12x8_k4_s2_p1", "result extent in y plus padding: expected 10..11, got 14"),
            ("c8x4x4_o8x8x8_k4_s2_p1_g3", "expected a multiple of groups=3, got 8"),
        ],
    )
    def test_refusals_say_why(self, text: str, why: str) -> None:
        with pytest.raises(ValueError, match=why.replace(".", r"\.")):
            Problem.parse(text)


class TestLayers:
    def test_published_list(self) -> None:
        layers = published()
        assert len(layers) == 111
        assert len({(layer.name, layer.problem) for layer in layers}) == 111
        assert sum(layer.tier == "core" for layer in layers) == 33
        assert all(layer.source and layer.checked in {"repo", "list", "memory"} for layer in layers)

    def test_selection(self, tmp_path) -> None:
        listed = tmp_path / "mine.txt"
        listed.write_text(f"# mine\n{SMALL_PROBLEMS['plain']}\tcore\tnet\tup1\n")
        (layer,) = read_layers(str(listed))
        assert (layer.name, layer.tier) == ("net/up1", "core")
        (bare,) = read_layers(SMALL_PROBLEMS["plain"])
        assert bare.name == str(bare.problem)
        assert {layer.network for layer in select(match=re.compile("^fsrcnn", re.IGNORECASE))} == {
            "FSRCNN-x2",
            "FSRCNN-x3",
            "FSRCNN-x4",
        }
        assert len(select(tier="core")) == 33

    def test_lines_of_a_trace_need_only_the_string(self) -> None:
        assert read_lines(["", SMALL_PROBLEMS["grouped"]])[0].problem.groups == 4


class TestTiming:
    def test_rounds_rotate_and_every_call_gets_its_samples(self) -> None:
        order: list[str] = []
        calls = [lambda name=name: order.append(name) for name in "abc"]
        timings = timing.interleaved(calls, replace(QUICK, budget_seconds=60.0))
        assert [len(t.samples) for t in timings] == [2, 2, 2]
        changes = [name for name, _ in itertools.groupby(order)]
        assert changes[-6:] in (list("abcbca"), list("cabcbca")[-6:])

    def test_spread_is_half_the_interquartile_range(self) -> None:
        assert timing.relative_spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(1 / 3)
        assert timing.relative_spread([1.0]) == 0.0

    def test_geometric_mean(self) -> None:
        assert timing.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
        assert math.isnan(timing.geometric_mean([]))


class TestSummary:
    RECORDS = (
        record("ours NCHW", 2.0),
        record("ours NHWC plan", 1.0),
        record("torch NCHW", 3.0),
        record("ort", 2.5, library="ONNX Runtime", prepared=True),
        record("torch NHWC", 4.0),
    )

    def test_best_of_each_kind(self) -> None:
        layer = LayerSummary(self.RECORDS)
        assert layer.ours is not None
        assert layer.ours.candidate == "ours NHWC plan"
        assert layer.peer is not None
        assert layer.peer.candidate == "ort"

    def test_totals(self) -> None:
        found = {total.name: total for total in summary.totals([LayerSummary(self.RECORDS)])}
        assert found["best of ours / best peer"].geomean == pytest.approx(2.5)
        assert found["one-shot / best peer"].geomean == pytest.approx(1.25)
        assert found["one-shot / best PyTorch call"].geomean == pytest.approx(1.5)
        assert found["NCHW / best NCHW peer"].geomean == pytest.approx(1.25)
        assert found["NHWC / best NHWC peer"].worst == pytest.approx(4.0)

    def test_large_layers_and_errors(self) -> None:
        large_one = "n1_c64x64x64_o64x128x128_k4_s2_p1"
        big = record("ours NCHW", 1.0, problem=large_one, flops=2 * 10**9, error=3e-7)
        torch = record("torch NCHW", 2.0, problem=large_one, flops=2 * 10**9, error=2e-7)
        both = [LayerSummary((big, torch)), LayerSummary(self.RECORDS)]
        assert summary.large(both) == both[:1]
        assert summary.error_ratios(both)[0][0] == pytest.approx(1.5)

    def test_ops_apart(self) -> None:
        both = [*self.RECORDS, record("ours NCHW", 1.0, op="data_gradient")]
        assert {op: len(layers) for op, layers in summary.summarize(both).items()} == {
            "forward": 1,
            "data_gradient": 1,
        }

    def test_roofline(self) -> None:
        assert MACHINE.attainable_flops(1_000_000_000, 1000) == 100e9
        assert MACHINE.attainable_flops(1000, 1000) == 50e9
        assert MACHINE.attainable_flops(1 << 28, 1 << 28) == 20e9


class TestResults:
    def test_json_reads_back_and_later_files_win(self, tmp_path) -> None:
        early, late = tmp_path / "early.json", tmp_path / "late.json"
        Results({}, MACHINE, [record("ours NCHW", 2.0), record("ort", 3.0)]).write_json(early)
        Results({"cpu": "x"}, MACHINE, [record("ours NCHW", 1.0)]).write_json(late)
        assert Results.read(early).records[1] == record("ort", 3.0)
        together = read_all([early, late])
        assert [r.seconds for r in together.records] == [1.0, 3.0]
        assert together.machine == MACHINE

    def test_csv_has_a_line_a_record(self, tmp_path) -> None:
        path = tmp_path / "run.csv"
        Results({}, MACHINE, [record("ours NCHW", 2.0)]).write_csv(path)
        header, line = path.read_text().splitlines()
        assert header.split(",")[-3:] == ["gflops", "of_attainable", "spread"]
        assert line.startswith("forward,net/layer,core,")

    def test_other_formats_are_refused(self, tmp_path) -> None:
        path = tmp_path / "run.json"
        path.write_text(json.dumps({"format": 0}))
        with pytest.raises(UserError, match="expected 1, got 0"):
            Results.read(path)


class TestCompare:
    def test_clear_and_unclear_differences(self) -> None:
        steady = (1.0, 1.01, 0.99, 1.0, 1.005)
        slower = tuple(2 * seconds for seconds in steady)
        noisy = (0.7, 1.4, 1.0, 1.2, 0.9)
        assert compare.Pair("forward", "l", "ours", slower, steady).ratio == pytest.approx(2.0)
        assert compare.Pair("forward", "l", "ours", slower, steady).significant
        assert not compare.Pair("forward", "l", "ours", steady, noisy).significant
        assert not compare.Pair("forward", "l", "ours", (1.0,), (9.0,)).significant

    def test_saved_runs_are_paired_by_case_and_candidate(self) -> None:
        a = [record("ours NCHW", 2.0), record("ort", 1.0), record("ours NHWC", 1.0)]
        b = [record("ours NCHW", 1.0), record("ort", 1.0)]
        (pair,) = compare.saved(a, b)
        assert (pair.candidate, pair.ratio) == ("ours NCHW", 2.0)

    def test_worker_answers_each_request(self) -> None:
        request = {
            "op": "forward",
            "problem": SMALL_PROBLEMS["plain"],
            "dtype": "float32",
            "threads": 1,
            "layout": "NCHW",
            "mode": "one-shot",
            "sample_seconds": 1e-4,
        }
        lines = [request, {}, {**request, "problem": "k1"}]
        answers = io.StringIO()
        worker.serve(io.StringIO("".join(json.dumps(line) + "\n" for line in lines)), answers)
        first, again, refused = map(json.loads, answers.getvalue().splitlines())
        assert first["seconds"] > 0
        assert again["seconds"] > 0
        assert "ValueError" in refused["error"]


class TestCandidates:
    @pytest.mark.parametrize("op", OPS)
    @pytest.mark.parametrize("text", SMALL_PROBLEMS.values(), ids=SMALL_PROBLEMS)
    def test_ours_agree_with_the_reference(self, text: str, op: str) -> None:
        operands = Operands(Problem.parse(text), op)
        layouts = []
        for candidate in ours.candidates(operands, 1):
            candidate.run()
            assert operands.relative_error(candidate.result()) < 1e-5
            layouts.append(candidate.layout)
        assert set(layouts) == {"NCHW", "NHWC"}

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("op", OPS)
    @pytest.mark.parametrize("name", peers.NAMES)
    def test_peers_agree_with_the_reference(self, name: str, op: str) -> None:
        pytest.importorskip({"pytorch": "torch"}.get(name, name))
        module = importlib.import_module(f"convtranspose.bench.peers.{name}")
        agreed = 0
        for text in SMALL_PROBLEMS.values():
            operands = Operands(Problem.parse(text), op)
            try:
                for candidate in module.candidates(operands, 1):
                    candidate.run()
                    assert operands.relative_error(candidate.result()) < 1e-5
                    agreed += 1
            except Unsupported:
                continue
        inference_only = name in {"onnxruntime", "openvino", "ncnn"}
        assert (agreed == 0) == (inference_only and op == WEIGHTS_GRADIENT)

    def test_a_layer_yields_records_and_reasons(self) -> None:
        def refuse(operands: Operands, threads: int):
            raise RuntimeError("no such layer\nsecond line")
            yield

        (layer,) = read_layers(SMALL_PROBLEMS["plain"])
        plan = Plan([layer], effort=QUICK, prepare={"us": ours.candidates, "them": refuse})
        records, skipped = run_layer(plan, MACHINE, "forward", layer)
        assert {r.library for r in records} == {"convtranspose"}
        assert [(skip.library, skip.reason) for skip in skipped] == [("them", "no such layer")]
