/** The entry of the thread that `Apart` starts: does what it is told, a job at a time. */
import { parentPort } from "node:worker_threads";
import { err, ok } from "../base/result.ts";
import type { Order, Reply } from "./apart.ts";
import { readPdf } from "./pdf.ts";

const port = parentPort;
if (port === null) throw new Error("apart-thread.ts is started as a worker thread, not by itself");

const answer = ({ kind, job }: Order) => {
  switch (kind) {
    case "pdf":
      return readPdf(job.body, job.withText);
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
