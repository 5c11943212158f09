import type { BulkFilterBody } from '@sheaf/contract/documents';
import type { Selection } from '@sheaf/documents';
import { toFilter } from './document-filter.ts';

interface Chosen {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: BulkFilterBody | undefined;
}

/** The documents that a request about many of them names. */
export const toSelection = ({ ids = [], filter }: Chosen): Selection =>
  filter === undefined ? { ids: [...new Set(ids)] } : { filter: toFilter(filter) };
