/** Reads images: what format they are in, and how large they are shown. Of SVG also the links. */
import { imageMeta } from "image-meta";
import type { MediaHandler, Read } from "../ports/media-handler.ts";
import { rootName } from "./xml.ts";

/** The formats of the web, by the name that the library has for them. Of others it is too easily persuaded (TGA has no signature). */
const ESSENCES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  heic: "image/heic",
  jxl: "image/jxl",
  svg: "image/svg+xml",
  bmp: "image/bmp",
  ico: "image/x-icon",
  cur: "image/x-icon",
  tiff: "image/tiff",
};

/** The head of every honest image stands within so many bytes; a forged one costs no more than to walk through them. */
const HEAD_BYTES = 1_048_576;

/** Orientations of EXIF by which width and height change places. */
const FIRST_TURNED = 5;

/** `svg`: reads the links of a document of XML. */
export function imageHandler(svg: MediaHandler): MediaHandler {
  return {
    name: "image",
    accepts: ["image/*"],
    async read(document) {
      const { error, ...image } = sizeOf(document.body);
      const isSvg = image.mediaType === SVG || (document.mediaType === SVG && rootName(document.text()) === "svg");
      if (!isSvg) return error === undefined ? image : { links: [], error };
      // One that names no size is as large as its place: no fault.
      const { links, base } = await svg.read({ ...document, mediaType: SVG });
      return { ...image, mediaType: SVG, links, ...(base !== undefined && { base }) };
    },
  };
}

const SVG = ESSENCES.svg!;

function sizeOf(body: Uint8Array): Read {
  try {
    const { type = "", width, height, orientation = 1 } = imageMeta(body.subarray(0, HEAD_BYTES));
    const mediaType = ESSENCES[type];
    if (mediaType === undefined) return { links: [], error: "no image of a known format" };
    const turned = orientation >= FIRST_TURNED;
    return { links: [], mediaType, width: turned ? height : width, height: turned ? width : height };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause; // what it throws for damage
    return { links: [], error: `no readable image: ${cause.message}` };
  }
}
