/** Where a text file that knows no pages is cut. */
const WORDS_A_PAGE = 3_000;
/** A page of one endless word ends too. */
const CHARS_A_PAGE = 100_000;
const MAX_LINE_BREAK_SEARCH = 2_000;

const FORM_FEED = '\f';

/**
 * Cuts a text that arrives in pieces into pages: at form feeds, and where a page has grown to some 3,000 words, at the end of a
 * line near there. Holds one page at a time. A text without a word is one empty page.
 */
export async function* splitIntoPages(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let given = 0;
  for await (const piece of pieces) {
    rest += piece;
    for (let cut = findCut(rest); cut !== undefined; cut = findCut(rest)) {
      yield rest.slice(0, cut.end);
      given += 1;
      rest = rest.slice(cut.next);
    }
  }
  // A form feed at the very end closes the last page and opens none.
  if (given === 0 || rest.trim() !== '') yield rest;
}

interface Cut {
  readonly end: number;
  readonly next: number;
}

const findCut = (text: string): Cut | undefined => {
  const feed = text.indexOf(FORM_FEED);
  const full = findFullPage(feed === -1 ? text : text.slice(0, feed));
  if (full !== undefined) return full;
  return feed === -1 ? undefined : { end: feed, next: feed + 1 };
};

const findFullPage = (text: string): Cut | undefined => {
  // Most pieces are far from a full page: nothing is counted before it could be one.
  if (text.length < WORDS_A_PAGE * 2) return undefined;
  const limit = Math.min(endOfWords(text, WORDS_A_PAGE), CHARS_A_PAGE);
  if (text.length < limit + MAX_LINE_BREAK_SEARCH) return undefined;
  const lineEnd = text.indexOf('\n', limit);
  const end = lineEnd === -1 || lineEnd > limit + MAX_LINE_BREAK_SEARCH ? wordEnd(text, limit) : lineEnd + 1;
  return { end, next: end };
};

const endOfWords = (text: string, count: number): number => {
  const word = /\S+/g;
  for (let i = 0; i < count; i += 1) if (word.exec(text) === null) return Number.POSITIVE_INFINITY;
  return word.lastIndex;
};

/** The next white space, or, inside an endless word, here, but never between the halves of a surrogate pair. */
const wordEnd = (text: string, from: number): number => {
  const space = text.slice(from, from + MAX_LINE_BREAK_SEARCH).search(/\s/);
  if (space !== -1) return from + space;
  const code = text.charCodeAt(from - 1);
  return code >= 0xd800 && code <= 0xdbff ? from + 1 : from;
};
