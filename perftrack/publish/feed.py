"""An Atom feed (RFC 4287) of change events and slow creep, for feed readers and chat rooms."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from xml.etree import ElementTree

from perftrack.core.changes.chronicle import Chapter
from perftrack.core.text import printable
from perftrack.publish import addresses
from perftrack.publish.changelog import headline, named, size_text
from perftrack.publish.gather import History
from perftrack.publish.pages import CreepLine
from perftrack.publish.render import iso_time

NAMESPACE = "http://www.w3.org/2005/Atom"
ENTRIES = 100  # the newest
EPOCH = "1970-01-01T00:00:00Z"


def feed(
    history: History, chapters: Sequence[Chapter], base_url: str | None, crept: Sequence[CreepLine] = ()
) -> bytes:
    """The feed: events, and what crept since the release.

    Ids stay the same wherever the site is served. Links are relative where no base_url is given.
    """
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.Element(_tag("feed"))
    prefix = f"{base_url.rstrip('/')}/" if base_url else ""
    if prefix:
        root.set("{http://www.w3.org/XML/1998/namespace}base", prefix)
    seed = history.project.remote_url or history.project.name
    shown = chapters[:ENTRIES]
    _add(root, "id", f"urn:perftrack:{_digest(seed)}")
    _add(root, "title", f"{printable(history.project.name)}: performance changes")
    newest = iso_time(history.project.generated_from or 0.0) or EPOCH
    _add(root, "updated", max([*(_when(c) for c in shown), *(newest for _ in crept)], default=EPOCH))
    author = ElementTree.SubElement(root, _tag("author"))
    _add(author, "name", "perftrack")
    _link(root, prefix + addresses.FEED, "self")
    _link(root, prefix + addresses.CHANGES, "alternate")
    for line in crept:
        entry = ElementTree.SubElement(root, _tag("entry"))
        _add(entry, "id", f"urn:perftrack:{_digest(seed)}:{line.id}")
        _add(entry, "title", printable(f"crept in: {line.title} {line.size} since {line.release}"))
        _add(entry, "updated", newest)  # what has crept is a sum up to the newest run
        _link(entry, prefix + line.page, "alternate")
        _add(entry, "category", "").set("term", "creep")
        _add(
            entry,
            "summary",
            printable(f"{line.range} in {line.commits} commits, none of them enough to be told"),
        )
    for chapter in shown:
        entry = ElementTree.SubElement(root, _tag("entry"))
        _add(entry, "id", f"urn:perftrack:{_digest(seed)}:{chapter.id}")
        _add(entry, "title", printable(f"{_word(chapter)}: {headline(chapter)}"))
        _add(entry, "updated", _when(chapter))
        _link(entry, prefix + addresses.change_page(chapter.id), "alternate")
        _add(entry, "category", "").set("term", chapter.state.value)
        _add(entry, "summary", printable(_summary(chapter)))
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _word(chapter: Chapter) -> str:
    """The state of an event, and which way it went."""
    way = "regression" if chapter.worse else "improvement"
    return way if chapter.state.value in ("new", "confirmed") else f"{chapter.state.value} {way}"


def _summary(chapter: Chapter) -> str:
    likely = chapter.likely
    where = f"{chapter.count} commits, most likely" if chapter.count > 1 else "commit"
    lines = [f"{where} {likely.sha[:12]} {likely.subject}".rstrip()]
    lines += [f"{named(c)} {size_text(c)}" for c in chapter.changes[:20]]
    lines += [f"cause? {r.message}" for r in chapter.hints]
    return "\n".join(lines)


def _when(chapter: Chapter) -> str:
    """When the event was last news: the newest run of its changes' ranges."""
    times = (c.trend.points[c.change.last].started_at for c in chapter.changes)
    return iso_time(max(times, default=0.0)) or EPOCH


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _add(parent: ElementTree.Element, name: str, text: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, _tag(name))
    if text:
        element.text = text
    return element


def _link(parent: ElementTree.Element, href: str, relation: str) -> None:
    ElementTree.SubElement(parent, _tag("link"), {"href": href, "rel": relation})


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
