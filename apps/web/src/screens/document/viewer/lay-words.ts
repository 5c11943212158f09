import { markWords } from '../marked-words.ts';

export interface PlacedWord {
  readonly text: string;
  /** In fractions of the page, from its top left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Page {
  readonly words: readonly PlacedWord[];
  /** Pixels of the page on the screen. */
  readonly width: number;
  readonly height: number;
  readonly container: HTMLElement;
  /** To be marked, as `wordsOf` gives them. */
  readonly wanted: readonly string[];
}

const FONT = 'sans-serif';
/** Letters fill about so much of the height of a line of their size. */
const LETTERS_SHARE = 0.85;

/** Whether `next` begins a line after `word`: further left, or below its middle. */
const beginsLine = (word: PlacedWord, next: PlacedWord): boolean => next.x < word.x || next.y > word.y + word.height / 2;

/** Lays words over the picture of their page, each as wide as it stands there, and marks those that are wanted. */
export const layWords = ({ words, width, height, container, wanted }: Page): void => {
  const measure = document.createElement('canvas').getContext('2d');
  const elements = words.flatMap((word, index) => {
    const next = words[index + 1];
    const size = Math.max(1, word.height * height * LETTERS_SHARE);
    const element = document.createElement('span');
    Object.assign(element.style, {
      left: `${word.x * 100}%`,
      top: `${word.y * 100}%`,
      fontFamily: FONT,
      fontSize: `${size}px`,
      lineHeight: `${word.height * height}px`,
    });
    if (measure !== null) {
      measure.font = `${size}px ${FONT}`;
      const natural = measure.measureText(word.text).width;
      if (natural > 0) element.style.transform = `scaleX(${(word.width * width) / natural})`;
    }
    const parts = markWords(word.text, wanted).map((part) => {
      if (!part.isMarked) return part.text;
      const mark = document.createElement('mark');
      mark.textContent = part.text;
      return mark;
    });
    const isLast = next === undefined || beginsLine(word, next);
    element.append(...parts, ...(isLast ? [] : [' ']));
    return isLast ? [element, document.createElement('br')] : [element];
  });
  container.replaceChildren(...elements);
};
