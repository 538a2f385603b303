"""A client of Azure Files that knows nothing but Microsoft's published protocol: it signs for itself ("Authorize with Shared
Key", "Create a service SAS", "Create an account SAS") and speaks HTTP by the standard library.

    account = Account("DefaultEndpointsProtocol=http;AccountName=...;AccountKey=...;FileEndpoint=http://127.0.0.1:8080/...")
    account("PUT", "/share", {"restype": "share"}).status
"""
import base64
import email.utils
import hashlib
import hmac
import http.client
import urllib.parse
import xml.etree.ElementTree as ElementTree

VERSION = "2021-12-02"
SIGNED_HEADERS = ["Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
                  "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"]


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def code(self):
        return self.headers["x-ms-error-code"]

    @property
    def xml(self):
        return ElementTree.fromstring(self.body)

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:500]}"


class Account:
    def __init__(self, connection_string):
        parts = dict(part.split("=", 1) for part in connection_string.split(";") if part)
        self.name, self.key = parts["AccountName"], base64.b64decode(parts["AccountKey"])
        endpoint = urllib.parse.urlsplit(parts["FileEndpoint"])
        self.host, self.port, self.root = endpoint.hostname, endpoint.port, endpoint.path
        self.connection = http.client.HTTPConnection(self.host, self.port, timeout=60)

    def sign(self, text):
        return base64.b64encode(hmac.new(self.key, text.encode(), hashlib.sha256).digest()).decode()

    def signed_headers(self, method, raw_path, query, headers, length, is_lite=False):
        """The headers of a signed request; `query` as (name, decoded value), headers unchanged."""
        headers = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": VERSION, **headers}
        lower = {name.lower(): value.strip() for name, value in headers.items()}
        own = "".join(f"{name}:{lower[name]}\n" for name in sorted(lower) if name.startswith("x-ms-"))
        lower.setdefault("content-length", str(length) if length else "")
        if is_lite:
            lines = [lower.get("content-md5", ""), lower.get("content-type", ""), ""]
            comp = [f"?comp={value}" for name, value in query if name == "comp"]
            resource = f"/{self.name}{raw_path}{''.join(comp)}"
        else:
            lines = [lower.get(name.lower(), "") for name in SIGNED_HEADERS]
            values = {}
            for name, value in query:
                values.setdefault(name.lower(), []).append(value)
            resource = f"/{self.name}{raw_path}" + "".join(f"\n{name}:{','.join(sorted(values[name]))}" for name in sorted(values))
        scheme = "SharedKeyLite" if is_lite else "SharedKey"
        signature = self.sign("\n".join([method, *lines]) + "\n" + own + resource)
        return {**headers, "Authorization": f"{scheme} {self.name}:{signature}"}

    def target(self, path, query):
        raw_path = self.root + urllib.parse.quote(path, safe="/!$&'()*+,;=:@~")
        return raw_path, raw_path + ("?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else "")

    def __call__(self, method, path, query=(), headers=(), body=b"", is_lite=False):
        """A signed request; `path` decoded, query a dictionary or pairs, decoded too."""
        query = list(dict(query).items()) if isinstance(query, dict) else list(query)
        raw_path, target = self.target(path, query)
        signed = self.signed_headers(method, raw_path, query, dict(headers), len(body), is_lite)
        self.connection.request(method, target, body or None, {**signed, "Content-Length": str(len(body))})
        return Answer(self.connection.getresponse())

    def plain(self, method, target, headers=(), body=None):
        """A request without changes or signature."""
        self.connection.request(method, target, body, dict(headers))
        return Answer(self.connection.getresponse())

    # --- Shorter ---

    def share(self, name):
        return self("PUT", f"/{name}", {"restype": "share"})

    def create(self, path, size, headers=()):
        return self("PUT", path, {}, {"x-ms-type": "file", "x-ms-content-length": str(size), **dict(headers)})

    def write(self, path, first, data, headers=()):
        return self("PUT", path, {"comp": "range"}, {"x-ms-write": "update", "x-ms-range": f"bytes={first}-{first + len(data) - 1}",
                                                     **dict(headers)}, data)

    def put(self, path, data, headers=()):
        answer = self.create(path, len(data), headers)
        return self.write(path, 0, data) if data and answer.status == 201 else answer

    def service_sas(self, path, permissions, expiry="2099-01-01T00:00:00Z", identifier="", is_share=False, version=VERSION):
        fields = [permissions, "", expiry, f"/file/{self.name}{path}", identifier, "", "", version, "", "", "", "", ""]
        query = {"sv": version, "sr": "s" if is_share else "f", "sig": self.sign("\n".join(fields))}
        return {**query, **{name: value for name, value in (("sp", permissions), ("se", expiry), ("si", identifier)) if value}}
