import json, os
from urllib.request import Request, urlopen

base, token = os.environ["MESSAGING_TOPUP_BASE_URL"], os.environ["MESSAGING_TOPUP_TOKEN"]
headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
sms = {"recipient": "+15551234567", "message": "Hello from Python"}
urlopen(Request(f"{base}/sms/send", json.dumps(sms).encode(), headers))

found = json.load(urlopen(f"{base}/_sandbox/messages?text=python"))["messages"]
assert [each["message"] for each in found] == ["Hello from Python"]
