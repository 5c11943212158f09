import type { Db } from '@sheaf/db';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { ImportItems } from '../import-items.ts';
import type { ImportReport } from '../report.ts';

/** What the parts of an import work with. */
export interface ForeignContext {
  readonly db: Db;
  readonly items: ImportItems;
  readonly report: ImportReport;
  /** Who requested the import: everything is made in this user's name, and within these permissions. */
  readonly by: Principal;
  /** Who gets the documents. */
  readonly ownerId: string;
  /** What the other system is called here, as in the ids of its documents. */
  readonly source: string;
}
