"""A connection a lane, against small servers that misbehave on the level of TCP and HTTP."""

import asyncio
import gzip
import shutil
import ssl
import subprocess
from contextlib import asynccontextmanager

import pytest

from toolkit.ask.check import BODY_LIMIT
from toolkit.ask.lane import Address, DirectLane, NoWayError, ProxyLane

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Peer:
    """Answers each request with what its script says next; the last entry stays."""

    def __init__(self, *script):
        self.script = list(script)
        self.requests = []
        self.connections = 0

    async def serve(self, reader, writer):
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                self.requests.append((head, await reader.readexactly(length)))
                does = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                if isinstance(does, bytes):
                    writer.write(does)
                    await writer.drain()
                elif await does(writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    @asynccontextmanager
    async def running(self, certificate=None):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=certificate)
        async with server:
            yield server.sockets[0].getsockname()[1]


def lane_to(port, *, scheme="http", trust=None, reply_s=5.0):
    address = Address(
        f"{scheme}://127.0.0.1:{port}/v1/chat?api-version=1",
        certificates=trust or ssl.create_default_context(),
        connect_s=5.0,
        reply_s=reply_s,
    )
    return DirectLane(address)


def exchanged(peer, times=1, **options):
    """Post so many times through one lane; return the replies and what was raised."""

    async def go():
        found = []
        async with peer.running() as port:
            lane = lane_to(port, **options)
            for number in range(times):
                try:
                    found.append(await lane.post(f"{number}".encode(), [(b"X-Key", b"k")]))
                except Exception as error:
                    found.append(error)
            await lane.aclose()
        return found

    return asyncio.run(go())


def test_one_connection_carries_many_requests():
    peer = Peer(PLAIN)
    replies = exchanged(peer, 5)
    assert [(reply.status, reply.body) for reply in replies] == [(200, b"{}")] * 5
    assert peer.connections == 1
    head, body = peer.requests[3]
    assert body == b"3"
    assert head.startswith(b"POST /v1/chat?api-version=1 HTTP/1.1\r\n")
    assert b"x-key: k" in head.lower()
    assert head.lower().count(b"host:") == 1


def test_a_connection_that_the_server_dropped_is_not_used_again():
    async def close(writer):
        writer.write(PLAIN)
        await writer.drain()
        return True

    async def go():
        peer, found = Peer(close), []
        async with peer.running() as port:
            lane = lane_to(port)
            for _ in range(3):
                found.append(await lane.post(b"x", []))
                # Until the end of the connection has come through.
                await asyncio.sleep(0.05)
            await lane.aclose()
        return found, peer.connections

    found, connections = asyncio.run(go())
    assert [reply.status for reply in found] == [200] * 3
    assert connections == 3


def test_what_comes_unasked_is_nobody_s_reply():
    """A reply too many must not become the answer of the next request."""

    async def twice(writer):
        writer.write(PLAIN)
        await writer.drain()
        await asyncio.sleep(0.02)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother")

    async def go():
        peer, found = Peer(twice), []
        async with peer.running() as port:
            lane = lane_to(port)
            for _ in range(3):
                found.append(await lane.post(b"x", []))
                await asyncio.sleep(0.1)
            await lane.aclose()
        return [reply.body for reply in found]

    assert asyncio.run(go()) == [b"{}"] * 3


def test_a_reply_in_pieces_is_put_together():
    async def pieces(writer):
        chunked = (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        )
        for byte in chunked:
            writer.write(bytes([byte]))
            await writer.drain()

    (reply,) = exchanged(Peer(pieces))
    assert reply.body == b"abcde"


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_a_large_reply_comes_whole(size):
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode()
    replies = exchanged(Peer(head + b"x" * size), 2)
    assert [reply.body for reply in replies] == [b"x" * size] * 2


def test_an_endless_reply_is_cut_and_its_connection_dropped():
    async def endless(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    peer = Peer(endless)
    replies = exchanged(peer, 2, reply_s=30.0)
    assert [len(reply.body) for reply in replies] == [BODY_LIMIT + 1] * 2
    assert peer.connections == 2


def test_a_compressed_reply_is_unpacked_up_to_the_limit():
    def reply(data, encoding):
        packed = gzip.compress(data)
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(packed)}"
        return head.encode() + b"\r\n\r\n" + packed

    bomb = b"\0" * (4 * BODY_LIMIT)
    small, large, none = exchanged(
        Peer(reply(b"{}", "gzip"), reply(bomb, "gzip"), reply(b"{}", "none")), 3
    )
    assert small.body == b"{}"
    assert len(large.body) == BODY_LIMIT + 1
    assert none.body[:2] == b"\x1f\x8b"


@pytest.mark.parametrize(
    "reply",
    [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut", b""],
    ids=["not HTTP", "cut", "nothing"],
)
def test_what_is_no_whole_reply_is_an_error_after_the_sending(reply):
    async def say(writer):
        writer.write(reply)
        await writer.drain()
        return True

    (error,) = exchanged(Peer(say))
    assert isinstance(error, Exception)
    assert not isinstance(error, NoWayError | AssertionError | AttributeError | TypeError)


def test_a_reply_that_trickles_is_given_up_on_as_a_whole():
    async def trickle(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    (error,) = exchanged(Peer(trickle), reply_s=0.4)
    assert isinstance(error, TimeoutError)


def test_a_cancelled_request_leaves_no_half_read_reply_behind():
    async def slow(writer):
        await asyncio.sleep(0.2)
        writer.write(PLAIN)

    async def go():
        peer = Peer(slow, PLAIN.replace(b"{}", b"[]"))
        async with peer.running() as port:
            lane = lane_to(port)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await lane.post(b"first", [])
            reply = await lane.post(b"second", [])
            await lane.aclose()
        return reply.body

    assert asyncio.run(go()) == b"[]"


def test_a_closed_port_and_an_unknown_host_are_no_way():
    async def go(url):
        trust = ssl.create_default_context()
        lane = DirectLane(Address(url, certificates=trust, connect_s=5.0, reply_s=5.0))
        await lane.post(b"x", [])

    for url in ("http://127.0.0.1:1/v1", "http://no-such-host.invalid/v1"):
        with pytest.raises(NoWayError):
            asyncio.run(go(url))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed; it makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )
    return folder


def test_tls_is_spoken_with_those_who_are_trusted_and_no_others(certificate):
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    trust = ssl.create_default_context(cafile=str(certificate / "cert.pem"))

    async def go():
        peer = Peer(PLAIN)
        async with peer.running(own) as port:
            lane = lane_to(port, scheme="https", trust=trust)
            replies = [await lane.post(b"x" * 100_000, []) for _ in range(3)]
            await lane.aclose()
            stranger = lane_to(port, scheme="https")
            with pytest.raises(NoWayError, match="certificate"):
                await stranger.post(b"secret", [])
        return [reply.body for reply in replies], peer

    bodies, peer = asyncio.run(go())
    assert bodies == [b"{}"] * 3
    # One connection for the three; the stranger's ended before anything was sent.
    assert len(peer.requests) == 3


def test_a_proxy_gets_what_is_for_other_machines():
    async def go():
        proxy = Peer(PLAIN)
        async with proxy.running() as port:
            address = Address(
                "http://llm.example.org/v1/chat",
                certificates=ssl.create_default_context(),
                connect_s=5.0,
                reply_s=5.0,
            )
            lane = ProxyLane(address, f"http://user:word@127.0.0.1:{port}")
            reply = await lane.post(b"x", [(b"X-Key", b"k")])
            await lane.aclose()
            gone = ProxyLane(address, "http://127.0.0.1:1")
            with pytest.raises(NoWayError):
                await gone.post(b"x", [])
        return reply, proxy

    reply, proxy = asyncio.run(go())
    assert reply.body == b"{}"
    head, body = proxy.requests[0]
    assert head.startswith(b"POST http://llm.example.org/v1/chat HTTP/1.1\r\n")
    assert b"proxy-authorization: basic" in head.lower()
    assert body == b"x"
