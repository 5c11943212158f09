import type { BackupManifest, RestoreResult } from '@sheaf/backup';
import type { RestoredSecrets } from '@sheaf/config';
import { formatBytes, formatCount, formatPace } from '../progress/figures.ts';

const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** What was done, in figures. */
export const summarise = ({ files, previews }: BackupManifest, { files: tally, database }: RestoreResult, elapsedMs: number): string => {
  const bytes = files.bytes + previews.bytes;
  return toText([
    `files: ${formatCount(files.count + previews.count)} (${formatBytes(bytes)}): ${formatCount(tally.stored)} stored, ${formatCount(tally.present)} already present, ${formatCount(tally.replaced)} damaged ones replaced`,
    `database: ${database.tables} tables, ${formatCount(database.rows)} rows, ${formatBytes(database.bytes)}, each compared with the backup`,
    `done in ${formatPace(bytes + database.bytes, elapsedMs)}`,
  ]);
};

export interface Restored {
  readonly manifest: BackupManifest;
  readonly result: RestoreResult;
  readonly secrets: RestoredSecrets;
  readonly differences: readonly string[];
}

const describeSecrets = ({ secrets, result }: Restored): string[] => {
  const { secondFactors, sourcePasswords } = result.database.sealed;
  if (secrets.kind === 'replaced') return [`secrets: restored from the backup; the previous ones are in ${secrets.keptPath}`];
  if (secrets.kind === 'unchanged' || secondFactors + sourcePasswords === 0) return [];
  return [
    `secrets: not in the backup. ${formatCount(secondFactors)} second factors and the passwords of ${formatCount(sourcePasswords)} sources require the original key: set APP_SECRET_KEY to the value of the backed-up service (its configuration, or app_secret_key in its secrets.json)`,
  ];
};

const describeMissing = ({ result }: Restored): string[] =>
  result.missing.flatMap(({ document_ids }) =>
    document_ids.map((id) => `document ${id}: its file was already missing when the backup was created; upload it again, or delete it`),
  );

const describeForeign = ({ result }: Restored): string[] =>
  result.database.foreignTables.map((name) => `unknown table ${name} of the backup skipped`);

const describeDifferences = ({ differences }: Restored): string[] =>
  differences.length === 0 ? [] : ['configuration differences to the backup:', ...differences.map((difference) => `  ${difference}`)];

/** What the person has to know and to do now. */
export const describeRest = (restored: Restored): string =>
  toText([
    `restored: backup of ${restored.manifest.created_at}; all users must sign in again`,
    ...describeMissing(restored),
    ...describeForeign(restored),
    ...describeSecrets(restored),
    ...describeDifferences(restored),
    'next: start Sheaf and check /api/health; bin/sheaf verify verifies all files',
  ]);
