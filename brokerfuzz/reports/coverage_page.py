"""Creates an HTML page with the coverage of a corpus: a table with one row per site, and columns for rules, techniques,
edges (unusual valid values), pairs and ambiguities. Readers can open each row to see details.

The page is a single file that loads no other files. In a browser without scripts, everything except the filters works.
All text is escaped, because other people wrote the contracts and the messages.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from brokerfuzz.cases.covering.goals import KINDS, Goal, of_rule
from brokerfuzz.cases.covering.tally import COUNTED, Score, Tally
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.contract_names import LABELS
from brokerfuzz.reports.coverage_table import full_name, percent, split_site
from brokerfuzz.schemas import Rule
from brokerfuzz.wording import counted, plural

MOST_LISTED = 100
"""The page lists at most this many missing pairs of property states per site, and at most this many corpora in its
heading.
"""
_HERE = Path(__file__).parent
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


def page(tallies: Sequence[Tally], sources: Sequence[str]) -> str:
    common, own, script = (
        (_HERE / name).read_text(encoding="utf-8") for name in ("pages.css", "coverage_page.css", "coverage_page.js")
    )
    policy = _POLICY.format(b64encode(sha256(script.encode()).digest()).decode())
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>Coverage of the contract: {escape(', '.join(sources[:3]))}</title>",
            f"<style>{common}{own}</style>",
            *_head(tallies, sources),
            "<main>",
            *(line for tally in tallies for line in _section(tally)),
            "</main>",
            f"<script>{script}</script>",
            "</html>",
            "",
        ]
    )


# ------------------------------------------------------------------------------------------------------------ head


def _head(tallies: Sequence[Tally], sources: Sequence[str]) -> Iterator[str]:
    score = sum((tally.score(*COUNTED) for tally in tallies), Score(0, 0))
    yield "<header>"
    yield (
        '<h1>Coverage of the contract</h1><p class="sources">Corpus: '
        f"{_listed([f'<code>{escape(name)}</code>' for name in sources])}</p>"
    )
    yield (
        f'<p class="whole"><b>{percent(score)}<small> %</small></b> of {score.all:,} rules, techniques, edges and '
        "ambiguities"
    )
    yield f"<br>{sum(tally.messages for tally in tallies):,} messages</p>"
    yield "</header>"
    links = (
        f'<li><a href="#{tally.message_type}">{escape(_words(tally.message_type))}</a> '
        f"{percent(tally.score(*COUNTED))} %</li>"
        for tally in tallies
    )
    yield f'<nav aria-label="Message types"><ul>{"".join(links)}</ul></nav>'
    yield '<div id="tools" hidden>'
    yield '<label>Filter <input id="filter" type="search" placeholder="part of a site" autocomplete="off"></label>'
    yield '<label><input id="gaps" type="checkbox"> only gaps</label>'
    yield '<button id="unfold" type="button" aria-pressed="false">Open all</button>'
    yield '<output id="shown" for="filter gaps"></output>'
    yield "</div>"
    legend = (("s0", "nothing"), ("s1", "under a third"), ("s2", "under two thirds"), ("s3", "more"), ("s4", "all"))
    shades = "".join(f'<span class="cell {shade}">{text}</span>' for shade, text in legend)
    yield f'<p class="legend"><span>Covered:</span> {shades}</p>'


def _listed(items: Sequence[str]) -> str:
    more = f" and {len(items) - MOST_LISTED:,} more" if len(items) > MOST_LISTED else ""
    return ", ".join(items[:MOST_LISTED]) + more


def _words(message_type: str) -> str:
    return message_type.replace("-", " ").capitalize()


# -------------------------------------------------------------------------------------------------------- sections


def _section(tally: Tally) -> Iterator[str]:
    yield f'<section id="{tally.message_type}" aria-labelledby="{tally.message_type}-title">'
    yield f'<h2 id="{tally.message_type}-title">{escape(_words(tally.message_type))}</h2>'
    verdicts = (f'<span class="verdict {label}">{tally.verdicts[label]:,} {label}</span>' for label in LABELS)
    yield f'<p class="messages">{tally.messages:,} messages: {" ".join(verdicts)}</p>'
    yield '<ul class="totals">'
    yield from (_total(tally.score(kind), plural(kind)) for kind in KINDS)
    yield "</ul>"
    yield from _gaps(tally)
    yield '<div class="map">'
    heads = "".join(f"<span>{plural(kind)}</span>" for kind in KINDS)
    yield f'<div class="heads" aria-hidden="true"><span>site</span>{heads}</div>'
    for site, kinds in tally.by_site.items():
        yield from _row(tally, site, [goal for kind in KINDS for goal in kinds.get(kind, ())])
    yield "</div></section>"


def _total(score: Score, what: str) -> str:
    done, most = (score.covered, score.all) if score.all else (1, 1)
    bar = f'<progress max="{most}" value="{done}" aria-label="{what}"></progress>'
    return (
        f"<li><h3>{what}</h3><p><b>{percent(score)}<small> %</small></b> {score.covered:,} of "
        f"{score.all:,}</p>{bar}</li>"
    )


def _gaps(tally: Tally) -> Iterator[str]:
    """Lists the rules that no message breaks, and the ambiguities that no message touches."""
    for kind, text in (("rule", "never broken"), ("ambiguity", "never tested")):
        goals = [goal for goal in tally.missing() if goal.kind == kind]
        if goals:
            items = "".join(
                f"<li><code>{escape(' '.join(full_name(goal, tally.message_type)))}</code></li>" for goal in goals
            )
            count = counted(len(goals), kind, plural(kind))
            yield f'<details class="gaps"><summary>{count} {text}</summary><ul>{items}</ul></details>'


def _row(tally: Tally, site: str, goals: Sequence[Goal]) -> Iterator[str]:
    scores = [tally.score_of([goal for goal in goals if goal.kind == kind]) for kind in KINDS]
    whole_row = all(score.covered == score.all for score in scores)
    above, name = split_site(site)
    depth = site.count(".") + site.count("[]")
    yield f'<details class="row{" full" if whole_row else ""}" data-site="{escape(site)}">'
    yield f'<summary><span class="site" style="--depth: {depth}"><i>{escape(above)}</i>{escape(name)}</span>'
    yield from (_cell(score, plural(kind)) for kind, score in zip(KINDS, scores, strict=True))
    yield "</summary>"
    yield '<div class="panel">'
    yield from _panel(tally, site, goals)
    yield "</div></details>"


def _cell(score: Score, what: str) -> str:
    if not score.all:
        return f'<span class="cell"><span class="unseen">no {what}</span></span>'
    shade = 4 if score.covered == score.all else 0 if not score.covered else 1 + min(int(3 * score.share), 2)
    return (
        f'<span class="cell s{shade}"><b>{score.covered:,}</b>/{score.all:,}<span class="unseen"> {what}</span></span>'
    )


# ---------------------------------------------------------------------------------------------------------- panels


def _panel(tally: Tally, site: str, goals: Sequence[Goal]) -> Iterator[str]:
    yield f'<p class="path"><code>{escape(f"{tally.message_type}/{site}")}</code></p>'
    of = {kind: [goal for goal in goals if goal.kind == kind] for kind in KINDS}
    for rule in tally.contract.rules[tally.message_type]:
        if rule.site == site:
            yield from _rule(tally, rule, of["technique"])
    if of["edge"]:
        yield f"<h4>Edges</h4>{_chips(tally, of['edge'])}"
    if of["ambiguity"]:
        yield f"<h4>Ambiguities</h4>{_chips(tally, of['ambiguity'])}"
    if of["pair"]:
        missing = [goal for goal in of["pair"] if goal not in tally.first]
        covered = len(of["pair"]) - len(missing)
        name = plural("pair").capitalize()
        yield f"<h4>{name}</h4><p>{covered:,} of {len(of['pair']):,} covered{'; missing:' if missing else ''}</p>"
        more = (
            f'<p class="more">and {len(missing) - MOST_LISTED:,} more: use --missing to list them</p>'
            if len(missing) > MOST_LISTED
            else ""
        )
        yield f"{_chips(tally, missing[:MOST_LISTED])}{more}"


def _rule(tally: Tally, rule: Rule, techniques: Sequence[Goal]) -> Iterator[str]:
    goal = of_rule(rule)
    covered = goal in tally.first
    count = _uses(tally, goal) if covered else "never broken"
    yield f'<h4 class="{"met" if covered else "open"}"><code>{escape(goal.name)}</code> requires {escape(rule.demand)}'
    yield f"<small>{escape(rule.source or 'a changed contract')}; {escape(count)}</small></h4>"
    yield _chips(tally, [one for one in techniques if one.name.startswith(f"{goal.name} ")])


def _chips(tally: Tally, goals: Sequence[Goal]) -> str:
    """Creates an HTML list of goals. The goals that no message covers come first."""
    in_order = sorted(goals, key=lambda goal: goal in tally.first)
    return f'<ul class="chips">{"".join(_chip(tally, goal) for goal in in_order)}</ul>' if goals else ""


def _chip(tally: Tally, goal: Goal) -> str:
    name = goal.name.partition(" ")[2] if goal.kind == "technique" else goal.name
    if goal in tally.first:
        return f'<li class="met" title="{escape(_uses(tally, goal))}">{escape(name)}</li>'
    text = _description(tally, goal, name)
    return f'<li class="open"{f" title={chr(34)}{escape(text)}{chr(34)}" if text else ""}>{escape(name)}</li>'


def _uses(tally: Tally, goal: Goal) -> str:
    return f"{counted(tally.counts[goal], 'message')}, first {tally.first[goal]}"


def _description(tally: Tally, goal: Goal, name: str) -> str:
    if goal.kind == "technique" and name in TECHNIQUES:
        return TECHNIQUES[name].text
    return tally.contract.ambiguity(name).question if goal.kind == "ambiguity" else ""
