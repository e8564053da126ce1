"""Draws front.svg, the README's picture: three charts of the program's own pages, side by side.

python docs/pictures/front.py [PROGRAM]    (default: target/release/unmiss; needs nothing but Python)
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/unmiss").resolve()
#: What is known only after the operation, and a number that is none.
IGNORED = "outcome,lesion_type1,lesion_type2,lesion_type3,cp_data,hospital_number"


def horses(path):
    """The sample with words for the two answers and without the ignored columns, so that charts can be read."""
    with open(ROOT / "crates/unmiss/samples/horse-colic.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name not in IGNORED.split(",")]
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, columns, extrasaction="ignore")
        out.writeheader()
        for row in rows:
            out.writerow(row | {"surgical_lesion": {"1": "surgical lesion", "2": "no lesion"}[row["surgical_lesion"]]})


def chart(page, title):
    """A chart of a page by its title: its box and what is drawn in it."""
    for box, heading, body in re.findall(
        r'<svg class="chart" viewBox="0 0 (\d+ \d+)".*?<title[^>]*>(.*?)</title>.*?</desc>(.*?)</svg>', page, re.S
    ):
        if heading == title:
            return [int(number) for number in box.split()], body
    raise SystemExit(f"no chart called {title!r}")


def place(page, title, x, y, width):
    """The chart at a place, `width` wide."""
    (wide, high), body = chart(page, title)
    size = f'width="{width}" height="{width * high / wide:.0f}"'
    return f'<svg x="{x}" y="{y}" {size} viewBox="0 0 {wide} {high}" overflow="visible">{body}</svg>\n'


def heading(x, y, text, command):
    return f'<text x="{x}" y="{y}" class="head">{text}</text><text x="{x}" y="{y + 21}" class="told">{command}</text>\n'


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    horses(folder / "horses.csv")

    def page(*arguments):
        """The page that a command writes."""
        subprocess.run([PROGRAM, *arguments, "-q", "--html", "page.html"], cwd=folder, check=True, capture_output=True)
        return (folder / "page.html").read_text()

    seen = page("describe", "horses.csv", "--target", "surgical_lesion")
    audits = {}
    for method in ("trees", "network"):
        page("fit", "horses.csv", "--target", "surgical_lesion", "--method", method, "-o", "m.unmiss")
        audits[method] = page("audit", "m.unmiss", "horses.csv", "--no-contrast")

colours = re.search(r":root \{[^}]*\}\n@media \(prefers-color-scheme: dark\) \{[^}]*\}\n\}", seen).group()
picture = f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1280 672" font-family="system-ui, sans-serif"
 role="img" aria-label="Holes of a table, and two models' answers by how much is known">
<style>
{colours}
.head {{ font-size: 20px; font-weight: 600; fill: var(--ink); }}
.told {{ font-size: 15px; fill: var(--soft); }}
</style>
<rect width="1280" height="672" fill="var(--paper)"/>
"""
picture += heading(24, 36, "300 horses with colic, and what is not known of them", "unmiss describe horses.csv")
picture += place(seen, "The table from far", 24, 92, 700)
verdicts = {"trees": "the mean answer drifts", "network": "it stays"}
for at, (method, verdict) in enumerate(verdicts.items()):
    picture += heading(760, 36 + 328 * at, f"{method}: {verdict}", f"unmiss audit {method}.unmiss horses.csv")
    picture += place(audits[method], "The answer by how much is known", 760, 78 + 328 * at, 490)
picture += "</svg>\n"
(HERE / "front.svg").write_text(picture)
print(HERE / "front.svg", len(picture), "bytes")
