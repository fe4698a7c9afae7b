/** Anti-bot challenges: a state of their own, never content, never evaded. */

/** Names the kind of challenge that an answer is, or null. Header names are lower case. */
export function challengeOf(status: number, header: (name: string) => string | null): string | null {
  if (header("cf-mitigated")?.toLowerCase() === "challenge") return "cloudflare";
  if (status === 403 && header("server") === "AkamaiGHost") return "akamai";
  if (header("x-amzn-waf-action") !== null) return "aws-waf";
  return null;
}
