"""`make sbom`: what an installation holds, as a CycloneDX document.

Written by hand from the metadata that packages bring: a dependency fewer, and no network.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any


def name_of(requirement: str) -> str:
    """The package that a requirement names, as indexes spell it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s;\[<>=!~(]", requirement, maxsplit=1)[0]).lower()


def needed(root: str) -> dict[str, tuple[Distribution, list[str]]]:
    """Isonomy and all that it and its extras need, as far as it is installed."""
    found: dict[str, tuple[Distribution, list[str]]] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue
        requires = one.requires or []
        # Of others, only what they need themselves: not their extras.
        own = [each for each in requires if name == root or not re.search(r"extra\s*==", each)]
        found[name] = one, sorted({name_of(each) for each in own})
        waiting += found[name][1]
    return found


def licence(one: Distribution) -> str:
    """As its metadata say, in their newer or their older way."""
    said = one.metadata.get("License-Expression") or ""
    classified = [
        each.rsplit(" :: ", 1)[-1]
        for each in one.metadata.get_all("Classifier") or []
        if each.startswith("License ::")
    ]
    first = (one.metadata.get("License") or "").strip().splitlines()[:1]
    return said or ", ".join(classified) or "".join(first)[:80] or "not said"


def document(root: str) -> dict[str, Any]:
    """The CycloneDX document."""
    found = needed(root)
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{one.version}",
            "name": name,
            "version": one.version,
            "purl": f"pkg:pypi/{name}@{one.version}",
            "licenses": [{"license": {"name": licence(one)}}],
        }
        for name, (one, _) in sorted(found.items())
    ]
    references = {each["name"]: each["bom-ref"] for each in components}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": next(c for c in components if c["name"] == root)},
        "components": [each for each in components if each["name"] != root],
        "dependencies": [
            {
                "ref": references[name],
                "dependsOn": [references[each] for each in needs if each in references],
            }
            for name, (_, needs) in sorted(found.items())
        ],
    }


if __name__ == "__main__":
    path = Path(sys.argv[1])
    written = document("isonomy")
    path.write_text(json.dumps(written, indent=1) + "\n")
    print(f"{path}: {len(written['components'])} packages")
