"""Prometheus, unmodified, with the configuration that emu/monitoring ships: it scrapes an emulator, and answers every query of the
dashboard for Grafana."""
import json
import shutil
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from support import SOURCES, Emulator, main, skip

if not shutil.which("prometheus") or not shutil.which("promtool"):
    skip("no prometheus (package: prometheus)")

MONITORING = SOURCES / "emu/monitoring"


def free_port():
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


class Scrapes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.emulator = Emulator("--clock", "auto")
        configuration = cls.emulator.folder / "prometheus.yml"
        text = (MONITORING / "prometheus.yml").read_text()
        assert "127.0.0.1:10444" in text and "scrape_interval: 5s" in text, text
        configuration.write_text(text.replace("127.0.0.1:10444", cls.emulator.ready["plain"]).replace("5s", "1s"))
        cls.address = f"127.0.0.1:{free_port()}"
        with open(cls.emulator.folder / "prometheus.log", "wb") as log:
            cls.prometheus = subprocess.Popen(
                ["prometheus", f"--config.file={configuration}", f"--web.listen-address={cls.address}",
                 f"--storage.tsdb.path={cls.emulator.folder / 'samples'}"], stdout=log, stderr=log)

    @classmethod
    def tearDownClass(cls):
        cls.prometheus.terminate()
        cls.prometheus.wait(timeout=60)
        assert cls.emulator.stop() == 0, cls.emulator.log()
        cls.emulator.remove()

    def ask(self, path, **parameters):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=60) as answer:
            return json.load(answer)["data"]

    def eventually(self, holds):
        """Waits for samples: a rate needs two scrapes."""
        end = time.monotonic() + 60
        while True:
            try:
                result = holds()
            except (urllib.error.URLError, ConnectionError):  # Prometheus has not started yet
                result = None
            if result or time.monotonic() > end:
                return result
            time.sleep(0.2)

    def test_the_emulator_is_a_target_that_is_up(self):
        def target():
            found = self.ask("targets")["activeTargets"]
            return found and found[0]["health"] == "up" and found
        found = self.eventually(target)
        self.assertEqual(len(found), 1, found)
        self.assertEqual(found[0]["lastError"], "")
        self.assertEqual(found[0]["labels"]["job"], "trainyard")

    def test_every_family_has_a_type_and_a_help(self):
        families = self.eventually(lambda: self.ask("metadata"))
        names = {name for name in self.ask("label/__name__/values") if name.startswith("trainyard_")}
        self.assertGreater(len(names), 10)
        for name in names:
            family = name if name in families else name.rpartition("_")[0]  # of a histogram: _bucket, _sum, _count
            self.assertTrue(families[family][0]["help"], name)
            self.assertIn(families[family][0]["type"], ("counter", "gauge", "histogram"), name)

    def test_every_query_of_the_dashboard_has_an_answer(self):
        self.emulator.advance("1h")
        try:
            self.emulator.ask("nothing")  # for the panel of operations that fail
        except AssertionError:
            pass
        dashboard = json.loads((MONITORING / "grafana.json").read_text())
        queries = [target["expr"].replace("$instance", ".*") for panel in dashboard["panels"] for target in panel.get("targets", [])]
        self.assertGreater(len(queries), 10)
        for query in queries:
            with self.subTest(query=query):
                self.assertTrue(self.eventually(lambda: self.ask("query", query=query)["result"]))

    def test_promtool_accepts_the_configuration(self):
        subprocess.run(["promtool", "check", "config", MONITORING / "prometheus.yml"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
