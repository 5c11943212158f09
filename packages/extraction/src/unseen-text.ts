import { cleanText } from './clean-text.ts';

const MIN_CHARS = 3;
const MAX_UNSEEN_CHARS = 200_000;
/** Looking for a paragraph in vain costs a walk through the whole text. */
const MAX_UNSEEN = 2_000;

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
  for (const paragraph of source) {
    const wanted = squeeze(paragraph);
    if (wanted.length < MIN_CHARS || given.has(wanted)) continue;
    given.add(wanted);
    // Paragraphs mostly come in the order of the rendition, so the next is looked for behind the last.
    const ahead = seen.indexOf(wanted, from);
    const at = ahead === -1 ? seen.indexOf(wanted) : ahead;
    if (at !== -1) {
      from = at + wanted.length;
      continue;
    }
    chars += paragraph.length;
    if (unseen.length >= MAX_UNSEEN || chars > MAX_UNSEEN_CHARS) break;
    unseen.push(cleanText(paragraph));
  }
  return unseen;
};

const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\u00ad\u200b\u2010-]+/g, '');
