import { type ComponentHealth, foundProblems, makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { type AlertAudience, clearAlert, raiseAlert } from '@sheaf/events/notifications';
import type { Live } from '@sheaf/process';
import {
  type CheckedFile,
  countFindings,
  type FindingCounts,
  forgetFileChecks,
  lockFindings,
  recordFileChecks,
} from './queries/stored-file-checks.ts';

/** What health and alerts call it. */
export const STORED_FILES = 'stored_files';

/** Before anything was looked at. */
export const NO_FINDINGS: FindingCounts = { missing: 0, changed: 0, unreadable: 0 };

const total = (counts: FindingCounts): number => counts.missing + counts.changed + counts.unreadable;

const problemIn = (counts: FindingCounts): ServiceProblem => {
  const { missing, changed: damaged, unreadable } = counts;
  return makeProblem('stored_files_damaged', { files: total(counts), missing, damaged, unreadable });
};

export const healthOfFindings = (counts: FindingCounts): ComponentHealth =>
  total(counts) === 0 ? { status: 'healthy' } : foundProblems('warning', [problemIn(counts)]);

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
      await raiseAlert(tx, alerts.current(), { component: STORED_FILES, level: levelOf(counts), problems: [problemIn(counts)] });
    else await clearAlert(tx, alerts.current(), { component: STORED_FILES, problems: [makeProblem('stored_files_valid')] });
    return counts;
  });

/** Writes down what was seen of files, and returns what is wrong now. The first finding, and the end of the last one, are told as alerts. */
export const noteFileChecks = (deps: FindingsDeps, checked: readonly CheckedFile[]): Promise<FindingCounts> =>
  changeFindings(deps, (tx) => recordFileChecks(tx, checked));

/** What is wrong now, without what went with its documents. */
export const currentFindings = (deps: FindingsDeps): Promise<FindingCounts> =>
  changeFindings(deps, (tx) => forgetFileChecks(tx, 'findings'));
