/** From a request to its answer: the log entry, the rule that fits, robots.txt, and the ordinary page. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { type Behaviour, type Rule, ruleFits } from "./behaviour.ts";
import { changingAnswer } from "./changing.ts";
import { hostNumber } from "./graph.ts";
import { logNow, type RequestEntry, type WebLog } from "./log.ts";
import { originOf } from "./page.ts";
import { type Answer, perform, plain, redirect, type Stage } from "./perform.ts";
import { type RobotsAnswer, robotsText } from "./robots.ts";
import type { Site } from "./site.ts";

interface Parts {
  readonly content: Site;
  readonly rules: readonly Rule[];
  readonly log: WebLog;
  readonly port: number;
  readonly gzip: boolean;
  /** The web's time. */
  now(): number;
}

type Respond = (request: IncomingMessage, response: ServerResponse, address: string, connection: number) => void;

export function responder({ content, rules, log, port, gzip, now }: Parts): Respond {
  const memories = new Map<string, Map<string, number>>();
  const robotsAsked = new Map<string, number>();
  let answers = 0;

  return (request, response, address, connection) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
    const path = request.url ?? "/";
    const entry: RequestEntry = {
      kind: "request",
      connection,
      method: request.method ?? "",
      host,
      address,
      path,
      agent: request.headers["user-agent"] ?? "",
      startedAt: logNow(),
      endedAt: null,
      status: null,
      page: null,
    };
    log.add(entry);
    const { socket } = request;
    const ended = () => {
      entry.status ??= response.headersSent ? response.statusCode : null;
      log.end(entry);
    };
    response.on("close", ended);
    response.on("error", ended);

    const send = ({ status, headers, body }: Answer): void => {
      entry.status = status;
      response.writeHead(
        status,
        status === 204 || status === 304 ? headers : { ...headers, "content-length": Buffer.byteLength(body) },
      );
      log.end(entry);
      response.end(request.method === "HEAD" || status === 204 || status === 304 ? undefined : body);
    };
    const page = (asked = path): Answer => {
      const at = now();
      const served = content.serve(host, asked, at);
      if (served === null) return plain(404);
      if (served.version !== undefined) {
        Object.assign(entry, { page: served.page, version: served.version.number, webTime: at });
        return changingAnswer(
          served,
          served.version,
          content.changing!.serverOf(hostNumber(host)!),
          request.headers,
          answers++,
        );
      }
      if (served.moved !== undefined) return redirect(served.moved, 301);
      entry.page = served.page;
      const etag = `"${host.length}-${served.body.length}"`;
      const headers = { "content-type": served.type, etag };
      if (request.headers["if-none-match"] === etag) return { status: 304, headers, body: "" };
      return { status: 200, headers, body: served.body };
    };
    const squeezed = (answer: Answer): Answer => {
      const text = answer.headers["content-type"]?.startsWith("text/") ?? false;
      if (!gzip || answer.status !== 200 || !text || !/\bgzip\b/.test(String(request.headers["accept-encoding"])))
        return answer;
      return {
        status: 200,
        headers: { ...answer.headers, "content-encoding": "gzip", vary: "accept-encoding" },
        body: gzipSync(answer.body, { level: 1 }),
      };
    };

    const rule = rules.find((one) => ruleFits(one, host, path));
    if (rule === undefined) {
      const robots = robotsPath(path) ? content.robots(host, now()) : null;
      if (robots !== null && sendRobots(robots, path, content, host, { port, asked: robotsAsked, send })) return;
      send(squeezed(page()));
      return;
    }
    const key = `${rules.length - rules.indexOf(rule)} ${host}`;
    const memory = memories.get(key) ?? new Map<string, number>();
    memories.set(key, memory);
    const seen = memory.get("count") ?? 0;
    memory.set("count", seen + 1);
    const stage: Stage = {
      request,
      response,
      path,
      host,
      count: seen,
      memory,
      page,
      send,
      wire(status) {
        entry.status = status;
        socket.on("close", ended);
        socket.on("error", ended);
        return socket;
      },
      ended,
      every(ms, tick) {
        const timer = setInterval(tick, ms);
        socket.once("close", () => clearInterval(timer));
        response.once("finish", () => clearInterval(timer));
      },
    };
    perform(filled(rule.behaviour, port), stage);
  };
}

const ROBOTS_HOP = "/robots-hop-";

function robotsPath(path: string): boolean {
  return path === "/robots.txt" || path.startsWith(ROBOTS_HOP) || path === "/moved.txt";
}

interface RobotsStage {
  readonly port: number;
  readonly asked: Map<string, number>;
  send(answer: Answer): void;
}

/** Answers for robots.txt and the hops it is sent through; false for a path that is none of these. */
function sendRobots(answer: RobotsAnswer, path: string, content: Site, host: string, stage: RobotsStage): boolean {
  const { send, asked, port } = stage;
  switch (answer.kind) {
    case "never":
      return true;
    case "text":
      send({ status: 200, headers: { "content-type": answer.type ?? "text/plain" }, body: answer.text });
      return true;
    case "rules": {
      const sitemap = hostNumber(host) !== null && content.serve(host, "/sitemap.xml") !== null ? ["/sitemap.xml"] : [];
      const sitemaps = [...(answer.sitemaps ?? []), ...sitemap];
      const body = robotsText({ ...answer, sitemaps }, originOf(host, port));
      send({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body });
      return true;
    }
    case "status": {
      const count = asked.get(host) ?? 0;
      asked.set(host, count + 1);
      if (count >= (answer.times ?? Number.POSITIVE_INFINITY))
        return sendRobots(answer.later ?? { kind: "status", status: 404 }, path, content, host, stage);
      send(plain(answer.status));
      return true;
    }
    case "redirect": {
      if (answer.to === "self") {
        send(redirect(path));
        return true;
      }
      if (path === answer.to) {
        return sendRobots(answer.later ?? { kind: "status", status: 404 }, path, content, host, stage);
      }
      const hop = path === "/robots.txt" ? 1 : Number(path.slice(ROBOTS_HOP.length)) + 1;
      send(redirect(hop >= (answer.hops ?? 1) ? answer.to : `${ROBOTS_HOP}${hop}`));
      return true;
    }
  }
}

/** The behaviour with the web's port where its text has `{port}`. */
function filled(behaviour: Behaviour, port: number): Behaviour {
  if (behaviour.kind === "redirect") return { ...behaviour, to: behaviour.to.replaceAll("{port}", String(port)) };
  if (behaviour.kind === "cookie-wall" && behaviour.by !== undefined)
    return { ...behaviour, by: behaviour.by.replaceAll("{port}", String(port)) };
  if (behaviour.kind === "body" && behaviour.text !== undefined)
    return { ...behaviour, text: behaviour.text.replaceAll("{port}", String(port)) };
  return behaviour;
}
