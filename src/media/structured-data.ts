/** What a page says of itself for machines: Open Graph (ogp.me), Twitter cards, JSON-LD. Kept as written, within bounds. */

/** Properties of Open Graph, its own namespaces among them, and of the cards that were modelled on it. */
const PROPERTY = /^(?:og|article|book|profile|music|video|product|fb|al|twitter):[^\s]+$/;

/** Characters, in all: enough for any honest page, and a record stays small. */
const MOST_PROPERTIES = 8_192;
const MOST_JSON = 16_384;
/** Of one property. */
const LONGEST_CONTENT = 1_000;

export class StructuredData {
  #properties: Map<string, string[]> | null = null;
  #blocks = "";
  #taken = 0;

  /** A `<meta>` with this property (or name); `content` is kept when it is one of those above. */
  property(name: string, content: string): void {
    if (!name.includes(":")) return;
    const key = name.trim().toLowerCase();
    if (!PROPERTY.test(key)) return;
    const text = content.length > LONGEST_CONTENT ? content.slice(0, LONGEST_CONTENT) : content;
    this.#taken += key.length + text.length;
    if (this.#taken > MOST_PROPERTIES) return;
    this.#properties ??= new Map();
    const texts = this.#properties.get(key);
    if (texts === undefined) this.#properties.set(key, [text]);
    else texts.push(text);
  }

  /** What a `<script type="application/ld+json">` holds. A block that is too long for the rest of the room is left out whole. */
  jsonLd(raw: string): void {
    const text = raw.trim();
    if (text === "" || text.length > MOST_JSON) return;
    const block = isJson(text) ? text : JSON.stringify(text);
    if (this.#blocks.length + block.length + 2 > MOST_JSON) return;
    this.#blocks += this.#blocks === "" ? block : `,${block}`;
  }

  /** As `Read` has them. */
  found(): { openGraph?: string; jsonLd?: string } {
    return {
      ...(this.#properties !== null && { openGraph: JSON.stringify(Object.fromEntries(this.#properties)) }),
      ...(this.#blocks !== "" && { jsonLd: `[${this.#blocks}]` }),
    };
  }
}

/** Whether a `type` is that of JSON-LD, with or without parameters. */
export const isJsonLd = (type: string): boolean => /^\s*application\/ld\+json\s*(?:;|$)/i.test(type);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
