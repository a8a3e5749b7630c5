"""Scenarios 8 and 9: a person decides, on the stream and beside it."""

import bed
from bed import asks, calls, of_type, says, tool, types
from phrony import ApprovalDecision

PAY = tool("pay", "non_idempotent_write", {"amount": {"type": "number"}})
APPROVE = ApprovalDecision.Value("APPROVAL_DECISION_APPROVE")
REJECT = ApprovalDecision.Value("APPROVAL_DECISION_REJECT")


class Approvals(bed.Scenario):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.paid = []

        async def pay(args, context):
            self.paid.append(args)
            return {"paid": args["amount"]}

        self.connect(self.worker("w-1", pay=pay))

    async def asked(self, *turns, **decision):
        """A session that waits for a person: its events, its id and the question."""
        payer = await self.deploy(
            "payer",
            calls(("pay", {"amount": 450})),
            *turns,
            says("settled"),
            tools=[PAY],
            policies=[asks("ask", **decision)],
        )
        events, session_id = await self.start(payer, input={"message": "pay"})
        seen = await events.until("approval_required")
        self.assertEqual(types(seen), ["tool_call", "approval_required"])
        self.assertEqual(seen[1]["call_id"], seen[0]["call_id"])
        return events, session_id, seen[1]

    async def test_08_a_decision_on_the_stream_with_edited_arguments(self):
        events, session_id, question = await self.asked(
            runtime={"phrony.com/approver_role": "lead"}
        )
        self.assertTrue(question["approval_id"])
        self.assertEqual(
            [question[it] for it in ("tool", "version", "args", "route", "reason")],
            ["test.pay", "1.0.0", {"amount": 450}, "lead", "a person has to look"],
        )
        self.assertEqual(question["policy_runtime"], {"phrony.com/approver_role": "lead"})
        self.assertEqual((question["approvals_required"], question["approvals_received"]), (1, 0))
        await events.session.decide_tool_approval(
            approval_id=question["approval_id"], approved=True, comment="less", args={"amount": 40}
        )
        seen = await events.until("awaiting_input")
        self.assertEqual(types(seen), ["tool_result", "text_delta", "awaiting_input"])
        self.assertEqual((seen[0]["payload"], seen[0]["error_message"]), ({"paid": 40}, ""))
        self.assertEqual(self.paid, [{"amount": 40}])
        approval = await self.client.get_approval(approval_id=question["approval_id"])
        self.assertEqual((approval.status, approval.session_id), ("approved", session_id))
        self.assertEqual((approval.decided_by, approval.comment), ("interactive", "less"))
        self.assertEqual([it.decided_by for it in approval.votes], ["interactive"])

    async def test_08b_a_stream_cannot_acknowledge(self):
        events, _, question = await self.asked(comprehension_required=True)
        self.assertTrue(question["comprehension_required"])
        approval_id = question["approval_id"]
        await events.session.decide_tool_approval(approval_id=approval_id, approved=True)
        (refused,) = await events.until("awaiting_input")
        self.assertIn("--comprehension", refused["input_blocked_reason"])
        # Beside the stream it needs the acknowledgement, too.
        await self.refused(
            "INVALID_ARGUMENT",
            self.client.decide_approval(approval_id=approval_id, decision=APPROVE, actor="ana"),
        )
        self.assertEqual(self.paid, [])
        answer = await self.client.decide_approval(
            approval_id=approval_id,
            decision=APPROVE,
            comprehension_acknowledged=True,
            actor="ana",
        )
        self.assertEqual(answer.status, "approved")
        await events.until("tool_result")
        self.assertEqual(self.paid, [{"amount": 450}])

    async def test_08c_a_rejection_on_the_stream(self):
        events, _, question = await self.asked(comprehension_required=True)
        await events.session.decide_tool_approval(
            approval_id=question["approval_id"], approved=False, comment="no"
        )
        seen = await events.until("awaiting_input")
        (result,) = of_type(seen, "tool_result")
        self.assertTrue(result["error_message"])
        self.assertEqual(self.paid, [])

    async def test_09_a_rejection_beside_the_stream(self):
        events, session_id, question = await self.asked()
        approval_id = question["approval_id"]
        await self.status(session_id, "awaiting_approval")
        pending = await self.client.list_approvals(status="pending", session_id=session_id)
        self.assertEqual([it.id for it in pending.approvals], [approval_id])
        by_agent = await self.client.list_approvals(agent_namespace="test", agent_name="payer")
        everything = await self.client.list_approvals()
        self.assertEqual(by_agent.approvals, pending.approvals)
        self.assertEqual(everything.approvals, pending.approvals)
        shown = await self.client.get_approval(approval_id=approval_id)
        self.assertEqual(
            (shown.status, shown.tool, shown.version, shown.args, shown.call_id),
            ("pending", "test.pay", "1.0.0", b'{"amount":450}', question["call_id"]),
        )

        answer = await self.client.decide_approval(
            approval_id=approval_id, decision=REJECT, comment="not today", actor="ana"
        )
        self.assertEqual(answer.status, "denied")
        seen = await events.until("awaiting_input")
        self.assertEqual(types(seen), ["tool_result", "text_delta", "awaiting_input"])
        self.assertIsNone(seen[0]["payload"])
        self.assertIn("not today", seen[0]["error_message"])
        await self.status(session_id, "awaiting_input")
        self.assertEqual(self.paid, [])
        self.assertEqual(len((await self.client.list_approvals(status="pending")).approvals), 0)

        # The same again is told the outcome; the opposite comes too late.
        again = await self.client.decide_approval(
            approval_id=approval_id, decision=REJECT, comment="not today", actor="ana"
        )
        self.assertEqual(again.status, "denied")
        late = await self.refused(
            "FAILED_PRECONDITION",
            self.client.decide_approval(approval_id=approval_id, decision=APPROVE, actor="ana"),
        )
        self.assertIn("already decided", late.details)
        for unknown in ("nonsense", "7f7e5b0e-5a5c-4a51-8d2c-3d8d3c1a9b10"):
            await self.refused("NOT_FOUND", self.client.get_approval(approval_id=unknown))
            await self.refused(
                "NOT_FOUND",
                self.client.decide_approval(approval_id=unknown, decision=REJECT),
            )
        await self.refused(
            "INVALID_ARGUMENT",
            self.client.decide_approval(
                approval_id=approval_id, decision="APPROVAL_DECISION_UNSPECIFIED"
            ),
        )

    async def test_09b_a_quorum_needs_different_people(self):
        events, _, question = await self.asked(approvals_required=2)
        approval_id = question["approval_id"]
        self.assertEqual(question["approvals_required"], 2)

        def approve(actor):
            return self.client.decide_approval(
                approval_id=approval_id, decision=APPROVE, actor=actor
            )

        first = await approve("ana")
        self.assertEqual((first.status, first.approvals_received), ("pending", 1))
        refused = await self.refused("FAILED_PRECONDITION", approve("ana"))
        self.assertIn("already decided", refused.details)
        second = await approve("ben")
        self.assertEqual((second.status, second.approvals_received), ("approved", 2))
        await events.until("tool_result")
        self.assertEqual(self.paid, [{"amount": 450}])
        approval = await self.client.get_approval(approval_id=approval_id)
        self.assertEqual([it.decided_by for it in approval.votes], ["ana", "ben"])
