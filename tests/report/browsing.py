"""A real browser, driven over the WebDriver protocol with nothing but the standard library."""

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"ArrowDown": "\ue015", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "Tab": "\ue004"}
KEYS |= {"Escape": "\ue00c", "Enter": "\ue007", "ArrowLeft": "\ue012"}


class Browser:
    """One window."""

    def __init__(self, base: str, session: str) -> None:
        self._address = f"{base}/session/{session}"

    def _ask(self, method: str, path: str, body=None):
        return ask(method, f"{self._address}/{path}", body)

    def open(self, address: str) -> None:
        self._ask("POST", "url", {"url": address})

    def run(self, script: str, *arguments):
        """Return what a script returns; the page's policy does not bind the driver."""
        return self._ask("POST", "execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys: str) -> None:
        """Press keys one after the other on whatever has the focus."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        body = {"actions": [{"type": "key", "id": "keys", "actions": actions}]}
        self._ask("POST", "actions", body)

    def until(self, script: str, *arguments, seconds: float = 30):
        """Return the first truthy value of a script."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(f"return {script}", *arguments)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never came: {script}; {self.run('return document.body.innerText')}")

    def text(self, id_: str) -> str:
        return self.run("return document.getElementById(arguments[0]).textContent", id_)

    def resize(self, width: int, height: int) -> None:
        self._ask("POST", "window/rect", {"width": width, "height": height})


def ask(method: str, address: str, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    request.method = method
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.loads(reply.read())["value"]
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read().decode()) from error


@contextmanager
def browser(profile, dark: bool = False):
    """Start chromium behind chromedriver; skip, saying so, where they are not installed."""
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or chromium is None:
        pytest.skip("no chromedriver and chromium: the page was not used in a browser")
    process = subprocess.Popen(
        [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        port = next(
            word.strip(".")
            for line in process.stdout
            if "started successfully on port" in line
            for word in line.split()[-1:]
        )
        base = f"http://127.0.0.1:{port}"
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        flags += ["--window-size=1280,900", "--disable-background-networking", "--disable-sync"]
        flags += ["--blink-settings=preferredColorScheme=0"] if dark else []
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": flags, "binary": chromium},
        }
        wanted["goog:loggingPrefs"] = {"browser": "ALL"}
        session = ask("POST", f"{base}/session", {"capabilities": {"alwaysMatch": wanted}})
        try:
            yield Browser(base, session["sessionId"])
        finally:
            ask("DELETE", f"{base}/session/{session['sessionId']}")
    finally:
        process.terminate()
        process.communicate(timeout=20)
