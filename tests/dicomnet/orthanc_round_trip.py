#!/usr/bin/python3
"""A study in Orthanc is routed to 'cubcal dicom', and its reports appear in the study.

  orthanc_round_trip.py CUBCAL_PROGRAM FIXTURE_PROGRAM

Orthanc runs as a process of its own, on loopback ports that are free. Exits with 77 where it is not
installed.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/dicom-node.md")


def routing_script():
    """The script that the documentation shows."""
    blocks = open(PAGE).read().split("```")[1::2]
    return next(block for block in blocks if "OnStoredInstance" in block).removeprefix("text")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        try:
            value = condition()
            if value:
                return value
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit("waited in vain for " + what)


class Orthanc:
    def __init__(self, program, folder, node_port, routes):
        self.http, self.dicom = free_port(), free_port()
        os.makedirs(folder)
        script = os.path.join(folder, "routing.lua")
        with open(script, "w") as file:
            file.write(routing_script())
        settings = {"Name": "test", "StorageDirectory": folder + "/storage", "IndexDirectory": folder + "/index",
                    "HttpPort": self.http, "DicomPort": self.dicom, "DicomAet": "ORTHANC", "RemoteAccessAllowed": False,
                    "AuthenticationEnabled": False, "Plugins": [], "LuaScripts": [script] if routes else [],
                    "DicomModalities": {"cubcal": ["CUBCAL", "127.0.0.1", node_port]}}
        with open(folder + "/orthanc.json", "w") as file:
            json.dump(settings, file)
        self.log = open(folder + "/log", "w")
        self.process = subprocess.Popen([program, folder + "/orthanc.json"], stdout=self.log, stderr=self.log)
        wait_for("Orthanc", lambda: self.ask("/system"))

    def ask(self, path, data=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.http}{path}", data=data)
        with urllib.request.urlopen(request, timeout=60) as response:
            body = response.read()
        return json.loads(body) if body[:1] in (b"{", b"[") else body

    def reports(self):
        """Tags of the reports by the UID of their study."""
        found = {}
        for instance in self.ask("/instances"):
            tags = self.ask(f"/instances/{instance}/simplified-tags")
            if tags["Modality"] == "SR":
                found.setdefault(tags["StudyInstanceUID"], []).append(tags)
        return found

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.log.close()


def check(condition, sentence):
    if not condition:
        raise SystemExit("failed: " + sentence)


def image_of(report):
    evidence = report["CurrentRequestedProcedureEvidenceSequence"][0]
    return evidence["ReferencedSeriesSequence"][0]["ReferencedSOPSequence"][0]["ReferencedSOPInstanceUID"]


def concepts(items):
    """Every content item of a report, by the meaning of its name."""
    for item in items:
        if item.get("ConceptNameCodeSequence"):
            yield item["ConceptNameCodeSequence"][0]["CodeMeaning"], item
        yield from concepts(item.get("ContentSequence", []))


def round_trip(orthanc, scratch, images, routes):
    studies = set()
    for i in range(images):
        with open(f"{scratch}/{i}.dcm", "rb") as file:
            studies.add(orthanc.ask("/instances", file.read())["ParentStudy"])
    if not routes:
        for study in studies:
            orthanc.ask("/modalities/cubcal/store", study.encode())
    found = wait_for("the reports",
                     lambda: (lambda r: r if sum(map(len, r.values())) >= images else None)(orthanc.reports()))
    check(sorted(found) == ["1.2.9.1", "1.2.9.2"], f"reports are in the studies of their images, not {sorted(found)}")
    check(len(orthanc.ask("/studies")) == 2 and len(orthanc.ask("/patients")) == 1, "no new study or patient came to be")
    reports = [each for list_of_study in found.values() for each in list_of_study]
    check(sorted(map(image_of, reports)) == [f"1.2.840.99.{i}" for i in range(images)], "each image has one report")
    for report in reports:
        check(report["PatientName"] == "M\u00fcller^Anna" and report["PatientID"] == "P-4711", "the patient is the image's")
        items = dict(concepts(report["ContentSequence"]))
        for name in ("Most probable class", "Probability of round", "Total uncertainty (entropy)", "Verdict on the answer",
                     "Reason of the verdict", "Algorithm Name", "Algorithm Version"):
            check(name in items, f"a report has '{name}'")
    if not routes:  # once more, now with the reports in the studies, which the node does not take
        for study in studies:
            asked = {"Resources": [study], "Permissive": True, "Synchronous": True}
            orthanc.ask("/modalities/cubcal/store", json.dumps(asked).encode())
    time.sleep(2)
    check(sum(map(len, orthanc.reports().values())) == images, "what is sent again gets no second report")


def main():
    cubcal, fixture = sys.argv[1:3]
    program = shutil.which("Orthanc", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if program is None:
        print("skipped: Orthanc is not installed (Debian: orthanc)")
        sys.exit(77)
    images = 4
    for routes in (False, True):
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([fixture, scratch, str(images)], check=True)
            node_port = free_port()
            orthanc = Orthanc(program, scratch + "/orthanc", node_port, routes)
            with open(scratch + "/node.log", "w+") as log:
                node = subprocess.Popen([cubcal, "dicom", scratch + "/model", "--mc", "3", "--port", str(node_port), "--to",
                                         f"ORTHANC@127.0.0.1:{orthanc.dicom}", "--spool", scratch + "/spool",
                                         "--allow", "ORTHANC"], stdout=log, stderr=log)
                try:
                    wait_for("the node", lambda: "listens at" in open(scratch + "/node.log").read())
                    check(orthanc.ask("/modalities/cubcal/echo", b"") is not None, "the node answers C-ECHO")
                    round_trip(orthanc, scratch, images, routes)
                    node.send_signal(signal.SIGTERM)
                    check(node.wait(30) == 0, "the node stops")
                    print("routed by Lua:" if routes else "sent by REST:", images, "images,", images, "reports")
                except BaseException:
                    print(open(scratch + "/node.log").read(), open(scratch + "/orthanc/log").read()[-4000:])
                    raise
                finally:
                    node.kill()
                    node.wait()
                    orthanc.stop()


if __name__ == "__main__":
    main()
