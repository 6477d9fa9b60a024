"""Tests of workers that are started by SSH, on a server in this process, and of the file that names the
machines."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests import fake_cluster
from tests.fake_cluster import ORDER

from serbench.cluster.address import parse_address
from serbench.cluster.messages import Announced, Prepared
from serbench.cluster.pool import ask
from serbench.cluster.ssh import Reached, check_reached, reached_by
from serbench.errors import SelectionError, SerbenchError
from serbench.paths import PROJECT

asyncssh: Any = pytest.importorskip("asyncssh", reason="needs asyncssh, from the extra serbench[cluster]")
engine: Any = pytest.importorskip(
    "serbench.cluster.engine", reason="needs distributed, from the extra serbench[cluster]"
)

USER = "someone"


class Server(asyncssh.SSHServer):  # type: ignore[misc]
    """A server of SSH that lets in one user without a key."""

    def begin_auth(self, username: str) -> bool:
        return username != USER


async def _pass_on(source: Any, to: Any) -> None:
    """Passes on all output of a command, in place of asyncssh's own ``redirect``, which may miss the end."""
    while said := await source.read(1 << 16):
        to.write(said)


async def _run(process: Any) -> None:
    """Runs a command as a server of SSH does: by a shell, in the user's home."""
    env = os.environ | {"PYTHONPATH": f"{PROJECT / 'src'}:{PROJECT}"}
    child = await asyncio.create_subprocess_shell(
        process.command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
        start_new_session=True,
    )
    try:
        await asyncio.gather(_pass_on(child.stdout, process.stdout), _pass_on(child.stderr, process.stderr))
        process.exit(await child.wait())
    except (OSError, asyncssh.Error):
        pass  # the client has gone
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server on this machine, which is entered in the user's SSH configuration."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path / "serbench home"))
    key = asyncssh.generate_private_key("ssh-ed25519")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def serve() -> Any:
        return await asyncssh.create_server(
            Server, "127.0.0.1", 0, server_host_keys=[key], process_factory=_run, encoding=None
        )

    server = asyncio.run_coroutine_threadsafe(serve(), loop).result(20)
    at = server.get_port()
    public = key.export_public_key().decode().strip()
    (home / ".ssh" / "known_hosts").write_text(f"[127.0.0.1]:{at} {public}\n")
    yield at

    async def end() -> None:
        server.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for each in left:
            each.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    asyncio.run_coroutine_threadsafe(end(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)


def machines(tmp_path: Path, *lines: str) -> Path:
    file = tmp_path / "machines.txt"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_a_worker_is_started_by_ssh_and_answers(tmp_path: Path, port: int) -> None:
    file = machines(tmp_path, f"{USER}@127.0.0.1:{port} {sys.executable}  # here")
    with engine.connected(parse_address(f"ssh:{file}", insecure=False), fake_cluster.answer) as pool:
        (member,) = pool.members()
        assert isinstance(member.announced, Announced) and member.announced.cores
        prepared = ask(pool, member, "prepare", ORDER, Prepared)
    assert [unit.codec for unit in prepared.units] == list(ORDER.codecs)


def test_each_machine_that_cannot_be_a_worker_is_named_with_why(tmp_path: Path, port: int) -> None:
    lines = [f"{USER}@127.0.0.1:{port} no/such/place", f"other@127.0.0.1:{port}", "127.0.0.1:1"]
    with pytest.raises(SerbenchError) as raised:
        check_reached(reached_by(machines(tmp_path, *lines)))
    missing, refused, closed = str(raised.value).removeprefix("--cluster ssh: ").split("; 127.0.0.1 ")
    assert "has no serbench with the extra serbench[cluster] in no/such/place" in missing
    assert "start it there once, or say in the file where it is" in missing
    assert "cannot be reached: Permission denied" in refused
    assert "cannot be reached: [Errno 111]" in closed


def test_machines_are_asked_also_where_a_loop_is_running(tmp_path: Path) -> None:
    async def check() -> None:
        check_reached(reached_by(machines(tmp_path, "127.0.0.1:1")))

    # In a thread of its own: in this one, a test before may have left a loop, as browsers' sync API does.
    with ThreadPoolExecutor(1) as apart, pytest.raises(SerbenchError, match="cannot be reached"):
        apart.submit(asyncio.run, check()).result()


def test_others_reach_no_worker_without_leave(tmp_path: Path) -> None:
    address = parse_address(f"ssh:{machines(tmp_path, 'east.example', '127.0.0.1')}", insecure=False)
    with (
        pytest.raises(SelectionError, match="run programs on all of them; have Dask use TLS"),
        engine.connected(address),
    ):
        pass
    assert not parse_address(f"ssh:{tmp_path / 'machines.txt'}", insecure=True).needs_tls


def test_a_file_names_machines_with_users_ports_and_places(tmp_path: Path) -> None:
    file = machines(
        tmp_path,
        "# mine",
        "",
        "east",
        "me@10.0.0.2:2222  own/serbench",
        "[::1]:22 /opt/venv/bin/python3.12",
    )
    east, two, three = reached_by(file)
    assert east == Reached("east") and east.connecting == {}
    assert east.python == 'env PYTHONPATH="$HOME"/serbench/src "$HOME"/serbench/.venv/bin/python'
    assert (two.host, two.connecting) == ("10.0.0.2", {"username": "me", "port": 2222})
    assert '"$HOME"/own/serbench/src' in two.python
    assert (three.host, three.port, three.python) == ("::1", 22, "/opt/venv/bin/python3.12")
    assert Reached("a", place="/opt/a b").python.startswith("env PYTHONPATH='/opt/a b'/")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b c@d e\n", None),
        ("east\n@west\n", "line 2: found '@west', expected [USER@]HOST[:PORT]"),
        ("east:99999\n", "line 1: found 'east:99999'"),
        ("east; rm -r x\n", "line 1: found 'east; rm -r x'"),
        ("# none\n", "names no machine"),
        ("\xff", "it is not UTF-8"),
    ],
)
def test_what_is_no_machine_is_refused_with_its_line(tmp_path: Path, text: str, said: str | None) -> None:
    file = tmp_path / "machines.txt"
    file.write_bytes(text.encode("latin-1"))
    if said is None:
        assert reached_by(file)[0].place == "b c@d e"
        return
    with pytest.raises(SelectionError) as raised:
        parse_address(f"ssh:{file}", insecure=False)
    assert said in str(raised.value)
    file.unlink()
    with pytest.raises(SelectionError, match="cannot be read: No such file"):
        reached_by(file)
