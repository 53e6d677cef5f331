"""What OpenCL compilers make of the kernels: which instruction loads decides which cache is measured.

AMD's compiler is LLVM, and NVIDIA's begins with it, so Debian's clang shows their code on any machine. What it does not
have, OpenCL's own functions, is named here where it matters; the others stay calls.
"""

import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
CLANG = shutil.which("clang-19")
HOPS_PER_TRIP = 8
ITEMS, IN_FLIGHT, UNROLL = 32, 4, 8
# By how many numbers at once.
AMDS_MULTIPLY_ADDS = {r"v_(fma|fmac|fmamk|fmaak)_f32\w*": 1, r"v_pk_fma_f32": 2, r"v_dual_fma\w*": 1}
AMD = {
    "get_local_id": "__builtin_amdgcn_workitem_id_x()",
    "get_group_id": "__builtin_amdgcn_workgroup_id_x()",
}
NVIDIA = {
    "get_local_id": "__nvvm_read_ptx_sreg_tid_x()",
    "get_group_id": "__nvvm_read_ptx_sreg_ctaid_x()",
}

pytestmark = pytest.mark.skipif(CLANG is None, reason="there is no clang-19")


def instructions(kernel, functions, *target):
    """The words of the instructions that clang writes for a kernel, of a pair that is issued at once both."""
    own = {**functions, "get_global_id": f"({functions['get_group_id']}*GROUP_SIZE+{functions['get_local_id']})"}
    compiled = subprocess.run(
        [
            CLANG,
            *target,
            *("-x", "cl", "-cl-std=CL1.2", "-nogpulib", "-O3", "-S", "-Xclang", "-finclude-default-header"),
            *(f"-DGROUP_SIZE={ITEMS}", f"-DIN_FLIGHT={IN_FLIGHT}", "-DVECTOR_WORDS=4", "-DSPREAD=0"),
            *("-DOFFSET_SHIFT=0", f"-DUNROLL={UNROLL}", f"-DAT_ONCE={IN_FLIGHT}", "-DPAIRED=1"),
            "-Dfma=__builtin_elementwise_fma",
            *(f"-D{name}(dimension)={call}" for name, call in own.items()),
            *(KERNELS / f"{kernel}.cl", "-o", "-"),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = [line for line in compiled.splitlines() if line.startswith("\t") and line.split()]
    return [one.split()[0] for line in lines for one in line.split(" :: ")]


def count(found, pattern):
    return sum(1 for one in found if re.fullmatch(pattern, one))


@pytest.fixture(params=["gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
def amd(request):
    return lambda kernel: instructions(kernel, AMD, "--target=amdgcn-amd-amdhsa", f"-mcpu={request.param}")


def nvidia(kernel):
    return instructions(kernel, NVIDIA, "--target=nvptx64-nvidia-nvcl")


@pytest.mark.parametrize("walk", ["chase", "independent_chase", "chase_loaded", "chase_by_many"])
def test_amds_vector_path_misses_the_scalar_cache(amd, walk):
    found = amd(walk)
    assert count(found, r"(global|flat)_load_(dword|b32)") >= HOPS_PER_TRIP
    assert count(found, r"s_(buffer_)?load_\w+") < HOPS_PER_TRIP
    assert count(found, r"v_readfirstlane\w*") < HOPS_PER_TRIP


@pytest.mark.parametrize("walk", ["chase", "chase_scalar", "chase_loaded"])
def test_amds_hop_is_the_load_alone(amd, walk):
    found = [one for one in amd(walk) if not one.startswith("s_wait")]
    load = r"s_load_(dword|b32)" if walk == "chase_scalar" else r"global_load_(dword|b32)"
    hops = [bool(re.fullmatch(load, one)) for one in found]
    assert sum(this and after for this, after in itertools.pairwise(hops)) >= HOPS_PER_TRIP - 2


@pytest.mark.parametrize(
    ("walk", "load"),
    [
        ("chase_scalar", r"s_load_(dword|b32)"),
        ("chase_constant", r"s_load_(dword|b32)"),
        ("chase_local", r"ds_(read|load)_b32"),
    ],
)
def test_amds_other_paths_have_their_own_loads(amd, walk, load):
    found = amd(walk)
    assert count(found, load) >= HOPS_PER_TRIP
    assert count(found, r"(global|flat)_load_\w+") < HOPS_PER_TRIP
    assert count(found, r"v_readfirstlane\w*") < HOPS_PER_TRIP


@pytest.mark.parametrize(("stream", "arrays"), [("stream_read", 1), ("stream_copy", 1), ("stream_add", 2)])
def test_amds_streams_load_16_bytes_at_once(amd, stream, arrays):
    assert count(amd(stream), r"global_load_(dwordx4|b128)") >= arrays * IN_FLIGHT


def test_amds_roofline_makes_a_multiply_add_with_each_word_in_each_round(amd):
    found = amd("roofline")
    numbers = sum(count(found, form) * of for form, of in AMDS_MULTIPLY_ADDS.items())
    assert numbers == UNROLL * IN_FLIGHT * 4
    # Once in the loop of trips that compute, once in that of those that do not.
    assert count(found, r"global_load_(dwordx4|b128)") == 2 * IN_FLIGHT


@pytest.mark.parametrize(
    ("walk", "load"),
    [
        ("chase", r"ld\.global\.u32"),
        ("independent_chase", r"ld\.global\.u32"),
        ("chase_loaded", r"ld\.global\.u32"),
        ("chase_by_many", r"ld\.global\.u32"),
        ("chase_constant", r"ld\.const\.u32"),
        ("chase_local", r"ld\.shared\.u32"),
    ],
)
def test_nvidias_paths_have_their_own_loads(walk, load):
    assert count(nvidia(walk), load) >= HOPS_PER_TRIP
    assert count(nvidia("stream_read"), r"ld\.global\.v4\.u32") == IN_FLIGHT


def test_nvidias_roofline_makes_a_multiply_add_with_each_word_in_each_round():
    found = nvidia("roofline")
    assert count(found, r"fma\.rn\.f32") == UNROLL * IN_FLIGHT * 4
    assert count(found, r"ld\.global\.v4\.\w+") == 2 * IN_FLIGHT
