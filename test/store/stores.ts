/** The back ends as the conformance suite wants them. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SeenKind } from "../../src/dedup/seen-kinds.ts";
import { openEmbedded } from "../../src/store/embedded/backend.ts";
import type { DiskPace } from "../../src/store/embedded/disk-thread.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { MemoryState } from "../../src/store/memory/state.ts";
import type { Store } from "../conformance/frontier-world.ts";

export function memoryStore(): Store {
  const state = new MemoryState();
  return { open: (options) => memoryBackend({ ...options, state }), crash() {}, close() {} };
}

/** A crash is a copy of the files as they are: what kill -9 leaves, without the locks of the living. */
export function embeddedStore(seen?: SeenKind, disk: Partial<DiskPace> = {}): Store & { readonly dir: string } {
  // So rarely wrong that it never is in a test.
  const more = seen === undefined ? {} : { seen: { kind: seen, capacity: 1000, error: 1e-12 } };
  const root = mkdtempSync(join(tmpdir(), "trawl-store-"));
  let life = 0;
  const dir = () => join(root, String(life));
  return {
    get dir() {
      return dir();
    },
    open: (options) => openEmbedded(dir(), { ...options, ...more, disk }),
    crash() {
      const from = dir();
      life++;
      cpSync(from, dir(), { recursive: true, filter: (file) => !/lock\.db|-shm$/.test(file) });
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
