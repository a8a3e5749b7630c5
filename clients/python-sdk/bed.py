"""A bed for scenarios: a runtime as a process, agents, workers and streams. Every wait is bounded."""

import asyncio
import functools
import inspect
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

from phrony import Phrony, PhronyRuntimeError, RuntimeClient, Worker
from phrony.worker.work_stream import WorkStream

# Set by run.py.
ORDAIN = pathlib.Path("ordain")

TEST_SECONDS_MAX = 60
EVENT_SECONDS_MAX = 20
POLL_SECONDS = 0.02
EVENTS_MAX = 500

_children = set()


def watchdog(seconds):
    """Ends everything when a test blocks the event loop for good, which no bound of its own sees."""

    def bark():
        print(f"the scenarios took longer than {seconds} s", flush=True)
        for child in list(_children):
            child.kill()
        os._exit(1)

    timer = threading.Timer(seconds, bark)
    timer.daemon = True
    timer.start()


def one_write_at_a_time():
    """Mends one fault of the SDK's worker, which these scenarios are not about.

    Two results, or a result and a heartbeat, that are written at the same moment end its stream on
    its own side (grpcio: TOO_MANY_OPERATIONS), without a word to the runtime or the application.
    """
    write = WorkStream._write

    async def in_turn(stream, message):
        if not hasattr(stream, "_turn"):
            stream._turn = asyncio.Lock()
        async with stream._turn:
            await write(stream, message)

    WorkStream._write = in_turn


one_write_at_a_time()


class Runtime:
    """One `ordain serve` on a folder of its own."""

    def __init__(self, **settings):
        self._folder = tempfile.TemporaryDirectory(prefix="ordain-sdk-")
        self.folder = pathlib.Path(self._folder.name)
        self.settings = settings
        self.address = ""
        self.child = None

    def environment(self):
        # Nothing of the machine's own settings reaches the runtime or the command line.
        keep = {key: os.environ[key] for key in ("PATH", "TMPDIR") if key in os.environ}
        return {
            **keep,
            "HOME": str(self.folder),
            "RUNTIME_ENABLE_STUB_PROVIDER": "1",
            "PHRONY_ACTOR": "tester",
            "ORDAIN_DRAIN": "100ms",
            **self.settings,
        }

    async def start(self):
        file = self.folder / "address"
        file.unlink(missing_ok=True)
        with open(self.folder / "log", "ab") as log:
            self.child = subprocess.Popen(
                [ORDAIN, "serve", "--data-dir", self.folder / "data"]
                + ["--listen", "127.0.0.1:0", "--address-file", file],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        _children.add(self.child)
        for _ in range(int(EVENT_SECONDS_MAX / POLL_SECONDS)):
            if file.exists():
                self.address = file.read_text().strip()
                return
            if self.child.poll() is not None:
                break
            await asyncio.sleep(POLL_SECONDS)
        raise AssertionError(f"the runtime does not serve:\n{self.log()}")

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def stop(self):
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            _children.discard(self.child)
        self._folder.cleanup()

    async def command(self, *words, check=True):
        """One command of the command line against this runtime: (exit code, stdout, stderr)."""
        process = await asyncio.create_subprocess_exec(
            str(ORDAIN),
            *[str(it) for it in words],
            env={**self.environment(), "PHRONY_RUNTIME_ADDR": self.address},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        _children.add(process)
        try:
            out, err = await asyncio.wait_for(process.communicate(), EVENT_SECONDS_MAX)
        finally:
            _children.discard(process)
        if check and process.returncode != 0:
            raise AssertionError(f"{words}: {process.returncode}\n{out.decode()}{err.decode()}")
        return process.returncode, out.decode(), err.decode()


# ---- Documents ----


def says(text, **completed):
    """A completion that says something."""
    end = {"type": "completed", "stop_reason": "end_turn", **completed}
    return [{"type": "text_delta", "text": text}, end]


def calls(*wanted):
    """A completion that wants tools: pairs of a name and arguments."""
    wishes = [{"type": "tool_call", "name": name, "args": args} for name, args in wanted]
    return [*wishes, {"type": "completed", "stop_reason": "tool_use"}]


def fails(error):
    return [{"type": "failed", "error": error}]


def tool(name, side_effect_class="read_only", properties=None):
    return {
        "apiVersion": "phrony.com/v1",
        "kind": "Tool",
        "metadata": {"name": name, "namespace": "test", "version": "1.0.0"},
        "spec": {
            "description": f"Do {name}.",
            "side_effect_class": side_effect_class,
            "input_schema": {"inline": {"type": "object", "properties": properties or {}}},
        },
    }


def asks(name, **decision):
    """A policy that wants a person, always."""
    decision = {"type": "require_approval", "reason": "a person has to look", **decision}
    return {
        "apiVersion": "phrony.com/v1",
        "kind": "Policy",
        "metadata": {"name": name, "namespace": "test", "version": "1.0.0"},
        "spec": {"decision": decision},
    }


def agent(name, tools, session, policies, more):
    binding = {"policies": [f"test.{it['metadata']['name']}" for it in policies]} if policies else {}
    document = {
        "apiVersion": "phrony.com/v1",
        "kind": "Agent",
        "metadata": {"name": name, "namespace": "test", "version": "1.0.0", "owner": "sdk"},
        "spec": {
            "purpose": "Be tested.",
            "instructions": {"text": "Do."},
            "model": {"provider": "stub", "name": "scripted"},
            "session": session,
            "tools": [
                {
                    "ref": f"test.{it['metadata']['name']}@1.0.0",
                    "as": it["metadata"]["name"],
                    **binding,
                }
                for it in tools
            ],
        },
    }
    document.update(more)
    return document


# ---- Streams ----


def of_type(events, kind):
    return [it for it in events if it["type"] == kind]


def types(events):
    return [it["type"] for it in events]


class Events:
    """The events of one interactive session, read with bounds."""

    def __init__(self, session):
        self.session = session
        self._events = session.events()

    async def next(self):
        return await asyncio.wait_for(self._events.__anext__(), EVENT_SECONDS_MAX)

    async def until(self, *kinds):
        """Everything up to the first event of one of the types, that one included."""
        seen = []
        while len(seen) < EVENTS_MAX:
            try:
                event = await self.next()
            except (asyncio.TimeoutError, StopAsyncIteration):
                raise AssertionError(f"no {kinds} came after {types(seen)}") from None
            seen.append(event)
            if event["type"] in kinds:
                return seen
        raise AssertionError(f"no {kinds} among {EVENTS_MAX} events")

    async def rest(self):
        return await self.until("stream_end")


def bounded(test):
    @functools.wraps(test)
    async def within(self):
        await asyncio.wait_for(test(self), TEST_SECONDS_MAX)

    return within


class Scenario(unittest.IsolatedAsyncioTestCase):
    """Each test has a runtime of its own."""

    SETTINGS = {}

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        for name, test in list(vars(cls).items()):
            if name.startswith("test") and inspect.iscoroutinefunction(test):
                # `wraps` keeps the mark of an expected failure.
                setattr(cls, name, bounded(test))

    async def asyncSetUp(self):
        self.runtime = await self.another_runtime(**self.SETTINGS)
        self.phrony = await Phrony.connect(runtime_addr=self.runtime.address)
        self.addAsyncCleanup(self.phrony.close)
        self.client = await self.phrony.runtime_client()

    async def another_runtime(self, **settings):
        runtime = Runtime(**settings)
        self.addCleanup(runtime.stop)
        await runtime.start()
        return runtime

    async def another_client(self):
        client = await RuntimeClient.connect(address=self.runtime.address)
        self.addAsyncCleanup(client.close)
        return client

    def write(self, name, *turns, tools=(), policies=(), session="conversation", **more):
        """Writes an agent to a folder. `policies` reach each of its tools."""
        folder = self.runtime.folder / "agents" / name
        files = {"agent.yaml": agent(name, tools, session, policies, more)}
        files |= {f"tools/{it['metadata']['name']}.yaml": it for it in tools}
        files |= {f"policies/{it['metadata']['name']}.yaml": it for it in policies}
        files["stub-script.json"] = {"turns": list(turns)}
        for path, document in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            # JSON is YAML.
            file.write_text(json.dumps(document, indent=1))
        return folder

    async def deploy(self, name, *turns, **more):
        """Publishes an agent and makes it the active version; the handle of the SDK."""
        await self.runtime.command("agents", "publish", self.write(name, *turns, **more))
        await self.runtime.command("agents", "deploy", f"test/{name}@1.0.0")
        return self.phrony.agent(f"test/{name}")

    def worker(self, name, **handlers):
        """A worker of the SDK, not connected yet; handlers by the tool's name."""
        worker = Worker(worker_id=name, runtime_addr=self.runtime.address)
        for tool_name, handler in handlers.items():
            worker.register_tool(tool=f"test.{tool_name}", version="1.0.0", handler=handler)
        return worker

    def connect(self, worker):
        """Connects a worker until the end of the test. The runtime's queue waits for it."""
        task = asyncio.create_task(worker.connect())

        async def leave():
            await worker.close()
            await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), EVENT_SECONDS_MAX)

        self.addAsyncCleanup(leave)
        return task

    async def start(self, handle, **more):
        """Starts an interactive session: its events and its id."""
        session = await handle.run_interactive(**more)
        self.addAsyncCleanup(session.close)
        events = Events(session)
        started = await events.next()
        self.assertEqual(started["type"], "session_started")
        return events, started["session_id"]

    async def attach(self, session_id, client=None):
        """Attaches to a session: its events, and `session_started`."""
        session = (client or self.client).run_session_interactive()
        await session.attach(session_id=session_id)
        self.addAsyncCleanup(session.close)
        events = Events(session)
        started = await events.next()
        self.assertEqual(started["type"], "session_started")
        self.assertEqual(started["session_id"], session_id)
        return events, started

    async def poll(self, what, look):
        """Looks again until there is something."""
        for _ in range(int(EVENT_SECONDS_MAX / POLL_SECONDS)):
            found = await look()
            if found:
                return found
            await asyncio.sleep(POLL_SECONDS)
        raise AssertionError(f"{what} never came")

    async def status(self, session_id, status):
        """Waits until a session has a status."""

        async def look():
            answer = await self.client.inspect_session(session_id=session_id)
            return answer if answer.session.status == status else None

        return await self.poll(f"{session_id} {status}", look)

    async def refused(self, code, call):
        """Awaits what must be refused with a code, and with a message of its own."""
        with self.assertRaises(PhronyRuntimeError) as caught:
            await call
        error = caught.exception
        self.assertEqual(error.grpc_code, code, str(error))
        self.assertTrue(error.details, "an error without a message")
        self.assertNotIn("AioRpcError", str(error))
        return error

    def assert_call_id(self, call_id, context_session, version_id):
        self.assertRegex(call_id, f"^{re.escape(context_session)}:{re.escape(version_id)}:\\d+:\\d+$")
