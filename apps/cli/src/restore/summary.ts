import type { BackupManifest, RestoreResult } from '@sheaf/backup';
import type { RestoredSecrets } from '@sheaf/config';
import { formatBytes, formatCount, formatPace } from '../backup/figures.ts';

const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** What was done, in figures. */
export const summarise = ({ files, previews }: BackupManifest, { files: tally, database }: RestoreResult, elapsedMs: number): string => {
  const bytes = files.bytes + previews.bytes;
  return toText([
    `files: ${formatCount(files.count + previews.count)} (${formatBytes(bytes)}): ${formatCount(tally.stored)} stored, ${formatCount(tally.present)} were there, ${formatCount(tally.replaced)} damaged ones replaced`,
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
  if (secrets.kind === 'replaced') return [`secrets: those of the backup are in use; the ones before are in ${secrets.keptPath}`];
  if (secrets.kind === 'unchanged' || secondFactors + sourcePasswords === 0) return [];
  return [
    `secrets: the backup has none. ${formatCount(secondFactors)} second factors and the passwords of ${formatCount(sourcePasswords)} sources open only with the key they were sealed with: set APP_SECRET_KEY to that of the service that was backed up (app_secret_key in its secrets.json, unless it was set there)`,
  ];
};

const describeMissing = ({ result }: Restored): string[] =>
  result.missing.flatMap(({ document_ids }) =>
    document_ids.map((id) => `document ${id}: its file was lost already when the backup was made; upload it again, or delete it`),
  );

const describeForeign = ({ result }: Restored): string[] =>
  result.database.foreignTables.map((name) => `table ${name} of the backup is not one of Sheaf; it was left out`);

const describeDifferences = ({ differences }: Restored): string[] =>
  differences.length === 0
    ? []
    : ['configured otherwise than when the backup was made:', ...differences.map((difference) => `  ${difference}`)];

/** What the person has to know and to do now. */
export const describeRest = (restored: Restored): string =>
  toText([
    `restored: the state of ${restored.manifest.created_at}; everyone has to sign in again`,
    ...describeMissing(restored),
    ...describeForeign(restored),
    ...describeSecrets(restored),
    ...describeDifferences(restored),
    'next: start Sheaf, and look at /api/health; bin/sheaf verify compares everything once more',
  ]);
