"""What OpenCL compilers make of the arithmetic kernels: nothing folded, and the widest instruction there is.

As in test_opencl_code.py, Debian's clang shows what AMD's and NVIDIA's compilers make.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
CLANG = shutil.which("clang-19")
ACCUMULATORS, UNROLL, WIDTH = 4, 4, 2
STEPS = 2 * UNROLL * ACCUMULATORS
OPERATIONS = {"fma": 0, "add": 1, "multiply": 2}
AMD = "(__builtin_amdgcn_workgroup_id_x()*GROUP_SIZE+__builtin_amdgcn_workitem_id_x())"
NVIDIA = "(__nvvm_read_ptx_sreg_ctaid_x()*GROUP_SIZE+__nvvm_read_ptx_sreg_tid_x())"

pytestmark = pytest.mark.skipif(CLANG is None, reason="there is no clang-19")


def count(item, kind, operation, pattern, *target, paired=True):
    """How many instructions of the kernel match the pattern; multiply-adds are of pairs, or of one number alone."""
    shape = {"ACCUMULATORS": ACCUMULATORS, "UNROLL": UNROLL, "WIDTH": WIDTH, "OPERATION": OPERATIONS[operation]}
    shape["PAIRED"] = int(operation == "add" or (operation == "fma" and paired))
    command = [
        CLANG, *target, "-x", "cl", "-cl-std=CL1.2", "-nogpulib", "-O3", "-S", "-Xclang", "-finclude-default-header",
        "-DGROUP_SIZE=32", *(f"-D{name}={value}" for name, value in shape.items()), f"-Dget_global_id(dimension)={item}",
        KERNELS / f"arithmetic_{kind}.cl", "-o", "-",
    ]  # fmt: skip
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [line.split()[0] for line in text.splitlines() if line.startswith("\t") and line.split()]
    return sum(1 for word in words if re.fullmatch(pattern, word))


def amd(kind, operation, pattern, chip, **chain):
    return count(AMD, kind, operation, pattern, "--target=amdgcn-amd-amdhsa", f"-mcpu={chip}", **chain)


def nvidia(kind, operation, pattern, **chain):
    return count(NVIDIA, kind, operation, pattern, "--target=nvptx64-nvidia-nvcl", **chain)


@pytest.mark.parametrize(
    ("kind", "operation", "chip", "pattern", "expected"),
    [
        # CDNA 2 and later have two in one instruction.
        ("fp32", "fma", "gfx90a", r"v_pk_fma_f32", STEPS * WIDTH // 2),
        ("fp32", "fma", "gfx1030", r"v_(fma|fmac)_f32(_e\d+)?", STEPS * WIDTH),
        ("fp64", "fma", "gfx942", r"v_(fma|fmac)_f64(_e\d+)?", STEPS * WIDTH),
        ("fp32", "add", "gfx1030", r"v_(add|sub)_f32(_e\d+)?", STEPS * WIDTH),
        ("fp32", "multiply", "gfx1030", r"v_mul_f32(_e\d+)?", STEPS * WIDTH),
        ("fp64", "add", "gfx942", r"v_add_f64(_e\d+)?", STEPS * WIDTH),
        ("fp64", "multiply", "gfx942", r"v_mul_f64(_e\d+)?", STEPS * WIDTH),
        ("int8", "fma", "gfx1100", r"v_mad_u16", STEPS * WIDTH),
        ("int8", "add", "gfx1100", r"v_add_nc_u16", STEPS * WIDTH),
        ("fp16", "multiply", "gfx1100", r"v_pk_mul_f16", STEPS),
        ("fp16", "fma", "gfx1100", r"v_pk_fma_f16", STEPS),
        ("fp16", "add", "gfx1100", r"v_pk_add_f16", STEPS),
        ("int16", "fma", "gfx1100", r"v_pk_mad_u16", STEPS),
        ("int16", "add", "gfx1030", r"v_pk_add_u16", STEPS),
        # The product and the addition are one.
        ("dot4", "fma", "gfx906", r"v_dot4c?_i32_i8(_e\d+)?", STEPS * WIDTH),
        ("dot4", "fma", "gfx1030", r"v_dot4c?_i32_i8(_e\d+)?", STEPS * WIDTH),
        ("dot4", "fma", "gfx1100", r"v_dot4_i32_iu8", STEPS * WIDTH),
        ("dot4", "fma", "gfx1201", r"v_dot4_i32_iu8", STEPS * WIDTH),
    ],
)
def test_amds_code_has_the_widest_instruction_for_every_step(kind, operation, chip, pattern, expected):
    assert amd(kind, operation, pattern, chip) == expected


@pytest.mark.parametrize(
    ("kind", "chip", "pattern", "expected"),
    [
        ("fp32", "gfx90a", r"v_pk_fma_f32", STEPS * WIDTH // 2),
        ("fp32", "gfx1100", r"v_(dual_)?(fma|fmac)_f32(_e\d+)?", STEPS * WIDTH),
        ("fp64", "gfx942", r"v_(fma|fmac)_f64(_e\d+)?", STEPS * WIDTH),
        ("int16", "gfx1100", r"v_pk_mad_u16", STEPS),
    ],
)
def test_a_number_alone_is_as_many_instructions(kind, chip, pattern, expected):
    assert amd(kind, "fma", pattern, chip, paired=False) == expected


def test_rdna3s_code_issues_two_at_once():
    pairs = amd("fp32", "fma", "v_dual_fmac_f32", "gfx1100")
    alone = amd("fp32", "fma", r"v_(fma|fmac)_f32(_e\d+)?", "gfx1100")
    assert 2 * pairs + alone == STEPS * WIDTH
    assert pairs > 3 * alone


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    ("kind", "operation", "pattern"),
    [
        ("fp32", "fma", r"fma\.rn\.f32"),
        ("fp32", "add", r"(add|sub)\.rn\.f32"),
        ("fp32", "multiply", r"mul\.rn\.f32"),
        ("int32", "fma", r"mad\.lo\.s32"),
    ],
)
def test_nvidias_code_has_every_step(kind, operation, pattern, paired):
    # clang may unroll the loop further. What tells the accumulators at the end multiplies and adds integers too.
    found = nvidia(kind, operation, pattern, paired=paired)
    assert found >= STEPS * WIDTH
    assert kind == "int32" or found % (STEPS * WIDTH) == 0
