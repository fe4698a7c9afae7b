/** What an S3 server, or the way to it, says when something is wrong, in our words. Secrets are in none of them. */
import { BlobError, type BlobErrorCode } from "../ports/blobs.ts";

/** Of the SDK's errors, what is looked at. */
interface Said {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Refusals that pass by themselves: clocks are set, tokens are renewed. */
const PASSING = new Set([
  "RequestTimeTooSkewed",
  "ExpiredToken",
  "ExpiredTokenException",
  "RequestTimeout",
  "SlowDown",
]);
/** Those of a server, or of what stands before it, that is slow or has too much to do: Request Timeout, Too Early, Too Many Requests. */
const PASSING_STATUS = new Set([408, 425, 429]);
/** What arrived is not what was sent: it is sent again. */
const GARBLED = new Set(["BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "IncompleteBody"]);
const MISSING = new Set(["NoSuchKey", "NotFound", "NoSuchUpload"]);

const MENDS: Readonly<Record<string, string>> = {
  NoSuchBucket: "make the bucket, or mend --store",
  InvalidBucketName: "mend the bucket's name in --store",
  InvalidAccessKeyId: "look at AWS_ACCESS_KEY_ID, or the profile",
  SignatureDoesNotMatch: "look at AWS_SECRET_ACCESS_KEY, or the profile",
  CredentialsProviderError: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
  PermanentRedirect: "name the bucket's region with --store-region",
  RegionMissing: "name the bucket's region with --store-region, or AWS_REGION",
  AuthorizationHeaderMalformed: "name the bucket's region with --store-region",
};
const REFUSED_MEND = "look at the credentials (AWS_ACCESS_KEY_ID...), what they allow, and at --store";

/** `store`: its name. What is no fault of the store is thrown as it is. */
export function s3Error(cause: unknown, store: string): BlobError {
  if (cause instanceof BlobError) return cause;
  const said = isRegionMissing(cause as Said) ? { name: "RegionMissing" } : (cause as Said);
  const status = said.$metadata?.httpStatusCode ?? 0;
  const code = codeOf(said, status);
  if (code === null) throw cause;
  const why = [said.code ?? said.name ?? "", status === 0 ? "" : `status ${status}`].filter(Boolean).join(", ");
  switch (code) {
    case "missing":
      return new BlobError(code, `${store}: there is no such object (${why})`, cause);
    case "refused":
      return new BlobError(code, `the store ${store} refuses (${why}); ${mendOf(said)}`, cause);
    case "corrupt":
      return new BlobError(code, `what arrived in ${store} is not what was sent (${why})`, cause);
    default:
      return new BlobError(code, `the store ${store} cannot be used (${why})`, cause);
  }
}

/** The SDK throws it as a plain Error, before anything is asked. */
const isRegionMissing = ({ message = "" }: Said): boolean => /region is missing/i.test(message);

function mendOf({ name = "", code = "" }: Said): string {
  return MENDS[name] ?? MENDS[code] ?? REFUSED_MEND;
}

function codeOf({ name = "", code = "", message = "" }: Said, status: number): BlobErrorCode | null {
  if (MISSING.has(name)) return "missing";
  if (GARBLED.has(name)) return "corrupt";
  if (PASSING.has(name) || status >= 500 || PASSING_STATUS.has(status)) return "away";
  if (name in MENDS || status === 301 || (status >= 400 && status < 500)) return "refused";
  if (name === "CredentialsProviderError") return "refused";
  const isOfNetwork = /^E[A-Z]+$|^ERR_|^UND_ERR/.test(code) || /^(TimeoutError|NetworkingError)$/.test(name);
  // A proxy or a broken server may answer with what is no S3 at all; a connection may end within a body.
  return isOfNetwork || status > 0 || /aborted|socket hang up|deserializ/i.test(message) ? "away" : null;
}
