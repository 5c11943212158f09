import { createReadStream } from 'node:fs';
import { storableText } from '@sheaf/contract/text';
import type { PageWord, PageWords } from '@sheaf/vocabulary/page-words';
import { WORD_BEGIN, wordIn } from './layout-word.ts';

const PAGE = /^\s*<page width="([\d.]+)" height="([\d.]+)">/;
const PAGE_BEGIN = '<page ';
const PAGE_END = '</page>';
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
  for await (const lines of linesOf(path, signal)) {
    for (const line of lines) {
      if (size !== undefined && line.includes(WORD_BEGIN)) {
        const word = words.length < MAX_WORDS_ON_PAGE ? wordOf(line, size) : undefined;
        if (word !== undefined) words.push(word);
      } else if (size !== undefined && line.includes(PAGE_END)) {
        yield { ...size, words };
        size = undefined;
      } else if (line.includes(PAGE_BEGIN)) {
        const begun = PAGE.exec(line);
        if (begun === null) continue;
        page += 1;
        const [width, height] = [Number(begun[1]), Number(begun[2])];
        size = isSideways(page) ? { width: height, height: width } : { width, height };
        words = [];
      }
    }
  }
}

/** Many at a time, as waiting for each would take longer than reading it; without those that are longer than any word. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', signal }) as AsyncIterable<string>) {
    const lines = chunk.split('\n');
    if (rest.length < MAX_LINE_CHARS) lines[0] = rest + (lines[0] ?? '');
    else lines[0] = rest;
    rest = lines.pop() ?? '';
    yield lines;
  }
}

const wordOf = (line: string, { width, height }: { readonly width: number; readonly height: number }): PageWord | undefined => {
  const word = wordIn(line);
  if (word === undefined) return undefined;
  const { left, top, right, bottom } = word;
  const box = { x: left / width, y: top / height, width: (right - left) / width, height: (bottom - top) / height };
  return { text: storableText(word.text), box, confidence: 1 };
};
