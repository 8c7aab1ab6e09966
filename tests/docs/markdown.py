"""Parser for the parts of a Markdown file that can be wrong: headings, links, code, formulas, tables. It follows GitHub, as far as this repository needs it.

A comment in the line above a code block gives instructions:

    <!-- by hand: takes 4 minutes -->     commands that the test does not run; a reason is required
    <!-- file: my_rotor.yaml -->          saves the block under this name, for later commands of the file
    <!-- append: my_rotor.yaml -->        appends it to that file
"""
import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"^<!--\s*(by hand|file|append)\s*:\s*(.*?)\s*-->$")
FENCE = re.compile(r"^(\s*)(```+)\s*(\S*)\s*$")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
ITEM = re.compile(r"^\s*([-*+]|\d+\.)\s")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*(\S+)")
SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
MATH = re.compile(r"\$([^$]+)\$")


@dataclass
class Block:
    """A code block: `language` of a fence, None for an indented block."""

    line: int
    language: str | None
    lines: list[str]
    by_hand: str | None = None
    file: str | None = None
    append: str | None = None


@dataclass
class Document:
    headings: list[str] = field(default_factory=list)  # text without `#`
    blocks: list[Block] = field(default_factory=list)
    text: list[tuple[int, str]] = field(default_factory=list)  # other lines: (line number, line)

    @property
    def anchors(self):
        """Anchors of the headings as on GitHub; repeated ones are numbered."""
        seen, names = {}, set()
        for heading in self.headings:
            name = slug(heading)
            names.add(f"{name}-{seen[name]}" if name in seen else name)
            seen[name] = seen.get(name, 0) + 1
        return names

    def paragraphs(self):
        """(line, text) of each paragraph."""
        first, lines = 0, []
        for number, line in [*self.text, (0, "")]:
            if line.strip():
                first = first if lines else number
                lines.append(line)
            elif lines:
                yield first, "\n".join(lines)
                lines = []

    def links(self):
        """(line, target) of each link outside of code."""
        for first, paragraph in self.paragraphs():
            bare = SPAN.sub("", paragraph)
            for target in LINK.findall(bare) + [t for line in bare.splitlines() for t in REFERENCE.findall(line)]:
                yield first, target

    def spans(self):
        """(line, code) of `code` within text."""
        for first, paragraph in self.paragraphs():
            for match in SPAN.finditer(paragraph):
                yield first + paragraph[: match.start()].count("\n"), " ".join(match.group(2).split())

    def formulas(self):
        """(line, formula, whether it is a block of its own)"""
        for first, paragraph in self.paragraphs():
            for formula in MATH.findall(SPAN.sub("", paragraph)):
                yield first, formula, False
        for block in self.blocks:
            if block.language == "math":
                yield block.line, "\n".join(block.lines), True

    def tables(self):
        """(line, cells of each row) of all tables."""
        rows, first = [], 0
        for number, line in [*self.text, (0, "")]:
            if line.lstrip().startswith("|"):
                first = first if rows else number
                rows.append(re.split(r"(?<!\\)\|", line.strip())[1:-1])
            elif rows:
                yield first, rows
                rows = []


def slug(heading):
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def parse(text):
    document, lines, told = Document(), text.splitlines(), {}
    before, i = "", 0  # the last nonblank line
    while i < len(lines):
        line, fence, comment = lines[i], FENCE.match(lines[i]), COMMENT.match(lines[i].strip())
        if comment:
            told[comment.group(1)] = comment.group(2)
            i += 1
            continue
        if fence:
            end = next((k for k in range(i + 1, len(lines)) if lines[k].strip() == fence.group(2)), None)
            if end is None:
                raise ValueError(f"line {i + 1}: a code block without end")
            body = [x[len(fence.group(1)):] if x.startswith(fence.group(1)) else x for x in lines[i + 1 : end]]
            document.blocks.append(Block(i + 1, fence.group(3), body, told.pop("by hand", None), told.pop("file", None), told.pop("append", None)))
            document.text.append((i + 1, ""))
            before, i = "", end + 1
        elif line.startswith("    ") and line.strip() and not (i and lines[i - 1].strip() and not COMMENT.match(lines[i - 1].strip())) and not is_in_list(before):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            document.blocks.append(Block(i + 1, None, [x[4:] for x in lines[i:end]], told.pop("by hand", None), told.pop("file", None), told.pop("append", None)))
            document.text.append((i + 1, ""))
            before, i = "", end
        else:
            if line.strip() and told:
                raise ValueError(f"line {i + 1}: a comment for a code block ({', '.join(told)}), but no block follows")
            heading = HEADING.match(line)
            if heading:
                document.headings.append(heading.group(2))
            document.text.append((i + 1, line))
            before = line if line.strip() else before
            i += 1
    return document


def is_in_list(line):
    """Whether indented text after this line continues a list item."""
    return bool(ITEM.match(line) or line.startswith(" "))


def formula_error(formula, whole):
    """The error in a formula, or None."""
    bare = re.sub(r"\\[{}\\]", "", formula)
    if bare.count("{") != bare.count("}"):
        return "braces"
    if len(re.findall(r"\\left(?![a-zA-Z])", formula)) != len(re.findall(r"\\right(?![a-zA-Z])", formula)):
        return r"\left without \right"
    if sorted(re.findall(r"\\begin\{(\w+)\}", formula)) != sorted(re.findall(r"\\end\{(\w+)\}", formula)):
        return r"\begin without \end"
    if not whole and re.search(r"\\[^a-zA-Z\s]", formula):
        return "a backslash before punctuation, which GitHub drops within a line"
    return None
