/** Character references of HTML and XML (`&amp;`, `&#x2F;`), decoded only where an "&" stands. */
import { decodeHTML, decodeHTMLAttribute, decodeXML } from "entities/decode";

/** In an attribute's value: `&copy=` and `&copyx` stay as they are (HTML, section 13.2.5.73). */
export const decodeAttribute = (value: string): string => (value.includes("&") ? decodeHTMLAttribute(value) : value);

/** In an HTML text. */
export const decodeText = (text: string): string => (text.includes("&") ? decodeHTML(text) : text);

/** In XML: the five names and numbers, each with its semicolon; anything else stays as written. */
export const decodeXmlText = (text: string): string => (text.includes("&") ? decodeXML(text) : text);
