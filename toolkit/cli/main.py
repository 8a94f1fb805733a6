"""The command ``toolkit``: commands are loaded when they are called, so help answers at once."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import sys
from pathlib import Path
from typing import Final, NoReturn

import click

from toolkit.errors import ToolkitError, UserError

__all__ = ["cli", "main"]

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "init": ("toolkit.cli.init", "Copy a recipe and its files into the current folder."),
    "check": ("toolkit.cli.check", "Check a recipe; report every fault at once."),
    "plan": ("toolkit.cli.plan", "Show what a run would do, why, and what it would cost."),
    "run": ("toolkit.cli.run", "Run a recipe, or what of it is not made yet."),
    "status": ("toolkit.cli.status", "List runs, or show how far one is."),
    "show": ("toolkit.cli.show", "Show an item of a run with its answers and scores."),
    "score": ("toolkit.cli.score", "Score a recipe's answers, or a JSONL file of texts."),
    "judge": ("toolkit.cli.judge", "Judge a recipe's answers; finished calls are reused."),
    "report": ("toolkit.cli.report", "Rebuild the report of a recipe."),
    "diff": ("toolkit.cli.diff", "Say which inputs and numbers of two runs differ."),
    "submit": ("toolkit.cli.submit", "Bundle predictions for a leaderboard, without scores."),
    "leaderboard": (
        "toolkit.cli.leaderboard",
        "Review submissions, take back records, print ranks.",
    ),
    "publish": ("toolkit.cli.publish", "Bring a run's release to the Hub, or into a folder."),
    "dictionary": ("toolkit.cli.dictionary", "Build, check and import dictionaries of terms."),
    "readers": ("toolkit.cli.readers", "Give readers cases as files, bring ratings back."),
    "yank": ("toolkit.cli.yank", "Take items down from every version of a dataset."),
    "rebuild": ("toolkit.cli.rebuild", "Bring back the texts that a release leaves out."),
    "ledger": ("toolkit.cli.ledger", "Export, import and count paid calls."),
    "clean": ("toolkit.cli.clean", "Remove artifacts that no run refers to."),
    "list": ("toolkit.cli.list_members", "List metrics, sources, models, judges or analyses."),
    "schema": ("toolkit.cli.schema", "Print the JSON Schema of recipes."),
}
"""Commands: the module that holds ``command``, and the line of help."""


_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_DENIED: Final = frozenset((errno.EACCES, errno.EPERM, errno.EROFS))


class _Lazy(click.Group):
    """Knows all commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from toolkit.errors import suggest

            raise click.UsageError(
                f"no command '{args[0]}'; {suggest(args[0], list(COMMANDS))}", ctx
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="leaderboard-toolkit", prog_name="toolkit")
@click.option(
    "--workspace",
    envvar="TOOLKIT_WORKSPACE",
    metavar="DIR",
    help="Where artifacts and runs lie; .toolkit in the current folder by default.",
)
@click.option("-v", "--verbose", count=True, help="Say more; twice for everything.")
@click.option("-q", "--quiet", is_flag=True, help="Let a run say only what went wrong.")
@click.option("--log-json", is_flag=True, help="Write the log as one JSON object a line.")
@click.pass_context
def cli(
    context: click.Context, workspace: str | None, verbose: int, quiet: bool, log_json: bool
) -> None:
    """From raw data to a public leaderboard with one YAML recipe."""
    from toolkit.cli.console import Console

    context.obj = Console(workspace=workspace, verbose=verbose, quiet=quiet, log_json=log_json)
    if workspace is not None:
        _check_folder(Path(workspace).absolute())


def _check_folder(folder: Path) -> None:
    # Commands that only read would find nothing there and say that there is no run.
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not nearest.is_dir():
        raise UserError(
            f"the workspace {folder} cannot be: {nearest} is not a folder",
            hint="name another one with --workspace or TOOLKIT_WORKSPACE",
        )


def main() -> None:
    """Run the command line and exit.

    Exit codes: 0 done, 1 a bug (with its traceback), 2 the user's mistake, 3 the run failed or
    is incomplete, 130 interrupted, 143 terminated.
    """
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        _leave(130)
    except BrokenPipeError:
        # The reader has seen enough (| head). Not by SIGPIPE's default: that would also end a
        # run whose validation process died.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - until exit
        _leave(0)
    except click.ClickException as error:
        error.show()
        _leave(2)
    except ToolkitError as error:
        _fail(error)
    except OSError as error:
        if not isinstance(error.filename, str) and error.errno not in _FULL:
            raise
        logging.getLogger("toolkit.cli").debug("a file or folder failed", exc_info=error)
        _fail(_file_error(error))
    # click hands back the code of an Exit, and nothing where a command came to its end.
    _leave(code if isinstance(code, int) else 0)


def _file_error(error: OSError) -> UserError:
    names = [str(name) for name in (error.filename, error.filename2) if name is not None]
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        hint = "free space on that disk, then do it again"
    elif error.errno in _DENIED:
        hint = "make it readable and writable for you, or name another place"
    else:
        hint = "name another place; -vv before the command shows what was being done"
    return UserError(f"{' -> '.join(names)}: {reason}" if names else reason, hint=hint)


def _fail(error: ToolkitError) -> NoReturn:
    from toolkit.store.redact import redact

    click.echo(redact(f"toolkit: {error.message}"), err=True)
    if error.hint:
        click.echo(redact(f"  -> {error.hint}"), err=True)
    _leave(error.exit_code)


def _leave(code: int) -> NoReturn:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(code)
