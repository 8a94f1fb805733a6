"""The tables of a run: every column of every table, declared once.

items -> generations -> judgements -> scores -> leaderboard. Ids join them; a row that cannot go
on is listed in ``rejects`` with its reason, never dropped.

Types are written as Arrow prints them, so this module costs nothing to import; pyarrow is
loaded when a schema is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SCHEMA_VERSION", "TABLES", "Column", "arrow_schema", "arrow_type", "to_arrow"]

SCHEMA_VERSION: Final = 1
"""Version of recipes, manifests and the ledger; a newer one is refused by name."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its Arrow type as text, and what it holds (unit, range)."""

    name: str
    type: str
    about: str


def _c(name: str, type_: str, about: str) -> Column:
    return Column(name, type_, about)


_SECTION = "struct<label: string, category: string, text: string>"

ARTICLE: Final = (
    _c("item_id", "string", "the PMID as text"),
    _c("version", "int32", "PMID version, from 1"),
    _c("status", "string", "MedlineCitation status, e.g. MEDLINE, Publisher"),
    _c("title", "string", "article title with markup rendered; null when empty"),
    _c("vernacular_title", "string", "title in the original language"),
    _c("journal", "string", "full journal title"),
    _c("journal_abbreviation", "string", "ISO abbreviation"),
    _c("medline_ta", "string", "MEDLINE title abbreviation"),
    _c("nlm_unique_id", "string", "NLM catalogue id of the journal"),
    _c("issn_print", "string", "ISSN of the print edition, as given"),
    _c("issn_electronic", "string", "ISSN of the electronic edition, as given"),
    _c("issn_linking", "string", "linking ISSN, as given"),
    _c("volume", "string", "volume"),
    _c("issue", "string", "issue"),
    _c("pages", "string", "MEDLINE pagination"),
    _c("doi", "string", "DOI of the article itself, never of a reference"),
    _c("pii", "string", "publisher item identifier"),
    _c("pmcid", "string", "PubMed Central id"),
    _c("languages", "list<string>", "three-letter codes in the order given"),
    _c("year", "int32", "publication year"),
    _c("month", "int32", "publication month 1-12, null when not given"),
    _c("day", "int32", "publication day 1-31, null when not given"),
    _c("season", "string", "Winter, Spring, Summer or Fall, null when not given"),
    _c("medline_date", "string", "the free-text date, when that is how it was given"),
    _c("article_date", "string", "electronic publication date, YYYY-MM-DD"),
    _c("date_revised", "string", "date of the last revision, YYYY-MM-DD"),
    _c("publication_types", "list<string>", "publication types"),
    _c("keywords", "list<string>", "cleaned keywords"),
    _c("mesh", "list<string>", "MeSH descriptor names"),
    _c("sections", f"list<{_SECTION}>", "abstract sections in order; label and category raw"),
    _c(
        "other_abstracts",
        f"list<struct<type: string, language: string, sections: list<{_SECTION}>>>",
        "abstracts outside the article itself, by type and language",
    ),
    _c("copyright", "string", "copyright statement of the abstract, kept apart from its text"),
    _c(
        "corrections",
        "list<struct<type: string, item_id: string>>",
        "linked comments, errata and retractions",
    ),
    _c("retracted", "bool", "the record says that the article was retracted"),
    _c("source_file", "string", "name of the file the record came from, without folders"),
)
"""A PubMed record as it is read, before any rule."""

DERIVED: Final = (
    _c("input", "string", "what models see: LABEL: text blocks without the conclusion"),
    _c("conclusion", "string", "the reference: the author-written conclusion"),
    _c("conclusion_labels", "list<string>", "labels of the sections joined in conclusion"),
    _c("leak_risk", "bool", "a section left in input restates conclusions"),
    _c("leak_labels", "list<string>", "the labels that raised leak_risk"),
)
"""What the section rules add to an article."""

JOURNAL: Final = (
    _c("sjr", "double", "SCImago Journal Rank of sjr_year"),
    _c("sjr_year", "int32", "year of the SJR used, never later than the article's"),
    _c("sjr_year_gap", "int32", "article year minus sjr_year, in years"),
    _c("sjr_quartile", "string", "best quartile Q1-Q4"),
    _c("sjr_match", "string", "issn, title, or null when the journal was not found"),
    _c("sjr_title", "string", "title of the matched SCImago row"),
    _c("categories", "list<string>", "SCImago categories without quartiles"),
    _c("areas", "list<string>", "SCImago subject areas"),
    _c("categories_year", "int32", "year of the row that categories and areas come from"),
)
"""What the journal table adds to an article."""

REJECT: Final = (
    _c("item_id", "string", "id of the row, null when it has none"),
    _c("reason", "string", "the rule that removed it"),
    _c("detail", "string", "what was found"),
    _c("year", "int32", "publication year, null when unknown"),
    _c("source_file", "string", "file the row came from"),
    _c("position", "int64", "0-based position of the row in that file"),
)

SPLIT: Final = (
    _c("item_id", "string", "id of the item"),
    _c("split", "string", "name of the split"),
    _c("group", "string", "items of one group stay together; the item's own id when alone"),
)

GENERATION: Final = (
    _c("item_id", "string", "id of the item"),
    _c("model", "string", "name of the model in the recipe"),
    _c("prompt", "string", "name of the prompt in the recipe; empty for a baseline"),
    _c("repeat", "int32", "0-based repeat"),
    _c("status", "string", "ok, repaired, invalid, truncated, refused or error"),
    _c("reason", "string", "why status is not ok; empty otherwise"),
    _c("answer", "string", "the parsed answer; null unless status is ok, repaired or truncated"),
    _c("raw", "string", "the reply as it came, at most 64 KiB"),
    _c("reasoning", "string", "reasoning text, kept apart from the answer"),
    _c("finish_reason", "string", "stop, length, content_filter, ..."),
    _c("prompt_tokens", "int64", "tokens read, null when not reported"),
    _c("completion_tokens", "int64", "tokens written, reasoning included"),
    _c("reasoning_tokens", "int64", "tokens of reasoning"),
    _c("served_model", "string", "the model name that the server answered with"),
    _c("parsed", "string", "what a structured parser read, as JSON; null for a plain text"),
    _c("asked", "int32", "calls that the answer took, re-asks included"),
    _c("cached_tokens", "int64", "of the tokens read, from the server's cache"),
)

JUDGEMENT: Final = (
    _c("item_id", "string", "id of the item"),
    _c("model", "string", "model whose answer is judged"),
    _c("prompt", "string", "prompt of that answer; empty for a baseline"),
    _c("repeat", "int32", "0-based repeat of that answer"),
    _c("judge", "string", "name of the judge in the recipe"),
    _c("stage", "string", "stage of the judge; empty for a judge without stages"),
    _c("judge_repeat", "int32", "0-based repeat of the judgement"),
    _c("rater", "string", "who judged: the judge's model, or a person"),
    *GENERATION[4:],
)
"""One reply of a judge on one answer; the columns from ``status`` on are those of an answer."""

COMPARISON: Final = (
    _c("item_id", "string", "id of the item"),
    _c("prompt", "string", "prompt of both answers"),
    _c("repeat", "int32", "0-based repeat of both answers"),
    _c("judge", "string", "name of the judge in the recipe"),
    _c("first", "string", "model whose answer is shown first"),
    _c("second", "string", "model whose answer is shown second"),
    _c("preferred", "string", "first, second or tie; null when the reply is none"),
    *GENERATION[4:],
)
"""One reply of a pairwise judge, in one of the two orders."""

ENTAILMENT: Final = (
    _c("pair_id", "string", "sha256 over premise and hypothesis"),
    _c("premise", "string", "the text that may support"),
    _c("hypothesis", "string", "the text that may be supported"),
    _c("probability", "double", "probability that it does, 0 to 1; null when there is none"),
    _c("reason", "string", "why there is no probability; empty otherwise"),
    _c("truncated_tokens", "int64", "tokens of the pair that the model did not see"),
)

CANARY: Final = (
    _c("item_id", "string", "id of the item"),
    _c("model", "string", "model whose answer carries the planted instruction"),
    _c("prompt", "string", "prompt of that answer"),
    _c("repeat", "int32", "0-based repeat of that answer"),
    _c("judge", "string", "name of the judge in the recipe"),
    _c("canary", "string", "name of the planted instruction"),
    _c("score", "string", "name of the score"),
    _c("plain", "double", "the score without the instruction; null when there is none"),
    _c("planted", "double", "the score with it; null when there is none"),
    _c("reason", "string", "why one of the two is missing; empty otherwise"),
)

AUDIT: Final = (
    _c("item_id", "string", "id of the item whose reference was edited"),
    _c("judge", "string", "name of the judge in the recipe"),
    _c("probe", "string", "copy, edit, rewrite, padded or swapped"),
    _c("kind", "string", "kind of edit or rewrite; empty for a copy and a padded text"),
    _c("repeat", "int32", "0-based repeat of the judgement"),
    _c("score", "string", "the judge's own name of the score"),
    _c("anchor", "double", "mean score of the copies of this reference; null without any"),
    _c("value", "double", "the score of this text; null when there is none"),
    _c("reason", "string", "why there is no value: not asked, or no score; empty otherwise"),
)
"""One score of one text that an audit showed a judge."""

AUDIT_EDIT: Final = (
    _c("item_id", "string", "id of the item whose reference was edited"),
    _c("probe", "string", "edit, rewrite, padded or swapped"),
    _c("kind", "string", "kind of edit or rewrite; empty for a padded text"),
    _c("start", "int32", "first character replaced in the reference, from 0; null where none was"),
    _c("end", "int32", "the character after the last one replaced"),
    _c("old", "string", "the characters that stood there"),
    _c("new", "string", "the characters that stand there now"),
    _c("text", "string", "the whole text that was judged"),
    _c("reason", "string", "why the kind does not apply to this reference; empty otherwise"),
)
"""One replacement that an audit made, or why it made none."""

SCORE: Final = (
    _c("item_id", "string", "id of the item"),
    _c("model", "string", "name of the model in the recipe"),
    _c("prompt", "string", "name of the prompt in the recipe; empty for a baseline"),
    _c("repeat", "int32", "0-based repeat"),
    _c("metric", "string", "name of the metric or judge"),
    _c("score", "string", "name of the score, e.g. rouge1"),
    _c("value", "double", "the score; null when there is none"),
    _c("reason", "string", "why there is no value; empty otherwise"),
)

LIKELIHOOD: Final = (
    _c("item_id", "string", "id of the item"),
    _c("model", "string", "name of the model in the recipe"),
    _c("prompt", "string", "name of the prompt in the recipe; empty for a baseline"),
    _c("repeat", "int32", "0-based repeat"),
    _c("score", "string", "name of the score that follows from it, e.g. perplexity"),
    _c("nll", "double", "negative log-likelihood of the text's tokens in nats, 0 and up"),
    _c("tokens", "int64", "tokens that were predicted, 1 and up"),
    _c("tokens_cut", "int64", "tokens of the text that were not looked at"),
)
"""What a perplexity is made of; sums over rows give that of many texts together."""

LEADERBOARD: Final = (
    _c("model", "string", "name of the model in the recipe"),
    _c("prompt", "string", "name of the prompt in the recipe; empty for a baseline"),
    _c("kind", "string", "model, baseline or reference"),
    _c("score", "string", "name of the score"),
    _c("mean", "double", "mean over the n rows that have a value; null when n is 0"),
    _c("ci_low", "double", "lower end of the 95 % bootstrap interval"),
    _c("ci_high", "double", "upper end of the 95 % bootstrap interval"),
    _c("n", "int64", "rows with a value"),
    _c("n_missing", "int64", "rows without a value: failed answers and undefined scores"),
    _c("n_clusters", "int64", "clusters resampled; equals n when rows are independent"),
    _c("rank", "int64", "1 is best; null for the reference and for undirected scores"),
    _c("rank_low", "int64", "best rank that the resampled differences leave open; null as rank"),
    _c("rank_high", "int64", "worst rank they leave open; null also where nothing is resampled"),
    _c("reason", "string", "what to know of the interval, or why there is none; else empty"),
    _c("signature", "string", "what the number depends on"),
)

EDIT: Final = (
    _c("item_id", "string", "id of the variant"),
    _c("original_id", "string", "id of the item it was made from"),
    _c("level", "string", "level of the recipe's perturb section"),
    _c("number", "int64", "0-based, in the order in which the edits were chosen"),
    _c("kind", "string", "term, measurement, point, sentence or keyword"),
    _c("category", "string", "of the dictionary; the kind where it has none"),
    _c("original", "string", "what was there; a term as the dictionary has it"),
    _c("replacement", "string", "what stands there now; null where it was taken out"),
    _c(
        "spans",
        "string",
        "JSON list of {kind, start, end, old, new}; characters count in the original text",
    ),
)

USAGE: Final = (
    _c("term", "string", "term of the dictionary, or measurements"),
    _c("category", "string", "its category"),
    _c("used", "int64", "variants in which it was replaced"),
    _c("offered", "int64", "texts and levels in which it could have been"),
)

VARIANT: Final = (
    _c("original_id", "string", "id of the item it was made from; an unedited item's own"),
    _c("level", "string", "level of the recipe's perturb section; unedited for the item itself"),
    _c("edit_type", "string", "substitution, removal or unedited"),
    _c("original_text", "string", "the edited column before the edits"),
    _c("edits", "string", "JSON list of {kind, category, original, replacement}"),
    _c("edits_asked", "int64", "edits that the level asks for"),
    _c("edits_made", "int64", "edits made"),
    _c("edits_short", "string", "why fewer were made than asked for; empty otherwise"),
)
"""What a variant has beside the columns of its item."""

TABLES: Final[dict[str, tuple[Column, ...]]] = {
    "articles": ARTICLE,
    "audit_edits": AUDIT_EDIT,
    "audits": AUDIT,
    "canaries": CANARY,
    "comparisons": COMPARISON,
    "edits": EDIT,
    "entailments": ENTAILMENT,
    "generations": GENERATION,
    "items": ARTICLE + DERIVED + JOURNAL,
    "judgements": JUDGEMENT,
    "leaderboard": LEADERBOARD,
    "likelihoods": LIKELIHOOD,
    "rejects": REJECT,
    "scores": SCORE,
    "splits": SPLIT,
    "usage": USAGE,
    "variants": VARIANT,
}
"""The declared columns; tables built from a user's own columns extend ``item_id``."""

_SCALARS = ("string", "int32", "int64", "double", "bool")
_STRUCT_FIELD = re.compile(r"\s*(\w+):\s*")


def arrow_type(text: str) -> pa.DataType:
    """Parse an Arrow type as :data:`TABLES` writes it.

    Args:
        text: a scalar name, ``list<T>`` or ``struct<name: T, ...>``.

    Raises:
        ValueError: the text is none of these.
    """
    import pyarrow as pa

    if text in _SCALARS:
        return {
            "string": pa.string(),
            "int32": pa.int32(),
            "int64": pa.int64(),
            "double": pa.float64(),
            "bool": pa.bool_(),
        }[text]
    if text.startswith("list<") and text.endswith(">"):
        return pa.list_(arrow_type(text[5:-1]))
    if text.startswith("struct<") and text.endswith(">"):
        return pa.struct([(name, arrow_type(part)) for name, part in _fields(text[7:-1])])
    raise ValueError(f"not an Arrow type of ours: {text!r}")


def _fields(text: str) -> list[tuple[str, str]]:
    fields: list[tuple[str, str]] = []
    while text:
        match = _STRUCT_FIELD.match(text)
        if match is None:
            raise ValueError(f"not a list of struct fields: {text!r}")
        depth, end = 0, match.end()
        while end < len(text) and (depth or text[end] != ","):
            depth += {"<": 1, ">": -1}.get(text[end], 0)
            end += 1
        fields.append((match.group(1), text[match.end() : end]))
        text = text[end + 1 :]
    return fields


def arrow_schema(table: str) -> pa.Schema:
    """Return the Arrow schema of a declared table.

    Args:
        table: a key of :data:`TABLES`.

    Raises:
        KeyError: no such table.
    """
    import pyarrow as pa

    return pa.schema([(column.name, arrow_type(column.type)) for column in TABLES[table]])


def to_arrow(table: str, rows: list[dict[str, Any]]) -> pa.Table:
    """Build a table of a declared schema from rows; columns absent from a row are null.

    Raises:
        pyarrow.ArrowInvalid: a value does not fit its column.
    """
    import pyarrow as pa

    return pa.Table.from_pylist(rows, schema=arrow_schema(table))
