/** The main content of each page as a Markdown file of its own, in folders as in its URL; there whole or not at all. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { naming } from "../../base/replace-file.ts";
import { PagePaths } from "../../export/page-path.ts";
import { missingForContent } from "../../media/main-content.ts";
import type { VisitRecord } from "../../model/record.ts";
import { answerTo, MOST_BODY_BYTES } from "../dir/answers.ts";
import { contentOf } from "../page-content.ts";
import { UsageError } from "../usage-error.ts";
import { counted } from "../wording.ts";
import type { ExportJob } from "./job.ts";

const TEXTS = /^(text\/(html|plain|markdown)|application\/(xhtml\+xml|pdf))$/;

/** `path`: the folder that is made. Throws a `UsageError` when there is none. */
export async function writeMarkdown({ dir, state, where, path, tally, onProgress, warn }: ExportJob): Promise<void> {
  if (path === null) throw new UsageError("export", "Markdown is a file a page: name a folder for them, --to pages.md");
  const missing = missingForContent();
  if (missing.length > 0)
    throw new UsageError(
      "missing-package",
      `Markdown needs packages that are not here; npm install ${missing.join(" ")}`,
    );
  const beside = `${path}.${process.pid}.tmp`;
  const paths = new PagePaths();
  let seen = 0;
  let unread = 0;
  try {
    await mkdir(beside, { recursive: true });
    for (const { href, visit } of state.urls({ endedOnly: true })) {
      onProgress("URLs", ++seen, null);
      if (visit?.end !== "fetched" || (where !== null && !where(href, visit))) continue;
      if (!TEXTS.test(visit.page?.mediaType ?? "")) continue;
      const answer = await answerTo(visit, dir, MOST_BODY_BYTES, state);
      if (answer === null) continue;
      const content = await contentOf(answer.document(), visit.page?.title ?? null).catch(() => null);
      if (content === null) {
        unread++;
        continue;
      }
      const file = join(beside, paths.of(href));
      await mkdir(dirname(file), { recursive: true });
      const text = `${frontMatter(visit)}${content.markdown}`;
      await naming(file, () => writeFile(file, text));
      tally.count("page");
      tally.bytes += Buffer.byteLength(text);
    }
    await rename(beside, path);
  } catch (cause) {
    await rm(beside, { recursive: true, force: true });
    throw cause;
  }
  if (unread > 0) warn(`${counted(unread, "page")} left without a file: the content could not be found`);
}

/** YAML, as static site tools read it; a string in JSON's quotes is one in YAML's. */
function frontMatter({ href, startedAt, page }: VisitRecord): string {
  const line = (name: string, value: string | null | undefined) =>
    value ? `${name}: ${JSON.stringify(value.toWellFormed())}\n` : "";
  return `---\n${line("url", href)}${line("title", page?.title)}${line("description", page?.description)}${line(
    "language",
    page?.language,
  )}fetched: ${new Date(startedAt).toISOString()}\n---\n\n`;
}
