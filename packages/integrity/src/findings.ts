import type { ComponentHealth } from '@sheaf/contract';
import {
  type CheckedFile,
  countFindings,
  type Db,
  type FindingCounts,
  forgetFileChecks,
  lockFindings,
  recordEvent,
  recordFileCheck,
} from '@sheaf/db';

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
  const subject = total(counts) === 1 ? '1 stored file is not as it should be' : `${total(counts)} stored files are not as they should be`;
  return `${subject} (${parts.join(', ')}); run bin/sheaf verify to see which, and bin/sheaf verify --repair to put back those of which there is a right copy`;
};

export const healthOfFindings = (counts: FindingCounts): ComponentHealth =>
  total(counts) === 0 ? { status: 'healthy' } : { status: 'warning', message: describe(counts) };

/** 0 nothing, 1 what a disk may still give back, 2 bytes that are lost here. */
const gravity = (counts: FindingCounts): 0 | 1 | 2 => (counts.missing + counts.changed > 0 ? 2 : total(counts) > 0 ? 1 : 0);

/** Changes what is known of stored files, and tells when it becomes worse than it was, or when all is well again. */
const changeFindings = (db: Db, change: (tx: Db) => Promise<void>): Promise<FindingCounts> =>
  db.transaction(async (tx) => {
    await lockFindings(tx);
    const before = await countFindings(tx);
    await change(tx);
    const after = await countFindings(tx);
    const alert = { type: 'alert', component: STORED_FILES } as const;
    if (gravity(after) > gravity(before))
      await recordEvent(tx, { ...alert, level: gravity(after) === 2 ? 'critical' : 'warning', message: describe(after) }, null);
    if (total(before) > 0 && total(after) === 0)
      await recordEvent(tx, { ...alert, level: 'info', message: 'All stored files that were looked at are as they should be again' }, null);
    return after;
  });

/** Writes down what was seen of a file, and returns what is wrong now. The first finding, and the end of the last one, are told as alerts. */
export const noteFileCheck = (db: Db, checked: CheckedFile, now: Date): Promise<FindingCounts> =>
  changeFindings(db, (tx) => recordFileCheck(tx, checked, now));

/** What is wrong now, without what went with its documents. */
export const currentFindings = (db: Db): Promise<FindingCounts> => changeFindings(db, (tx) => forgetFileChecks(tx, 'findings'));
