import { call } from '../../../interface/call.ts';
import { markWords } from '../marked-words.ts';

/** As many pages as one answer has. */
const BLOCK = 20;

const hasHit = (text: string, wanted: readonly string[]): boolean => markWords(text, wanted).some(({ isMarked }) => isMarked);

const pagesWithHits = async (documentId: string, from: number, wanted: readonly string[]): Promise<readonly number[]> => {
  const { pages } = await call('get /api/documents/{id}/pages', { params: { id: documentId }, query: { from, to: from + BLOCK - 1 } });
  return pages.filter(({ content }) => hasHit(content, wanted)).map(({ page }) => page);
};

interface Hunt {
  readonly documentId: string;
  readonly count: number;
  readonly wanted: readonly string[];
  /** The page that is left behind. */
  readonly after: number;
  readonly step: 1 | -1;
}

/** The next page, or the one before, with a word that is wanted, going round at the end; undefined where there is none. */
export const findHitPage = async ({ documentId, count, wanted, after, step }: Hunt): Promise<number | undefined> => {
  if (wanted.length === 0) return undefined;
  const blocks = Math.ceil(count / BLOCK);
  const own = Math.floor((after - 1) / BLOCK);
  // the own block first and last: what lies behind the page, and what lies before it when all others were looked through
  for (let look = 0; look <= blocks; look += 1) {
    const block = (((own + step * look) % blocks) + blocks) % blocks;
    const pages = await pagesWithHits(documentId, block * BLOCK + 1, wanted);
    const fitting = look === 0 ? pages.filter((page) => (step === 1 ? page > after : page < after)) : pages;
    const found = step === 1 ? fitting[0] : fitting.at(-1);
    if (found !== undefined) return found;
  }
  return undefined;
};
