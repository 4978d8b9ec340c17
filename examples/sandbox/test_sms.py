import json, subprocess, unittest
from urllib.request import Request, urlopen

command = ["node_modules/.bin/messaging-topup", "sandbox", "--port", "0", "--json", "--quiet"]


class Sms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sandbox = subprocess.Popen(command, stdout=subprocess.PIPE)
        cls.printed = json.loads(cls.sandbox.stdout.readline())

    @classmethod
    def tearDownClass(cls):
        cls.sandbox.terminate()
        cls.sandbox.communicate()

    def call(self, method, path, body=None):
        token = self.printed["token"]
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.printed["base_url"] + path, data, headers, method=method)
        with urlopen(request, timeout=70) as response:
            return json.loads(response.read() or "null")

    def test_lost_response(self):
        self.call("DELETE", "/_sandbox")
        self.call("PUT", "/_sandbox/fault", {"fault": "ResetAfterAcceptance", "times": 1})
        sms = {"recipient": "+15551234567", "message": "Hello from Python"}
        with self.assertRaises(OSError):
            self.call("POST", "/sms/send", sms)
        found = self.call("GET", "/_sandbox/messages?text=python")
        self.assertEqual(len(found["messages"]), 1)
