import type { ServiceProblem } from '@sheaf/contract/operations';
import type { AlertLevel } from '@sheaf/vocabulary/events';

/** Something that is wrong at this look. */
export interface Condition {
  /** Such as `file_storage`. */
  readonly component: string;
  readonly level: Exclude<AlertLevel, 'info'>;
  /** What it is and what to do. */
  readonly problems: readonly ServiceProblem[];
}
