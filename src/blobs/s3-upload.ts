/** A file that goes up in parts, and goes on where an earlier try of it was broken off. */
import type { S3Client } from "@aws-sdk/client-s3";
import { inStep } from "../base/in-step.ts";
import { BlobError, type PutOptions } from "../ports/blobs.ts";
import type { FileParts } from "./file-parts.ts";
import { s3Error } from "./s3-error.ts";
import type { Sums } from "./sums.ts";

export type Sdk = typeof import("@aws-sdk/client-s3");

/** Parts under way at a time: each is in memory as a whole. */
const AT_ONCE = 3;

interface Target {
  readonly Bucket: string;
  readonly Key: string;
  readonly type: string;
}

/** A part that is in place, as the server calls it. */
interface Placed {
  readonly etag: string;
  readonly bytes: number;
  /** Where the server knows it; then it wants it back. */
  readonly crc32: string | undefined;
}

export class Upload {
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  readonly #target: Target;

  constructor(sdk: Sdk, client: S3Client, target: Target) {
    this.#sdk = sdk;
    this.#client = client;
    this.#target = target;
  }

  /** Nothing is to be seen under the key until all is in place. Throws the SDK's errors. */
  async run(file: FileParts, { signal, onPart }: PutOptions): Promise<void> {
    const { Bucket, Key, type } = this.#target;
    const options = signal === undefined ? {} : { abortSignal: signal };
    if (file.count === 1) {
      const { bytes, sums } = await file.part(0);
      const sent = { Bucket, Key, ContentType: type, Body: bytes, ...proofOf(sums) };
      await this.#client.send(new this.#sdk.PutObjectCommand(sent), options);
      onPart?.(1, 1);
      return;
    }
    const { id, placed } = (await this.#unfinished()) ?? (await this.#begin());
    const parts: Placed[] = [];
    let done = 0;
    await inStep([...Array(file.count).keys()], AT_ONCE, async (nth) => {
      const { bytes, sums } = await file.part(nth);
      const there = placed.get(nth + 1);
      if (there?.bytes === bytes.length && bare(there.etag) === sums.md5) parts[nth] = there;
      else {
        const sent = { Bucket, Key, UploadId: id, PartNumber: nth + 1, Body: bytes, ...proofOf(sums) };
        const { ETag = "", ChecksumCRC32 } = await this.#client.send(new this.#sdk.UploadPartCommand(sent), options);
        parts[nth] = { etag: ETag, bytes: bytes.length, crc32: ChecksumCRC32 };
      }
      onPart?.(++done, file.count);
    });
    await this.#client.send(
      new this.#sdk.CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId: id,
        MultipartUpload: {
          Parts: parts.map(({ etag, crc32 }, nth) => ({
            PartNumber: nth + 1,
            ETag: etag,
            ...(crc32 === undefined ? {} : { ChecksumCRC32: crc32 }),
          })),
        },
      }),
      options,
    );
  }

  async #begin(): Promise<{ id: string; placed: ReadonlyMap<number, Placed> }> {
    const { Bucket, Key, type } = this.#target;
    const { UploadId: id } = await this.#client.send(
      new this.#sdk.CreateMultipartUploadCommand({ Bucket, Key, ContentType: type, ChecksumAlgorithm: "CRC32" }),
    );
    if (id === undefined) throw new BlobError("away", `s3://${Bucket} began an upload without a name for it`);
    return { id, placed: new Map() };
  }

  /** The upload of this key that was begun last and not finished; earlier ones are given up. Null where there is none, or the server does not tell. */
  async #unfinished(): Promise<{ id: string; placed: ReadonlyMap<number, Placed> } | null> {
    const { Bucket, Key } = this.#target;
    try {
      const { Uploads = [] } = await this.#client.send(
        new this.#sdk.ListMultipartUploadsCommand({ Bucket, Prefix: Key }),
      );
      const mine = Uploads.filter((one) => one.Key === Key && one.UploadId !== undefined).sort(
        (a, b) => Number(b.Initiated ?? 0) - Number(a.Initiated ?? 0),
      );
      for (const { UploadId } of mine.slice(1))
        await this.#client.send(new this.#sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId: UploadId! }));
      const id = mine[0]?.UploadId;
      return id === undefined ? null : { id, placed: await this.#placed(id) };
    } catch (cause) {
      const error = s3Error(cause, `s3://${Bucket}`);
      // Not every server lists uploads, and not every key may: then it begins anew.
      const status = (cause as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
      if (error.code === "store-away" && status !== 501) throw error;
      return null;
    }
  }

  async #placed(id: string): Promise<ReadonlyMap<number, Placed>> {
    const { Bucket, Key } = this.#target;
    const placed = new Map<number, Placed>();
    let marker: string | undefined;
    do {
      const page = await this.#client.send(
        new this.#sdk.ListPartsCommand({
          ...{ Bucket, Key, UploadId: id },
          ...(marker === undefined ? {} : { PartNumberMarker: marker }),
        }),
      );
      for (const { PartNumber = 0, ETag = "", Size = -1, ChecksumCRC32 } of page.Parts ?? [])
        placed.set(PartNumber, { etag: ETag, bytes: Size, crc32: ChecksumCRC32 });
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return placed;
  }
}

const bare = (etag: string): string => etag.replaceAll('"', "").toLowerCase();

/** What the server holds the bytes against before it takes them: one of the two is known to each. */
function proofOf(sums: Sums): { readonly ChecksumCRC32: string; readonly ContentMD5: string } {
  return { ChecksumCRC32: sums.crc32, ContentMD5: Buffer.from(sums.md5, "hex").toString("base64") };
}
