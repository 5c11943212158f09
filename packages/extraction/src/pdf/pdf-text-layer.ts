import { createReadStream } from 'node:fs';
import { storableText } from '@sheaf/contract/text';

const FORM_FEED = '\f';
/** Signs that stand for "no idea which letter this is": the replacement character, private use, controls. */
const UNMAPPED = /[\ufffd\p{Co}\p{Cn}]|(?![\t\n\r\f])\p{Cc}/gu;
const MAX_UNMAPPED_SHARE = 0.2;
/** A thousand times what a page has room for. What is behind it is left out. */
const MAX_PAGE_CHARS = 4 * 1024 * 1024;

/** The pages of a text that pdftotext wrote: a form feed ends each. Holds one page at a time. */
export async function* textLayers(textPath: string, signal: AbortSignal): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(textPath, { encoding: 'utf8', signal }) as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split(FORM_FEED);
    if (rest.length < MAX_PAGE_CHARS) rest += first;
    for (const next of others) {
      yield storableText(rest);
      rest = next;
    }
  }
  if (rest !== '') yield storableText(rest);
}

/** False where the page must be recognised: it has no text, or its fonts do not tell which letters their glyphs are. */
export const isUsableTextLayer = (text: string): boolean => {
  const signs = text.replaceAll(/\s/g, '');
  if (signs === '') return false;
  const unmapped = signs.match(UNMAPPED)?.length ?? 0;
  return unmapped / signs.length <= MAX_UNMAPPED_SHARE;
};
