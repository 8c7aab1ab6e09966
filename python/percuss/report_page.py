"""HTML of a report. One self-contained file with style and figures; the figures are SVG, with colours that follow the page (light, dark, print), with
searchable text, and with values under the pointer and zoom (report.js).
"""

import html
import io
import itertools
import json
import math
import os
import re

import matplotlib.pyplot as plt

from percuss.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, arrange

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --soft: #5c5c5c; --line: #dcdcdc; --shade: #f5f5f3; --blue: #0072b2; --orange: #d55e00;
  --green: #009e73; --purple: #b8578f; --sky: #56b4e9; --grey: #8c8c8c; --pale: #c4c4c4; --band: #f0f0f0; --good: #1f7a3d; --bad: #b3261e; --warn: #8a5a00; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #16181b; --soft: #a3a8ae; --line: #363a40; --shade: #1f2226; --blue: #5ab4ee; --orange: #f28e4c; --green: #3cc79c;
    --purple: #e39ac4; --sky: #8fd0f5; --grey: #9a9a9a; --pale: #5b6066; --band: #24272c; --good: #6fcf8f; --bad: #ff8a80; --warn: #e8b45a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
header, main, footer { padding: 0 clamp(1rem, 3vw, 3rem); }
header { padding-top: 1.8rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .7rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-weight: 650; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: inherit; }
.soft, footer, figcaption, caption { color: var(--soft); }
.status { display: inline-block; font-weight: 600; padding: 0 .55em; border: 1px solid currentColor; border-radius: .3em; }
.done { color: var(--good); } .failed { color: var(--bad); } .stopped, .running { color: var(--warn); }
.notice { border-left: .25rem solid var(--warn); background: var(--shade); padding: .5rem .9rem; margin: .9rem 0; max-width: none; overflow-wrap: anywhere; }
.notice.failed { border-color: var(--bad); color: inherit; }
.notice ul { margin: .2rem 0; padding-left: 1.2rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; padding: 0; margin: .8rem 0 0; font-size: .92rem; }
.scroll { overflow-x: auto; margin: .8rem 0; }
table { min-width: min(100%, 20rem); border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
caption { text-align: left; padding: 0 0 .35rem; font-size: .92rem; caption-side: top; }
th, td { text-align: left; vertical-align: top; padding: .22rem 1.1rem .22rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
td.n, th.n { text-align: right; }
td { white-space: nowrap; } td.why, td:last-child:not(.n) { white-space: normal; }
tr.sum > * { font-weight: 600; border-top: 1px solid currentColor; }
td.why { color: var(--soft); min-width: 14rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 29rem), 1fr)); gap: 0 2rem; align-items: start; }
figure { margin: 1rem 0; min-width: 0; }
figcaption { font-size: .92rem; margin-top: .3rem; }
figure svg { display: block; width: 100%; height: auto; fill: currentColor; }
svg[data-panels] { cursor: crosshair; touch-action: pan-y; }
.zoom { fill: none; stroke: var(--soft); stroke-dasharray: 3 2; }
.hover { position: absolute; z-index: 1; pointer-events: none; background: var(--paper); border: 1px solid var(--line); padding: .2rem .5rem; max-width: 22rem;
  font-size: .85rem; font-variant-numeric: tabular-nums; }
pre { background: var(--shade); padding: .8rem 1rem; overflow-x: auto; font: .86rem/1.45 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", Consolas, monospace; overflow-wrap: anywhere; }
pre b { font-weight: 600; } pre i { font-style: normal; color: var(--blue); }
footer { margin-top: 2.5rem; padding-bottom: 2rem; font-size: .86rem; }
@page { margin: 15mm; }
@media print {
  body { font-size: 9pt; } header, main, footer { max-width: none; padding: 0; } nav { display: none; }
  h2 { break-after: avoid; } figure, tr, .notice { break-inside: avoid; } .pair { grid-template-columns: 1fr 1fr; gap: 0 8mm; }
  .hover { display: none; } pre { white-space: pre-wrap; overflow-wrap: anywhere; } .scroll { overflow: visible; } td.why { min-width: 0; }
}
"""

# Colours of figures that follow the page.
THEMED = {BLACK: "currentColor", BLUE: "var(--blue)", ORANGE: "var(--orange)", GREEN: "var(--green)", PURPLE: "var(--purple)", SKY: "var(--sky)",
          GREY: "var(--grey)", "#DDDDDD": "var(--line)", "#C4C4C4": "var(--pale)", "#F0F0F0": "var(--band)"}  # fmt: skip


# Numbers -----------------------------------------------------------------------------------------------------------------------------------------

SPACE, NARROW_SPACE = "\u00a0", "\u202f"  # no line break here
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
PREFIXED = {"m": 1, "s": 1, "N": 1e9, "J": 1e9, "Pa": 1e9, "N s": 1e9, "N m": 1e9, "W": 1e9}  # units with a prefix, and their largest prefix


def typeset(text):
    """A number from printf, with a typographic minus sign and power of ten."""
    mantissa, _, power = text.partition("e")
    if power:
        power = f" × 10<sup>{int(power)}</sup>".replace("-", "−")
    return mantissa.replace("-", "−") + power


def quantity(value, unit="", digits=4):
    """A rounded number with its unit; the page has all digits as <data value>."""
    if value is None or not math.isfinite(value):
        return "–"
    factor, prefix = 1, ""
    if unit in PREFIXED and value:
        factor, prefix = next(((f, p) for f, p in PREFIXES if f <= PREFIXED[unit] and abs(value) >= f * (1 - 5e-5)), (1, ""))
        if abs(value) >= 1e3 * factor and factor > 1:  # beyond all prefixes
            factor, prefix = 1, ""
    text = f"{value:,d}".replace(",", NARROW_SPACE) if isinstance(value, int) else typeset(f"{value / factor:.{digits}g}")
    return f'<data value="{value!r}">{text}{f"{SPACE}{prefix}{unit}" if prefix + unit else ""}</data>'


def escape(text):
    """Text escaped for HTML."""
    return html.escape(str(text))


# Parts of a page ---------------------------------------------------------------------------------------------------------------------------------


def table(caption, head, rows, numeric=(), last_is_sum=False):
    """A table, which scrolls if it is too wide. Cells are HTML; the first one of a row is its heading; columns in `numeric` are right-aligned."""

    def cell(kind, number, text, scope):
        return f"<{kind}{scope}{' class=n' if number in numeric else ''}>{text}</{kind}>"

    def row(cells, kind, scope):
        return "".join(cell("th" if number == 0 else kind, number, text, scope if number == 0 or kind == "th" else "") for number, text in enumerate(cells))

    thead = f"<thead><tr>{row(head, 'th', ' scope=col')}</tr></thead>" if head else ""
    lines = [row(cells, "td", " scope=row") for cells in rows]
    body = "".join(f"<tr{' class=sum' if last_is_sum and line is lines[-1] else ''}>{line}</tr>\n" for line in lines)
    named = escape(caption)
    opening = f'<div class="scroll" tabindex="0" role="group" aria-label="{named}"><table><caption>{named}</caption>'
    return f"{opening}{thead}<tbody>\n{body}</tbody></table></div>\n"


def section(key, title, *parts):
    """A section with a heading; `key` is its anchor."""
    return f'<section id="{key}"><h2>{escape(title)}</h2>\n{"".join(parts)}</section>\n'


def paragraph(text, kind=""):
    """A paragraph of HTML."""
    return f"<p{f' class={kind}' if kind else ''}>{text}</p>\n"


def left_out(reason):
    """A note on missing data, from the text of an exception."""
    return paragraph(f"Not shown: {escape(sentence(reason))}", "soft")


def sentence(words):
    """The text with a full stop, if it has no end mark."""
    words = str(words)
    return words if words.endswith((".", "?", "!")) else words + "."


def pair(*figures):
    """Figures side by side if the page is wide enough."""
    return f'<div class="pair">{"".join(figures)}</div>\n'


def figure(drawing, key, alt, caption):
    """A matplotlib figure with its caption; closes the figure."""
    return f"<figure>{inline_svg(drawing, key, alt)}<figcaption>{escape(caption)}</figcaption></figure>\n"


def inline_svg(drawing, key, alt):
    """A figure as inline SVG, with unique ids, so that figures do not use each other's clip paths, and with the colours of the page."""
    text = io.StringIO()
    arrange(drawing)
    panels = name_curves(drawing, key)
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": key, "path.simplify_threshold": 0.25}):
        drawing.savefig(text, format="svg", transparent=True, dpi=170, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    plt.close(drawing)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{key}-", svg)
    svg = re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), svg)  # a hundredth of a point is not visible
    names = {}  # matplotlib makes them of coordinates to the last bit, which differ from run to run
    svg = re.sub(rf"\b{key}-[mp][0-9a-f]{{10}}\b", lambda name: names.setdefault(name[0], f"{key}-{name[0][len(key) + 1]}{len(names)}"), svg)
    again = itertools.count()
    seen = set()  # equal images have equal ids, which are not referenced
    svg = re.sub(r'\bid="([^"]*)"', lambda name: name[0] if name[1] not in seen and not seen.add(name[1]) else f'id="{name[1]}-{next(again)}"', svg)
    for colour, themed in THEMED.items():
        svg = svg.replace(colour.lower(), themed)
    places = escape(json.dumps(put_places(panels, svg, key)))
    box = re.search(r'viewBox="([^"]*)"', svg)[1]
    most = 1.6 * float(box.split()[2])  # px: text stays near the size of the page text
    body = svg[svg.index(">") + 1 :]
    title = f"<title>{escape(alt)}</title>"
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {spaces} viewBox="{box}" style="max-width: {most:.0f}px" data-panels="{places}" role="img" aria-label="{escape(alt)}">{title}{body}'


def name_curves(drawing, key):
    """Gives lines and backgrounds of panels ids for the SVG. Returns what report.js has to know of the panels that it can read, those with straight or
    logarithmic axes: their place in the SVG is still missing."""
    panels = []
    for axis in drawing.axes:
        if not axis.get_visible() or axis.name != "rectilinear" or not {axis.get_xscale(), axis.get_yscale()} <= {"linear", "log"}:
            continue
        number = len(panels)
        axis.patch.set_gid(f"panel-{number}")
        lines = [line for line in axis.get_lines() if line.get_visible() and len(line.get_xdata()) > 1]
        for index, line in enumerate(lines):
            line.set_gid(f"curve-{number}-{index}")
        names = [str(line.get_label()) for line in lines]
        curves = [{"id": f"{key}-curve-{number}-{index}", "name": plain(axis.get_ylabel() if name.startswith("_") or "\\" in name else name)} for index, name in enumerate(names)]
        panels.append({"x": axis_of(axis.get_xlim(), axis.get_xscale(), label_below(axis)), "y": axis_of(axis.get_ylim(), axis.get_yscale(), axis.get_ylabel()),
                       "curves": curves})  # fmt: skip
    return panels


def axis_of(limits, scale, label):
    """What report.js has to know of an axis."""
    return {"from": float(limits[0]), "to": float(limits[1]), "log": scale == "log", "name": plain(label).split(":")[0]}


def label_below(axis):
    """The label of the panel's x axis, or of the panel below that shares it."""
    shared = [other for other in axis.get_shared_x_axes().get_siblings(axis) if other.get_xlabel()]
    return axis.get_xlabel() or (shared[0].get_xlabel() if shared else "")


def plain(label):
    """The first line of a label, without marks of mathematics."""
    return re.sub(r"[$_\\{}]", "", label.split("\n")[0]).strip()


def put_places(panels, svg, key):
    """The panels that were drawn, with their boxes in the SVG."""
    drawn = []
    for number, panel in enumerate(panels):
        path = re.search(rf'id="{key}-panel-{number}">\s*<path d="([^"]*)"', svg)
        if path:
            x, y = ([float(v) for v in values] for values in zip(*re.findall(r"[ML] (\S+) (\S+)", path[1])))
            drawn.append({"box": [min(x), min(y), max(x), max(y)], **panel})
    return drawn


def script():
    """report.js, as the page has it."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.js"), encoding="utf-8") as file:
        return file.read()


def page(title, header, sections, footer):
    """The complete HTML file."""
    links = "".join(f'<li><a href="#{key}">{name}</a></li>' for key, name in re.findall(r'<section id="([^"]*)"><h2>(.*?)</h2>', "".join(sections)))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n<style>{STYLE}</style>\n</head>\n<body>\n<header>\n{header}'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n</header>\n<main>\n{"".join(sections)}</main>\n<footer>\n{footer}</footer>\n<script>\n{script()}</script>\n</body>\n</html>\n'
    )
