"""OpenStack Swift with its S3 interface in one process: `object-store.py DIR PORT USER KEY`; prints one line when it is ready.

All four servers (proxy, account, container, object) with one replica each, on loopback, their data below DIR.
"""
import ctypes
import os
import signal
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.common import storage_policy, utils  # noqa: E402

ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with the one who started it (PR_SET_PDEATHSIG)
DIR, PORT, USER, KEY = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]


def write(name, text):
    path = os.path.join(DIR, name)
    with open(path, "w") as file:
        file.write(text)
    return path


swift_conf = write(
    "swift.conf",
    "[swift-hash]\nswift_hash_path_suffix = tests\n\n[storage-policy:0]\nname = one\ndefault = yes\n",
)
utils.SWIFT_CONF_FILE = swift_conf
storage_policy.utils.SWIFT_CONF_FILE = swift_conf
utils.HASH_PATH_SUFFIX = b"tests"
utils.validate_configuration()
storage_policy.reload_storage_policies()

from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

os.makedirs(os.path.join(DIR, "data", "disk"), exist_ok=True)
listening = {kind: eventlet.listen(("127.0.0.1", 0)) for kind in ("account", "container", "object")}
for kind, socket in listening.items():
    builder = RingBuilder(2, 1, 0)
    device = {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": socket.getsockname()[1], "device": "disk", "weight": 1}
    builder.add_dev({**device, "replication_ip": device["ip"], "replication_port": device["port"], "meta": ""})
    builder.rebalance()
    builder.get_ring().save(os.path.join(DIR, kind + ".ring.gz"))

COMMON = f"[DEFAULT]\nswift_dir = {DIR}\ndevices = {DIR}/data\nmount_check = false\nuser = root\n\n"
PROXY = f"""
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth copy slo symlink proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_{USER.replace(":", "_")} = {KEY} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:symlink]
use = egg:swift#symlink
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = false
"""


class Cache:
    """What memcached would hold, for as long as the process lives."""

    def __init__(self):
        self.held = {}

    def get(self, key, raise_on_error=False):
        return self.held.get(key)

    def set(self, key, value, serialize=True, time=0, min_compress_len=0, raise_on_error=False):
        self.held[key] = value

    def incr(self, key, delta=1, time=0):
        self.held[key] = max(0, self.held.get(key, 0) + delta)
        return self.held[key]

    def delete(self, key, server_key=None):
        self.held.pop(key, None)


class Quiet:
    def write(self, text):
        pass

    def info(self, *_):
        pass


def serve(socket, app):
    wsgi.server(socket, app, log=Quiet(), protocol=wsgi.HttpProtocol, keepalive=True, max_size=64)


for kind, socket in listening.items():
    conf = write(kind + ".conf", f"{COMMON}[pipeline:main]\npipeline = {kind}\n[app:{kind}]\nuse = egg:swift#{kind}\n")
    eventlet.spawn(serve, socket, loadapp(conf))
front = eventlet.listen(("127.0.0.1", PORT))
proxy = loadapp(write("proxy.conf", COMMON + PROXY))
cache = Cache()


def app(env, start_response):
    env["swift.cache"] = cache
    answer = proxy(env, start_response)
    if env["REQUEST_METHOD"] != "HEAD":
        return answer
    for _ in answer:  # its errors have a body, which an answer to HEAD may not
        pass
    return []


print("ready", front.getsockname()[1], flush=True)
serve(front, app)
