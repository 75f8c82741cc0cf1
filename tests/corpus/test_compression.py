import gzip
import io
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from brokerfuzz.compression import FREE, SUFFIXES, compressing, opened_for_reading, suffix
from brokerfuzz.errors import CorpusError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"".join(b'{"id":"%08x"}\n' % (number * 2654435761 % 2**32) for number in range(20_000))
each_suffix = pytest.mark.parametrize("end", SUFFIXES)


def packed(end: str, text: bytes = TEXT) -> bytes:
    stream = io.BytesIO()
    with compressing(stream, f"corpus.ndjson{end}") as packer:
        packer.write(text)
    return stream.getvalue()


@pytest.fixture
def holding(tmp_path: Path) -> Callable[..., Path]:
    def written(name: str, content: bytes) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return written


def everything(path: Path) -> bytes:
    with opened_for_reading(path) as stream:
        return b"".join(iter(lambda: stream.read(1 << 16), b""))


@pytest.mark.parametrize("end", ["", *SUFFIXES])
def test_decompression_restores_the_bytes(holding: Callable[..., Path], end: str) -> None:
    assert everything(holding(f"corpus{end}", packed(end))) == TEXT


@each_suffix
def test_compression_does_not_depend_on_the_time_and_reduces_the_size(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = packed(end)
    monkeypatch.setattr(time, "time", lambda: 1e9)
    assert packed(end) == now
    assert len(packed(end)) < len(TEXT) / 2


@pytest.mark.parametrize(("end", "tool"), [(".gz", "gzip"), (".zst", "zstd")])
def test_other_programs_can_decompress_the_files(holding: Callable[..., Path], end: str, tool: str) -> None:
    if which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    unpacked = subprocess.run([tool, "-dc", holding(f"corpus{end}", packed(end))], capture_output=True, check=True)
    assert unpacked.stdout == TEXT


@each_suffix
def test_concatenated_compressed_parts_are_read_as_one_file(holding: Callable[..., Path], end: str) -> None:
    assert everything(holding(f"corpus{end}", packed(end, b"one\n") + packed(end, b"two\n"))) == b"one\ntwo\n"


@each_suffix
@pytest.mark.parametrize("share", [0.01, 0.3, 0.7, 0.999])
def test_a_truncated_compressed_file_is_rejected(holding: Callable[..., Path], end: str, share: float) -> None:
    whole = packed(end)
    with pytest.raises(CorpusError, match="damaged or truncated"):
        everything(holding(f"corpus{end}", whole[: int(len(whole) * share)]))


@each_suffix
@pytest.mark.parametrize("place", [20, 5_000, 60_000, -6])
def test_a_compressed_file_with_a_changed_byte_is_rejected(holding: Callable[..., Path], end: str, place: int) -> None:
    changed = bytearray(packed(end))
    changed[place] ^= 0xFF
    with pytest.raises(CorpusError, match="damaged or truncated"):
        everything(holding(f"corpus{end}", bytes(changed)))


def test_a_frame_that_needs_too_large_a_window_is_rejected(holding: Callable[..., Path]) -> None:
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 31, zstd.CompressionParameter.content_size_flag: 0}
    packer = zstd.ZstdCompressor(options=options)
    with pytest.raises(CorpusError, match=r"window of more than 128 MiB.*decompress it first"):
        everything(holding("corpus.zst", packer.compress(TEXT) + packer.flush()))


@each_suffix
def test_a_compressed_file_with_trailing_bytes_is_rejected(holding: Callable[..., Path], end: str) -> None:
    with pytest.raises(CorpusError, match="damaged or truncated"):
        everything(holding(f"corpus{end}", packed(end) + b"and more"))


@pytest.mark.parametrize(("name", "end", "remedy"), [
    ("corpus.ndjson", ".gz", "rename"), ("corpus.ndjson", ".zst", "rename"), ("corpus.gz", ".zst", "rename"),
    ("corpus.zst", "", "rename"),
])  # fmt: skip
def test_a_suffix_that_contradicts_the_first_bytes_is_rejected(
    holding: Callable[..., Path], name: str, end: str, remedy: str
) -> None:
    with pytest.raises(CorpusError, match=remedy):
        everything(holding(name, packed(end)))


@each_suffix
def test_an_empty_file_is_empty_with_any_suffix(holding: Callable[..., Path], end: str) -> None:
    assert everything(holding(f"corpus{end}", b"")) == b""


@each_suffix
@pytest.mark.rotated(2)
def test_a_compression_bomb_is_rejected_before_it_fills_the_memory(holding: Callable[..., Path], end: str) -> None:
    block = bytes(1 << 20)
    stream = io.BytesIO()
    with compressing(stream, f"x{end}") as packer:
        for _ in range(FREE // len(block) + 8):
            packer.write(block)
    bomb = holding(f"bomb{end}", stream.getvalue())
    tracemalloc.start()
    with opened_for_reading(bomb) as unpacked, pytest.raises(CorpusError, match="200 times its size"):
        all(iter(lambda: unpacked.read(1 << 16), b""))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 16 * 1024 * 1024


def test_a_gzip_header_contains_no_name_and_no_time() -> None:
    header = packed(".gz")[:10]
    assert header[3] == 0, "no name"
    assert header[4:8] == bytes(4), "no time"
    assert gzip.decompress(packed(".gz")) == TEXT


def test_a_name_without_a_known_suffix_is_not_compressed() -> None:
    assert [suffix(name) for name in ("a.ndjson", "a.ndjson.gz", "a.zst", "gz")] == ["", ".gz", ".zst", ""]
