import { createReadStream } from 'node:fs';
import { storableText } from '@sheaf/contract';
import type { PageWord, PageWords } from '@sheaf/page-words';

const PAGE = /^\s*<page width="([\d.]+)" height="([\d.]+)">/;
const WORD = /^\s*<word xMin="(-?[\d.]+)" yMin="(-?[\d.]+)" xMax="(-?[\d.]+)" yMax="(-?[\d.]+)">(.*)<\/word>/;
const PAGE_END = '</page>';
const ENTITY = /&(amp|lt|gt|quot|apos);/g;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** What is behind it has no place, as nobody looks for it. */
const MAX_LINE_CHARS = 256 * 1024;
const MAX_WORDS_ON_PAGE = 50_000;

/**
 * The words of each page that `pdftotext -bbox-layout -cropbox` wrote, page after page, in the order in which pdftotext writes them as
 * text. `isSideways` tells which pages are shown with their sides exchanged: the program gives the size as it is without the turn.
 */
export async function* layerWords(path: string, isSideways: (page: number) => boolean, signal: AbortSignal): AsyncGenerator<PageWords> {
  let page = 0;
  let size: { width: number; height: number } | undefined;
  let words: PageWord[] = [];
  for await (const line of linesOf(path, signal)) {
    const begun = PAGE.exec(line);
    if (begun !== null) {
      page += 1;
      const [width, height] = [Number(begun[1]), Number(begun[2])];
      size = isSideways(page) ? { width: height, height: width } : { width, height };
      words = [];
    }
    if (size === undefined) continue;
    if (line.includes(PAGE_END)) {
      yield { ...size, words };
      size = undefined;
    } else if (words.length < MAX_WORDS_ON_PAGE) {
      const word = wordOf(line, size);
      if (word !== undefined) words.push(word);
    }
  }
}

/** Without those that are longer than any word. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', signal }) as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split('\n');
    if (rest.length < MAX_LINE_CHARS) rest += first;
    for (const next of others) {
      yield rest;
      rest = next;
    }
  }
}

const wordOf = (line: string, size: { readonly width: number; readonly height: number }): PageWord | undefined => {
  const found = WORD.exec(line);
  if (found === null) return undefined;
  const [left, top, right, bottom] = found.slice(1, 5).map(Number);
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined;
  const box = { x: left / size.width, y: top / size.height, width: (right - left) / size.width, height: (bottom - top) / size.height };
  const text = storableText((found[5] ?? '').replaceAll(ENTITY, (_, name: string) => SIGNS[name] ?? ''));
  return { text, box, confidence: 1 };
};
