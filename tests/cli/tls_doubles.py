"""What stands between reeve and an account, for live_tls_test.sh.

    tls_doubles.py front CERTIFICATE KEY PORT   ends TLS, and passes the bytes on to 127.0.0.1:PORT
    tls_doubles.py proxy LOG PORT               a proxy that takes each host for 127.0.0.1:PORT
    tls_doubles.py refusing LOG STATUS          a proxy that answers each request with STATUS
    tls_doubles.py closing LOG                  a proxy that closes each connection

Each prints its port. A proxy writes the first line of each request to LOG."""
import socket
import socketserver
import ssl
import sys
import threading

kind, *arguments = sys.argv[1:]
CONTEXT = None
if kind == "front":
    CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    CONTEXT.load_cert_chain(arguments[0], arguments[1])


def pass_on(source, to):
    try:
        while data := source.recv(65536):
            to.sendall(data)
        to.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other side has ended


def join(one, other):
    back = threading.Thread(target=pass_on, args=(other, one), daemon=True)
    back.start()
    pass_on(one, other)
    back.join()


def head_of(client):
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(65536)
        if not data:
            return head
        head += data
    return head


def backend(port):
    return socket.create_connection(("127.0.0.1", int(port)))


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        if kind == "front":
            try:
                client = CONTEXT.wrap_socket(self.request, server_side=True)
            except OSError:  # the client refuses the certificate
                return
            with client, backend(arguments[2]) as server:
                join(client, server)
            return
        head = head_of(self.request)
        first = head.split(b"\r\n")[0].decode()
        with open(arguments[0], "a", encoding="utf-8") as log:
            log.write(first + "\n")
        if kind == "refusing":
            answer = f"HTTP/1.1 {arguments[1]} No\r\nContent-Length: 0\r\nConnection: close\r\n"
            if arguments[1] == "407":
                answer += 'Proxy-Authenticate: Basic realm="proxy"\r\n'
            self.request.sendall(answer.encode() + b"\r\n")
        elif kind == "proxy":
            with backend(arguments[1]) as server:
                if first.startswith("CONNECT "):
                    self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    server.sendall(head)
                join(self.request, server)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


double = Server(("127.0.0.1", 0), Handler)
print(double.server_address[1], flush=True)
double.serve_forever()
