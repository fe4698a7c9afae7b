/**
 * Bodies of the pages of a crawl by 64 bits of their digests, in Redis, in hashes that stay compact up to a billion
 * pages (deploy/redis.conf): 20 bytes a page of a large crawl, 110 of a small one. They are told after the commit of their pages; what is lost on that way is archived twice, no more.
 */
import { hashText } from "../../../base/hash.ts";
import type { KnownContent } from "../../../model/record.ts";
import type { Bodies } from "../../../ports/bodies.ts";
import type { Connection } from "../redis/connection.ts";
import { unlessAway } from "../redis/errors.ts";

const BUCKETS = 1 << 22;

/** `name`: of the crawl. */
export function clusterBodies(connection: Pick<Connection, "command">, name: string): Bodies {
  const placeOf = (digest: string): [key: string, fingerprint: string] => {
    const [hi, lo] = hashText(digest);
    const fingerprint = BigInt.asIntN(64, (BigInt(hi) << 32n) | BigInt(lo)).toString();
    return [`trawl:{${name}:body:${lo % BUCKETS}}`, fingerprint];
  };

  return {
    async first(digest) {
      const [key, fingerprint] = placeOf(digest);
      const id = (await connection.command(key, ["HGET", key, fingerprint])) as string | null;
      return id === null ? null : Number(id);
    },
    async keep(pages: readonly KnownContent[]) {
      const told = pages.map(({ urlId, digest }) => {
        const [key, fingerprint] = placeOf(digest);
        return connection.command(key, ["HSETNX", key, fingerprint, String(urlId)]);
      });
      await Promise.all(told).catch(unlessAway);
    },
  };
}
