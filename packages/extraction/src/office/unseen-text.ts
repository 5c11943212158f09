import { storableText } from '@sheaf/contract/text';

const MIN_CHARS = 3;
const MAX_UNSEEN_CHARS = 200_000;
const MAX_UNSEEN = 2_000;
/** Looking for a paragraph in vain, or behind where it is, costs a walk through the text: characters of all walks together. */
const WALKED = { least: 1_000_000_000, timesText: 500 };
const MIB = 1024 * 1024;
const MAX_SQUEEZED_CHARS = 32 * MIB;
const CHUNK_CHARS = 64 * 1024;

/**
 * The paragraphs of `source` that cannot be found in `rendered`: what a rendition cuts off, hides or breaks, such as a cell too
 * narrow for its text, speaker notes, or a word with the mark of a footnote grown to it. White space does not count.
 */
export const findUnseen = (source: readonly string[], rendered: string): readonly string[] => {
  const seen = squeeze(rendered);
  const given = new Set<string>();
  const unseen: string[] = [];
  let chars = 0;
  let from = 0;
  let walksLeft = Math.max(WALKED.least, WALKED.timesText * seen.length);
  for (const paragraph of source) {
    const wanted = squeeze(paragraph);
    if (wanted.length < MIN_CHARS || given.has(wanted)) continue;
    given.add(wanted);
    // Paragraphs mostly come in the order of the rendition, so the next is looked for behind the last.
    if (walksLeft < 0) break;
    const ahead = seen.indexOf(wanted, from);
    walksLeft -= (ahead === -1 ? seen.length : ahead) - from;
    const at = ahead === -1 ? seen.slice(0, from + wanted.length).indexOf(wanted) : ahead;
    if (ahead === -1) walksLeft -= from;
    if (at !== -1) {
      from = at + wanted.length;
      continue;
    }
    chars += paragraph.length;
    if (unseen.length >= MAX_UNSEEN || chars > MAX_UNSEEN_CHARS) break;
    unseen.push(storableText(paragraph));
  }
  return unseen;
};

/** In pieces, as one character can become eighteen, and a string that is too long ends more than its document. */
const squeeze = (text: string): string => {
  let squeezed = '';
  for (let at = 0; at < text.length && squeezed.length < MAX_SQUEEZED_CHARS; at += CHUNK_CHARS)
    squeezed += squeezePiece(text.slice(at, at + CHUNK_CHARS));
  return squeezed;
};

const squeezePiece = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\u00ad\u200b\u2010-]+/g, '');
