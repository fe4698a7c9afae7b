/** The entry of a visit thread: makes its parts from the configuration, then does what it is told until it is closed. */
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { type Log, silentLog } from "../../base/log.ts";
import { AskedOriginals } from "../../crawl/originals.ts";
import type { FromThread, ToThread } from "../../crawl/threads.ts";
import { visiting } from "../../crawl/visiting.ts";
import { composeVisit, type VisitThreadData } from "./compose.ts";

const port = parentPort;
if (port === null) throw new Error("visit-thread.ts is started as a worker thread, not by itself");

const tell = (message: FromThread): void => port.postMessage(message);

// What a handler leaves behind (a timer, a promise that nobody waits for) fails when its reading is long over: no bug of ours.
const { handlers } = (workerData as VisitThreadData).config;
const ofHandlers = handlers.map((path) => pathToFileURL(path).href);
process.on("uncaughtException", (cause) => {
  const stack = cause instanceof Error ? String(cause.stack) : "";
  const at = ofHandlers.findIndex((href) => stack.includes(href));
  if (at < 0) throw cause;
  log.warn({ handler: handlers[at], error: cause.message }, "handler-failed-later");
});

const log: Log = { ...silentLog, warn: (facts, event) => tell({ kind: "warn", facts, event }) };
const originals = new AskedOriginals((asked) => tell({ kind: "asks", ...asked }));
const context = await composeVisit(workerData as VisitThreadData, originals, log);
const work = visiting(
  context,
  (sealed) => tell({ kind: "sealed", sealed }),
  (cause) => {
    const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : null;
    tell({ kind: "failed", message: code === null ? message : (cause as Error).message, code });
  },
);

port.on("message", (message: ToThread) => {
  if (message.kind === "errands") work.start(message.errands);
  else if (message.kind === "originals") originals.answered(message);
  else if (message.kind === "forget") work.forget();
  else if (message.kind === "extend") work.extend(message.seed);
  else
    void work[Symbol.asyncDispose]().then(() => {
      tell({ kind: "closed" });
      port.close();
    });
});
tell({ kind: "ready" });
