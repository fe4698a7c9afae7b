/** Why a certificate or a handshake was not taken, in words that a reader of the report understands. */

const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  CERT_REVOKED: "the certificate was revoked",
  CERT_UNTRUSTED: "the certificate is not trusted",
  CERT_REJECTED: "the certificate is not trusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's authority is self-signed and not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the certificate's authority is not known",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate's authority is not known",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "the certificate's authority is not known, or an intermediate certificate is missing",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name",
};

/** By how OpenSSL's code or reason goes on. */
const HANDSHAKES: readonly (readonly [RegExp, string])[] = [
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|BAD_PACKET/, "the server does not speak TLS on this port"],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW/, "the server speaks no version of TLS that we do"],
  [/HANDSHAKE_FAILURE|NO_SHARED_CIPHER|NO_CIPHERS/, "the server and we have no cipher in common"],
  [/DH_KEY_TOO_SMALL|EE_KEY_TOO_SMALL|CA_MD_TOO_WEAK|CA_KEY_TOO_SMALL/, "the server's keys are too weak"],
  [/UNRECOGNIZED_NAME/, "the server does not know the name"],
  [/CERTIFICATE_REQUIRED|BAD_CERTIFICATE/, "the server wants a certificate from us"],
  [/^ECONNRESET$|^UND_ERR_SOCKET$|^EPIPE$/, "the server hung up during the handshake"],
];

/** `the certificate has expired (CERT_HAS_EXPIRED)`; what is not known keeps its own words. */
export function tlsFailure(code: string, message: string): string {
  const certificate = CERTIFICATES[code];
  if (certificate !== undefined) {
    // Node says which name was asked for and which the certificate has.
    const names = /Host: .*$/s.exec(message)?.[0];
    return `${certificate} (${code})${names === undefined ? "" : `: ${names}`}`;
  }
  const known = HANDSHAKES.find(([pattern]) => pattern.test(code));
  return known === undefined ? `${code}: ${message}` : `${known[1]} (${code})`;
}
