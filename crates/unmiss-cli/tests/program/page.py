"""The page in a real browser: a file is chosen, answers, holes and findings are seen.

python3 page.py ADDRESS FILE [FOLDER FOR PICTURES]

Needs chromium and chromedriver (Debian's chromium-driver); the address is that of a running server whose first model of
tables fits the file. Prints what was seen and fails where something is not there.
"""

import base64
import http.client
import json
import pathlib
import socket
import subprocess
import sys
import time


class Browser:
    """A headless browser, driven over HTTP as WebDriver describes."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}", "--log-level=OFF"])
        self.port, self.session = port, None
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]}
        for _ in range(300):
            try:
                wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
                self.session = self.ask("POST", "/session", wanted)["sessionId"]
                return
            except OSError:
                time.sleep(0.2)
        raise SystemExit("chromedriver did not start")

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=180)
        path = path if self.session is None else f"/session/{self.session}{path}"
        connection.request(method, path, None if body is None else json.dumps(body))
        value = json.loads(connection.getresponse().read())["value"]
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(value["message"])
        return value

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, script, words):
        for _ in range(600):
            if found := self.run(script):
                return found
            time.sleep(0.2)
        raise SystemExit(f"never seen: {words}")

    def find(self, selector):
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def size(self, width, height):
        self.ask("POST", "/window/rect", {"width": width, "height": height})

    def end(self):
        self.ask("DELETE", "")
        self.driver.terminate()


def main():
    address, file = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    browser = Browser()
    try:
        browser.size(1280, 1600)
        browser.ask("POST", "/url", {"url": address})
        names = browser.wait("return [...document.querySelectorAll('#model option')].map(o => o.textContent)", "models")
        print("models:", names)
        browser.ask("POST", f"/element/{browser.find('#file')}/value", {"text": str(file)})
        browser.wait("return document.querySelectorAll('#table tbody tr').length > 0", "answers")
        print("heading:", browser.run("return document.getElementById('heading').textContent"))
        print("summary:", browser.run("return document.getElementById('summary').textContent"))
        print("rows:", browser.run("return document.querySelectorAll('#table tbody tr').length"))
        print("holes:", browser.run("return document.querySelectorAll('#bars tbody tr').length"))
        link = "const a = document.getElementById('download'); return [a.download, a.href.startsWith('blob:')]"
        print("download:", browser.run(link))
        for button, frame in [("describe", "description"), ("audit", "findings")]:
            if browser.run(f"return document.getElementById('{button}').closest('section').hidden"):
                continue
            browser.run(f"document.getElementById('{button}').click()")
            seen = f"const f = document.getElementById('{frame}'); return !f.hidden && f.srcdoc.length"
            print(f"{button}: {browser.wait(seen, button)} letters")
        wide = browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert wide, "the page is wider than the window"
        if pictures:
            for width in (1280, 400):
                browser.size(width, 2600)
                time.sleep(1)
                browser.picture(pictures / f"page-{width}.png")
        browser.size(400, 2600)
        narrow = browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert narrow, "the page is wider than a narrow window"
        fault = browser.run("return document.getElementById('fault').hidden")
        assert fault, browser.run("return document.getElementById('fault').textContent")
        print("the page works")
    finally:
        browser.end()


if __name__ == "__main__":
    main()
