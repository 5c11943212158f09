import type { PDFPageProxy } from 'pdfjs-dist';
import { markWords } from '../marked-words.ts';

interface PdfText {
  readonly page: PDFPageProxy;
  /** Pixels of the screen for each unit of the page. */
  readonly scale: number;
  readonly container: HTMLElement;
  /** To be marked, as `wordsOf` gives them. */
  readonly wanted: readonly string[];
  readonly signal: AbortSignal;
}

const markIn = (element: HTMLElement, text: string, wanted: readonly string[]): void => {
  const parts = markWords(text, wanted);
  if (!parts.some(({ isMarked }) => isMarked)) return;
  element.replaceChildren(
    ...parts.map((part) => {
      if (!part.isMarked) return part.text;
      const mark = document.createElement('mark');
      mark.textContent = part.text;
      return mark;
    }),
  );
};

/** Lays the words of a page of a PDF over its picture, and marks those that are wanted. A word that the file has in pieces is not found. */
export const layText = async ({ page, scale, container, wanted, signal }: PdfText): Promise<void> => {
  const { TextLayer } = await import('pdfjs-dist');
  if (signal.aborted) return;
  container.replaceChildren();
  container.style.setProperty('--total-scale-factor', String(scale));
  const layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport: page.getViewport({ scale }) });
  signal.addEventListener('abort', () => layer.cancel(), { once: true });
  await layer.render();
  for (const [index, element] of layer.textDivs.entries()) markIn(element, layer.textContentItemsStr[index] ?? '', wanted);
};
