import type { Box, PageWords } from './page-words.ts';

/** Degrees clockwise. */
export type Turn = 90 | 180 | 270;

/** Where a box stands when its page is turned. */
export const turnBox = ({ x, y, width, height }: Box, by: Turn): Box => {
  if (by === 90) return { x: 1 - y - height, y: x, width: height, height: width };
  if (by === 180) return { x: 1 - x - width, y: 1 - y - height, width, height };
  return { x: y, y: 1 - x - width, width: height, height: width };
};

/** The words of a page that is turned, in the order that they had. */
export const turnWords = ({ width, height, words }: PageWords, by: Turn): PageWords => ({
  ...(by === 180 ? { width, height } : { width: height, height: width }),
  words: words.map((word) => ({ ...word, box: turnBox(word.box, by) })),
});
