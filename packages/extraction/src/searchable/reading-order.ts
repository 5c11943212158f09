const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Numbers and Latin letters run left to right also among others; a mark between digits belongs to their number. */
const LEFT_TO_RIGHT = /[\p{Nd}\p{Script=Latin}]+(?:[.,:/-][\p{Nd}\p{Script=Latin}]+)*/gu;

const reversed = (text: string): string => Array.from(text).toReversed().join('');

/**
 * The characters of a word as they stand on paper from left to right, which is how PDFs have them: readers turn those that run from right
 * to left back when somebody copies them.
 */
export const asShown = (word: string): string => {
  if (!RIGHT_TO_LEFT.test(word)) return word;
  let shown = '';
  let end = 0;
  for (const match of word.matchAll(LEFT_TO_RIGHT)) {
    shown = match[0] + reversed(word.slice(end, match.index)) + shown;
    end = match.index + match[0].length;
  }
  return reversed(word.slice(end)) + shown;
};
