"""The page in a real browser: files are chosen and dropped, answers, holes and findings are seen.

python3 page.py ADDRESS TOKEN FILE [THE SAME ROWS IN OTHER FORMS ...]

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

    def drop(self, name, content):
        """Drops a file on the page, as a mouse would."""
        self.run(f"""
            const bytes = Uint8Array.from(atob("{base64.b64encode(content).decode()}"), (sign) => sign.charCodeAt(0));
            const dragged = new DataTransfer();
            dragged.items.add(new File([bytes], {json.dumps(name)}));
            const place = document.getElementById("drop");
            place.dispatchEvent(new DragEvent("drop", {{ dataTransfer: dragged, bubbles: true, cancelable: true }}));
        """)

    def text(self, name):
        return self.run(f"return document.getElementById('{name}').textContent")

    def is_hidden(self, name):
        return self.run(f"return document.getElementById('{name}').hidden")

    def size(self, width, height):
        self.ask("POST", "/window/rect", {"width": width, "height": height})

    def end(self):
        self.ask("DELETE", "")
        self.driver.terminate()


def seen_of(browser):
    """Answers, rows and holes as the page shows them."""
    return browser.text("summary"), browser.text("table"), browser.text("bars")


def refused(browser):
    """After a refusal nothing is left of what was said of the file before."""
    browser.drop("other.csv", b"foo,bar\n1,2\n")
    browser.wait("return !document.getElementById('fault').hidden", "the refusal")
    assert "not there" in browser.text("fault"), browser.text("fault")
    assert all(browser.is_hidden(name) for name in ["answers", "holes", "trust"]), "old answers below a refusal"
    assert browser.text("table") == "", browser.text("table")
    print("refused:", browser.text("fault"))


def main():
    address, token = sys.argv[1:3]
    file, *others = [pathlib.Path(name).resolve() for name in sys.argv[3:]]
    browser = Browser()
    try:
        browser.size(1280, 1600)
        browser.ask("POST", "/url", {"url": address})
        browser.wait("return !document.getElementById('entry').hidden", "the question for the token")
        assert browser.is_hidden("fault") and "asks for a token" in browser.text("state"), browser.text("fault")
        browser.run(f"document.getElementById('token').value = {json.dumps(token)}")
        browser.run("document.getElementById('enter').click()")
        names = browser.wait("return [...document.querySelectorAll('#model option')].map(o => o.textContent)", "models")
        print("models:", names)
        browser.ask("POST", f"/element/{browser.find('#file')}/value", {"text": str(file)})
        browser.wait("return document.querySelectorAll('#table tbody tr').length > 0", "answers")
        print("heading:", browser.text("heading"))
        print("summary:", browser.text("summary"))
        print("rows:", browser.run("return document.querySelectorAll('#table tbody tr').length"))
        print("holes:", browser.run("return document.querySelectorAll('#bars tbody tr').length"))
        browser.run("document.getElementById('download').click()")
        link = "const a = document.getElementById('download'); return a.href.startsWith('blob:') && a.download"
        print("download:", browser.wait(link, "the file to take away"))
        wanted = seen_of(browser)
        refused(browser)
        for other in others:
            browser.drop(other.name, other.read_bytes())
            browser.wait("return document.querySelectorAll('#table tbody tr').length > 0", f"answers for {other.name}")
            assert browser.is_hidden("fault"), browser.text("fault")
            assert seen_of(browser) == wanted, f"{other.name} looks otherwise: {browser.text('table')[:1000]}"
            print("the same:", other.name)
        for button, frame in [("describe", "description"), ("audit", "findings")]:
            if browser.run(f"return document.getElementById('{button}').closest('section').hidden"):
                continue
            browser.run(f"document.getElementById('{button}').click()")
            seen = f"const f = document.getElementById('{frame}'); return !f.hidden && f.srcdoc.length"
            print(f"{button}: {browser.wait(seen, button)} letters")
        for model in browser.run("return [...document.querySelectorAll('#model option')].map(o => o.value)")[1:]:
            choose = f"const list = document.getElementById('model'); list.value = '{model}';"
            before = browser.text("heading")
            browser.run(f"{choose} list.dispatchEvent(new Event('change'))")
            rows = "document.querySelectorAll('#table tbody tr').length > 0"
            heading = f"document.getElementById('heading').textContent !== {json.dumps(before)}"
            browser.wait(f"return {rows} && {heading}", f"answers of {model}")
            print(f"{model}:", browser.text("heading"), browser.text("summary"))
            assert "0 cells" not in browser.text("summary")[:8], "nothing is filled"
        wide = browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert wide, "the page is wider than the window"
        browser.size(400, 2600)
        narrow = browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert narrow, "the page is wider than a narrow window"
        assert browser.is_hidden("fault"), browser.text("fault")
        print("the page works")
    finally:
        browser.end()


if __name__ == "__main__":
    main()
