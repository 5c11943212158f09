import { uuidv7 } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import type { Client } from 'pg';
import { listPresentTables } from './catalog.ts';
import type { BackupManifest } from './manifest.ts';

const ANY_HASH = '0'.repeat(64);
const ANY_PLACE = `00/00/${ANY_HASH}`;

/** The tables that say where stored files are. A backup of an older version has not all of them. */
const TABLES_OF_FILES = ['documents', 'document_versions', 'trashed_files'] as const;

/** Makes the rows tell where `storage` has the documents' bytes. Works with any version of the schema. */
export const placeDocuments = async (client: Client, storage: Pick<Storage, 'pathOf'>): Promise<void> => {
  const path = storage.pathOf(documentKey(ANY_HASH));
  if (!path.endsWith(ANY_PLACE)) throw new Error(`storage path does not end with its key: ${path}`);
  for (const name of await listPresentTables(client, TABLES_OF_FILES))
    await client.query(
      `update ${name} set file_path = $1 || left(sha256, 2) || '/' || substr(sha256, 3, 2) || '/' || sha256
        where file_path <> $1 || left(sha256, 2) || '/' || substr(sha256, 3, 2) || '/' || sha256`,
      [path.slice(0, -ANY_PLACE.length)],
    );
};

/** Sealed values that open only with the APP_SECRET_KEY that they were sealed with. */
export interface SealedValues {
  readonly secondFactors: number;
  readonly sourcePasswords: number;
}

/**
 * Ends what was under way when the backup was made: whoever signed in then is signed out, tokens that work once may have worked,
 * what was being read is read again, and mail that waited has probably left since: who wants it sent after all may say so. To be called with the newest schema.
 */
export const settleRestored = async (client: Client, { created_at, service_version }: BackupManifest): Promise<SealedValues> => {
  await client.query('truncate sessions, one_time_tokens, stored_file_checks, import_attempts');
  await client.query(`with given_back as (
      update ocr_jobs set status = 'pending', lease_by = null, lease_until = null, claimed_at = null, processing_since = null, fence = fence + 1,
        attempts = greatest(attempts - 1, 0), due_at = least(due_at, now())
      where status = 'processing' returning document_id)
    update documents set status = 'pending', updated_at = now() where status = 'processing' or id in (select document_id from given_back)`);
  await client.query(`update deliveries set state = 'failed', lease_until = null, fence = fence + 1, last_status = null,
      last_error = 'A backup was restored. It is unknown whether this delivery was sent before.'
    where state in ('pending', 'sending')`);
  await client.query(
    `insert into audit_log (id, action, outcome, subject_type, details) values ($1, 'backup.restored', 'success', 'backup', $2)`,
    [uuidv7(), { created_at, service_version }],
  );
  const { rows } = await client.query<SealedValues>(`select
    (select count(*)::int from mfa_devices where secret is not null) as "secondFactors",
    (select count(*)::int from sources where sealed_secret is not null) as "sourcePasswords"`);
  return rows[0] ?? { secondFactors: 0, sourcePasswords: 0 };
};
