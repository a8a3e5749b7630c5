"""Runs the scenarios: run.py --ordain PATH [-k NAME]...."""

import argparse
import logging
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import bed  # noqa: E402

# All scenarios together; each of them has a shorter bound of its own.
ALL_SECONDS_MAX = 600


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ordain", required=True, type=pathlib.Path, help="the ordain program")
    parser.add_argument("-k", action="append", default=None, help="only tests whose names hold this")
    options = parser.parse_args()
    if not options.ordain.is_file():
        parser.error(f"{options.ordain} is not a file: build it with `cargo build -p cli`")
    with tempfile.TemporaryDirectory(prefix="ordain-sdk-") as folder:
        # A copy, so that a build meanwhile does not take the program away.
        bed.ORDAIN = pathlib.Path(shutil.copy2(options.ordain, folder))
        return run(options.k)


def run(patterns) -> int:
    loader = unittest.TestLoader()
    if patterns:
        loader.testNamePatterns = [f"*{it}*" for it in patterns]
    suite = loader.discover(str(HERE / "scenarios"), top_level_dir=str(HERE / "scenarios"))
    # The SDK's tasks complain there when a worker is closed in the middle of a call.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    bed.watchdog(ALL_SECONDS_MAX)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    if result.testsRun == 0:
        print("no test was found")
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
