#!/usr/bin/env python3
"""Wraps comments of Rust files, and prose of Markdown files, at 100 columns.

    .ci/wrap_comments.py [FILE ...]           rewrites the files (default: tracked .rs files below src, as tests/prose.rs)
    .ci/wrap_comments.py --check [FILE ...]   only names lines that are too wide; status 1 if there are any

Only paragraphs with a line that is too wide are wrapped again. Tables, code, headings, drawings (indented by four columns
or more) and lines without a space to break at stay as they are.
"""

import re
import subprocess
import sys
from pathlib import Path

WIDTH = 100
COMMENT = re.compile(r"^(\s*)(///|//!|//)( ?)(.*)$")
BULLET = re.compile(r"^(\s*)([-*+]|\d+\.)\s+")
# Words that mean something else at the begin of a line: bullets, headings, quotes, tables.
NEVER_FIRST = re.compile(r"^([-*+]|\d+[.)]|#+|>+|\|.*)$")


def wrap(words, first, rest):
    """Lines of at most WIDTH columns; a word that does not fit has a line of its own."""
    lines, line = [], first
    fresh = True
    for word in words:
        if not fresh and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, fresh = rest, True
        line += word if fresh else " " + word
        fresh = False
    lines.append(line)
    return lines


def split_words(text):
    """Words; a piece of code between backticks is one word, and so is a word with what may not begin a line behind it."""
    words = []
    for word in re.findall(r"`[^`]*`[^\s`]*|\S+", text):
        if words and NEVER_FIRST.match(word):
            words[-1] += " " + word
        else:
            words.append(word)
    return words


def is_fixed(body):
    """Whether a line of prose is not to be joined with others."""
    stripped = body.strip()
    return (
        not stripped
        or stripped.startswith(("|", "#", "```", "[^", "<!--", ">"))
        or body.startswith("    ")
        or re.match(r"^\[[^\]]+\]: ", stripped) is not None
    )


def wrap_paragraphs(bodies, prefix):
    """Bodies are lines without their prefix; returns lines with it."""
    out, index, in_code = [], 0, False
    while index < len(bodies):
        body = bodies[index]
        if body.strip().startswith("```"):
            in_code = not in_code
        if in_code or is_fixed(body):
            out.append((prefix + body).rstrip())
            index += 1
            continue
        end = index + 1
        while end < len(bodies) and not is_fixed(bodies[end]) and not BULLET.match(bodies[end]):
            if bodies[end].strip().startswith("```"):
                break
            end += 1
        paragraph = bodies[index:end]
        if all(len(prefix + line) <= WIDTH for line in paragraph):
            out.extend((prefix + line).rstrip() for line in paragraph)
        else:
            bullet = BULLET.match(paragraph[0])
            indent = paragraph[0][: len(paragraph[0]) - len(paragraph[0].lstrip())]
            hang = " " * len(bullet.group(0)) if bullet else indent
            words = split_words(" ".join(line.strip() for line in paragraph))
            out.extend(wrap(words, prefix + indent, prefix + hang))
        index = end
    return out


def wrapped_rust(text):
    lines, out, index = text.split("\n"), [], 0
    while index < len(lines):
        match = COMMENT.match(lines[index])
        if not match or lines[index].lstrip().startswith("////"):
            out.append(lines[index])
            index += 1
            continue
        head = (match.group(1), match.group(2))
        block = []
        while index < len(lines):
            match = COMMENT.match(lines[index])
            if not match or (match.group(1), match.group(2)) != head:
                break
            block.append(match.group(4))
            index += 1
        out.extend(wrap_paragraphs(block, f"{head[0]}{head[1]} "))
    return "\n".join(out)


def wrapped(path, text):
    if path.suffix == ".md":
        return "\n".join(wrap_paragraphs(text.split("\n"), ""))
    return wrapped_rust(text)


def main(arguments):
    unknown = [name for name in arguments if name.startswith("-") and name != "--check"]
    if unknown:
        print(f"{unknown[0]}: not known; usage: wrap_comments.py [--check] [FILE…], those below src without one")
        return 2
    check = "--check" in arguments
    names = [name for name in arguments if not name.startswith("--")]
    if not names:
        listed = subprocess.run(["git", "ls-files", "src/*.rs"], capture_output=True, text=True, check=True)
        names = listed.stdout.split()
    faults = 0
    for path in map(Path, names):
        text = path.read_text()
        new = wrapped(path, text)
        if new == text:
            continue
        if check:
            faults += 1
            print(f"{path}: comments wider than {WIDTH} columns; run .ci/wrap_comments.py {path}")
        else:
            path.write_text(new)
    return 1 if faults else 0


sys.exit(main(sys.argv[1:]))
