/** Spider traps: pages that always have one more page behind them. */

/** The trap's page at `path`; the first part of the path is kept, so that a trap stays under its rule. */
export function trapPage(trap: "calendar" | "growing" | "session" | "parameters", path: string): string {
  const root = `/${path.split(/[/?]/)[1] ?? ""}`;
  return `<!doctype html><title>${trap} ${path.length}</title><p>${links(trap, root, path)
    .map((href) => `<a href="${href.replaceAll("&", "&amp;")}">${href}</a>`)
    .join("\n")}`;
}

function links(trap: "calendar" | "growing" | "session" | "parameters", root: string, path: string): string[] {
  switch (trap) {
    case "calendar": {
      const [year = 2026, month = 11] = (/\/(\d{4})\/(\d{1,2})/.exec(path) ?? []).slice(1).map(Number);
      const at = (offset: number): string => {
        const months = year * 12 + month - 1 + offset;
        return `${root}/${Math.trunc(months / 12)}/${String((months % 12) + 1).padStart(2, "0")}/`;
      };
      return [at(-1), at(1), at(12)];
    }
    case "growing":
      return [`${path.replace(/\/$/, "")}/more/again/`, `${path.replace(/\/$/, "")}/again/`];
    case "session": {
      // A new id at every page, as servers without cookies hand out.
      const id = [...path].reduce((hash, c) => (Math.imul(hash, 31) + c.charCodeAt(0)) >>> 0, 7).toString(16);
      return [`${root}/s/${id.padStart(32, "0")}/index.html`, `${root}/s/${id.padStart(32, "a")}/list.html`];
    }
    case "parameters": {
      const separator = path.includes("?") ? "&" : "?";
      const n = path.split(/[?&]/).length;
      return ["sort=up", "sort=down", "view=list", `filter${n}=on`].map((one) => `${path}${separator}${one}`);
    }
  }
}
