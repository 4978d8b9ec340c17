"""Sends one SMS, and says whether it went out: "sent", "not-sent" or "unknown"."""

import json
from contextlib import closing
from http.client import HTTPException, InvalidURL

refused = (400, 401, 402, 403, 404)


def send(connection, path, token, sms):
    """The connection is an HTTPSConnection(host, timeout=30), for the sandbox an HTTPConnection(host, timeout=10).

    It is opened and closed here, so one can serve a whole list, one SMS after another: each thread needs its own.
    The path is "/sms/send", after that of the base URL.
    """
    with closing(connection):
        return outcome_of(connection, path, token, sms)


def outcome_of(connection, path, token, sms):
    headers = {"Authorization": f"Bearer {token.strip()}", "Content-Type": "application/json"}
    try:
        connection.connect()
    except OSError:
        return "not-sent"
    status = None
    try:
        connection.request("POST", path.strip(), json.dumps(sms), headers)
        response = connection.getresponse()
        status = response.status  # known also if the body is cut
        body = response.read()
    except InvalidURL:  # before the request
        raise
    except (OSError, HTTPException):
        return {202: "sent", 429: "not-sent"}.get(status, "unknown")
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    said = said if isinstance(said, dict) else {}
    is_error = isinstance(said.get("error"), dict)
    if status == 429 or (status in refused and is_error):
        return "not-sent"
    results = said.get("data")
    has_result = isinstance(results, list) and any(isinstance(each, dict) for each in results)
    if status == 202 and said.get("success") is True and has_result and not is_error:
        return "sent"
    return "unknown"
