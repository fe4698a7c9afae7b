/** What an export is made of, to standard output. */
import type { Chunks } from "../../base/replace-file.ts";
import type { Output } from "./command.ts";

/** Texts are gathered, because each write to a pipe is a system call. */
const GATHERED_CHARS = 65_536;

export async function print(chunks: Chunks, output: Output): Promise<void> {
  let text = "";
  const flush = (): void => {
    if (text !== "") output.write(text);
    text = "";
  };
  for await (const chunk of chunks) {
    if (typeof chunk === "string") text += chunk;
    else {
      flush();
      output.write(chunk);
    }
    if (text.length >= GATHERED_CHARS) flush();
  }
  flush();
}
