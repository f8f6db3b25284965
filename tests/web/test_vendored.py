"""Files of other projects on the page are the released ones, and all of them are listed."""

import hashlib
import re
from pathlib import Path

import zermelo.web

VENDOR = Path(zermelo.web.__file__).parent / "page" / "vendor"


def test_each_vendored_file_is_listed_with_its_checksum():
    listed = {}
    for row in (VENDOR / "README.md").read_text().splitlines():
        if found := re.match(r"\| `([^`]+)` .*`([0-9a-f]{64})` \|$", row):
            listed[found[1]] = found[2]
    files = [path for path in VENDOR.rglob("*") if path.is_file() and path.name != "README.md"]
    assert {
        path.relative_to(VENDOR).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    } == listed
