import type { ReactNode } from 'react';

/** A part of a page, in fractions of it from its top left corner. A new one each time that somebody wants to see it. */
export interface Highlight {
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Letters reach over the box of their words. */
const MARGIN = 0.004;

/** A frame around a part of a page. */
export const PageHighlight = ({ x, y, width, height }: Highlight): ReactNode => (
  <div
    className="viewer-highlight"
    aria-hidden
    style={{
      left: `${(x - MARGIN) * 100}%`,
      top: `${(y - MARGIN) * 100}%`,
      width: `${(width + 2 * MARGIN) * 100}%`,
      height: `${(height + 2 * MARGIN) * 100}%`,
    }}
  />
);
