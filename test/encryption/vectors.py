"""Implements docs/encryption.md with Python's cryptography package, independently of Razorbill's code.

vectors.py make           prints docs/encryption-vectors.json
vectors.py check < JSON   decrypts what Razorbill has encrypted; prints OK, or fails
"""

import base64
import hashlib
import json
import math
import sys
import unicodedata
import zlib

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

RECORD = 65536
SEGMENT = 1048576
CONTENT = SEGMENT - 16 - 16 * 16


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def hkdf(key, salt, info):
    return HKDF(SHA256(), 32, salt, info).derive(key)


def share_secret(link_key, password):
    """Returns the share's secret, and the password that the server receives."""
    if not password:
        return hkdf(link_key, b"", b"razorbill/1/share"), None
    salt = hkdf(link_key, b"", b"razorbill/1/password-salt")[:16]
    normalized = unicodedata.normalize("NFC", password).encode()
    stretched = Argon2id(salt=salt, length=32, iterations=3, lanes=1, memory_cost=65536).derive(normalized)
    mixed = link_key + stretched
    return hkdf(mixed, b"", b"razorbill/1/share"), b64(hkdf(mixed, b"", b"razorbill/1/gate"))


def file_key(secret, name):
    return hkdf(secret, unb64(name), b"razorbill/1/file")


def segments(size):
    return max(1, math.ceil(size / CONTENT))


def segment_key(key, salt, number, count):
    return AESGCM(hkdf(key, salt, b"razorbill/1/segment" + number.to_bytes(4, "big") + count.to_bytes(4, "big")))


def nonce(record, last):
    return record.to_bytes(11, "big") + (b"\x01" if last else b"\x00")


def seal_file(key, plain, salts):
    count = segments(len(plain))
    sealed = b""
    for number in range(count):
        content = plain[number * CONTENT : (number + 1) * CONTENT]
        aes = segment_key(key, salts[number], number, count)
        records = max(1, math.ceil(len(content) / RECORD))
        sealed += salts[number]
        for record in range(records):
            piece = content[record * RECORD : (record + 1) * RECORD]
            sealed += aes.encrypt(nonce(record, record == records - 1), piece, None)
    return sealed


def open_file(key, sealed):
    count = max(1, math.ceil(len(sealed) / SEGMENT))
    plain = b""
    for number in range(count):
        segment = sealed[number * SEGMENT : (number + 1) * SEGMENT]
        aes = segment_key(key, segment[:16], number, count)
        records = range(16, len(segment), RECORD + 16)
        for record, start in enumerate(records):
            last = record == len(records) - 1
            plain += aes.decrypt(nonce(record, last), segment[start : start + RECORD + 16], None)
    return plain


def padded(data):
    exponent = int(math.log2(max(len(data), 1024)))
    step = 2 ** (exponent - int(math.log2(exponent)) - 1)
    return data.ljust(max(1024, math.ceil(len(data) / step) * step), b" ")


def document_cipher(secret, header):
    salt = header[13:29]
    check = hkdf(secret, salt, b"razorbill/1/key-check")[:8]
    return check, AESGCM(hkdf(secret, salt, b"razorbill/1/document"))


def seal_document(secret, revision, content, salt):
    check = hkdf(secret, salt, b"razorbill/1/key-check")[:8]
    header = b"\x01" + revision.to_bytes(4, "big") + check + salt
    _, aes = document_cipher(secret, header)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return header + aes.encrypt(bytes(12), padded(text.encode()), header)


def open_document(secret, sealed):
    header = sealed[:29]
    check, aes = document_cipher(secret, header)
    assert header[0] == 1 and header[5:13] == check
    return int.from_bytes(header[1:5], "big"), json.loads(aes.decrypt(bytes(12), sealed[29:], header))


def generated(label, length):
    """Returns bytes that anyone can compute: SHA-256 of `label:0`, `label:1` and so on, one after the other."""
    blocks = (hashlib.sha256(f"{label}:{n}".encode()).digest() for n in range(math.ceil(length / 32)))
    return b"".join(blocks)[:length]


def sealed_range(size, start, end):
    first, last = start // CONTENT, max(0, (end - 1) // CONTENT)
    record = start % CONTENT // RECORD
    records = math.ceil((end - last * CONTENT) / RECORD) if end > start else 1
    last_content = min(CONTENT, size - last * CONTENT)
    base = first * SEGMENT
    return {
        "size": size,
        "start": start,
        "end": end,
        "sealedStart": base + (16 + record * (RECORD + 16) if record else 0),
        "sealedEnd": last * SEGMENT + 16 + min(last_content, records * RECORD) + records * 16,
        "saltAt": base if record else None,
    }


def make():
    keys, documents, files = [], [], []
    for label, password in [("plain", ""), ("protected", "corre\u0301ct horse")]:
        link_key = generated(f"link key {label}", 32)
        secret, gate = share_secret(link_key, password)
        common = {"linkKey": b64(link_key), "password": password}
        keys.append({**common, "secret": b64(secret), "gatePassword": gate})
        entries = []
        sizes = [0, 1, RECORD, RECORD + 1, CONTENT - 1, CONTENT, CONTENT + 1, 2 * CONTENT] if not password else [11]
        for size in sizes:
            name = b64(generated(f"file {label} {size}", 16))
            plain = generated(f"content {size}", size)
            salts = [generated(f"segment {size} {number}", 16) for number in range(segments(size))]
            sealed = seal_file(file_key(secret, name), plain, salts)
            file = {**common, "file": name, "content": f"content {size}", "size": size, "crc32": zlib.crc32(plain)}
            file |= {"salts": [b64(salt) for salt in salts], "sealedSize": len(sealed), "sealedSha256": hashlib.sha256(sealed).hexdigest()}
            files.append(file | ({"sealed": b64(sealed)} if size < 100 else {}))
            entries.append({"file": name, "name": f"folder/size {size}.bin", "type": "", "size": size, "crc32": zlib.crc32(plain)})
        content = {"name": f"Größe {label}", "description": "two\nlines" if password else None, "kind": "files", "files": entries}
        sealed = seal_document(secret, 7, content, generated(f"document {label}", 16))
        documents.append({**common, "revision": 7, "content": content, "sealed": b64(sealed)})
    size = 3 * CONTENT + 100
    spans = [(0, 1), (0, size), (RECORD, RECORD + 1), (CONTENT - 1, CONTENT + 1), (CONTENT + 70000, 2 * CONTENT), (size - 1, size)]
    ranges = [sealed_range(0, 0, 0), *(sealed_range(size, start, end) for start, end in spans)]
    return {"version": 1, "keys": keys, "documents": documents, "files": files, "ranges": ranges}


def check(vectors):
    for file in vectors["files"]:
        secret, gate = share_secret(unb64(file["linkKey"]), file["password"])
        assert gate == file["gatePassword"]
        plain = open_file(file_key(secret, file["file"]), unb64(file["sealed"]))
        assert hashlib.sha256(plain).hexdigest() == file["sha256"] and zlib.crc32(plain) == file["crc32"]
    for document in vectors["documents"]:
        secret, _ = share_secret(unb64(document["linkKey"]), document["password"])
        opened = open_document(secret, unb64(document["sealed"]))
        assert opened == (document["revision"], document["content"])
    return "OK"


if sys.argv[1] == "make":
    print(json.dumps(make(), indent=2, ensure_ascii=False))
else:
    print(check(json.load(sys.stdin)))
