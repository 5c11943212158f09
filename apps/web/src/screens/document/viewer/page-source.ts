import type { ReactNode } from 'react';

/** What one page is drawn with. */
export interface PageProps {
  readonly page: number;
  /** Pixels on the screen, before the page is turned. */
  readonly width: number;
  readonly height: number;
  readonly label: string;
  /** Told how high the page is to its width, once that is known. */
  readonly onRatio: (page: number, ratio: number) => void;
  /** What was looked for, to be marked. */
  readonly query: string;
  /** Told how far below the top of the page the first mark is, in pixels. */
  readonly onMark: (page: number, top: number) => void;
}

/** Something with pages that can be looked at. */
export interface PageSource {
  readonly count: number;
  /** Of the first page; the others are taken for alike until they are seen. */
  readonly ratio: number;
  readonly draw: (props: PageProps) => ReactNode;
  /** The address of a picture of the page that is fine enough for paper; of this document alone, so it is given back when it was printed. */
  readonly pictureOf: (page: number, signal: AbortSignal) => Promise<string>;
}
