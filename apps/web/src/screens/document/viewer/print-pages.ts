import type { PageSource } from './page-source.ts';

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
