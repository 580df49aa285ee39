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
ADMIN = json.loads(os.environ["FUZZ_ADMIN"])

calls = itertools.count()
cookie = ""


def next_address(call: int) -> str:
    """Returns a new client address for each call, so that the limits per address do not refuse most of them."""
    return f"10.{call >> 16 & 255}.{call >> 8 & 255}.{call & 255}"


def post(path: str, body: dict, **headers: str) -> str:
    """Posts JSON outside of the fuzzed calls and returns the cookies that it sets."""
    headers = {"content-type": "application/json", **headers}
    request = urllib.request.Request(f"{URL}{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return "; ".join(line.split(";")[0] for line in response.headers.get_all("set-cookie", []))


def new_session(call: int) -> str:
    """Signs a new account in, because fuzzed calls end sessions and change or delete the account."""
    name = f"browser{call}"
    admin = post("/api/auth/signIn", ADMIN)
    post("/api/users", {"username": name, "email": f"{name}@example.org", "password": ADMIN["password"], "isAdmin": True}, cookie=admin)
    return post("/api/auth/signIn", {"username": name, "password": ADMIN["password"]})


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
