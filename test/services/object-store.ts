/**
 * A private object store that speaks S3: OpenStack Swift from Debian. It checks signatures, digests of bodies, sizes of
 * parts and names of buckets as Amazon's does, and tells uploads and their parts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { need } from "./command.ts";

export interface ObjectStore extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  /** What a process needs to be let in, and nothing asks the network for other credentials. */
  readonly env: Readonly<Record<string, string>>;
}

const PYTHON = "/usr/bin/python3"; // Debian's own, which has Debian's packages
const USER = "test:tester";
const KEY = "testing-secret";

/** Throws `MissingService` when Swift is not there and cannot be installed. */
export async function objectStore(): Promise<ObjectStore> {
  await need("OpenStack Swift", ["python3-swift"], async () => {
    const path = "/usr/lib/python3/dist-packages/swift/proxy/server.py";
    return access(path).then(
      () => path,
      () => null,
    );
  });
  const dir = await mkdtemp(join(tmpdir(), "object-store-"));
  const script = join(import.meta.dirname, "object-store.py");
  const child = spawn(PYTHON, [script, dir, "0", USER, KEY], { stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
    await rm(dir, { recursive: true, force: true });
  };
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([text]) => String(text)),
    exited.then(() => ""),
  ]);
  const port = Number(/^ready (\d+)$/.exec(line)?.[1]);
  if (!(port > 0)) {
    await stop();
    throw new Error(`the object store did not start: ${said.trim() || line}`);
  }
  return {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    env: {
      AWS_ACCESS_KEY_ID: USER,
      AWS_SECRET_ACCESS_KEY: KEY,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_CONFIG_FILE: "/dev/null",
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** A client as anybody would have it, to look at what is in the store from outside. */
export async function plainClient({ endpoint }: { readonly endpoint: string }) {
  const { S3Client } = await import("@aws-sdk/client-s3");
  return new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: USER, secretAccessKey: KEY },
  });
}
