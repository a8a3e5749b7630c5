"""The SDK's own README: its examples as they stand, against an agent on the scripted model."""

import asyncio
import importlib.metadata
import json
import re
import sys

import bed
from bed import calls, says
from phrony.gen.phrony.runtime.v1 import runtime_pb2 as wire

# What makes each example out among the README's blocks.
RUN, WORK, LOW_LEVEL = "phrony.agent(", "@worker.tool(", "RuntimeClient.connect("

FORECAST = {
    "ref": "weather.get-forecast",
    "as": "get_forecast",
    "version": "1.0.0",
    "description": "The forecast for a city.",
    "side_effect_class": "read_only",
    "input_schema": {"inline": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def example(mark):
    """The one block of the README that holds `mark`."""
    text = importlib.metadata.metadata("phrony").get_payload()
    blocks = [it for it in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if mark in it]
    if len(blocks) != 1:
        raise AssertionError(f"{len(blocks)} blocks of the README hold {mark}")
    return blocks[0]


class Readme(bed.Scenario):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        turns = [calls(("get_forecast", {"city": "Oslo"})), says("twelve degrees")]
        manifest = {
            "apiVersion": "phrony.com/v1",
            "kind": "Agent",
            "metadata": {
                "name": "my-agent",
                "namespace": "default",
                "version": "1.0.0",
                "annotations": {"phrony.com/stub-script": json.dumps({"turns": turns})},
            },
            "spec": {
                "purpose": "Answer.",
                "instructions": {"text": "Answer."},
                "model": {"provider": "stub", "name": "scripted"},
                # Called as a function: the first answer completes the session.
                "session": "single_turn",
                "tools": [FORECAST],
            },
        }
        manifest = json.dumps(manifest).encode()
        await self.client.publish(wire.PublishRequest(manifest=manifest))
        reference = wire.AgentRef(namespace="default", name="my-agent", version="1.0.0")
        await self.client.deploy(wire.DeployRequest(agent_ref=reference))

    async def begin(self, mark):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            example(mark),
            env={**self.runtime.environment(), "PHRONY_RUNTIME_ADDR": self.runtime.address},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

        async def end():
            if process.returncode is None:
                process.kill()
                await process.wait()

        self.addAsyncCleanup(end)
        return process

    async def output(self, mark):
        process = await self.begin(mark)
        out, _ = await asyncio.wait_for(process.communicate(), bed.EVENT_SECONDS_MAX)
        self.assertEqual(process.returncode, 0, out.decode())
        return out.decode()

    async def test_readme_a_run_with_the_worker_of_the_readme(self):
        await self.begin(WORK)
        said = await self.output(RUN)
        self.assertRegex(said, r"^run_[0-9a-f-]{36} \{")
        self.assertIn("'message': 'twelve degrees'", said)

    async def test_readme_the_low_level_client(self):
        await self.begin(WORK)
        said = await self.output(LOW_LEVEL)
        version, session = said.splitlines()[:2]
        self.assertRegex(version, r"^\d+\.\d+\.\d+")
        self.assertRegex(session, r"^run_[0-9a-f-]{36} [0-9a-f-]{36}$")
        self.assertIn("twelve degrees", said)
        self.assertIn("'stop_reason': 'end_turn'", said)
