import type { BulkFilterBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { Selection } from '@sheaf/documents';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { toFilter } from './document-filter.ts';

interface Chosen {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: BulkFilterBody | undefined;
}

/** The documents that a request about many of them names. */
export const readSelection = async (db: Db, principal: Principal, { ids = [], filter }: Chosen): Promise<Selection> =>
  filter === undefined
    ? { ids: [...new Set(ids)] }
    : { filter: toFilter(filter, await fieldConditions(db, principal, filter.fields, 'filter.fields')) };
