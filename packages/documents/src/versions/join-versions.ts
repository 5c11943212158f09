import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { MAX_NOTES } from '@sheaf/vocabulary/limits';
import { keepVersion } from './replace-content.ts';

/** Beyond the number of every version: what is numbered anew passes through it, so that no two have the same number on the way. */
const ASIDE = 1_000_000_000;

interface Renumbering {
  readonly from: readonly { readonly document_id: string; readonly version: number }[];
  /** The number of each, in the same order. */
  readonly to: readonly number[];
}

/** Gives versions other numbers, of the document `id`. */
const renumber = async (tx: Db, id: string, { from, to }: Renumbering): Promise<void> => {
  const moves = sql`unnest(${sql.param(from.map((one) => one.document_id))}::uuid[], ${sql.param(from.map(({ version }) => version))}::int[],
    ${sql.param([...to])}::int[]) as moves (document_id, version, new_version)`;
  await tx.execute(sql`
    insert into document_versions (document_id, version, filename, mime_type, size_bytes, sha256, file_path, page_count, ocr_language,
      ocr_confidence, language, source, source_id, created_at, replaced_at)
    select ${id}::uuid, new_version, filename, mime_type, size_bytes, sha256, file_path, page_count, ocr_language, ocr_confidence, language, source,
      source_id, created_at, replaced_at
    from document_versions join ${moves} using (document_id, version)`);
  await tx.execute(sql`
    update document_version_pages as pages set document_id = ${id}::uuid, version = new_version
    from ${moves} where pages.document_id = moves.document_id and pages.version = moves.version`);
  await tx.execute(sql`
    delete from document_versions as versions using ${moves}
    where versions.document_id = moves.document_id and versions.version = moves.version`);
};

/**
 * Makes the files of the document `other` earlier versions of the document `id`, in the order of their time; its newest file stays the
 * newest. Both are locked. What remembers `other` as what a file became remembers `id` from then on, and `other` is left to be deleted.
 * Returns the number of the newest version.
 */
export const joinVersions = async (tx: Db, id: string, other: string): Promise<number> => {
  await keepVersion(tx, other);
  const { rows } = await tx.execute<{ document_id: string; version: number }>(sql`
    select document_id, version from document_versions where document_id in (${id}, ${other}) order by created_at, document_id, version`);
  const aside = rows.map((_row, at) => ASIDE + at + 1);
  await renumber(tx, id, { from: rows, to: aside });
  await renumber(tx, id, { from: aside.map((version) => ({ document_id: id, version })), to: rows.map((_row, at) => at + 1) });
  const newest = rows.length + 1;
  await tx.execute(sql`update documents set version = ${newest}, updated_at = now() where id = ${id}`);
  await tx.execute(sql`update source_files set document_id = ${id} where document_id = ${other}`);
  await tx.execute(sql`update ingest_ledger set document_id = ${id} where document_id = ${other}`);
  return newest;
};

/** Moves the notes of one document to another, both of which are locked. Returns how many that one has then. Throws `too_many_notes`. */
export const moveNotes = async (tx: Db, from: string, to: string): Promise<number> => {
  const { rowCount } = await tx.execute(sql`update document_notes set document_id = ${to} where document_id = ${from}`);
  const { rows } = await tx.execute<{ notes_count: number }>(
    sql`update documents set notes_count = notes_count + ${rowCount ?? 0} where id = ${to} returning notes_count`,
  );
  await tx.execute(sql`update documents set notes_count = 0 where id = ${from}`);
  const notesCount = rows[0]?.notes_count ?? 0;
  if ((rowCount ?? 0) > 0 && notesCount > MAX_NOTES) throw reasonedError('VALIDATION_ERROR', 'too_many_notes', { limit: MAX_NOTES });
  return notesCount;
};
