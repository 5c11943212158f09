import type { BarcodeRules } from './barcode-rules.ts';
import { type CodedPage, meaningOf, type PageMeaning } from './page-meaning.ts';

/** A document that a stack of pages contains. */
export interface Part {
  /** From 1, in the order of the stack. */
  readonly pages: readonly number[];
  readonly archiveNumber: number | undefined;
  readonly invalidNumbers: readonly string[];
  readonly labels: readonly (readonly string[])[];
}

const PLAIN: PageMeaning = { isSeparator: false, archiveNumber: undefined, invalidNumbers: [], labels: [] };

/**
 * The documents in a stack of `pageCount` pages; one where nothing splits it. A separator sheet begins a new one and is dropped, unless the
 * rules keep it; so does a page with an archive number that is not that of the document before it. Separators at the ends or in a row make no
 * document without pages, and a stack of nothing else stays as it is.
 */
export const planParts = (pageCount: number, pages: readonly CodedPage[], rules: BarcodeRules): readonly Part[] => {
  const meanings = new Map(pages.map((page) => [page.page, meaningOf(page, rules)]));
  const stack = new Stack(rules.keepSeparator);
  for (let page = 1; page <= pageCount; page += 1) stack.add(page, meanings.get(page) ?? PLAIN);
  const parts = stack.finish();
  const all = parts.length > 0 ? parts : [Array.from({ length: pageCount }, (_, at) => at + 1)];
  return all.map((own) => toPart(own, meanings));
};

class Stack {
  readonly #keepsSeparators: boolean;
  readonly #parts: number[][] = [];
  #current: number[] = [];
  /** Whether the current part has more than separators. */
  #hasContent = false;
  #number: number | undefined;

  constructor(keepsSeparators: boolean) {
    this.#keepsSeparators = keepsSeparators;
  }

  add(page: number, { isSeparator, archiveNumber }: PageMeaning): void {
    if (isSeparator) {
      this.#end();
      if (this.#keepsSeparators) this.#current.push(page);
      return;
    }
    if (archiveNumber !== undefined && archiveNumber !== this.#number) this.#end();
    this.#number = archiveNumber ?? this.#number;
    this.#current.push(page);
    this.#hasContent = true;
  }

  finish(): readonly (readonly number[])[] {
    this.#end();
    const last = this.#parts.at(-1);
    // sheets that were to begin one more stay with the last
    return last === undefined ? [] : [...this.#parts.slice(0, -1), [...last, ...this.#current]];
  }

  #end(): void {
    if (!this.#hasContent) return;
    this.#parts.push(this.#current);
    this.#current = [];
    this.#hasContent = false;
    this.#number = undefined;
  }
}

const toPart = (pages: readonly number[], meanings: ReadonlyMap<number, PageMeaning>): Part => {
  const own = pages.map((page) => meanings.get(page) ?? PLAIN);
  return {
    pages,
    archiveNumber: own.find(({ archiveNumber }) => archiveNumber !== undefined)?.archiveNumber,
    invalidNumbers: own.flatMap(({ invalidNumbers }) => invalidNumbers),
    labels: own.flatMap(({ labels }) => labels),
  };
};
