<?php // php reader.php corpus.ndjson    (create the corpus first: brokerfuzz export corpus.ndjson --base64)
foreach (file($argv[1]) as $line) {
    $case = json_decode($line, true);
    $body = base64_decode($case["raw"]); // give these bytes to your system
    echo $case["verdict"], " ", $case["id"], " ", bin2hex($body), "\n";
}
