/** The entry of the thread that `Apart` starts: does what it is told, a job at a time. */
import { parentPort } from "node:worker_threads";
import { err, ok } from "../base/result.ts";
import type { Order, Reply } from "./apart.ts";
import { mainContent } from "./main-content.ts";
import { readPdf } from "./pdf.ts";

const port = parentPort;
if (port === null) throw new Error("apart-thread.ts is started as a worker thread, not by itself");

// What a library has to say of somebody's bytes is nobody's concern; and standard output is for results.
process.stdout.write = () => true;
process.stderr.write = () => true;

const answer = (order: Order) => {
  switch (order.kind) {
    case "pdf":
      return readPdf(order.job.body, order.job.withText);
    case "content":
      return mainContent(order.job.html, order.job.href);
  }
};

port.on("message", async (order: Order) => {
  let reply: Reply;
  try {
    reply = ok(await answer(order));
  } catch (cause) {
    // Libraries throw whatever they like at damaged bytes.
    reply = err(cause instanceof Error ? cause.message : String(cause));
  }
  port.postMessage(reply);
});
