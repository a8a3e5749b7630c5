"""Asks a Python checker: `worker.py jsonsubschema | subschema | oracle DIR`. A question a line in, an
answer a line out, so that the start of Python is not counted."""

import contextlib
import json
import sys
import time
from decimal import Decimal


def jsonsubschema(question):
    import jsonsubschema

    return ("yes" if jsonsubschema.isSubschema(question["sub"], question["sup"]) else "no"), None


def subschema(question):
    import subschema

    draft = "draft7" if question["draft"] == "draft-07" else "draft2020-12"
    try:
        held = subschema.is_subschema(question["sub"], question["sup"], dialect=subschema.Dialect(draft))
    except subschema.UnsupportedProofError as why:
        return "undecided", str(why)
    return ("yes" if held else "no"), None


def oracle(question):
    import sub

    said, more = sub.check(question["sub"], question["sup"], question["draft"], question["format"])
    return {"yes": "yes", "no": "no"}.get(said, "undecided"), more


def plain(value):
    """What JSON has no word for: the oracle counts in decimals."""
    return int(value) if value == int(value) else float(value)


def main():
    name = sys.argv[1]
    sys.path.extend(sys.argv[2:])
    ask = {"jsonsubschema": jsonsubschema, "subschema": subschema, "oracle": oracle}[name]
    numbers = {"parse_float": Decimal} if name == "oracle" else {}
    out = sys.stdout
    # What a library prints on its own must not look like an answer.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            __import__({"oracle": "sub"}.get(name, name))
        except Exception as why:
            print(f"cannot be imported: {why}", file=out, flush=True)
            return
        print("ready", file=out, flush=True)
        for line in sys.stdin:
            question = json.loads(line, **numbers)
            started = time.perf_counter()
            try:
                answer, more = ask(question)
            except Exception as why:
                answer, more = "error", f"{type(why).__name__}: {why}"
            reply = {"answer": answer, "micros": int((time.perf_counter() - started) * 1e6)}
            if answer == "no" and name == "oracle":
                reply["witness"] = more
            else:
                reply["why"] = str(more or "")[:200]
            print(json.dumps(reply, default=plain), file=out, flush=True)


main()
