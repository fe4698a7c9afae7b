/** Visitors in the control thread itself: for tests, and wherever a thread is not worth its start. */
import type { Errand } from "../model/visited.ts";
import type { Visitors } from "../ports/visitors.ts";
import type { VisitContext } from "./context.ts";
import { Mailbox } from "./mailbox.ts";
import { visiting } from "./visiting.ts";

/** `atOnce`: visits that may be open at a time. */
export function inlineVisitors(context: VisitContext, atOnce: number): Visitors {
  const mailbox = new Mailbox();
  let open = 0;
  const work = visiting(
    context,
    (sealed) => {
      open -= sealed.visits.length + sealed.unasked.length;
      mailbox.put(sealed);
    },
    (cause) => mailbox.fail(cause),
  );
  return {
    get free() {
      return atOnce - open;
    },
    give(errands: readonly Errand[]) {
      open += errands.length;
      work.start(errands);
    },
    take: (signal) => mailbox.take(signal),
    forget: () => work.forget(),
    extend: (seed) => work.extend(seed),
    [Symbol.asyncDispose]: () => work[Symbol.asyncDispose](),
  };
}
