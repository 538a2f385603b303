"""Finds the words that CONTRIBUTING.md ("English") asks to write otherwise: in comments, messages and documents.

    prose.py             checks the whole project; exit code 1 if there is a finding
    prose.py PATH...     checks these instead

Names in code are not checked, nor text between <!-- prose: off --> and <!-- prose: on --> in a document.
"""
import re
import sys
from pathlib import Path

PROJECT = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "STATUS.md", "CMakeLists.txt", "sim", "emu", "real", "reports",
           "trainer", "tools", "tests", "scenarios")
NOT_PROSE = ("tests/golden/", "tests/fuzz/seeds/", "scenarios/recordings/", "LICENSE", "tools/prose.py")

# (pattern, the words to use instead). A space in a pattern is any white space, so that a phrase may be broken over two lines.
WORDS = [
    (r"h[au]ng(s|ing)? on\b", "depends on"),
    (r"st(ands?|ood)\b", "is, is in, is stored in"),
    (r"lies\b|(lie|lay) (in|at|on|behind|beside|below|above|under|within|between|outside|apart|there)\b", "is, is in, is stored in"),
    (r"behind\b", "after (in time or order)"),
    (r"beside\b", "next to, in addition to, compared with"),
    (r"(go|goes|going|went|gone) on\b", "continues"),
    (r"(is|are|was|were) (none|no (?!longer\b|more\b|less\b|better\b|worse\b)\w+)\b", "is not a"),
    (r"(nobody|no one|somebody|someone|anybody|everybody|whoever|whomever|whom)\b", "no caller, the caller, any client"),
    (r"(told|tells?|telling)\b", "is reported, records, notifies"),
    (r"(has|have|had) come\b", "has happened, is due"),
    (r"(come|comes|came) to\b", "reaches"),
    (r"(is|are|was|were) not over\b", "has not finished"),
    (r"as (it is|they are|it was|they were)\b", "unchanged"),
    (r"(apart|by itself|by themselves|of (its|their|his|our|your|my) own)\b", "separately, automatically"),
    (r"things?\b", "the noun"),
    (r"(of|with|by|from|into|than) what\b", "the noun"),
]
# Rule 1: how no sentence begins.
BEGINNINGS = (r"(Of|With what|What|Who)\b", "subject, verb, object")
# Phrases that are good English although one of the words is in them.
GOOD = [
    r"stand(s|ing)? for\b", r"stand[- ]ins?\b", r"stand(s|ing)? in for\b", r"stand(s|ing)? still\b",
    r"(fall|falls|fell|falling|lag|lags) behind\b", r"behind (a|the) (proxy|firewall)\b",
    r"there (is|are|was|were) (no|none)\b", r"apart from\b", r"of (these|those|which)\b", r"what to\b", r"what if\b", r"[Ww]hat [^.;]{1,90}\?",
    r"as it is (called|known|written|documented)\b", r"is (not )?(?-i:None)\b",
]


def pattern(text, flags=0):
    return re.compile(text.replace(" ", r"\s+"), flags)


WORD_PATTERNS = [(pattern(r"(?<![\w'-])(?:" + text + ")", re.IGNORECASE), words) for text, words in WORDS]
WORD_PATTERNS.append((pattern(r"(?:^|(?<=[.:;]\s)|(?<=/\*\s)|(?<=//\s)|(?<=#\s))" + BEGINNINGS[0], re.MULTILINE), BEGINNINGS[1]))
GOOD_PATTERNS = [pattern(r"\b" + text, re.IGNORECASE) for text in GOOD]

# One alternative each for what is prose (group 1: its text) and what is not but could be taken for it.
C_TEXT = re.compile(r"""(/\*.*?\*/ | //[^\n]* | (?<!include\ )"(?:[^"\\\n]|\\.)*") | '(?:[^'\\\n]|\\.)+'""", re.DOTALL | re.VERBOSE)
SHELL_TEXT = re.compile(r"""((?:^|(?<=\s))\#[^\n]* | \"\"\".*?\"\"\" | "(?:[^"\\\n]|\\.)*") | \$'(?:[^'\\]|\\.)*' | '[^'\n]*'""",
                        re.DOTALL | re.VERBOSE | re.MULTILINE)
DOCUMENT_CODE = re.compile(r"^```.*?^```|`[^`\n]*`|<!-- prose: off -->.*?<!-- prose: on -->|\]\([^)]*\)", re.DOTALL | re.MULTILINE)
KINDS = {".c": C_TEXT, ".h": C_TEXT, ".cc": C_TEXT, ".cu": C_TEXT, ".cuh": C_TEXT, ".cpp": C_TEXT, ".hpp": C_TEXT, ".js": C_TEXT,
         ".mjs": C_TEXT, ".css": C_TEXT, ".json": C_TEXT, ".html": C_TEXT, ".sh": SHELL_TEXT, ".py": SHELL_TEXT, ".cmake": SHELL_TEXT,
         ".gp": SHELL_TEXT, ".txt": SHELL_TEXT, ".md": None}


def blank(text):
    """The same lines without words: the text of a line becomes one character."""
    return re.sub(r"\S+(?:[^\S\n]+\S+)*", "\0", text)


def prose_of(path, text):
    """The prose of a file, everything else blanked."""
    kind = KINDS[path.suffix]
    if kind is None:
        return DOCUMENT_CODE.sub(lambda match: blank(match[0]), text)
    parts, end = [], 0
    for match in kind.finditer(text):
        parts.append(blank(text[end:match.start()]))
        part = match[0]
        is_prose = match[1] is not None and (not part.startswith('"') or " " in part)
        if is_prose and part.startswith("/*"):
            part = re.sub(r"^(\s*)\*(?!/)", r"\1 ", part, flags=re.MULTILINE)
        parts.append(part if is_prose else blank(part))
        end = match.end()
    return "".join(parts) + blank(text[end:])


def findings(path):
    prose = prose_of(path, path.read_text(errors="replace"))
    for good in GOOD_PATTERNS:
        prose = good.sub(lambda match: blank(match[0]), prose)
    # Line comments that follow one another are one text.
    prose = re.sub(r"^(\s*)(//|#)", lambda match: match[1] + " " * len(match[2]), prose, flags=re.MULTILINE)
    for word, instead in WORD_PATTERNS:
        for match in word.finditer(prose):
            found = " ".join(match[0].split())
            yield prose.count("\n", 0, match.start()) + 1, f'"{found}": {instead}'


def files_of(names):
    paths = [path for name in names for path in ([Path(name)] if Path(name).is_file() else Path(name).rglob("*"))]
    paths = [path for path in sorted(set(paths)) if not str(path).startswith(NOT_PROSE) and "node_modules" not in path.parts]
    return [path for path in paths if path.suffix in KINDS and path.is_file()]


def main():
    names = sys.argv[1:] or PROJECT
    count = 0
    for path in files_of(names):
        for line, finding in sorted(findings(path)):
            print(f"{path}:{line}: {finding}")
            count += 1
    print(f"prose: {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
