"""What the names of corpora tell."""

import pytest

from brokerfuzz.corpus.corpus_names import ShardNames, check_end, check_ndjson, format_told
from brokerfuzz.corpus.formats import Format, format_named
from brokerfuzz.errors import CorpusError

NDJSON, FILES = format_named("ndjson"), format_named("files")


@pytest.mark.parametrize(
    ("name", "told"), [("a", "ndjson"), ("a.jsonl", "ndjson"), ("a.ndjson.gz", "ndjson"), ("a.har", "har"), ("a.har.zst", "har")]
)
def test_the_end_of_a_name_tells_the_format(name: str, told: str) -> None:
    assert format_told(name).name == told


@pytest.mark.parametrize("name", ["a.txt", "a.csv.gz", "a.ndjosn", "s3://bucket/a.b.c"])
def test_an_end_that_tells_no_format_is_rejected(name: str) -> None:
    with pytest.raises(CorpusError, match="as no format does"):
        format_told(name)


@pytest.mark.parametrize("name", ["a", "a.ndjson", "a.jsonl.gz", "v1.0/a", "s3://bucket.x/a.ndjson.zst"])
def test_what_is_always_ndjson_may_be_called_so_or_nothing(name: str) -> None:
    check_ndjson(name)


@pytest.mark.parametrize("name", ["a.parquet", "a.html", "a.har.gz", "a.json", "a.NDJSON", "a.ndjson.b", "s3://bucket/a.har"])
def test_what_is_always_ndjson_is_not_called_anything_else(name: str) -> None:
    with pytest.raises(CorpusError, match=r"name it \.ndjson"):
        check_ndjson(name)


@pytest.mark.parametrize("end", [".bz2", ".xz", ".ZIP", ".7z"])
def test_other_ways_to_pack_are_rejected_with_those_that_there_are(end: str) -> None:
    with pytest.raises(CorpusError, match=r"\.gz and \.zst can be"):
        check_end(f"corpus.ndjson{end}", NDJSON)


@pytest.mark.parametrize(("name", "small"), [("a.ndjson.GZ", ".gz"), ("a.Zst", ".zst"), ("a.HAR", ".har"), ("a.NDJSON.gz", ".ndjson")])
def test_an_end_in_capitals_is_rejected_with_how_it_is_written(name: str, small: str) -> None:
    with pytest.raises(CorpusError, match=rf"small letters.*: name it \{small}$"):
        format_told(name)


@pytest.mark.parametrize("form", [NDJSON, FILES])
def test_what_a_file_is_packed_as_is_in_small_letters_whatever_its_format(form: Format) -> None:
    with pytest.raises(CorpusError, match=r"small letters.*: name it \.gz$"):
        check_end("a.GZ", form)


def test_a_folder_is_not_packed() -> None:
    with pytest.raises(CorpusError, match="only a file can be packed"):
        check_end("corpus.gz", FILES)


@pytest.mark.parametrize(
    ("name", "shard", "manifest"),
    [
        ("a.ndjson", "a-00002-of-00010.ndjson", "a.shards.json"),
        ("a.b.ndjson.gz", "a.b-00002-of-00010.ndjson.gz", "a.b.shards.json"),
        ("a", "a-00002-of-00010", "a.shards.json"),
        ("a.zst", "a-00002-of-00010.zst", "a.shards.json"),
    ],
)
def test_shards_keep_the_end_of_the_name(name: str, shard: str, manifest: str) -> None:
    names = ShardNames.of(name, NDJSON, 10)
    assert (names.shard(1), names.manifest) == (shard, manifest)


def test_a_folders_name_has_no_end() -> None:
    assert ShardNames.of("v1.0", FILES, 2).shard(0) == "v1.0-00001-of-00002"
