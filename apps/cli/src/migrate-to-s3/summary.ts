import type { Survey } from './survey.ts';
import type { Tally } from './tally.ts';

const MEGABYTE = 1_000_000;

type Row = readonly [name: string, value: string | number];

/** A name and a value a line, for people and for `awk`. */
const toLines = (rows: readonly Row[]): string => rows.map(([name, value]) => `${name.padEnd(16)}${value}\n`).join('');

const rowsUnless = (isLeftOut: boolean, ...rows: readonly Row[]): readonly Row[] => (isLeftOut ? [] : rows);

/** What a run did. */
export const summariseRun = (tally: Tally, seconds: number, hasVerified: boolean): string =>
  toLines([
    ['moved', tally.moved],
    ['documents', tally.documents],
    ['skipped', tally.skipped],
    ['missing', tally.missing],
    ['damaged', tally.damaged],
    ['failed', tally.failed],
    ['old_removed', tally.removedCopies],
    ...rowsUnless(tally.keptCopies === 0, ['old_kept', tally.keptCopies]),
    ...rowsUnless(!hasVerified, ['verified', tally.verified], ['mismatched', tally.mismatched]),
    ...rowsUnless(
      tally.rolledBack + tally.notRolledBack === 0,
      ['rolled_back', tally.rolledBack],
      ['not_rolled_back', tally.notRolledBack],
    ),
    ['bytes', tally.bytes],
    ['seconds', seconds.toFixed(1)],
    ['MB/s', (tally.bytes / MEGABYTE / Math.max(seconds, 0.001)).toFixed(1)],
  ]);

/** What a run would do, and what was verified now. */
export const summariseSurvey = (survey: Survey, verified: Tally | undefined): string => {
  const { files, bytes, alreadyThere, missing, damaged, oldCopies, unreachable } = survey;
  const verifiedRows: readonly Row[] =
    verified === undefined
      ? []
      : [
          ['verified', verified.verified],
          ['mismatched', verified.mismatched],
        ];
  return toLines([
    ['to_move', files],
    ['already_there', alreadyThere],
    ['missing', missing],
    ['damaged', damaged],
    ['old_to_remove', oldCopies],
    ...verifiedRows,
    ['bytes', bytes],
    ['target', unreachable === undefined ? 'reachable' : `not available: ${unreachable}`],
  ]);
};
