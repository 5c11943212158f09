import type { Db } from '@sheaf/db';
import { countTallyDifferences, rebuildDocumentTallies } from '@sheaf/integrity';
import type { Check, Difference } from './check.ts';

async function* find(db: Db): AsyncGenerator<Difference> {
  const differences = await countTallyDifferences(db);
  if (differences > 0)
    yield { subject: 'tallies', finding: `${differences} incorrect document counts`, repair: () => rebuildDocumentTallies(db) };
}

/** Totals of lists and labels are kept beside the documents they count. */
export const documentTallies: Check = { name: 'document-tallies', find };
