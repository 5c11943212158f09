import type { Import } from '@sheaf/db/schema';
import type { SheafEvent } from '@sheaf/vocabulary/events';

/** What those hear who may start imports. */
export const importEvent = (row: Pick<Import, 'id' | 'state' | 'phase' | 'documentsDone' | 'documentsTotal'>): SheafEvent => ({
  type: 'import_progress',
  import_id: row.id,
  state: row.state,
  phase: row.phase,
  done: row.documentsDone,
  total: row.documentsTotal,
});
