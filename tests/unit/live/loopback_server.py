"""A server of odd HTTP answers, for transport_test.cpp. It prints its port, its port for TLS and the
file of its certificate for localhost, or 0 and - without openssl; then the port and issuers of
each server whose certificate no client may trust. It ends when its standard input does."""
import http.server
import json
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        path = self.path.split("?")[0]
        if path == "/slow":
            time.sleep(3)
            self.answer(200, b"late")
        elif path == "/large":
            self.answer(200, b"x" * 100_000)
        elif path == "/headers":
            self.answer(200, b"", [(f"X-{i}", "y" * 1000) for i in range(90)])
        elif path == "/redirect":
            self.answer(302, b"moved", [("Location", "/echo")])
        elif path == "/error":
            self.answer(503, b"busy", [("X-Kind", " odd value ")])
        elif path == "/cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.close_connection = True
        elif path == "/silent":
            self.close_connection = True
        elif path == "/continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\n")
            self.answer(200, b"done")
        else:
            echo = {"method": self.command, "path": self.path, "body": body.decode("latin-1"),
                    "headers": self.headers.items(), "port": self.client_address[1]}
            self.answer(200, json.dumps(echo).encode())

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # the client ends connections at its limits


def serve():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def certify(path, name, *options):
    """Writes PATH.pem and PATH.key; each extension is one of openssl's."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name, "-days", "2",
                    "-keyout", path + ".key", "-out", path + ".pem", *options],
                   check=True, capture_output=True)


def serve_with(path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path + ".pem", path + ".key")
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def serve_tls(folder):
    if shutil.which("openssl") is None:
        return 0, "-"
    localhost = ("-addext", "subjectAltName=DNS:localhost")
    certify(folder + "/good", "localhost", *localhost)
    certify(folder + "/client", "localhost", *localhost, "-addext", "extendedKeyUsage=clientAuth")
    certify(folder + "/issuer", "issuer", "-addext", "nameConstraints=permitted;DNS:other.test")
    issuer = folder + "/issuer.pem"
    certify(folder + "/limited", "localhost", *localhost, "-CA", issuer, "-CAkey",
            folder + "/issuer.key")
    return (serve_with(folder + "/good"), folder + "/good.pem",
            serve_with(folder + "/client"), folder + "/client.pem",
            serve_with(folder + "/limited"), issuer)


with tempfile.TemporaryDirectory() as scratch:
    print(serve().server_address[1], *serve_tls(scratch), flush=True)
    sys.stdin.read()
