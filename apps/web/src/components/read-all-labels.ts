import type { Answer } from '../interface/call.ts';
import type { Label } from './label-picker.tsx';

/** More labels than that no screen can show any more. */
const MOST_PAGES = 50;

/** All pages of what `ask` answers, one after the other. */
export const readAllLabels = async (
  ask: (page: number) => Promise<Pick<Answer<'get /api/labels'>, 'labels' | 'pagination'>>,
): Promise<readonly Label[]> => {
  const all: Label[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { labels, pagination } = await ask(page);
    all.push(...labels);
    if (labels.length === 0 || all.length >= pagination.total) break;
  }
  return all;
};
