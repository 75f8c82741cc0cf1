import pytest

from brokerfuzz.corpus.corpus_names import ShardNames, check_ndjson, check_suffix, format_from_name
from brokerfuzz.corpus.formats import Format, format_named
from brokerfuzz.errors import CorpusError

NDJSON, FILES = format_named("ndjson"), format_named("files")


@pytest.mark.parametrize(
    ("name", "form"),
    [("a", "ndjson"), ("a.jsonl", "ndjson"), ("a.ndjson.gz", "ndjson")],
)
def test_the_suffix_of_a_name_determines_the_format(name: str, form: str) -> None:
    assert format_from_name(name).name == form


@pytest.mark.parametrize("name", ["a.txt", "a.csv.gz", "a.ndjosn", "s3://bucket/a.b.c"])
def test_an_unknown_suffix_is_rejected(name: str) -> None:
    with pytest.raises(CorpusError, match="which is not the suffix of any format"):
        format_from_name(name)


@pytest.mark.parametrize("name", ["a", "a.ndjson", "a.jsonl.gz", "v1.0/a", "s3://bucket.x/a.ndjson.zst"])
def test_an_ndjson_corpus_may_have_its_own_suffix_or_none(name: str) -> None:
    check_ndjson(name)


@pytest.mark.parametrize(
    "name", ["a.parquet", "a.html", "a.har.gz", "a.json", "a.NDJSON", "a.ndjson.b", "s3://bucket/a.har"]
)
def test_an_ndjson_corpus_may_not_have_another_suffix(name: str) -> None:
    with pytest.raises(CorpusError, match=r"use (a name that ends in )?\.ndjson$"):
        check_ndjson(name)


@pytest.mark.parametrize("end", [".bz2", ".xz", ".ZIP", ".7z"])
def test_an_unsupported_compression_is_rejected_with_the_supported_ones(end: str) -> None:
    with pytest.raises(CorpusError, match=r"use \.gz or \.zst, or a name without this suffix"):
        check_suffix(f"corpus.ndjson{end}", NDJSON)


@pytest.mark.parametrize(("name", "small"), [("a.ndjson.GZ", ".gz"), ("a.Zst", ".zst"), ("a.NDJSON.gz", ".ndjson")])
def test_a_suffix_in_capitals_is_rejected_with_the_right_spelling(name: str, small: str) -> None:
    with pytest.raises(CorpusError, match=rf"lower case: use \{small}$"):
        format_from_name(name)


@pytest.mark.parametrize("form", [NDJSON, FILES])
def test_the_suffix_of_a_compression_is_in_lower_case_in_every_format(form: Format) -> None:
    with pytest.raises(CorpusError, match=r"lower case: use \.gz$"):
        check_suffix("a.GZ", form)


def test_a_folder_cannot_be_compressed() -> None:
    with pytest.raises(CorpusError, match="cannot be compressed, because the format `files` writes a folder"):
        check_suffix("corpus.gz", FILES)


@pytest.mark.parametrize(
    ("name", "shard", "manifest"),
    [
        ("a.ndjson", "a-00002-of-00010.ndjson", "a.shards.json"),
        ("a.b.ndjson.gz", "a.b-00002-of-00010.ndjson.gz", "a.b.shards.json"),
        ("a", "a-00002-of-00010", "a.shards.json"),
        ("a.zst", "a-00002-of-00010.zst", "a.shards.json"),
    ],
)
def test_shards_keep_the_suffix_of_the_corpus(name: str, shard: str, manifest: str) -> None:
    names = ShardNames.of(name, NDJSON, 10)
    assert (names.shard(1), names.manifest) == (shard, manifest)


def test_the_name_of_a_folder_has_no_suffix() -> None:
    assert ShardNames.of("v1.0", FILES, 2).shard(0) == "v1.0-00001-of-00002"
