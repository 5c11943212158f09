import { FILING_CALLS, type FilingKind } from '../../components/filing-kinds.ts';
import type { Operation } from '../../interface/call.ts';

/** What is asked again after a change of an entry. */
export const touchedBy = (kind: FilingKind): readonly Operation[] => [
  FILING_CALLS[kind].list,
  FILING_CALLS[kind].read,
  'get /api/documents',
  'get /api/documents/{id}',
];
