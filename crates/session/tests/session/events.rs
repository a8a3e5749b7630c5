//! What is stored. These lines are what old journals hold: they are added to, never changed.

use expect_test::expect;
use session::{Entry, encode};

use crate::bench::Bench;

fn lines(journal: &[Entry]) -> String {
    let line = |entry: &Entry| String::from_utf8(encode(entry).unwrap()).unwrap() + "\n";
    journal.iter().map(line).collect()
}

#[test]
fn a_whole_session_as_it_is_stored() {
    let mut bench = Bench::new();
    bench.ask(&[
        ("non_idempotent_write", r#"{"amount":150}"#),
        ("nothing", "{}"),
    ]);
    bench.vote("ana", session::Vote::Approve, None).unwrap();
    let call = bench.call(1, 0);
    bench.result(&call, "w-1", r#"{"ok":true}"#).unwrap();
    bench.ask(&[]);
    expect![[r#"
        {"at":1000000,"event":{"type":"started","version":"v","snapshot":"0000000000000000000000000000000000000000000000000000000000000000","mode":"single_turn","input":{"digest":"301478f292272a9a0747870dcadcbd8ca57926f23498322021ccf552b98ae110","len":16},"requester":null}}
        {"at":1000000,"event":{"type":"evidence_recorded","evidence":{"digest":"6a551a11af81865c2e1a7f679d9a566dfbb169191d485d1588bc101b1ab14872","len":106},"unavailable":[]}}
        {"at":1000000,"event":{"type":"user_message","text":{"digest":"4cd0e21a9a0795a14ec9aa5f0e7d1abff0492565770e43eafdf1e3e8afed1f33","len":2}}}
        {"at":1000000,"event":{"type":"assistant_message","completion":1,"text":{"digest":"dba36bffa5cab0f922d087a3aeb179f9d4e745df40b323e1b1471402848c8a3e","len":5},"stop_reason":"tool_use","usage":{"input_tokens":70,"output_tokens":30,"estimated":false},"duration_ms":5}}
        {"at":1000000,"event":{"type":"call_proposed","call":"run_1:v:1:0","completion":1,"index":0,"provider_id":"call_0","wire_name":"non_idempotent_write","tool":"sim.non-idempotent-write","version":"1.0.0","class":"non_idempotent_write","args":{"digest":"1d0bea6df9359f5661bfed5643b2158a70a684ce8590480c4fe22d8d9f584493","len":14},"explain":{"digest":"a6e2c7324fec1ed2b5c7ee66c290b034c1872c5cfbcb30a1bbdd86fc97e6d27c","len":885}}}
        {"at":1000000,"event":{"type":"approval_opened","approval":"3d045711-3c02-579e-acbf-02e2fb44d7da","call":"run_1:v:1:0","subject":"call","args":"1d0bea6df9359f5661bfed5643b2158a70a684ce8590480c4fe22d8d9f584493","required":1,"on_reject":"return_to_agent","comprehension_required":false,"expires_at":2800000,"timeout_default":"deny","route":"","escalate_to":null,"reason":"too much","causes":{"digest":"f60f4c568b653647718764fca958facfc31c35d3caaa3116159d8f81296c400e","len":128}}}
        {"at":1000000,"event":{"type":"call_proposed","call":"run_1:v:1:1","completion":1,"index":1,"provider_id":"call_0","wire_name":"nothing","tool":"","version":"","class":"read_only","args":{"digest":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","len":2},"explain":null}}
        {"at":1000000,"event":{"type":"call_refused","call":"run_1:v:1:1","code":"unavailable_tool","message":"there is no tool \"nothing\""}}
        {"at":1000000,"event":{"type":"approval_voted","approval":"3d045711-3c02-579e-acbf-02e2fb44d7da","actor":"ana","vote":"approve","comment":"","comprehension_acknowledged":false,"args":"1d0bea6df9359f5661bfed5643b2158a70a684ce8590480c4fe22d8d9f584493"}}
        {"at":1000000,"event":{"type":"approval_closed","approval":"3d045711-3c02-579e-acbf-02e2fb44d7da","outcome":"approved","by":"ana","comment":""}}
        {"at":1000000,"event":{"type":"call_dispatched","call":"run_1:v:1:0","attempt":1,"slot":{"worker":"w-1","connection":"w-1-1","identity":"","image":""},"args":"1d0bea6df9359f5661bfed5643b2158a70a684ce8590480c4fe22d8d9f584493","deadline":4600000}}
        {"at":1000000,"event":{"type":"call_succeeded","call":"run_1:v:1:0","worker":"w-1","result":{"digest":"4062edaf750fb8074e7e83e0c9028c94e32468a8b6f1614774328ef045150f93","len":11},"terminal":false}}
        {"at":1000000,"event":{"type":"assistant_message","completion":2,"text":{"digest":"dba36bffa5cab0f922d087a3aeb179f9d4e745df40b323e1b1471402848c8a3e","len":5},"stop_reason":"tool_use","usage":{"input_tokens":70,"output_tokens":30,"estimated":false},"duration_ms":5}}
        {"at":1000000,"event":{"type":"ended","outcome":"completed","reason":"tool_use","by":null}}
    "#]].assert_eq(&lines(&bench.journal));
}
