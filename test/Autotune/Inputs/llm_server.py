#!/usr/bin/env python3
"""Plays a Chat Completions endpoint (and, under /messages, Anthropic's) for tests, faults included.

    llm_server.py --port-file FILE [--script a,b,c] [--reply FILE] [--key KEY] [--log FILE]

Prints nothing; writes its port to FILE once it listens. Each request takes the next word of the script, the last one
for ever:

    ok            a reply with the text of --reply (default: two small configurations)
    429s / 429d   "too many requests", Retry-After in seconds / as a date
    500, 503      server errors
    slow          answers after 30 seconds
    reset         closes the connection in the middle
    garbage       200 with bytes that are no JSON
    huge          200 with a body of 64 MiB
    redirect      302 to another host
    401           refuses the key, and echoes it
    404           no such model
    refusal       the model declines
    empty         no choices
    cut           finish_reason "length" in the middle of a configuration
    noformat      400 until the request has no response_format

The log gets one JSON line a request: path, authorization header, body.
"""
import argparse
import datetime
import http.server
import json
import os
import socket
import struct
import threading
import time

DEFAULT_REPLY = json.dumps({"configs": [{"num_warps": 4, "rationale": "balanced"}, {"num_warps": 8}]})


def chat(text, finish="stop", **message):
    body = {"choices": [{"index": 0, "finish_reason": finish,
                         "message": {"role": "assistant", "content": text, **message}}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 30}}
    return json.dumps(body).encode()


def messages(text, finish="end_turn"):
    return json.dumps({"content": [{"type": "text", "text": text}], "stop_reason": finish,
                       "usage": {"input_tokens": 120, "output_tokens": 30}}).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def error(self, status, message, **headers):
        self.send(status, json.dumps({"error": {"message": message}}).encode(), **headers)

    def do_GET(self):
        self.error(405, "only POST")

    def do_POST(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("utf-8", "replace")
        key = self.headers.get("Authorization", "") or "Bearer " + self.headers.get("x-api-key", "")
        with server.lock:
            word = server.script[min(server.count, len(server.script) - 1)]
            server.count += 1
            if server.log:
                with open(server.log, "a") as log:
                    log.write(json.dumps({"path": self.path, "key": key, "body": json.loads(body)}) + "\n")
        if server.key and key != "Bearer " + server.key:
            return self.error(401, "incorrect key " + key)
        try:
            getattr(self, "play_" + word)(key, body)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def play_ok(self, key, body):
        form = messages if self.path.endswith("/messages") else chat
        self.send(200, form(self.server.reply))

    def play_429s(self, key, body):
        self.error(429, "slow down", Retry_After="1")

    def play_429d(self, key, body):
        when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
        self.error(429, "slow down", Retry_After=when.strftime("%a, %d %b %Y %H:%M:%S GMT"))

    def play_500(self, key, body):
        self.error(500, "it broke, your header was " + key)

    def play_503(self, key, body):
        self.error(503, "overloaded")

    def play_slow(self, key, body):
        time.sleep(30)
        self.play_ok(key, body)

    def play_reset(self, key, body):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"choices\"")
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def play_garbage(self, key, body):
        self.send(200, b"<html>\xff\xfe proxy says " + key.encode() + b"</html>")

    def play_huge(self, key, body):
        self.send_response(200)
        self.send_header("Content-Length", str(64 << 20))
        self.end_headers()
        for _ in range(64):
            self.wfile.write(b"x" * (1 << 20))

    def play_redirect(self, key, body):
        self.send(302, b"", Location="http://localhost:%d/elsewhere" % self.server.server_port)

    def play_401(self, key, body):
        self.error(401, "incorrect key provided: " + key)

    def play_404(self, key, body):
        self.error(404, "the model does not exist")

    def play_refusal(self, key, body):
        self.send(200, chat(None, refusal="I cannot help with that."))

    def play_empty(self, key, body):
        self.send(200, json.dumps({"choices": []}).encode())

    def play_cut(self, key, body):
        self.send(200, chat('{"configs": [{"num_warps": 4}, {"num_warps": 1', finish="length"))

    def play_noformat(self, key, body):
        if "response_format" in json.loads(body):
            return self.error(400, "unknown field response_format")
        self.play_ok(key, body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", required=True)
    parser.add_argument("--script", default="ok")
    parser.add_argument("--reply")
    parser.add_argument("--key", default="")
    parser.add_argument("--log", default="")
    parser.add_argument("--seconds", type=float, default=120, help="ends by itself after so long")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.lock = threading.Lock()
    server.script = options.script.split(",")
    server.count = 0
    server.key, server.log = options.key, options.log
    server.reply = open(options.reply).read() if options.reply else DEFAULT_REPLY
    with open(options.port_file + ".new", "w") as file:
        file.write(str(server.server_port))
    os.rename(options.port_file + ".new", options.port_file)
    threading.Timer(options.seconds, lambda: os._exit(0)).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
