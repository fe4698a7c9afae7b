/** Damage to a document that leaves it one: edits as a hasty hand, a broken template or a lost block make them. */
import fc from "fast-check";

/** Words put in. Left out is what a tree builder drops for its place (select, frameset), and CR. */
export const DAMAGE = (
  "<|>|</|/>|=|'|\"|<!--|-->|--!>|<!|<?|]]>|<![CDATA[|&|&amp;|&#x3c;|<a href='x1'>|<a href=x2>|<a href=\"x3|</a>|<p>|</p>|<div>|" +
  "</div>|<script>|</script>|<style>|</style>|<title>|</title>|<textarea>|</textarea>|<template>|</template>|<base href=b>|" +
  "<img src=m>|<table>|</table>|<td>|<b>|</b>|<noscript>|</noscript>|<iframe src=f>|</iframe>|<svg/>|<xmp>|</xmp>|\0|\n| |x"
).split("|");

interface Edit {
  readonly at: number;
  readonly cut: number;
  readonly put: string;
}

/** One to six edits anywhere, as a function of the document. */
export const damaged: fc.Arbitrary<(text: string) => string> = fc
  .array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      cut: fc.oneof(fc.constant(0), fc.nat(10), fc.nat(500)),
      put: fc.oneof(fc.constant(""), fc.constantFrom(...DAMAGE)),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((edits: readonly Edit[]) => (text: string) => edits.reduce(edited, text));

function edited(text: string, { at, cut, put }: Edit): string {
  const from = Math.floor(at * text.length);
  return text.slice(0, from) + put + text.slice(from + cut);
}
