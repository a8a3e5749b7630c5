"""Scenarios 3, 4, 5, 10 and 11: runs, conversations and attaching."""

import asyncio

import bed
from bed import calls, fails, of_type, says, tool, types
from phrony import AgentSessionError
from phrony.gen.phrony.runtime.v1 import runtime_pb2 as wire


class Sessions(bed.Scenario):
    async def found(self, name, status=""):
        """The ids of an agent's sessions in a status."""
        request = wire.ListSessionsRequest(
            agent_ref=wire.AgentRef(namespace="test", name=name), status=status
        )
        return [it.id for it in (await self.client.list_sessions(request)).sessions]

    async def test_03_run_without_waiting(self):
        clerk = await self.deploy("clerk", says("hello"))
        await self.deploy("other", says("hello"))
        result = await clerk.run(input={"message": "go"}, wait=False)
        self.assertRegex(result.session_id, "^run_[0-9a-f-]{36}$")
        self.assertEqual(result.status, "running")
        self.assertTrue(result.agent_version_id)
        # At once, and then until the turn is over.
        await self.client.inspect_session(session_id=result.session_id)
        seen = await self.status(result.session_id, "awaiting_input")
        self.assertEqual(seen.session.agent_version_id, result.agent_version_id)
        self.assertEqual(seen.session.output.message, "hello")
        self.assertEqual(await self.found("clerk", "awaiting_input"), [result.session_id])
        self.assertEqual(await self.found("clerk"), [result.session_id])
        self.assertEqual(await self.found("clerk", "completed"), [])
        self.assertEqual(await self.found("other"), [])
        everything = await self.client.list_sessions(wire.ListSessionsRequest())
        self.assertEqual([it.id for it in everything.sessions], [result.session_id])

    async def test_04_run_as_a_function(self):
        clerk = await self.deploy("clerk", says("the answer"), session="single_turn")
        # Without input as well, which is sent as an empty object.
        for more in ({"input": {"message": "go"}}, {}):
            result = await asyncio.wait_for(clerk.run(**more), bed.EVENT_SECONDS_MAX)
            self.assertTrue(result.session_id)
            self.assertTrue(result.agent_version_id)
            self.assertEqual(result.output["message"], "the answer")
            self.assertEqual(result.output["stop_reason"], "end_turn")
            self.assertEqual(result.stop_reason, "end_turn")
            self.assertIsNotNone(result.stats)
            await self.status(result.session_id, "completed")

    async def test_04b_run_of_a_conversation_that_somebody_else_completes(self):
        clerk = await self.deploy("clerk", says("the answer"))

        async def complete():
            look = lambda: self.found("clerk", "awaiting_input")  # noqa: E731
            (session_id,) = await self.poll("a parked session", look)
            await self.client.complete_session(session_id=session_id)
            return session_id

        run, session_id = await asyncio.wait_for(
            asyncio.gather(clerk.run(input={"message": "go"}), complete()), bed.EVENT_SECONDS_MAX
        )
        self.assertEqual((run.session_id, run.output["message"]), (session_id, "the answer"))

    async def test_04c_a_run_that_fails_says_so(self):
        clerk = await self.deploy("clerk", fails("model is out"), session="single_turn")
        with self.assertRaises(AgentSessionError) as caught:
            await asyncio.wait_for(clerk.run(), bed.EVENT_SECONDS_MAX)
        self.assertIn("model is out", str(caught.exception))
        self.assertTrue(caught.exception.session_id)

    async def test_05_a_conversation(self):
        first = [
            {"type": "text_delta", "text": "Good "},
            {"type": "text_delta", "text": "mörning."},
            {
                "type": "completed",
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 7, "output_tokens": 3},
            },
        ]
        clerk = await self.deploy("clerk", first, says("And you?"))
        other = await self.another_client()
        session = await clerk.run_interactive(input={"message": "hi"})
        self.addAsyncCleanup(session.close)
        events = bed.Events(session)

        seen = await events.until("awaiting_input")
        self.assertEqual(seen[0]["type"], "session_started")
        self.assertEqual(
            (seen[0]["model_provider"], seen[0]["model_name"]), ("stub", "scripted")
        )
        self.assertTrue(seen[0]["agent_version_id"])
        self.assertGreater(seen[0]["session_started_at_unix_ms"], 0)
        self.assertEqual({it["type"] for it in seen[1:-1]}, {"text_delta"})
        self.assertEqual("".join(it["delta"] for it in seen[1:-1]), "Good mörning.")
        parked = seen[-1]
        self.assertEqual((parked["stop_reason"], parked["input_blocked_reason"]), ("end_turn", ""))
        self.assertEqual(parked["stats"].turn_usage.total_tokens, 10)

        await session.send_user_message("fine")
        seen += await events.until("awaiting_input")
        await other.complete_session(session_id=seen[0]["session_id"])
        seen += await events.rest()
        order = [it for at, it in enumerate(types(seen)) if at == 0 or it != types(seen)[at - 1]]
        self.assertEqual(
            order,
            ["session_started", "text_delta", "awaiting_input"]
            + ["text_delta", "awaiting_input", "completed", "stream_end"],
        )
        completed = seen[-2]
        self.assertEqual(completed["output"]["message"], "And you?")
        self.assertGreater(completed["session_ended_at_unix_ms"], 0)

    async def test_05b_a_message_during_a_turn_waits_for_the_next(self):
        clerk = await self.deploy(
            "clerk", calls(("look", {})), says("first"), says("second"), tools=[tool("look")]
        )
        events, _ = await self.start(clerk, input={"message": "go"})
        await events.until("tool_call")
        await events.session.send_user_message("early")
        self.connect(self.worker("w-1", look=lambda args, context: {}))
        deltas = []
        while len(deltas) < 2:
            deltas += of_type(await events.until("text_delta"), "text_delta")
        self.assertEqual([it["delta"] for it in deltas], ["first", "second"])

    async def test_10_two_clients_attach_and_one_leaves(self):
        clerk = await self.deploy(
            "clerk",
            says("hello"),
            calls(("look", {"id": "7"})),
            says("found"),
            tools=[tool("look")],
        )
        release = asyncio.Event()

        async def look(args, context):
            await release.wait()
            return {"id": args["id"]}

        self.connect(self.worker("w-1", look=look))
        starter, session_id = await self.start(clerk, input={"message": "hi"})
        await starter.until("awaiting_input")
        await starter.session.send_user_message("look it up")
        await starter.until("tool_call")

        pair = [await self.attach(session_id, await self.another_client()) for _ in range(2)]
        for events, started in pair:
            said = [(it["role"], it["content"]) for it in started["history"] if it["content"]]
            self.assertEqual(
                said, [("user", "hi"), ("assistant", "hello"), ("user", "look it up")]
            )
            replay = await events.until("awaiting_input")
            self.assertEqual(types(replay)[-2:], ["tool_call", "awaiting_input"])
            self.assertEqual(replay[-1]["input_blocked_reason"], "awaiting_tool")
        # The one that leaves and the one that started it take nothing with them.
        (leaver, _), (stayer, _) = pair
        await leaver.session.close()
        await starter.session.close()
        release.set()
        live = await stayer.until("awaiting_input")
        self.assertEqual(types(live), ["tool_result", "text_delta", "awaiting_input"])
        self.assertEqual((live[0]["payload"], live[1]["delta"]), ({"id": "7"}, "found"))
        await self.status(session_id, "awaiting_input")
        await self.client.complete_session(session_id=session_id)
        self.assertEqual(types(await stayer.rest()), ["completed", "stream_end"])

    async def test_11_attach_to_sessions_that_are_over(self):
        clerk = await self.deploy("clerk", says("hello"))
        broken = await self.deploy("broken", says("hello"), fails("model is out"))

        async def begin(handle):
            events, session_id = await self.start(handle, input={"message": "hi"})
            await events.until("awaiting_input")
            return events, session_id

        _, completed = await begin(clerk)
        await self.client.complete_session(session_id=completed)
        _, cancelled = await begin(clerk)
        await self.client.cancel_session(session_id=cancelled)
        events, failed = await begin(broken)
        await events.session.send_user_message("again")
        await events.until("failed")
        for session_id, end in (
            (completed, "completed"),
            (failed, "failed"),
            (cancelled, "cancelled"),
        ):
            await self.status(session_id, end)
            events, started = await self.attach(session_id)
            said = [(it["role"], it["content"]) for it in started["history"]]
            self.assertEqual(said[:2], [("user", "hi"), ("assistant", "hello")], end)
            self.assertGreater(started["session_ended_at_unix_ms"], 0)
            rest = await events.rest()
            self.assertEqual(types(rest), [end, "stream_end"])
            if end == "completed":
                self.assertEqual(rest[0]["output"]["message"], "hello")
            if end == "failed":
                self.assertIn("model is out", rest[0]["message"])
            # Over is over.
            await self.refused("NOT_FOUND", self.client.cancel_session(session_id=session_id))
