import type { Box, PageWord } from '@sheaf/vocabulary/page-words';
import type { OcrReading, Turn } from './ocr-runner.ts';

/** A reading of a page that was turned by `turn` degrees clockwise, with its words where they stand on the page as it lies. */
export const turnedBack = (reading: OcrReading, turn: Turn): OcrReading => {
  const moved = new Map(reading.words.map((word) => [word, { ...word, box: boxBefore(word.box, turn) }]));
  const wordBefore = (word: PageWord): PageWord => moved.get(word) ?? word;
  const lines = reading.lines.map((line) => ({ ...line, words: line.words.map(wordBefore) }));
  return { ...reading, words: reading.words.map(wordBefore), lines };
};

const boxBefore = ({ x, y, width, height }: Box, turn: Turn): Box => {
  switch (turn) {
    case 0:
      return { x, y, width, height };
    case 90:
      return { x: y, y: 1 - x - width, width: height, height: width };
    case 180:
      return { x: 1 - x - width, y: 1 - y - height, width, height };
    case 270:
      return { x: 1 - y - height, y: x, width: height, height: width };
  }
};
