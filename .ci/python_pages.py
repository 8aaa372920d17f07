#!/usr/bin/env python3
"""Runs the Python of the documents: `python` blocks of Markdown pages, and code cells of notebooks.

A page is run as one program, from top to bottom, in the repository's root; what it writes goes below target/. A block is left
out, with its reason printed, if the line before it is `<!-- not run: REASON -->`. A page whose first line of code imports a
package that is not installed is left out, with the name of the package.

    .ci/python_pages.py docs/guide/on-a-farm.md python/examples/is_my_cloth_clean.ipynb
"""

import json
import re
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def blocks_of_page(text):
    """Code, the line it begins at, and why it is not to be run."""
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, found.start()) + 2
        before = text[: found.start()].rstrip().rsplit("\n", 1)[-1]
        reason = re.fullmatch(r"<!-- not run: (.*) -->", before.strip())
        yield found.group(1), line, reason and reason.group(1)


def blocks_of_notebook(text):
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        if cell["cell_type"] == "code":
            yield "".join(cell["source"]), number, None


def run(path):
    """The number of blocks that were run. An error names page and line."""
    text = path.read_text(encoding="utf-8")
    of = blocks_of_notebook if path.suffix == ".ipynb" else blocks_of_page
    names = {"__name__": "__main__"}
    count = 0
    for code, line, reason in of(text):
        if reason:
            print(f"{path.relative_to(ROOT)}:{line}: not run: {reason}")
            continue
        # Line numbers of tracebacks are those of the page.
        is_page = path.suffix != ".ipynb"
        place = str(path.relative_to(ROOT)) + ("" if is_page else f", cell {line}")
        exec(compile("\n" * (line - 1 if is_page else 0) + code, place, "exec"), names)
        count += 1
    return count


def main():
    failed = 0
    for name in sys.argv[1:]:
        path = (ROOT / name).resolve()
        begin = time.monotonic()
        try:
            count = run(path)
        except ModuleNotFoundError as error:
            print(f"{name}: skipped, as {error.name} is not installed")
            if (error.name or "").split(".")[0] == "kinetree":
                failed += 1
        except Exception:
            failed += 1
            traceback.print_exc(file=sys.stdout)
            print(f"{name}: failed")
        else:
            print(f"{name}: {count} blocks in {time.monotonic() - begin:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
