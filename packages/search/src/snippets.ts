import { escapeHtml } from '@sheaf/contract';
import type { Mark } from './marks.ts';

const SNIPPET_CHARACTERS = 180;
/** So much of a snippet stands before its first mark. */
const BEFORE_CHARACTERS = 50;
/** Looking for a place to cut goes on so far. */
const MAX_WORD_CHARACTERS = 25;
const MAX_SNIPPETS = 3;
/** Of a page full of marks the first ones are enough to choose from. */
const MAX_MARKS = 500;

/** Escaped text, white space drawn together, with `<mark>` around the marks: the only tags in it. */
const render = (text: string, from: number, to: number, marks: readonly Mark[]): string => {
  const clean = (start: number, end: number): string => escapeHtml(text.slice(start, end).replace(/\s+/gu, ' '));
  let html = '';
  let at = from;
  for (const mark of marks) {
    html += `${clean(at, mark.start)}<mark>${clean(mark.start, mark.end)}</mark>`;
    at = mark.end;
  }
  return html + clean(at, to);
};

/** The whole text, for short ones. Undefined where nothing is marked. */
export const markAll = (text: string, marks: readonly Mark[]): string | undefined =>
  marks.length === 0 ? undefined : render(text, 0, text.length, marks);

interface Window {
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Mark[];
  readonly words: ReadonlySet<string>;
}

/** For each mark the marks that fit into a snippet which begins with it. */
const windowsOf = (text: string, marks: readonly Mark[]): Window[] => {
  const fits = (first: Mark, next: Mark | undefined): boolean =>
    next !== undefined && next.end - first.start <= SNIPPET_CHARACTERS - BEFORE_CHARACTERS;
  let count = 0;
  return marks.map((first, i) => {
    count = Math.max(count, i + 1);
    while (fits(first, marks[count])) count += 1;
    const inside = marks.slice(i, count);
    const words = new Set(inside.map((mark) => text.slice(mark.start, mark.end).toLowerCase()));
    return { start: first.start, end: inside.at(-1)?.end ?? first.end, marks: inside, words };
  });
};

/** Different words count most, those that an earlier snippet showed little. */
const valueOf = (window: Window, shown: ReadonlySet<string>): number =>
  [...window.words].filter((word) => !shown.has(word)).length * 100 + window.words.size * 10 + Math.min(window.marks.length, 9);

const areApart = (a: Window, b: Window): boolean => a.start - SNIPPET_CHARACTERS >= b.end || b.start - SNIPPET_CHARACTERS >= a.end;

/** Never between the halves of a surrogate pair. */
const whole = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
};

/** Cuts behind white space where some is near. */
const cutBefore = (text: string, at: number): number => {
  if (at <= 0) return 0;
  const space = text.slice(at, at + MAX_WORD_CHARACTERS).search(/\s/u);
  return whole(text, space === -1 ? at : at + space + 1);
};

const cutAfter = (text: string, at: number): number => {
  if (at >= text.length) return text.length;
  const from = Math.max(0, at - MAX_WORD_CHARACTERS);
  const space = text.slice(from, at).search(/\s\S*$/u);
  return whole(text, space === -1 ? at : from + space);
};

const snippetOf = (text: string, { start, end, marks }: Window): string => {
  const from = Math.min(start, cutBefore(text, start - BEFORE_CHARACTERS));
  const to = Math.max(end, cutAfter(text, from + SNIPPET_CHARACTERS));
  const html = render(text, from, to, marks).trim();
  return `${from > 0 ? '…' : ''}${html}${to < text.length ? '…' : ''}`;
};

/** Up to three stretches of the text that show the most different marked words, in the order of the text. */
export const makeSnippets = (text: string, marks: readonly Mark[]): string[] => {
  let rest = windowsOf(text, marks.slice(0, MAX_MARKS));
  const chosen: Window[] = [];
  const shown = new Set<string>();
  while (chosen.length < MAX_SNIPPETS && rest.length > 0) {
    const best = rest.reduce((a, b) => (valueOf(b, shown) > valueOf(a, shown) ? b : a));
    chosen.push(best);
    for (const word of best.words) shown.add(word);
    rest = rest.filter((window) => areApart(window, best));
  }
  return chosen.toSorted((a, b) => a.start - b.start).map((window) => snippetOf(text, window));
};
