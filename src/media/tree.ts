/** What is used of a document's tree, as the DOM standard has it: its own types come with those of a whole browser. */

export interface TreeNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string;
  readonly childNodes: ArrayLike<TreeNode>;
  readonly parentNode: TreeElement | null;
}

export interface TreeElement extends TreeNode {
  /** Lower case. */
  readonly localName: string;
  readonly className: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): TreeElement | null;
  querySelectorAll(selector: string): Iterable<TreeElement>;
  remove(): void;
  appendChild(node: TreeNode): void;
}

export interface TreeDocument extends TreeElement {
  readonly documentElement: TreeElement | null;
  readonly body: TreeElement;
  createElement(name: string): TreeElement;
}

export const ELEMENT = 1;
export const TEXT = 3;
