"""Small folders to push."""

CARD = "---\nlicense: cc-by-4.0\nlanguage: [en]\n---\n# Demo\n"


def write(folder, **texts):
    """Write files into a folder; ``a__b_parquet`` is ``a/b.parquet``; return their names."""
    names = []
    for key, text in texts.items():
        stem, _, suffix = key.rpartition("_")
        name = stem.replace("__", "/") + "." + suffix
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        names.append(name)
    return names


def contents(hub, name="org/demo", revision="main", kind="dataset"):
    """Return what stands in a commit: bytes by name."""
    repo = hub.repo(name, kind)
    tree = repo.find(revision).tree
    return {path: repo.read(entry) for path, entry in tree.items() if path != ".gitattributes"}
