"""Makes the calls of Schemathesis as three callers in turn: an API token, a signed-in browser and a visitor."""

import itertools
import json
import os
import urllib.request

import schemathesis

URL = os.environ["FUZZ_URL"]
TOKEN = os.environ["FUZZ_TOKEN"]
# The identifiers of the account and of the token that all of this runs on: no call may end these.
KEPT = os.environ["FUZZ_KEPT"].split(",")
UNKNOWN = "00000000-0000-4000-8000-000000000000"
PASSWORD = "correct horse battery"

calls = itertools.count()
cookie = ""


def next_address(call: int) -> str:
    """Returns a new client address for each call, so that the limits per address do not refuse most of them."""
    return f"10.{call >> 16 & 255}.{call >> 8 & 255}.{call & 255}"


def post(path: str, body: dict, headers: dict):
    """Posts JSON outside of the fuzzed calls and returns the response's headers."""
    headers = {"content-type": "application/json", **headers}
    request = urllib.request.Request(f"{URL}{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.headers


def new_session(call: int) -> str:
    """Signs a new account in, because fuzzed calls end sessions and change or delete the account."""
    name = f"browser{call}"
    account = {"username": name, "email": f"{name}@example.org", "password": PASSWORD, "isAdmin": True}
    post("/api/users", account, {"authorization": f"Bearer {TOKEN}"})
    headers = post("/api/auth/signIn", {"username": name, "password": PASSWORD}, {"x-forwarded-for": next_address(call)})
    return "; ".join(line.split(";")[0] for line in headers.get_all("set-cookie", []))


@schemathesis.hook
def before_call(context, case, kwargs):
    global cookie
    call = next(calls)
    for name, value in (case.path_parameters or {}).items():
        if value in KEPT:
            case.path_parameters[name] = UNKNOWN
    headers = {"x-forwarded-for": next_address(call)}
    if call % 5 < 3:
        headers["authorization"] = f"Bearer {TOKEN}"
    elif call % 5 == 3:
        cookie = cookie or new_session(call)
        headers["cookie"] = cookie
    case.headers.update(headers)


@schemathesis.hook
def after_call(context, case, response):
    global cookie
    if response.status_code == 401 and "cookie" in case.headers:
        cookie = ""
