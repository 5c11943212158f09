import type { ComponentHealth } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { type AlertAudience, clearAlert, raiseAlert } from '@sheaf/notifications';
import type { Live } from '@sheaf/process';
import {
  type CheckedFile,
  countFindings,
  type FindingCounts,
  forgetFileChecks,
  lockFindings,
  recordFileCheck,
} from './queries/stored-file-checks.ts';

/** What health and alerts call it. */
export const STORED_FILES = 'stored_files';

const NAMES = { missing: 'missing', changed: 'damaged', unreadable: 'unreadable' } as const;
const KINDS = Object.keys(NAMES) as (keyof typeof NAMES)[];

/** Before anything was looked at. */
export const NO_FINDINGS: FindingCounts = { missing: 0, changed: 0, unreadable: 0 };

const total = (counts: FindingCounts): number => KINDS.reduce((sum, kind) => sum + counts[kind], 0);

/** `2 stored files are not as they should be (1 missing, 1 damaged); ...`, with the way out. */
const describe = (counts: FindingCounts): string => {
  const parts = KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${NAMES[kind]}`);
  const subject = total(counts) === 1 ? '1 stored file is missing or damaged' : `${total(counts)} stored files are missing or damaged`;
  return `${subject} (${parts.join(', ')}). Run bin/sheaf verify to list them, and bin/sheaf verify --repair to restore those with a valid copy.`;
};

export const healthOfFindings = (counts: FindingCounts): ComponentHealth =>
  total(counts) === 0 ? { status: 'healthy' } : { status: 'warning', message: describe(counts) };

/** Bytes that are lost here are worse than what a disk may still give back. */
const levelOf = (counts: FindingCounts): 'critical' | 'warning' => (counts.missing + counts.changed > 0 ? 'critical' : 'warning');

/** Who keeps the findings, and who is told of them. */
export interface FindingsDeps {
  readonly db: Db;
  readonly alerts: Live<AlertAudience>;
}

/** Changes what is known of stored files, and tells when it becomes worse than it was, or when all is well again. */
const changeFindings = ({ db, alerts }: FindingsDeps, change: (tx: Db) => Promise<void>): Promise<FindingCounts> =>
  db.transaction(async (tx) => {
    await lockFindings(tx);
    await change(tx);
    const counts = await countFindings(tx);
    if (total(counts) > 0)
      await raiseAlert(tx, alerts.current(), { component: STORED_FILES, level: levelOf(counts), message: describe(counts) });
    else
      await clearAlert(tx, alerts.current(), {
        component: STORED_FILES,
        message: 'All checked stored files are valid again.',
      });
    return counts;
  });

/** Writes down what was seen of a file, and returns what is wrong now. The first finding, and the end of the last one, are told as alerts. */
export const noteFileCheck = (deps: FindingsDeps, checked: CheckedFile, now: Date): Promise<FindingCounts> =>
  changeFindings(deps, (tx) => recordFileCheck(tx, checked, now));

/** What is wrong now, without what went with its documents. */
export const currentFindings = (deps: FindingsDeps): Promise<FindingCounts> =>
  changeFindings(deps, (tx) => forgetFileChecks(tx, 'findings'));
