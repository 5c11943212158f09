import type { Db } from '@sheaf/db';
import { findStatisticsDifferences, rebuildStatistics, type StatisticsDifferences } from '@sheaf/search';
import type { Check, Difference } from './check.ts';

const describe = ({ words, examples, configurations }: StatisticsDifferences): string =>
  [
    words === 0 ? [] : [`${words} incorrect word counts (${examples.join(', ')}${words > examples.length ? ', ...' : ''})`],
    configurations.length === 0 ? [] : [`incorrect totals of ${configurations.join(', ')}`],
  ]
    .flat()
    .join('; ');

async function* find(db: Db): AsyncGenerator<Difference> {
  const difference = await findStatisticsDifferences(db);
  const finding = describe(difference);
  if (finding !== '') yield { subject: 'statistics', finding, repair: () => rebuildStatistics(db) };
}

/** The ranking knows in how many documents each word is. Comes after the index, whose repair it counts. */
export const searchStatistics: Check = { name: 'search-statistics', find };
