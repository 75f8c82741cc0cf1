# python3 reader.py corpus.ndjson    (create the corpus first: brokerfuzz export corpus.ndjson --base64)
import base64
import json
import sys
from pathlib import Path

for line in Path(sys.argv[1]).read_bytes().splitlines():
    case = json.loads(line)
    body = base64.b64decode(case["raw"])  # give these bytes to your system
    print(case["verdict"], case["id"], body.hex())
