"""Scenarios 6, 7 and 12 to 15: workers of the SDK, good, failing, lost, slow and busy."""

import asyncio
import functools
import time

import bed
from bed import calls, of_type, says, tool, types
from phrony import ApprovalDecision, ToolError, Worker
from phrony.gen.phrony.runtime.v1 import runtime_pb2 as wire

LOOK = tool("look", "read_only", {"id": {"type": "string"}})
PAY = tool("pay", "non_idempotent_write", {"amount": {"type": "number"}})
APPROVE = ApprovalDecision.Value("APPROVAL_DECISION_APPROVE")


class Calls(bed.Scenario):
    async def test_06_a_round_trip(self):
        clerk = await self.deploy(
            "clerk",
            calls(("look", {"id": "ü7"}), ("pay", {"amount": 40})),
            says("done"),
            tools=[LOOK, PAY],
            session="single_turn",
        )
        worker = Worker(worker_id="w-1", runtime_addr=self.runtime.address)
        seen = {}

        @worker.tool("test.look", version="1.0.0")
        async def look(args, context):
            seen["look"] = (args, context)
            return {"found": args["id"]}

        @worker.tool("test.pay", version="1.0.0")
        def pay(args, context):
            seen["pay"] = (args, context)

        self.connect(worker)
        events, session_id = await self.start(clerk, input={"message": "go"})
        told = await events.rest()
        self.assertEqual(types(told)[-3:], ["text_delta", "completed", "stream_end"])
        wanted = {it["tool"]: it for it in of_type(told, "tool_call")}
        results = {it["call_id"]: it for it in of_type(told, "tool_result")}
        self.assertEqual((len(wanted), len(results)), (2, 2))
        for name, args, payload, side_effect_class in (
            ("look", {"id": "ü7"}, {"found": "ü7"}, "read_only"),
            ("pay", {"amount": 40}, None, "non_idempotent_write"),
        ):
            got, context = seen[name]
            call = wanted[f"test.{name}"]
            self.assertEqual((got, call["args"], call["version"]), (args, args, "1.0.0"))
            self.assertEqual(
                (context.tool, context.version, context.side_effect_class, context.turn),
                (f"test.{name}", "1.0.0", side_effect_class, 1),
            )
            self.assertEqual((context.call_id, context.session_id), (call["call_id"], session_id))
            self.assert_call_id(context.call_id, session_id, context.agent_version_id)
            self.assertFalse(context.signal.aborted)
            result = results[call["call_id"]]
            self.assertEqual((result["payload"], result["error_message"]), (payload, ""))

    async def test_07_failures_are_told_and_the_stream_stays(self):
        looks = [calls(("look", {"id": it})) for it in ("tool", "any", "bad", "nan", "good")]
        clerk = await self.deploy(
            "clerk", *looks, says("done"), tools=[LOOK], session="single_turn"
        )

        async def look(args, context):
            match args["id"]:
                case "tool":
                    raise ToolError("not_there", "nothing of that name")
                case "any":
                    raise ValueError("handler broke")
                case "bad":
                    return object()
                case "nan":
                    return {"value": float("nan")}
            return {"value": 1}

        connected = self.connect(self.worker("w-1", look=look))
        events, session_id = await self.start(clerk, input={"message": "go"})
        told = await events.rest()
        self.assertEqual(types(told)[-2], "completed")
        results = of_type(told, "tool_result")
        self.assertEqual(len(results), 5)
        texts = [it["error_message"] for it in results]
        self.assertEqual(texts[0], "not_there: nothing of that name")
        self.assertEqual(texts[1], "internal: handler broke")
        self.assertTrue(texts[2].startswith("internal: "), texts[2])
        self.assertIn("did run", texts[3])
        self.assertEqual((texts[4], results[4]["payload"]), ("", {"value": 1}))
        for result in results[:4]:
            self.assertIsNone(result["payload"])
        self.assertFalse(connected.done(), "the worker's stream has ended")

    async def test_12_cancel_while_a_call_is_in_flight(self):
        clerk = await self.deploy("clerk", calls(("look", {"id": "1"})), says("done"), tools=[LOOK])
        running = asyncio.Event()
        aborted = asyncio.Event()
        answered = []

        async def look(args, context):
            answered.append(context.session_id)
            if len(answered) > 1:
                return {"again": True}
            running.set()

            # The flag of the SDK has no event to await.
            async def flagged():
                return context.signal.aborted

            await self.poll("the cancel", flagged)
            aborted.set()
            return {"late": True}

        connected = self.connect(self.worker("w-1", look=look))
        events, first = await self.start(clerk, input={"message": "go"})
        await asyncio.wait_for(running.wait(), bed.EVENT_SECONDS_MAX)
        await self.client.cancel_session(session_id=first)
        told = await events.rest()
        self.assertEqual(types(told)[-2:], ["cancelled", "stream_end"])
        self.assertGreater(told[-2]["session_ended_at_unix_ms"], 0)
        await asyncio.wait_for(aborted.wait(), bed.EVENT_SECONDS_MAX)
        await self.status(first, "cancelled")

        events, second = await self.start(clerk, input={"message": "go"})
        (result,) = of_type(await events.until("awaiting_input"), "tool_result")
        self.assertEqual(result["payload"], {"again": True})
        self.assertEqual(answered, [first, second])
        self.assertFalse(connected.done())


class Nacks(bed.Scenario):
    SETTINGS = {"RUNTIME_DISPATCH_QUEUE_WAIT": "1s"}

    async def test_07b_a_nack_is_routed_again_and_then_no_handler(self):
        clerk = await self.deploy(
            "clerk",
            calls(("look", {"id": "1"})),
            calls(("pay", {"amount": 1})),
            says("done"),
            tools=[LOOK, PAY],
            session="single_turn",
        )
        worker = self.worker("w-1", look=lambda *_: {}, pay=lambda *_: {"paid": True})
        connected = self.connect(worker)
        # Advertised and not there: what the SDK answers with a nack.
        await self.registered(worker)
        del worker._handlers["test.look@1.0.0"]
        events, _ = await self.start(clerk, input={"message": "go"})
        told = await events.rest()
        self.assertEqual(types(told)[-2], "completed")
        refused, paid = of_type(told, "tool_result")
        self.assertIn("no handler", refused["error_message"])
        self.assertEqual((paid["payload"], paid["error_message"]), ({"paid": True}, ""))
        self.assertFalse(connected.done())

    async def registered(self, worker):
        """The registration takes the handlers at `connect`; the first await has made it."""

        async def look():
            return worker._session is not None

        await self.poll("the registration", look)


class Lost(bed.Scenario):
    SETTINGS = {"ORDAIN_RESYNC_GRACE": "200ms"}

    async def test_13_a_worker_is_closed_in_the_middle_of_calls(self):
        clerk = await self.deploy(
            "clerk",
            calls(("look", {"id": "1"}), ("pay", {"amount": 1})),
            says("done"),
            tools=[LOOK, PAY],
            session="single_turn",
        )
        begun = {"look": asyncio.Queue(), "pay": asyncio.Queue()}
        release = asyncio.Event()

        def handler(name):
            async def handle(args, context):
                begun[name].put_nowait(context.call_id)
                await release.wait()
                return {"done": name}

            return handle

        async def next_call(name):
            return await asyncio.wait_for(begun[name].get(), bed.EVENT_SECONDS_MAX)

        handlers = {name: handler(name) for name in begun}
        worker = self.worker("w-1", **handlers)
        self.connect(worker)
        events, session_id = await self.start(clerk, input={"message": "go"})
        looked, paid = await next_call("look"), await next_call("pay")
        await worker.close()

        # About the payment a person is asked; nobody else is, and nothing has failed.
        told = await events.until("approval_required")
        self.assertEqual(of_type(told, "tool_result"), [])
        question = told[-1]
        self.assertEqual((question["call_id"], question["tool"]), (paid, "test.pay"))

        # The same name again. The read runs again by itself, with the same id.
        connected = self.connect(self.worker("w-1", **handlers))
        self.assertEqual(await next_call("look"), looked)
        await self.status(session_id, "awaiting_approval")
        self.assertTrue(begun["pay"].empty())
        release.set()
        (result,) = of_type(await events.until("tool_result"), "tool_result")
        self.assertEqual((result["call_id"], result["payload"]), (looked, {"done": "look"}))
        answer = await self.client.decide_approval(
            approval_id=question["approval_id"], decision=APPROVE, actor="ana"
        )
        self.assertEqual(answer.status, "approved")
        self.assertEqual(await next_call("pay"), paid)
        told = await events.rest()
        self.assertEqual(types(told), ["tool_result", "text_delta", "completed", "stream_end"])
        self.assertEqual(told[0]["payload"], {"done": "pay"})
        self.assertFalse(connected.done())

    async def test_13b_a_worker_leaves_and_comes_back_at_once(self):
        clerk = await self.deploy(
            "clerk", calls(("look", {"id": "1"})), says("done"), tools=[LOOK], session="single_turn"
        )
        worker = self.worker("w-1", look=lambda args, context: {"id": args["id"]})
        for _ in range(20):
            connected = self.connect(worker)
            result = await asyncio.wait_for(clerk.run(), bed.EVENT_SECONDS_MAX)
            self.assertEqual(result.output["message"], "done")
            self.assertFalse(connected.done())
            await worker.close()
            await asyncio.wait_for(connected, bed.EVENT_SECONDS_MAX)


class Leases(bed.Scenario):
    # The shortest lease that the SDK's heartbeats, one a second, keep alive.
    LEASE_SECONDS = 2
    SETTINGS = {"ORDAIN_LEASE_TTL": f"{LEASE_SECONDS}s", "RUNTIME_DISPATCH_QUEUE_WAIT": "1s"}

    async def test_14_idle_and_blocked_workers_keep_their_place(self):
        clerk = await self.deploy(
            "clerk",
            calls(("look", {"id": "block"})),
            calls(("look", {"id": "2"})),
            says("done"),
            tools=[LOOK],
            session="single_turn",
        )
        started = []

        def look(args, context):
            started.append(context.call_id)
            if args["id"] == "block":
                # Blocks the event loop, and with it the heartbeats: that is what is tested.
                time.sleep(self.LEASE_SECONDS * 1.5)
            return {"id": args["id"]}

        connected = self.connect(self.worker("w-1", look=look))
        # Idle for more than two leases: that is what is tested.
        await asyncio.sleep(self.LEASE_SECONDS * 2.25)
        self.assertFalse(connected.done())
        events, _ = await self.start(clerk, input={"message": "go"})
        told = await events.rest()
        self.assertEqual(types(told)[-2], "completed")
        results = [(it["payload"], it["error_message"]) for it in of_type(told, "tool_result")]
        self.assertEqual(results, [({"id": "block"}, ""), ({"id": "2"}, "")])
        self.assertEqual(len(started), 2)
        self.assertFalse(connected.done())


class Busy(bed.Scenario):
    async def test_15_concurrency_and_large_results(self):
        clerk = await self.deploy(
            "clerk",
            calls(*[("look", {"id": str(it)}) for it in range(5)]),
            calls(("look", {"id": "large-a"}), ("look", {"id": "large-b"})),
            calls(("look", {"id": "after"})),
            says("done"),
            tools=[LOOK],
            session="single_turn",
        )
        size = 2 * 1024 * 1024
        running, peak, begun = 0, 0, 0
        pairs = [asyncio.Event() for _ in range(4)]

        async def look(args, context):
            nonlocal running, peak, begun
            running, begun = running + 1, begun + 1
            peak = max(peak, running)
            # Calls 1 to 4 run in pairs, the fifth alone, then two again.
            place = {1: 0, 2: 0, 3: 1, 4: 1, 6: 2, 7: 2}.get(begun)
            if begun in (2, 4, 7):
                # Time for a third call to come, if the runtime would send one.
                await self.client.get_version()
                pairs[place].set()
            elif place is not None:
                await asyncio.wait_for(pairs[place].wait(), bed.EVENT_SECONDS_MAX)
            running -= 1
            if args["id"].startswith("large"):
                return args["id"][-1] * size
            return args["id"]

        worker = Worker(worker_id="w-1", runtime_addr=self.runtime.address)
        worker.register_tool(tool="test.look", version="1.0.0", handler=look, max_concurrency=2)
        connected = self.connect(worker)
        events, session_id = await self.start(clerk, input={"message": "go"})
        told = await events.rest()
        self.assertEqual(types(told)[-2], "completed")
        results = of_type(told, "tool_result")
        self.assertEqual([it["error_message"] for it in results], [""] * 8)
        self.assertEqual(peak, 2)
        self.assertEqual(sorted(it["payload"] for it in results[:5]), list("01234"))
        self.assertEqual(sorted(it["payload"] for it in results[5:7]), ["a" * size, "b" * size])
        self.assertEqual(results[7]["payload"], "after")
        self.assertFalse(connected.done())
        await self.poll("the end", functools.partial(self.found, session_id))

    async def found(self, session_id):
        request = wire.ListSessionsRequest(status="completed")
        return session_id in [it.id for it in (await self.client.list_sessions(request)).sessions]

    async def test_15b_a_session_with_large_results_can_be_inspected(self):
        clerk = await self.deploy(
            "clerk", *[calls(("look", {}))] * 2, says("done"), tools=[LOOK], session="single_turn"
        )
        self.connect(self.worker("w-1", look=lambda *_: "x" * 2 * 1024 * 1024))
        run = await asyncio.wait_for(clerk.run(), bed.EVENT_SECONDS_MAX)
        self.assertEqual(run.output["message"], "done")
        seen = await self.client.inspect_session(session_id=run.session_id)
        self.assertEqual(seen.session.status, "completed")
