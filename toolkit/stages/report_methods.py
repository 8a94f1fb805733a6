"""The methods of a report, written from the recipe and what its steps said of themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from toolkit.plan.step import Step
from toolkit.recipe.access_check import attested_sentences
from toolkit.report.inputs import MethodText
from toolkit.report.text import count, plural
from toolkit.stages.context import Context
from toolkit.stages.report_edits import edit_sentences
from toolkit.stages.report_notes import funnel_steps

__all__ = ["method_facts", "method_texts"]

_PACKAGE: Final = "leaderboard-toolkit"

_LIBRARIES: Final = (
    *("numpy", "scipy", "pandas", "pyarrow", "statsmodels", "scikit-learn", "pingouin"),
    *("ppi-python", "krippendorff", "rouge-score", "sacrebleu", "nltk", "matplotlib"),
    *("torch", "transformers", "sentence-transformers", "xllamacpp"),
)
"""Libraries that numbers come from; those that are not installed are not named."""

_TEMPLATES: Final = ("file", "system", "user")

_UNSAID: Final = frozenset({"provider", "version", "base_url", "api_version", "path", "messages"})
"""Of a model's identity, what is said elsewhere or, like an address, belongs in no report."""


def method_texts(context: Context) -> list[MethodText]:
    """Return the methods, heading by heading; headings without a sentence are left out."""
    parts = (
        ("Corpus", _corpus(context)),
        ("Splits", _splits(context)),
        ("Edits", edit_sentences(context)),
        ("Prompts", _prompts(context)),
        ("Models", _models(context)),
        ("Judges", _judges(context)),
        ("Metrics", _metrics(context)),
        ("Statistics", _statistics(context)),
        ("Software", _software()),
    )
    found = [MethodText(title=title, paragraphs=list(texts)) for title, texts in parts]
    return [part for part in found if part.paragraphs]


def method_facts(context: Context) -> dict[str, str]:
    """Return seeds, signatures and fingerprints: what must agree for two numbers to agree."""
    recipe = context.recipe
    facts = {
        "recipe": recipe.name + (f", version {recipe.version}" if recipe.version else ""),
        "seed": str(recipe.seed),
        "source": recipe.corpus.source,
        "access": recipe.corpus.access,
    }
    for name, model in recipe.models.items():
        if model.cutoff:
            facts[f"knowledge cutoff of {name}"] = model.cutoff
    for score, signature in context.artifacts["leaderboard"].manifest.facts["signatures"].items():
        facts[f"signature of {score}"] = signature
    for step in context.plan.steps:
        if step.stage not in ("validate", "release", "report") and step.name in context.artifacts:
            facts[f"fingerprint of {step.name}"] = context.artifacts[step.name].fingerprint
    return facts


def _corpus(context: Context) -> Iterator[str]:
    recipe = context.recipe
    steps = list(funnel_steps(context))
    facts = context.artifacts["corpus"].manifest.facts
    read, kept = steps[0].remaining if steps else 0, steps[-1].remaining if steps else 0
    yield (
        f"Items were read from the source {recipe.corpus.source} (access: "
        f"{recipe.corpus.access}). Of {plural(read, 'record')} read, {count(kept)} were kept."
    )
    yield from attested_sentences(recipe)
    removed = [f"{step.rule} {count(step.removed)}" for step in steps[1:] if step.removed]
    if removed:
        yield f"Removed, rule by rule in the order in which they apply: {', '.join(removed)}."
    yield (
        f"Models were shown the column {recipe.corpus.input}; answers were compared with the "
        f"column {recipe.reference} unless a prompt says otherwise."
    )
    files = context.plan.step("corpus").params.get("files", [])
    if files:
        named = ", ".join(f"{name} (sha256 {digest[:16]})" for name, digest in files[:20])
        more = f" and {count(len(files) - 20)} more" if len(files) > 20 else ""
        yield f"Source files: {named}{more}."
    pinned = context.plan.step("corpus").params.get("pinned")
    if pinned:
        yield f"The remote source was resolved to {_said(pinned)}."
    if facts.get("journals"):
        yield (
            "Journal metadata were joined by ISSN, then by title; a rank is that of the year of "
            "publication or of the nearest earlier year."
        )


def _splits(context: Context) -> Iterator[str]:
    section, artifact = context.recipe.splits, context.artifacts.get("splits")
    if section is None or artifact is None:
        return
    facts = artifact.manifest.facts["splits"]
    sizes = ", ".join(f"{name} {count(size)}" for name, size in facts["sizes"].items())
    if sizes:
        how = {"hash": "by a seeded hash of each item", "date": "by date", "group": "by group"}
        seed = context.recipe.seed if section.seed is None else section.seed
        yield f"Items were divided {how[section.by]} (seed {seed}): {sizes}."
    for name, found in artifact.manifest.facts.get("samples", {}).items():
        drawn = artifact.manifest.facts["views"][name]
        yield (
            f"View {name}: {count(found['sample'])} items of each of the {count(found['values'])} "
            f"values of {found['per']}, those of lowest seeded hash: {count(drawn)} in all."
        )
    if section.keep_together == "near_duplicates":
        near = section.near_duplicates
        yield (
            f"Near-duplicates stayed together: items with a Jaccard similarity of at least "
            f"{near.threshold:g} over shingles of {near.shingle} words, found by MinHash with "
            f"{near.permutations} permutations."
        )
    elif section.keep_together != "none":
        yield f"Items with the same value of {section.keep_together} stayed together."
    if section.frozen is not None:
        yield "Items of an earlier release kept their splits."


def _prompts(context: Context) -> Iterator[str]:
    seen: dict[str, Step] = {}
    for step in _of(context, "generate"):
        if step.params["prompt"]:
            seen.setdefault(step.params["prompt"], step)
    for name, step in seen.items():
        prompt = step.params.get("prompt_text", {})
        texts = [
            f"{key if key != 'file' else 'template'} sha256 {prompt[key]}"
            for key in _TEMPLATES
            if prompt.get(key)
        ]
        parts = [f"Prompt {name}: {'; '.join(texts) or 'no template'}"]
        slots = prompt.get("slots") or {}
        if slots:
            parts.append("slots " + ", ".join(f"{k} = {v}" for k, v in sorted(slots.items())))
        shots = prompt.get("shots")
        if shots:
            parts.append(f"worked examples {_said(shots)}")
        parts.append(f"answers read as {_said(prompt.get('parser', 'text'))}")
        if prompt.get("reask"):
            parts.append(f"a refused reply asked again up to {prompt['reask']} times")
        yield "; ".join(parts) + "."


def _models(context: Context) -> Iterator[str]:
    seen: set[str] = set()
    for step in _of(context, "generate"):
        name = step.params["model"]
        if name in seen:
            continue
        seen.add(name)
        section = context.recipe.models[name]
        title = section.title or name
        who = (
            f"{title} ({name}, {section.provider})"
            if title != name
            else f"{name} ({section.provider})"
        )
        yield f"{who}: {_identity(context, step, name)}."


def _identity(context: Context, step: Step, model: str) -> str:
    parts = [_said(_told(step.params.get("model_identity", {})))]
    served = sorted(
        {
            name
            for other in context.plan.steps
            if other.stage in ("generate", "judge") and _asks(context, other) == model
            for name in _facts(context, other).get("served", {})
        }
    )
    if served:
        parts.append(f"answered under the name {', '.join(served)}")
    section = context.recipe.models[model]
    if section.cutoff:
        parts.append(f"knowledge cutoff {section.cutoff}")
    if step.params.get("repeats", 1) > 1:
        parts.append(f"{step.params['repeats']} answers to each question")
    return "; ".join(part for part in parts if part) or "no parameters"


def _asks(context: Context, step: Step) -> str | None:
    if step.stage == "generate":
        return str(step.params["model"])
    return getattr(context.recipe.judges[step.params["judge"]].params, "model", None)


def _judges(context: Context) -> Iterator[str]:
    seen: set[str] = set()
    for step in _of(context, "judge"):
        name = step.params["judge"]
        if name in seen:
            continue
        seen.add(name)
        section = context.recipe.judges[name]
        model = getattr(section.params, "model", None)
        who = f"Judge {name} ({section.type})"
        if isinstance(model, str) and model in context.recipe.models:
            title = context.recipe.models[model].title or model
            who += f", the model {title}: {_identity(context, step, model)}"
        columns = ", ".join(sorted(step.params["columns"].values()))
        identity = dict(step.params.get("judge_identity", {}))
        hashes = list(_digests(identity.get("questions", [])))
        asked = f" Its questions have sha256 {', '.join(hashes)}." if hashes else ""
        repeats = identity.get("repeats")
        times = f" {repeats} judgements of each answer." if repeats and repeats > 1 else ""
        signature = _facts(context, step).get("signature")
        signed = f" Signature: {signature}." if signature else ""
        yield f"{who}. It gives {columns}.{asked}{times}{signed}"


def _digests(value: Any) -> Iterator[str]:
    """Yield the hashes of texts that an identity holds, in order."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _digests(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _digests(part)
    elif isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef"):
        yield value


def _metrics(context: Context) -> Iterator[str]:
    facts = context.artifacts["leaderboard"].manifest.facts
    judged = {
        column for step in _of(context, "judge") for column in step.params["columns"].values()
    }
    titles = {item["name"]: item["title"] for item in facts["definitions"]}
    by_signature: dict[str, list[str]] = {}
    for score, signature in facts["signatures"].items():
        if score not in judged:
            by_signature.setdefault(signature, []).append(titles.get(score, score))
    for signature, scores in by_signature.items():
        yield f"{', '.join(scores)}: {signature}."


def _statistics(context: Context) -> Iterator[str]:
    facts = context.artifacts["leaderboard"].manifest.facts
    yield (
        f"Leaderboard: means over the answers that have a value, with {facts['interval']}; seed "
        f"{context.recipe.seed}. Failed and unusable answers are missing, never zero."
    )
    for step in (*_of(context, "analyse"), *_of(context, "audit")):
        found = _facts(context, step)
        signatures = [table["signature"] for table in found.get("tables", []) if table["signature"]]
        name = step.name.removeprefix("analyse/")
        signed = f" Signature: {'; '.join(dict.fromkeys(signatures))}." if signatures else ""
        method = str(found.get("method", "")).rstrip(".")
        kind = "Analysis" if step.stage == "analyse" else "Audit of a judge,"
        yield f"{kind} {name.removeprefix('audit/')}: {method}.{signed}"


def _software() -> Iterator[str]:
    named = [f"{name} {found}" for name in _LIBRARIES if (found := _installed(name))]
    yield (
        f"This report was written by {_PACKAGE} {_installed(_PACKAGE) or 'from source'} with "
        f"{', '.join(named)}. Metrics that compute with models name their own versions in their "
        "signatures."
    )


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _of(context: Context, stage: str) -> Iterator[Step]:
    for step in context.plan.steps:
        if step.stage == stage and step.name in context.artifacts:
            yield step


def _facts(context: Context, step: Step) -> Mapping[str, Any]:
    artifact = context.artifacts.get(step.name)
    return artifact.manifest.facts if artifact is not None else {}


def _told(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return an identity flat, without what is said elsewhere."""
    flat: dict[str, Any] = {}
    for key, value in identity.items():
        if key in _UNSAID or value in (None, "", [], {}):
            continue
        if isinstance(value, Mapping):
            flat |= _told(value)
        else:
            flat[key] = value
    return flat


def _said(value: Any) -> str:
    """Return JSON as words: ``temperature 0, top p 1``."""
    if isinstance(value, Mapping):
        parts = [f"{str(key).replace('_', ' ')} {_said(part)}" for key, part in value.items()]
        return ", ".join(parts)
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_said, value)) + "]"
    return json.dumps(value)
