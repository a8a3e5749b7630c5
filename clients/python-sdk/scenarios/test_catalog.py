"""Scenarios 1, 2 and 17: what is served, what is published, and how errors read."""

import json
import socket

import bed
from phrony import RuntimeClient, json_bytes
from phrony.gen.grpc.health.v1 import health_pb2
from phrony.gen.phrony.runtime.v1 import runtime_pb2 as wire


def ref(name, version=""):
    return wire.AgentRef(namespace="test", name=name, version=version)


class Catalog(bed.Scenario):
    async def test_01_version_and_health(self):
        version = await self.client.get_version()
        self.assertTrue(version.version)
        for service in ("", "phrony.runtime.v1.Runtime"):
            request = health_pb2.HealthCheckRequest(service=service)
            answer = await self.client.health().Check(request)
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING, service)
        request = health_pb2.HealthCheckRequest(service="nobody")
        answer = await self.client.health().Check(request)
        self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)

    async def test_02_publish_deploy_and_list(self):
        folder = self.write("clerk", bed.says("hello"))
        _, out, _ = await self.runtime.command("agents", "publish", folder, "-o", "json")
        published = json.loads(out)

        await self.refused(
            "FAILED_PRECONDITION",
            self.client.get_active_version(wire.GetActiveVersionRequest(agent_ref=ref("clerk"))),
        )
        deployed = await self.client.deploy(
            wire.DeployRequest(agent_ref=ref("clerk", "1.0.0"), actor="ana")
        )
        self.assertEqual(
            (deployed.namespace, deployed.name, deployed.version, deployed.previous_version),
            ("test", "clerk", "1.0.0", ""),
        )
        active = await self.client.get_active_version(
            wire.GetActiveVersionRequest(agent_ref=ref("clerk"))
        )
        self.assertEqual((active.version, active.actor), ("1.0.0", "ana"))
        self.assertEqual(active.deployed_at, deployed.deployed_at)

        version = await self.client.get_agent_version(
            wire.GetAgentVersionRequest(agent_ref=ref("clerk", "1.0.0"))
        )
        self.assertEqual(version.version, "1.0.0")
        self.assertRegex(version.content_hash, "^[0-9a-f]{64}$")
        self.assertIn(version.content_hash, json.dumps(published))
        self.assertTrue(version.published_at)
        self.assertEqual((version.deprecated_at, version.retired_at), ("", ""))
        manifest = json.loads(version.manifest)
        self.assertEqual(manifest["kind"], "Agent")
        self.assertEqual(
            [manifest["metadata"][it] for it in ("namespace", "name", "version")],
            ["test", "clerk", "1.0.0"],
        )
        self.assertEqual(manifest["spec"]["model"]["provider"], "stub")

        agents = await self.client.list_agents(wire.ListAgentsRequest(namespace="test"))
        self.assertEqual([(it.name, it.owner) for it in agents.agents], [("clerk", "sdk")])
        self.assertEqual((await self.client.list_agents()).agents, agents.agents)
        other = await self.client.list_agents(wire.ListAgentsRequest(namespace="other"))
        self.assertEqual(len(other.agents), 0)

        versions = await self.client.list_agent_versions(
            wire.ListAgentVersionsRequest(agent_ref=ref("clerk"))
        )
        self.assertEqual(
            [(it.version, it.content_hash) for it in versions.versions],
            [("1.0.0", version.content_hash)],
        )
        deployments = await self.client.list_deployments(
            wire.ListDeploymentsRequest(agent_ref=ref("clerk"))
        )
        self.assertEqual(
            [(it.version, it.action, it.actor) for it in deployments.deployments],
            [("1.0.0", "deploy", "ana")],
        )

        code, _, err = await self.runtime.command("agents", "publish", folder, check=False)
        self.assertEqual(code, 6, err)
        self.assertIn("(AlreadyExists)", err)

    async def test_02b_publish_of_resolved_manifests(self):
        folder = self.write("clerk", bed.says("hello"))
        await self.runtime.command("agents", "publish", folder)
        version = await self.client.get_agent_version(
            wire.GetAgentVersionRequest(agent_ref=ref("clerk", "1.0.0"))
        )
        # The form that the runtime hands out is the form that it takes.
        manifest = json.loads(version.manifest)
        manifest["metadata"]["version"] = "1.1.0"
        request = wire.PublishRequest(manifest=json_bytes(manifest), actor="ana")
        published = await self.client.publish(request)
        self.assertEqual(
            (published.namespace, published.name, published.version), ("test", "clerk", "1.1.0")
        )
        self.assertTrue(published.agent_id)
        await self.client.deploy(wire.DeployRequest(agent_ref=ref("clerk", "1.1.0")))
        version = await self.client.get_agent_version(
            wire.GetAgentVersionRequest(agent_ref=ref("clerk", "1.1.0"))
        )
        self.assertEqual(json.loads(version.manifest), manifest)
        self.assertEqual(version.content_hash, published.content_hash)
        self.assertRegex(version.content_hash, "^[0-9a-f]{64}$")
        versions = await self.client.list_agent_versions(
            wire.ListAgentVersionsRequest(agent_ref=ref("clerk"))
        )
        self.assertEqual({it.version for it in versions.versions}, {"1.0.0", "1.1.0"})
        await self.refused("ALREADY_EXISTS", self.client.publish(request))
        events, _ = await self.start(self.phrony.agent("test/clerk@1.1.0"))
        self.assertEqual((await events.until("text_delta"))[-1]["delta"], "hello")
        broken = wire.PublishRequest(manifest=b"{}", actor="ana")
        await self.refused("INVALID_ARGUMENT", self.client.publish(broken))

    async def by_both_ways(self, code, name, **more):
        """The same error from `RunSession` and from an interactive start."""
        handle = self.phrony.agent(f"test/{name}")
        unary = await self.refused(code, handle.run(wait=False, **more))
        self.assertTrue(str(unary).startswith("run session: "), str(unary))
        session = await handle.run_interactive(**more)
        self.addAsyncCleanup(session.close)
        stream = await self.refused(code, bed.Events(session).next())
        self.assertEqual(stream.details, unary.details)
        return unary.details

    async def test_17_errors(self):
        await self.deploy("clerk", bed.says("hello"))
        await self.runtime.command("agents", "publish", self.write("idle", bed.says("hello")))
        secrets = {"secrets": {"token": {"fromEnv": "SDK_TOKEN"}}}
        await self.deploy("keeper", bed.says("hello"), **secrets)

        details = await self.by_both_ways("FAILED_PRECONDITION", "idle")
        self.assertIn("no active deployment", details)
        details = await self.by_both_ways("FAILED_PRECONDITION", "clerk", version="9.0.0")
        self.assertIn("9.0.0", details)
        for value in ([1], "text", 7):
            await self.by_both_ways("INVALID_ARGUMENT", "clerk", input=value)
        details = await self.by_both_ways("INVALID_ARGUMENT", "keeper")
        self.assertIn("missing resolved secret", details)
        extra = {"NOBODY": "x"}
        details = await self.by_both_ways("INVALID_ARGUMENT", "clerk", resolved_secrets=extra)
        self.assertIn("unknown resolved secret", details)

        await self.refused("NOT_FOUND", self.client.inspect_session(session_id="run_none"))
        await self.refused("NOT_FOUND", self.client.cancel_session(session_id="run_none"))
        await self.refused("NOT_FOUND", self.client.complete_session(session_id="run_none"))
        session = self.client.run_session_interactive()
        self.addAsyncCleanup(session.close)
        await session.attach(session_id="run_none")
        await self.refused("NOT_FOUND", bed.Events(session).next())

    async def test_17b_a_dead_port_is_unavailable(self):
        with socket.socket() as taken:
            # Bound and not listening: nobody else gets the port meanwhile.
            taken.bind(("127.0.0.1", 0))
            client = await RuntimeClient.connect(address=f"127.0.0.1:{taken.getsockname()[1]}")
            self.addAsyncCleanup(client.close)
            await self.refused("UNAVAILABLE", client.get_version())
            await self.refused("UNAVAILABLE", client.run_session(agent_ref="test/clerk"))

    async def test_17c_an_unknown_agent_is_not_found(self):
        await self.by_both_ways("NOT_FOUND", "nobody")
