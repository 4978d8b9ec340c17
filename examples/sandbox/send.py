import json, subprocess, sys
from urllib.request import Request, urlopen

command = ["node_modules/.bin/messaging-topup", "sandbox", "--port", "0", "--json", "--quiet"]
with subprocess.Popen(command, stdout=subprocess.PIPE) as sandbox:
    try:
        printed = json.loads(sandbox.stdout.readline() or sys.exit("no sandbox"))
        base, headers = printed["base_url"], {"Authorization": f"Bearer {printed['token']}"}

        sms = {"recipient": "+15551234567", "message": "Hello from Python"}
        as_json = {**headers, "Content-Type": "application/json"}
        sent = json.load(urlopen(Request(f"{base}/sms/send", json.dumps(sms).encode(), as_json)))
        message_id = sent["data"][0]["message_id"]

        read = json.load(urlopen(Request(f"{base}/sms/{message_id}", headers=headers)))
        print(message_id, read["data"][0]["status"], "at", base)

        found = json.load(urlopen(Request(f"{base}/_sandbox/messages?text=python", headers=headers)))
        assert [each["message"] for each in found["messages"]] == ["Hello from Python"]
    finally:
        sandbox.terminate()
