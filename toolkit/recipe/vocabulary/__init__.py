"""Words of the recipe language whose stages this version does not run yet.

``check`` knows their parameters, so that a recipe can be written in full; ``plan`` says in a
sentence which of them it cannot run. A member that gets built takes its dataclass along and
leaves this folder.
"""
