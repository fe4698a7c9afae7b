/** Blobs in a bucket of Amazon S3, or of any server that speaks its protocol, by way of the AWS SDK. */

import { stat } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { HeadObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { inStep } from "../base/in-step.ts";
import { type Blob, BlobError, type BlobKey, type Blobs, type PutOptions, type Range } from "../ports/blobs.ts";
import { type FileParts, fileParts } from "./file-parts.ts";
import { checkKey } from "./key.ts";
import { s3Error } from "./s3-error.ts";
import { type Sdk, Upload } from "./s3-upload.ts";
import { compare, crcText, type Expected, sumsOf } from "./sums.ts";

export interface S3Place {
  readonly bucket: string;
  /** Stands before all keys, with a `/` between; may be empty. */
  readonly prefix: string;
  /** Null: Amazon's, or what AWS_ENDPOINT_URL says. */
  readonly endpoint: string | null;
  /** Null: as the environment or the profile says; "us-east-1" where none does and the endpoint is one's own. */
  readonly region: string | null;
  /** The bucket in the path, not in the host's name. Null: with an endpoint of one's own. */
  readonly pathStyle: boolean | null;
}

/** Connections at a time; and how long, in ms, until one counts as broken. */
const SOCKETS = 16;
const CONNECT_MS = 5_000;
const SILENCE_MS = 30_000;
const REQUEST_MS = 120_000;
/** Of keys that are removed with one request. */
const REMOVED_AT_ONCE = 1_000;

/** Credentials come from the environment or the usual files, by the SDK's own rules. Contacts nobody yet. */
export async function s3Blobs(place: S3Place): Promise<Blobs> {
  const sdk: Sdk = await import("@aws-sdk/client-s3").catch((cause) => {
    const words = "a store s3://... needs the AWS SDK: install it with npm install @aws-sdk/client-s3";
    throw new BlobError("refused", words, cause);
  });
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION } = process.env;
  const isOwn = (place.endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined;
  const region = place.region ?? (isOwn && AWS_REGION === undefined ? "us-east-1" : null);
  const client = new sdk.S3Client({
    ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
    ...(region === null ? {} : { region }),
    forcePathStyle: place.pathStyle ?? isOwn,
    maxAttempts: 2, // whoever calls has patience of their own
    // We give the sums ourselves; not every server knows those that the SDK would add.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: SOCKETS },
      httpsAgent: { maxSockets: SOCKETS },
    },
  });
  return new S3Blobs(sdk, client, place);
}

class S3Blobs implements Blobs {
  readonly name: string;
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(sdk: Sdk, client: S3Client, { bucket, prefix }: S3Place) {
    this.#sdk = sdk;
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix === "" ? "" : `${prefix}/`;
    this.name = `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`;
  }

  put(key: BlobKey, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    return this.#told(async () => {
      const sums = sumsOf(bytes);
      const { ETag, ChecksumCRC32 } = await this.#client.send(
        new this.#sdk.PutObjectCommand({
          ...this.#at(key),
          Body: bytes,
          ContentType: typeOf(key),
          ChecksumCRC32: sums.crc32,
          ContentMD5: Buffer.from(sums.md5, "hex").toString("base64"),
        }),
        signal === undefined ? {} : { abortSignal: signal },
      );
      const expected = { bytes: bytes.length, parts: [sums] };
      const told = { bytes: bytes.length, etag: ETag, crc32: ChecksumCRC32 };
      if (compare(expected, told) !== "right") await this.#verify(key, expected, () => crc32(bytes));
    });
  }

  putFile(key: BlobKey, path: string, { signal, onPart }: PutOptions = {}): Promise<void> {
    return this.#told(async () => {
      const file = await fileParts(path);
      try {
        if (await this.#isThere(key, file)) return;
        const upload = new Upload(this.#sdk, this.#client, { ...this.#at(key), type: typeOf(key) });
        await upload.run(file, { signal, onPart });
        await this.#verify(key, await file.expected(), () => file.crc());
      } finally {
        await file.close();
      }
    });
  }

  async *get(key: BlobKey, range?: Range): AsyncGenerator<Uint8Array> {
    if (range?.length === 0) return;
    const bounds = range === undefined ? {} : { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` };
    try {
      const { Body } = await this.#client.send(new this.#sdk.GetObjectCommand({ ...this.#at(key), ...bounds }));
      yield* Body as AsyncIterable<Uint8Array>;
    } catch (cause) {
      if ((cause as Error).name === "InvalidRange") return; // it begins behind the end
      throw s3Error(cause, this.name);
    }
  }

  async head(key: BlobKey): Promise<Blob | null> {
    const found = await this.#told(() => this.#head(key));
    return found === null ? null : { key, bytes: found.ContentLength ?? 0 };
  }

  async *list(prefix: string, after?: BlobKey): AsyncGenerator<Blob> {
    let token: string | undefined;
    do {
      const page = await this.#told(() =>
        this.#client.send(
          new this.#sdk.ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: this.#prefix + prefix,
            ...(after === undefined ? {} : { StartAfter: this.#prefix + after }),
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        ),
      );
      for (const { Key = "", Size = 0 } of page.Contents ?? [])
        yield { key: Key.slice(this.#prefix.length), bytes: Size };
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async remove(keys: readonly BlobKey[]): Promise<void> {
    for (let from = 0; from < keys.length; from += REMOVED_AT_ONCE) {
      const some = keys.slice(from, from + REMOVED_AT_ONCE);
      // One by one, in step: not every server has the request that removes many, and some want a sum for it.
      await this.#told(() =>
        inStep(some, SOCKETS, (key) => this.#client.send(new this.#sdk.DeleteObjectCommand(this.#at(key)))),
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy();
  }

  #at(key: BlobKey): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + checkKey(key) };
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw s3Error(cause, this.name);
    }
  }

  async #head(key: BlobKey): Promise<HeadObjectCommandOutput | null> {
    try {
      return await this.#client.send(new this.#sdk.HeadObjectCommand({ ...this.#at(key), ChecksumMode: "ENABLED" }));
    } catch (cause) {
      const error = s3Error(cause, this.name);
      if (error.code === "store-missing") return null;
      throw error;
    }
  }

  /** An answer may have been lost after the last part: what is there already is not put again. */
  async #isThere(key: BlobKey, file: FileParts): Promise<boolean> {
    const { size } = await stat(file.path);
    const found = await this.#head(key);
    if (found?.ContentLength !== size) return false;
    return (await this.#compared(key, found, await file.expected(), () => file.crc())) === "right";
  }

  /** Throws a `BlobError`, and takes the object away, when it is not what it should be. */
  async #verify(key: BlobKey, expected: Expected, crc: () => number | Promise<number>): Promise<void> {
    const found = await this.#head(key);
    if (found !== null && (await this.#compared(key, found, expected, crc)) === "right") return;
    await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#at(key)));
    throw new BlobError("corrupt", `${this.name}/${key} is not what was sent, and was taken away again`);
  }

  /** By what the server tells; where that does not decide it, all is read back. */
  async #compared(
    key: BlobKey,
    { ContentLength = -1, ETag, ChecksumCRC32 }: HeadObjectCommandOutput,
    expected: Expected,
    crc: () => number | Promise<number>,
  ): Promise<"right" | "wrong"> {
    const by = compare(expected, { bytes: ContentLength, etag: ETag, crc32: ChecksumCRC32 });
    if (by !== "unknown") return by;
    let read = 0;
    let bytes = 0;
    for await (const piece of this.get(key)) {
      read = crc32(piece, read);
      bytes += piece.length;
    }
    return bytes === expected.bytes && crcText(read) === crcText(await crc()) ? "right" : "wrong";
  }
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.warc(\.gz|\.zst)?(\/\d+)?$/, "application/warc"],
  [/\.jsonl$/, "application/x-ndjson"],
  [/\.json$/, "application/json"],
];

const typeOf = (key: BlobKey): string =>
  TYPES.find(([pattern]) => pattern.test(key))?.[1] ?? "application/octet-stream";
