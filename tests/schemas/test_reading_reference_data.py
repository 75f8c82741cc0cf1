import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from brokerfuzz import check, messages
from brokerfuzz.errors import ReferenceDataError
from brokerfuzz.schemas import load_contract

OFFER = "offer-creation-request"
PRODUCTS = "productClusters[].products[]"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("id,pages,quantity,empty\nP-1,8,10,\nP-2,,5,\nP-2,x,0,\n")
    Path("head.csv").write_text("id,pages\n")
    Path("ids.txt").write_text("a\n\n b\n")
    Path("empty.txt").write_text("\n")
    Path("latin.txt").write_bytes(b"\xe9")


def known(text: str) -> Any:
    """Returns the known values of a file with this text."""
    Path("v.toml").write_text(text)
    return load_contract(values="v.toml").values


def test_every_form_of_values_is_read() -> None:
    quantity = f"{PRODUCTS}.productQuantityInOffer"
    for text, expected in (
        ('"*.productId" = ["P-1", "P-2", "P-1"]', {f"{PRODUCTS}.productId": ["P-1", "P-2"]}),
        (
            'orderMinimum = [5]\n"categoryIds[]" = {lines = "ids.txt"}',
            {"orderMinimum": [5], "categoryIds[]": ["a", " b"]},
        ),
        (f'"{quantity}" = {{csv = "p.csv", column = "quantity"}}', {quantity: [10, 5, 0]}),
        ('url = "http://a"\n[values]\nnumber = ["A"]', {"number": ["A"]}),
        ('[tool.brokerfuzz.values]\nnumber = ["A"]', {"number": ["A"]}),
    ):
        assert known(text).sites(OFFER) == expected


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_every_separator_of_a_spreadsheet_is_read(separator: str) -> None:
    lines = [["id", "pages"], ["P,1;a", "8"], ["P-2", "16"]]
    quoted_lines = [separator.join(f'"{cell}"' for cell in line) for line in lines]
    Path("p.csv").write_text("\r\n".join(quoted_lines), encoding="utf-8-sig")
    text = f'"{PRODUCTS}.productId" = {{csv = "p.csv", column = "id"}}'
    assert known(text).sites(OFFER) == {f"{PRODUCTS}.productId": ["P,1;a", "P-2"]}


MISTAKES = [
    ('\n"productID" = ["P-1"]', "unknown site 'productID': did you mean 'productClusters[].products[].productId' or"),
    ('numbr = ["P-1"]', "v.toml, 'numbr': unknown site 'numbr': did you mean 'number'?"),
    ('"*.prodctId" = ["P-1"]', "unknown site '*.prodctId': did you mean"),
    ("a = 5", "5 is not a list of values"),
    ("number = []", "number has no values: add values"),
    ('number = {lines = "empty.txt"}', "number has no values"),
    ('number = {lines = "none.txt"}', "none.txt does not exist"),
    ('number = {lines = "latin.txt"}', "latin.txt is not UTF-8 at byte 1"),
    ('number = {csv = "p.csv", column = "ID"}', "unknown column 'ID': did you mean 'id'? p.csv has 'id', 'pages', 'quantity' and 'empty'"),
    ('number = {csv = "p.csv"}', "{'csv': 'p.csv'} is not a list of values"),
    ('number = {csv = "p.csv", column = "empty"}', "number has no values"),
    ('number = {csv = "head.csv", column = "id"}', "head.csv has no rows"),
    ("number = [2020-01-01]", "datetime.date(2020, 1, 1) is not a string, a number or a boolean"),
    ('number = ["A", 77]', "77 breaks the rule number:type (expected a string): correct or remove this value"),
    ('"*.productId" = [""]', "productId:minLength (expected at least 1 character)"),
    ('offerType = ["Fax"]', "'Fax' breaks the rule offerType:enum (expected one of \"Direct Mail\""),
    ('orderMinimum = {csv = "p.csv", column = "pages"}', "p.csv:4: 'x' breaks the rule orderMinimum:type (expected an integer or null)"),
    ('comments = ["a\\u0000"]', "'a\\x00' contains NUL: correct or remove this value"),
    ("defaultPrice = [9007199254740993]", "9007199254740993 is larger than 2**53: correct or remove this value"),
    ('productClusters = ["a"]', f"productClusters of {OFFER} is not a string, a number or a boolean: use productClusters[]"),
    ('lastUpdatedDateTimeUtc = ["2020-01-01T00:00:00Z"]', "lastUpdatedDateTimeUtc of offer-creation-request cannot have values"),
    ('"data.totalExtendedPrice" = [1]', "data.totalExtendedPrice of offer-pricing-response cannot have values"),
    ('number = ["a"]\n"num*" = ["b"]', f"number of {OFFER} already has values: remove one of the two entries"),
    ("", "v.toml: no site has values"),
    ("number = [", "v.toml is not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error"), MISTAKES)
def test_each_mistake_is_reported_with_its_file_and_entry(text: str, error: str) -> None:
    Path("v.toml").write_text(text)
    with pytest.raises(ReferenceDataError) as raised:
        load_contract(values="v.toml")
    message = str(raised.value)
    assert error in message, message
    assert re.match(r"v\.toml(, '| is not TOML|: no site)|p\.csv:\d+: ", message)
    assert "\n" not in message


def test_a_known_value_of_any_length_is_valid() -> None:
    url = f"https://example.com/{'a' * 500}.png"
    contract = load_contract(values={"fullImageUrl": [url]})
    offer = {"number": "1", "offerType": "Email", "fullImageUrl": url}
    assert check(OFFER, offer, contract=contract).label == "valid"
    assert all(
        message.get("fullImageUrl") in (url, None) for message in islice(messages(OFFER, 1, contract=contract), 50)
    )


def test_the_error_names_the_entry_of_a_mapping_and_a_file_that_does_not_exist() -> None:
    with pytest.raises(ReferenceDataError, match=r"^values\['numbr'\]: unknown site 'numbr': did you mean 'number'\?"):
        load_contract(values={"numbr": ["A"]})
    with pytest.raises(ReferenceDataError, match=r"^none\.toml does not exist"):
        load_contract(values="none.toml")
