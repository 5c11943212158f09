import type { ReactNode } from 'react';

interface Printing {
  readonly onProgress: (pages: number) => void;
  readonly signal: AbortSignal;
}

const sheetOf = async (address: string): Promise<HTMLImageElement> => {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  picture.className = picture.naturalWidth > picture.naturalHeight ? 'printed-page printed-page-wide' : 'printed-page';
  return picture;
};

/** Draws all pages, one after the other, and opens the browser's dialog for printing with nothing but them. Ends when that was closed. */
export const printPages = async (source: PageSource, { onProgress, signal }: Printing): Promise<void> => {
  const sheets = globalThis.document.createElement('div');
  sheets.className = 'printed-pages';
  sheets.ariaHidden = 'true';
  const addresses: string[] = [];
  globalThis.document.body.append(sheets);
  try {
    for (let page = 1; page <= source.count; page += 1) {
      const address = await source.pictureOf(page, signal);
      addresses.push(address);
      sheets.append(await sheetOf(address));
      signal.throwIfAborted();
      onProgress(page);
    }
    const closed = new Promise((resolve) => {
      globalThis.addEventListener('afterprint', resolve, { once: true });
    });
    globalThis.print();
    await closed;
  } finally {
    sheets.remove();
    for (const address of addresses) if (address.startsWith('blob:')) URL.revokeObjectURL(address);
  }
};

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
  /** The address of a picture of the page that is fine enough for paper; of this document alone, so it is released when it was printed. */
  readonly pictureOf: (page: number, signal: AbortSignal) => Promise<string>;
}
