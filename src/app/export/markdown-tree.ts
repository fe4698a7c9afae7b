/** The main content of each page as a Markdown file of its own, in folders as in its URL; there whole or not at all. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { besidePath } from "../../base/beside.ts";
import { ahead, inStep } from "../../base/in-step.ts";
import { naming } from "../../base/replace-file.ts";
import { Bitmap } from "../../dedup/bitmap.ts";
import { PagePaths } from "../../export/page-path.ts";
import { missingForContent } from "../../media/main-content.ts";
import { isPresent } from "../../model/end.ts";
import { header } from "../../model/fetch-result.ts";
import type { UrlRecord, VisitRecord } from "../../model/record.ts";
import { ANSWERS_AHEAD, type Answer, answerTo, MOST_BODY_BYTES } from "../dir/answers.ts";
import { CONTENTS_AT_ONCE, contentOf } from "../page-content.ts";
import { UsageError } from "../usage-error.ts";
import { counted } from "../wording.ts";
import { archivedRecords } from "./archive-records.ts";
import type { ExportJob } from "./job.ts";
import { isMain, pageOf } from "./links.ts";
import type { Tally } from "./tally.ts";

const TEXTS = /^(text\/(html|plain|markdown)|application\/(xhtml\+xml|pdf))$/;

/**
 * `path`: the folder that is made. What the crawl has archived as Markdown is taken as it is; of other pages the content
 * is looked for. Throws a `UsageError` when there is no folder, or what looks for it is not here.
 */
export async function writeMarkdown(job: ExportJob): Promise<void> {
  const { path, warn } = job;
  if (path === null) throw new UsageError("export", "Markdown is a file a page: name a folder for them, --to pages.md");
  const isArchived = mayBeArchived(job.config);
  const missing = missingForContent();
  if (missing.length > 0 && !isArchived)
    throw new UsageError(
      "missing-package",
      `Markdown needs packages that are not here; npm install ${missing.join(" ")}`,
    );
  const beside = besidePath(path);
  const tree = new Tree(beside, job.tally);
  let unread = 0;
  try {
    await mkdir(beside, { recursive: true });
    if (isArchived)
      for await (const [page, markdown] of archivedMarkdown(job))
        await tree.write(tree.placeOf(page), page.visit, markdown);
    async function* others() {
      for await (const page of pagesOf(job)) if (!tree.has(page)) yield { ...page, file: tree.placeOf(page) };
    }
    const answered = ahead(others(), ANSWERS_AHEAD, async ({ visit, file }) => ({
      ...{ visit, file },
      answer: await answerTo(visit, job, MOST_BODY_BYTES),
    }));
    await inStep(answered, CONTENTS_AT_ONCE, async ({ visit, file, answer }) => {
      const markdown = answer && (await markdownOf(visit, answer));
      if (markdown === null) unread++;
      else await tree.write(file, visit, markdown);
    });
    await rename(beside, path);
  } catch (cause) {
    await rm(beside, { recursive: true, force: true });
    throw cause;
  }
  if (unread > 0) warn(`${counted(unread, "page")} left without a file: the content could not be found`);
}

type Fetched = UrlRecord & { readonly visit: VisitRecord };

class Tree {
  readonly #folder: string;
  readonly #tally: Tally;
  readonly #paths = new PagePaths();
  readonly #placed = new Bitmap();

  constructor(folder: string, tally: Tally) {
    this.#folder = folder;
    this.#tally = tally;
  }

  has({ id }: Fetched): boolean {
    return this.#placed.has(id);
  }

  placeOf({ id, href }: Fetched): string {
    this.#placed.add(id);
    return join(this.#folder, this.#paths.of(href));
  }

  async write(file: string, visit: VisitRecord, markdown: string): Promise<void> {
    await mkdir(dirname(file), { recursive: true });
    const text = `${frontMatter(visit)}${markdown}`;
    await naming(file, () => writeFile(file, text));
    this.#tally.count("page");
    this.#tally.bytes += Buffer.byteLength(text);
  }
}

async function* pagesOf({ state, where, onProgress }: ExportJob): AsyncGenerator<Fetched> {
  let seen = 0;
  for await (const record of state.urls({ endedOnly: true })) {
    onProgress("URLs", ++seen, null);
    const { href, visit } = record;
    if (visit === null || !isPresent(visit.end) || visit.capture === null || (where !== null && !where(href, visit)))
      continue;
    if (TEXTS.test(visit.page?.mediaType ?? "")) yield { ...record, visit };
  }
}

/** Null when there is none to be found. */
async function markdownOf(visit: VisitRecord, answer: Answer): Promise<string | null> {
  const content = await contentOf(answer.document(), visit.page?.title ?? null).catch(() => null);
  return content?.markdown ?? null;
}

/** Whether the crawl has made Markdown of its pages as they came: by `--markdown`, or by handlers of its own. */
function mayBeArchived(config: ExportJob["config"]): boolean {
  return config !== null && (config.markdown || config.handlers.length > 0);
}

/** What the archive holds of the latest fetch of each page that is meant. */
async function* archivedMarkdown(job: ExportJob): AsyncGenerator<readonly [page: Fetched, markdown: string]> {
  const { state, where } = job;
  for await (const { name, records } of archivedRecords(job)) {
    let main = -1;
    for await (const { type, offset, fields, block } of records) {
      if (isMain(type)) main = offset;
      if (type !== "conversion" || !/^text\/markdown\b/i.test(header(fields, "content-type") ?? "")) continue;
      const page = await pageOf(header(fields, "warc-target-uri") ?? "", { file: name, offset: main }, state);
      if (page?.visit == null || !isPresent(page.visit.end) || (where !== null && !where(page.href, page.visit)))
        continue;
      yield [{ ...page, visit: page.visit }, block.toString("utf8")];
    }
  }
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
