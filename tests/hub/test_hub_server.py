"""The double refuses what the Hub refuses: else the tests that stand on it prove nothing."""

import base64
import hashlib
import json

import httpx2
import pytest

from tests.doubles.hub_server import READER, STRANGER, TOKEN

DATA = b"PAR1 rows"
SIZE = len(DATA)
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def http(hub):
    hub.make("org/demo")
    with httpx2.Client(base_url=hub.url, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        yield client


def commit(http, *lines, parent=None, token=TOKEN, where="main"):
    header = {"summary": "x"} | ({"parentCommit": parent} if parent else {})
    body = "\n".join(json.dumps(line) for line in ({"key": "header", "value": header}, *lines))
    return http.post(
        f"/api/datasets/org/demo/commit/{where}",
        content=body,
        headers={"Authorization": f"Bearer {token}"} if token else {"Authorization": ""},
    )


def regular(path, text):
    content = base64.b64encode(text.encode()).decode()
    return {"key": "file", "value": {"path": path, "content": content, "encoding": "base64"}}


def large(path="a.parquet", oid=SHA, size=SIZE):
    return {"key": "lfsFile", "value": {"path": path, "algo": "sha256", "oid": oid, "size": size}}


def send(http, data=DATA, oid=SHA):
    body = {"operation": "upload", "objects": [{"oid": oid, "size": len(data)}]}
    answer = http.post("/datasets/org/demo.git/info/lfs/objects/batch", json=body).json()
    (thing,) = answer["objects"]
    return http.put(thing["actions"]["upload"]["href"], content=data)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([large()], 400),
        ([regular("README.md", "---\nlicense: [x]\n---\n")], 400),
        ([regular("README.md", "---\n: : :\n---\n")], 400),
        ([regular("eval.yaml", "name: x\ntasks: []\n")], 400),
        ([regular("eval.yaml", "name: x\nevaluation_framework: mine\ntasks: [{id: a}]\n")], 400),
        ([regular("a/../b", "x")], 400),
        ([regular("a", "x"), regular("a", "y")], 400),
        ([regular("a", "x" * (11 << 20))], 400),
        ([{"key": "deletedFile", "value": {"path": "none"}}], 404),
        ([regular("eval.yaml", "name: x\ntasks: [{id: a}]\n")], 200),
    ],
)
def test_a_commit_is_refused_whole(hub, http, lines, status):
    before = hub.repo("org/demo").branches["main"]
    assert commit(http, regular("good", "x"), *lines).status_code == status
    assert (hub.repo("org/demo").branches["main"] == before) is (status != 200)


def test_a_stale_parent_is_refused(hub, http):
    first = hub.repo("org/demo").branches["main"]
    assert commit(http, regular("a", "x"), parent=first).status_code == 200
    assert commit(http, regular("b", "x"), parent=first).status_code == 412


@pytest.mark.parametrize(
    ("token", "status"), [(None, 401), ("hf_none", 401), (STRANGER, 403), (READER, 403)]
)
def test_only_the_owner_writes(http, token, status):
    assert commit(http, regular("a", "x"), token=token).status_code == status


def test_a_large_file_is_what_its_name_says_or_is_not_kept(hub, http):
    assert send(http, b"PAR1 ROWS").status_code == 400
    assert commit(http, large()).status_code == 400
    assert send(http).status_code == 200
    assert commit(http, large(size=3)).status_code == 400
    assert commit(http, large()).status_code == 200
    url = "/datasets/org/demo/resolve/main/a.parquet"
    part = http.get(url, headers={"Range": "bytes=5-6"})
    assert (part.status_code, part.content) == (206, b"ro")
    assert part.headers["Content-Range"] == "bytes 5-6/9"
    assert http.get(url, headers={"Range": "bytes=-4"}).content == b"rows"
    assert http.get(url, headers={"Range": "bytes=99-"}).status_code == 416
    body = {"deletions": {"sha": [SHA], "rewriteHistory": True}}
    assert http.post("/api/datasets/org/demo/lfs-files/batch", json=body).status_code == 200
    assert http.get(url).status_code == 404
    assert SHA not in hub.repo("org/demo").objects


def test_a_tag_is_made_once_and_a_branch_too(http):
    for kind, body in (("tag/main", {"tag": "v1"}), ("branch/b", {})):
        url = f"/api/datasets/org/demo/{kind}"
        assert [http.post(url, json=body).status_code for _ in range(2)] == [200, 409]
    assert (
        http.post("/api/datasets/org/demo/super-squash/v1", json={"message": "x"}).status_code
        == 400
    )
    assert http.delete("/api/datasets/org/demo/branch/main").status_code == 403


def test_what_is_private_is_not_there_for_others(hub, http):
    hub.make("org/secret", private=True)
    for token, status in ((TOKEN, 200), (STRANGER, 404), (None, 401)):
        headers = {"Authorization": f"Bearer {token}" if token else ""}
        found = http.get("/api/datasets/org/secret", headers=headers)
        assert found.status_code == status
    assert http.post(
        "/api/repos/create", json={"name": "secret", "organization": "org", "type": "dataset"}
    ).json()["url"]
