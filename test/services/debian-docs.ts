/** Documentation packages of Debian: good real sites that any machine can have. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { need } from "./command.ts";

const DOCS = {
  /** 1,169 pages, DocBook. */
  postgresql: { package: "postgresql-doc-15", root: "/usr/share/doc/postgresql-doc-15/html", start: "index.html" },
  /** 530 pages up to megabytes, Sphinx. */
  python: { package: "python3.11-doc", root: "/usr/share/doc/python3.11/html", start: "index.html" },
} as const;

export interface DocSite {
  /** The folder to serve. */
  readonly root: string;
  /** The page to start from, relative to `root`. */
  readonly start: string;
}

/** Throws `MissingService` when the package is not there and cannot be installed. */
export async function debianDocs(name: keyof typeof DOCS): Promise<DocSite> {
  const { package: debian, root, start } = DOCS[name];
  return need(`the documentation in ${debian}`, [debian], async () => {
    try {
      await access(join(root, start));
      return { root, start };
    } catch {
      return null;
    }
  });
}
