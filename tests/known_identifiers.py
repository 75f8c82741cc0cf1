from collections.abc import Callable

from behaviours import CONFORMING, Accepts, parsed


class KnownIdentifiers:
    """A service that accepts each value of some properties once, and rejects known values with `status`.

    `accepts` decides about everything else, from the message that `reads` returns. If `looks_first` is true, the service
    rejects known values before anything else. `refuses` decides whether it rejects a known value, from how many known
    values it got so far.
    """

    def __init__(
        self,
        status: int,
        *names: str,
        accepts: Accepts = CONFORMING,
        reads: Callable[[bytes], bytes] = bytes,
        looks_first: bool = False,
        refuses: Callable[[int], bool] = bool,
    ) -> None:
        self.status, self.names, self.accepts = status, names, accepts
        self.reads, self.looks_first, self.refuses = reads, looks_first, refuses
        self.known = set[tuple[str, str]]()
        self.conflicts = 0

    def __call__(self, body: bytes) -> int:
        message = self.reads(body)
        is_accepted = self.accepts(message)
        if not is_accepted and not self.looks_first:
            return 400
        offer = parsed(message)
        values = {(name, offer[name]) for name in self.names if isinstance(offer.get(name), str)}
        if values & self.known:
            self.conflicts += 1
            if self.refuses(self.conflicts):
                return self.status
        if not is_accepted:
            return 400
        self.known |= values
        return 201
