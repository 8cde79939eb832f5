#!/usr/bin/python3
"""Drives the page of 'cubcal serve' in headless Chromium, over the DevTools protocol on two pipes.

  drive_page.py CUBCAL_PROGRAM MODEL_FOLDER IMAGE_FOLDER [PICTURE_FOLDER]

IMAGE_FOLDER holds a.png, b.png, scan.dcm and broken.jpg. Exits with 77 where there is no Chromium.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             "--window-size=1280,1000"]


class Browser:
    def __init__(self, program, profile):
        to_browser, self.out = os.pipe()
        self.incoming, from_browser = os.pipe()

        def hand_over():  # 3 and 4 are where the browser listens and talks
            os.dup2(to_browser, 90)
            os.dup2(from_browser, 91)
            os.dup2(90, 3)
            os.dup2(91, 4)

        self.process = subprocess.Popen([program, *ARGUMENTS, "--user-data-dir=" + profile, "about:blank"],
                                        preexec_fn=hand_over, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.read, self.number, self.session, self.events = b"", 0, None, []
        target = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "DOM", "Log"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.read:
            block = os.read(self.incoming, 1 << 20)
            if not block:
                raise RuntimeError("the browser ended")
            self.read += block
        first, self.read = self.read.split(b"\0", 1)
        return json.loads(first)

    def call(self, method, **parameters):
        self.number += 1
        text = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            text["sessionId"] = self.session
        os.write(self.out, json.dumps(text).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                assert "error" not in got, (method, got)
                return got["result"]
            self.events.append(got)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (expression, result)
        return result["result"].get("value")

    def until(self, expression, seconds=60):
        end = time.time() + seconds
        while not self.value(expression):
            assert time.time() < end, "this did not come true: " + expression
            time.sleep(0.05)

    def choose(self, *paths):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector="#files")["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath(p) for p in paths])

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def picture(self, folder, name):
        if folder:
            data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
            with open(os.path.join(folder, name + ".png"), "wb") as file:
                file.write(base64.b64decode(data))


def started(cubcal, model, *more):
    server = subprocess.Popen([cubcal, "serve", "skin=" + model, "--port", "0", "--mc", "20", *more],
                              stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        found = re.search(r"serving at (\S+/)  ", line)
        if found:
            return server, found.group(1)
    raise RuntimeError("the server did not start")


def text(browser, name):
    return browser.value(f"document.getElementById('{name}').textContent")


def visit(browser, address, images, pictures):
    browser.call("Page.navigate", url=address)
    browser.until("document.readyState === 'complete' && document.getElementById('model').options.length === 1")
    assert "20 passes" in text(browser, "facts"), text(browser, "facts")
    browser.choose(images + "/a.png", images + "/b.png")
    browser.until("document.getElementById('history').tBodies[0].rows.length === 2 && !document.getElementById('answer').hidden")
    browser.until("document.getElementById('status').textContent.includes('2 of 2 answered')")
    assert text(browser, "badge") in ("accept", "refer", "out-of-scope")
    assert len(text(browser, "words")) > 40
    assert browser.value("document.querySelectorAll('#bars tbody tr').length") == 3
    assert browser.value("document.querySelectorAll('#bars .whisker').length") == 3
    shares = browser.value("[...document.querySelectorAll('#bars tbody td:nth-child(2)')].map((e) => parseFloat(e.textContent))")
    assert abs(sum(shares) - 100) < 0.5 and shares == sorted(shares, reverse=True), shares
    assert browser.value("document.getElementById('picture').naturalWidth") == 20
    assert browser.value("document.querySelectorAll('#boundary circle.now').length") == 1
    assert browser.value("document.querySelectorAll('#boundary circle.past').length") == 1
    # The point lies where the answer says.
    assert re.match(r"Confidence 0\.\d+, uncertainty", text(browser, "boundary-title"))
    browser.picture(pictures, "answer-light")

    # A DICOM file, which the browser itself could not show, and a file that is damaged.
    browser.choose(images + "/scan.dcm", images + "/broken.jpg")
    browser.until("document.getElementById('status').textContent.includes('1 of 2 answered')")
    assert browser.value("document.getElementById('picture').naturalWidth") > 0
    assert "SOP 1.2.3" in text(browser, "audit"), text(browser, "audit")
    assert "broken.jpg" in text(browser, "problem")
    assert browser.value("document.getElementById('history').tBodies[0].rows.length") == 3

    # By keyboard alone: everything that can be used can be reached, and an earlier answer shown again.
    browser.value("document.activeElement.blur()")
    reached = []
    for _ in range(14):
        browser.press("Tab", 9)
        reached.append(browser.value("document.activeElement.id || document.activeElement.textContent"))
    for name in ("theme", "model", "files", "csv", "clear", "a.png"):
        assert name in reached, (name, reached)
    browser.value("[...document.querySelectorAll('#history button')].find((e) => e.textContent === 'a.png').focus()")
    browser.press("Enter", 13)
    browser.until("document.getElementById('name').textContent === 'a.png' && document.activeElement.id === 'answer'")

    # What a screen reader is told.
    tree = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {(n["role"]["value"], n.get("name", {}).get("value", "")) for n in tree if not n["ignored"]}
    assert any(role == "status" for role, _ in roles)
    for role, name in roles:
        if role in ("button", "combobox", "image", "textbox"):
            assert name, "a " + role + " without a name"

    # CSV: what is downloaded.
    browser.value("window.made = null; URL.createObjectURL = (blob) => { window.made = blob; return 'data:,'; }; undefined")
    browser.value("document.getElementById('csv').click()")
    csv = browser.value("window.made.text()").split("\r\n")
    assert len(csv) == 5 and csv[0].startswith("time,image,class,confidence"), csv
    assert ",a.png," in csv[1] and "1.2.3" in csv[3], csv

    before = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.value("document.getElementById('theme').click()")
    assert browser.value("getComputedStyle(document.body).backgroundColor") != before
    browser.picture(pictures, "answer-dark")
    browser.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=True)
    assert not browser.value("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"), "scrolls sideways"
    browser.picture(pictures, "answer-narrow")
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.value("document.getElementById('clear').click()")
    assert browser.value("document.getElementById('history').tBodies[0].rows.length") == 0

    # Nothing was asked of anybody else, and nothing was refused by the page's own policy.
    for event in browser.events:
        if event.get("method") == "Network.requestWillBeSent":
            url = event["params"]["request"]["url"]
            assert url.startswith((address, "data:", "blob:", "about:")), url
        if event.get("method") == "Log.entryAdded":
            entry = event["params"]["entry"]
            assert entry["level"] != "error" or "422" in entry["text"], entry
        assert event.get("method") != "Runtime.exceptionThrown", event


def visit_with_token(browser, address, token, images):
    browser.call("Page.navigate", url=address)
    browser.until("document.readyState === 'complete' && !document.getElementById('token-field').hidden")
    assert "token" in text(browser, "problem")
    browser.value(f"const field = document.getElementById('token'); field.value = '{token}'; field.dispatchEvent(new Event('change'))")
    browser.until("document.getElementById('model').options.length === 1")
    browser.choose(images + "/a.png")
    browser.until("document.getElementById('history').tBodies[0].rows.length === 1")


def main():
    cubcal, model, images, *rest = sys.argv[1:]
    program = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if program is None:
        print("this machine has no Chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        browser = Browser(program, scratch + "/profile")
        server, address = started(cubcal, model)
        guarded = None
        try:
            visit(browser, address, images, rest[0] if rest else None)
            token = "0123456789abcdef"
            with open(scratch + "/token", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(token)
            guarded, address = started(cubcal, model, "--token-file", scratch + "/token")
            visit_with_token(browser, address, token, images)
        finally:
            for process in filter(None, (server, guarded, browser.process)):
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
