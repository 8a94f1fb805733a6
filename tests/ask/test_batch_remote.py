"""Files of requests hold texts: they go to the server that was named, and nowhere else."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from toolkit.ask.batch.remote import RemoteBatches
from toolkit.errors import ToolkitError
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams

UPLOADED = b'{"id": "file-1", "object": "file", "bytes": 1, "created_at": 0, "filename": "f", '
UPLOADED += b'"purpose": "batch", "status": "processed"}'


@contextmanager
def server(status=200, location=None):
    """Give the address of a server and the list of the paths and bodies that it gets."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(UPLOADED)))
            self.end_headers()
            self.wfile.write(UPLOADED)

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}", got
        made.shutdown()
        thread.join()


def upload(url, folder):
    file = folder / "requests.jsonl"
    file.write_text('{"secret": "effusion"}\n')
    params = OpenAICompatibleParams(
        model="m", max_tokens=1, base_url=f"{url}/v1", execution="batch"
    )
    with RemoteBatches(OpenAICompatible(params, folder), None) as batches:
        return batches.upload(file)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_an_upload_is_not_sent_on_to_another_server(tmp_path, status):
    with (
        server() as (elsewhere, got),
        server(status, f"{elsewhere}/v1/files") as (url, first),
    ):
        with pytest.raises(ToolkitError):
            upload(url, tmp_path)
        assert [path for path, _ in first] == ["/v1/files"]
    assert got == []


def test_a_proxy_never_sees_an_upload_to_this_machine(tmp_path, monkeypatch):
    with server() as (proxy, seen), server() as (url, got):
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
            monkeypatch.setenv(name.lower(), proxy)
        assert upload(url, tmp_path) == "file-1"
        assert b"effusion" in got[0][1]
    assert seen == []
