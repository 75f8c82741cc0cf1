"""Writes tests for Minitest in Ruby, without other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import suite

FORMAT = suite(
    "minitest",
    tests="broker_contract_test.rb",
    template="accepts.rb",
    place="Put this folder anywhere in your project.",
    run="ruby FOLDER/broker_contract_test.rb",
)
