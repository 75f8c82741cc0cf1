from html.parser import HTMLParser


class Page(HTMLParser):
    """Collects the tags of a page. Fails if the tags are not nested correctly, or if an attribute runs or loads something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, set[str]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        assert not {name for name in names if name.startswith("on") or name in ("href", "src", "action")}
        self.tags.append((tag, names))
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
