"""Writes tests for PHPUnit, without other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import suite

FORMAT = suite(
    "phpunit",
    tests="BrokerContractTest.php",
    template="accepts.php",
    place="Put this folder anywhere in your project (PHP 8.0 and PHPUnit 9 or later).",
    run="vendor/bin/phpunit FOLDER",
)
