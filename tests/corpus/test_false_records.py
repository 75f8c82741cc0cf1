from typing import Any

Record = dict[str, Any]
