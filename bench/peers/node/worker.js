// Asks the npm package json-schema-diff. A question a line in, an answer a line out, so that the start
// of Node is not counted. What going from `sup` to `sub` adds is what `sub` allows and `sup` does not.
"use strict";

const readline = require("node:readline");

async function main(root) {
  const differ = require(require.resolve("json-schema-diff", { paths: [root] }));
  process.stdout.write("ready\n");
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const question = JSON.parse(line);
    const started = process.hrtime.bigint();
    let reply;
    try {
      const found = await differ.diffSchemas({
        sourceSchema: question.sup,
        destinationSchema: question.sub,
      });
      reply = { answer: found.additionsFound ? "no" : "yes" };
    } catch (error) {
      reply = { answer: "error", why: String(error).slice(0, 200) };
    }
    reply.micros = Number((process.hrtime.bigint() - started) / 1000n);
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
}

main(process.argv[2]);
