# SPDX-License-Identifier: MIT
"""The command line: `info`, and `run` on .npy files."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys

import numpy as np
import pytest

import convtranspose as ct
from convtranspose.cli import main


def integers(shape, dtype=np.float32):
    return np.random.default_rng(7).integers(-4, 5, shape).astype(dtype)


@pytest.fixture
def save(tmp_path):
    def write(name, array):
        path = tmp_path / name
        np.save(path, array)
        return str(path)

    return write


@pytest.fixture
def output(tmp_path):
    return tmp_path / "result.npy"


def error_line(capsys, arguments):
    """Run a command that must fail, and return the one line that it says."""
    try:
        code = main(list(map(str, arguments)))
    except SystemExit as stopped:
        code = stopped.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("convtranspose")
    return captured.err


def test_module_and_console_script_are_the_same_command():
    command = [sys.executable, "-m", "convtranspose", "--version"]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert finished.stdout == f"convtranspose {ct.__version__}\n"
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="convtranspose")
    assert script.load() is main


def test_user_errors_leave_no_traceback(tmp_path):
    operands = [str(tmp_path / "absent.npy")] * 2
    command = ["run", "convolution_2d", *operands, "-o", str(tmp_path / "result.npy")]
    command = [sys.executable, "-m", "convtranspose", *command]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr == (
        f"convtranspose: error: {tmp_path / 'absent.npy'}: No such file or directory\n"
    )


def test_interruption_is_no_traceback(monkeypatch):
    def interrupt(path, mode):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "open_memmap", interrupt)
    assert main(["run", "convolution_2d", "a.npy", "b.npy", "-o", "c.npy"]) == 130


def test_info_as_json(capsys):
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["version"] == ct.__version__
    assert facts["isas"] == list(ct.available_isas())
    assert facts["active_isa"] == ct.active_isa()
    assert facts["threads"] == ct.get_num_threads()
    assert facts["numpy"] == np.__version__
    assert {"compiler", "eigen"} <= facts.keys()


def test_info_as_aligned_text(capsys):
    assert main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["version", ct.__version__] for line in lines)
    (column,) = {len(line) - len(line.split("  ", 1)[1].lstrip()) for line in lines}
    assert all(line[column - 2 : column] == "  " for line in lines)


FIELDS = {
    "stride_in_x": 2,
    "stride_in_y": 3,
    "dilation_rate_in_x": 2,
    "dilation_rate_in_y": 1,
    "groups": 2,
    "padding_left": 1,
    "padding_right": 2,
    "padding_top": 0,
    "padding_bottom": 1,
}
LONG_OPTIONS = [
    text for name, value in FIELDS.items() for text in (f"--{name.replace('_', '-')}", str(value))
]
SHORT_OPTIONS = "--stride 3 2 --dilation-rate 1 2 --groups 2 --padding 1 2 0 1".split()

SMALL, LARGE, WEIGHTS = (2, 4, 3, 4), (2, 6, 9, 8), (4, 3, 3, 3)  # S, D and W of FIELDS
OPERATIONS = {
    "convolution_transpose_2d": (SMALL, WEIGHTS, LARGE),
    "convolution_transpose_2d_data_gradient": (LARGE, WEIGHTS, SMALL),
    "convolution_transpose_2d_weights_gradient": (LARGE, SMALL, WEIGHTS),
    "convolution_2d": (LARGE, WEIGHTS, None),
    "convolution_2d_data_gradient": (SMALL, WEIGHTS, LARGE),
    "convolution_2d_weights_gradient": (SMALL, LARGE, WEIGHTS),
}


@pytest.mark.parametrize("options", [LONG_OPTIONS, SHORT_OPTIONS], ids=["long", "short"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_run_does_what_the_function_does(save, output, capsys, operation, dtype, options):
    *shapes, output_shape = OPERATIONS[operation]
    first, second = (integers(shape, dtype) for shape in shapes)
    extent = [output_shape] if output_shape else []
    descriptor = ct.Convolution2DOpDescriptor(**FIELDS)
    expected = getattr(ct, operation)(first, second, *extent, descriptor)

    command = ["run", operation, save("first.npy", first), save("second.npy", second)]
    command += ["-o", str(output), *options]
    if output_shape:
        command += ["--output-shape", *map(str, output_shape)]
    assert main(command) == 0

    result = np.load(output)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, expected)
    sizes = " x ".join(map(str, expected.shape))
    assert capsys.readouterr().out == f"{output}: {np.dtype(dtype)} {sizes}\n"


def transposed(save, output, *options, source=SMALL, weights=WEIGHTS):
    """Return the command for one transposed convolution of integers."""
    paths = save("source.npy", integers(source)), save("weights.npy", integers(weights))
    return ["run", "convolution_transpose_2d", *paths, "-o", str(output), *map(str, options)]


def test_layouts_by_name_in_any_case(save, output):
    options = ["--data-layout", "nhwc", "--weights-layout", "HWIO", "--stride", "2", "2"]
    shapes = {"source": (1, 3, 4, 2), "weights": (2, 2, 5, 2)}
    assert main(transposed(save, output, *options, **shapes)) == 0
    assert np.load(output).shape == (1, 6, 8, 5)


def test_padding_style_by_name(save, output):
    source = np.float32([[[[1, 2], [3, 4]]]])
    weights = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)
    command = ["run", "convolution_transpose_2d", save("s.npy", source), save("w.npy", weights)]
    command += "--stride 2 2 --padding-style onnx-same-lower --output-shape 1 1 4 4".split()
    assert main([*command, "-o", str(output)]) == 0
    expected = [[5, 14, 10, 12], [14, 36, 24, 30], [15, 34, 20, 24], [24, 55, 32, 36]]
    np.testing.assert_array_equal(np.load(output)[0, 0], expected)


def test_output_shape_of_a_transposed_convolution_defaults_to_the_smallest(save, output):
    assert main(transposed(save, output, *LONG_OPTIONS)) == 0
    descriptor = ct.Convolution2DOpDescriptor(**FIELDS)
    assert np.load(output).shape == ct.output_shape_range(SMALL, WEIGHTS, descriptor)[0]


def test_no_strict_zero_fills(save, output, capsys):
    inconsistent = transposed(save, output, "--output-shape", 2, 3, 9, 6)
    assert "output_shape" in error_line(capsys, inconsistent)
    assert main([*inconsistent, "--no-strict"]) == 0
    result = np.load(output)
    assert result.shape == (2, 3, 9, 6)
    assert not result[:, :, 5:].any()


@pytest.mark.parametrize("algorithm", [a.name.lower() for a in ct.Algorithm])
def test_algorithm_and_threads(save, output, algorithm, monkeypatch):
    seen = {}

    def record(source, weights, output_shape, descriptor, **keywords):
        seen.update(keywords)
        return source

    monkeypatch.setattr(ct, "convolution_transpose_2d", record)
    assert main(transposed(save, output, "--threads", 3, "--algorithm", algorithm)) == 0
    assert seen == {
        "strict": True,
        "threads": 3,
        "algorithm": ct.Algorithm[algorithm.upper()],
        "fast_math": None,
    }


@pytest.mark.parametrize(
    ("level", "value"), [("off", False), ("on", True), ("aggressive", "aggressive")]
)
def test_fast_math(save, output, level, value, monkeypatch):
    seen = {}

    def record(source, weights, output_shape, descriptor, **keywords):
        seen.update(keywords)
        return source

    monkeypatch.setattr(ct, "convolution_transpose_2d", record)
    assert main(transposed(save, output, "--fast-math", level)) == 0
    assert seen["fast_math"] == value


def test_operands_are_mapped_not_loaded(save, output, monkeypatch):
    kinds = []

    def record(*operands, **keywords):
        kinds.extend(map(type, operands[:2]))
        return operands[0]

    monkeypatch.setattr(ct, "convolution_transpose_2d", record)
    assert main(transposed(save, output)) == 0
    assert kinds == [np.memmap, np.memmap]


def test_an_empty_batch_is_valid(save, output):
    assert main(transposed(save, output, source=(0, 4, 3, 4))) == 0
    assert np.load(output).shape == (0, 3, 5, 6)


def test_result_has_exactly_the_name_that_was_asked_for(save, tmp_path):
    output = tmp_path / "result.bin"
    assert main(transposed(save, output)) == 0
    assert output.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--stride-in-x", 0], "stride_in_x"),
        (["--padding-left", -1], "padding_left"),
        (["--groups", 3], "groups"),
        (["--threads", 0], "threads"),
        (["--padding-style", "explicit_offset"], "padding_style"),
        (["--padding-style", "same"], "expected one of explicit, tf_valid, tf_same"),
        (["--algorithm", "magic"], "expected one of auto, reference, gemm"),
        (["--data-layout", "CHW"], "invalid choice: 'CHW'"),
        (["--stride", 2], "expected 2 arguments"),
        (["--stride-in-x", "two"], "invalid int value: 'two'"),
        (["--output-shape", 2, 3, 5], "expected 4 arguments"),
        (["--output-shape", 1, 3, 5, 6], "output_shape"),
        (["--stride-in-x", 10**30], "stride_in_x"),
        (["--dilation-rate-in-y", 1879048192, "--output-shape", 2, 3, 5, 6], "output_shape"),
        (["--colour", "red"], "unrecognized arguments"),
    ],
)
def test_bad_options(save, output, capsys, options, said):
    assert said in error_line(capsys, transposed(save, output, *options))
    assert not output.exists()


def test_bad_operands(save, output, tmp_path, capsys):
    good = save("good.npy", integers(SMALL))
    good_weights = save("weights.npy", integers(WEIGHTS))

    def said(first, second=good_weights):
        command = ["run", "convolution_transpose_2d", first, second, "-o", output]
        line = error_line(capsys, command)
        assert not output.exists()
        return line

    text = tmp_path / "text.npy"
    text.write_text("not an array")
    truncated = tmp_path / "truncated.npy"
    truncated.write_bytes((tmp_path / "good.npy").read_bytes()[:200])
    several = tmp_path / "several.npz"
    np.savez(several, good=integers(SMALL))

    assert "No such file" in said(tmp_path / "absent.npy")
    assert "directory" in said(tmp_path)
    assert "magic string" in said(text)
    assert "magic string" in said(several)
    assert "truncated.npy: " in said(truncated)
    assert "source" in said(save("flat.npy", integers(5)))
    assert "weights" in said(good, save("channels.npy", integers((5, 3, 3, 3))))
    assert "float64" in said(good, save("double.npy", integers(WEIGHTS, np.float64)))
    assert "int64" in said(save("whole.npy", integers(SMALL, np.int64)))


def test_unwritable_result(save, tmp_path, capsys):
    output = tmp_path / "absent" / "result.npy"
    assert "No such file" in error_line(capsys, transposed(save, output))


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name.endswith("gradient")])
def test_gradients_need_an_output_shape(output, capsys, operation):
    said = error_line(capsys, ["run", operation, "a.npy", "b.npy", "-o", output])
    assert "--output-shape" in said


def test_a_command_is_required(capsys):
    assert "COMMAND" in error_line(capsys, [])
    assert "OPERATION" in error_line(capsys, ["run"])
