import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { type StoredFileCheck, storedFileChecks } from '@sheaf/db/schema';

/** What can be wrong with a stored original. */
export type StoredFileFinding = NonNullable<StoredFileCheck['finding']>;

/** An original that documents, their earlier versions or the trash refer to. */
export interface ReferencedFile {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** One that is due to be read again, and until when that should have happened. */
export interface DueFile extends ReferencedFile {
  readonly deadline: Date;
}

interface DueRow extends Record<string, unknown> {
  readonly sha256: string;
  readonly size_bytes: string;
  readonly since: Date;
}

/** Those that were never looked at, the oldest documents first among as many as are found at once. */
const selectUnchecked = (limit: number) => sql`
  select sha256, max(size_bytes) as size_bytes, min(created_at) as since from kept_files
  where not exists (select from stored_file_checks as checks where checks.sha256 = kept_files.sha256)
  group by sha256 order by since limit ${limit}`;

const selectOldest = (before: Date, limit: number) => sql`
  select checks.sha256, (select max(size_bytes) from kept_files where kept_files.sha256 = checks.sha256) as size_bytes, checked_at as since
  from stored_file_checks as checks
  where checked_at < ${before.toISOString()}::timestamptz and exists (select from kept_files where kept_files.sha256 = checks.sha256)
  order by checked_at limit ${limit}`;

export interface DueRequest {
  readonly now: Date;
  /** How long after its last time a file is due again. */
  readonly dueAfterMs: number;
  /** How long after it, or after its document came, a file is late. */
  readonly periodMs: number;
  readonly limit: number;
}

/**
 * The originals that are to be read next: first those that never were, then the ones whose last time is the longest ago. Reads
 * through the hashes of all of them: 1 s for a million.
 */
export const findDueFiles = async (db: Db, { now, dueAfterMs, periodMs, limit }: DueRequest): Promise<DueFile[]> => {
  const { rows: unchecked } = await db.execute<DueRow>(selectUnchecked(limit));
  const before = new Date(now.getTime() - dueAfterMs);
  const { rows: oldest } =
    unchecked.length < limit ? await db.execute<DueRow>(selectOldest(before, limit - unchecked.length)) : { rows: [] };
  return [...unchecked, ...oldest].map(({ sha256, size_bytes, since }) => ({
    sha256,
    sizeBytes: Number(size_bytes),
    deadline: new Date(new Date(since).getTime() + periodMs),
  }));
};

export interface CheckedFile {
  readonly sha256: string;
  /** Undefined: its bytes have this hash. */
  readonly finding: StoredFileFinding | undefined;
  /** When it was looked at. */
  readonly at: Date;
}

/**
 * Writes down what was seen of files, each once. A finding that was known keeps the time since when, and stays where the file was found
 * right before: what somebody else saw meanwhile is newer. Nothing is written of bytes that no document has any more.
 */
export const recordFileChecks = async (tx: Db, checked: readonly CheckedFile[]): Promise<void> => {
  const times = checked.map(({ at }) => at.toISOString());
  const hashes = checked.map(({ sha256 }) => sha256);
  const findings = checked.map(({ finding }) => finding ?? null);
  await tx.execute(sql`
    insert into stored_file_checks as known (sha256, checked_at, finding, found_at)
    select sha256, at, finding, case when finding is not null then at end
    from unnest(${sql.param(hashes)}::text[], ${sql.param(findings)}::text[], ${sql.param(times)}::timestamptz[]) as seen (sha256, finding, at)
    where exists (select from kept_files where kept_files.sha256 = seen.sha256)
    on conflict (sha256) do update set
      checked_at = excluded.checked_at,
      finding = excluded.finding,
      found_at = case when excluded.finding is not null then coalesce(known.found_at, excluded.found_at) end
    where excluded.finding is not null or known.checked_at <= excluded.checked_at`);
};

/** How many originals are known to be wrong, by what is wrong with them. */
export type FindingCounts = Readonly<Record<StoredFileFinding, number>>;

export const countFindings = async (db: Db): Promise<FindingCounts> => {
  const counts = { missing: 0, changed: 0, unreadable: 0 };
  const { rows } = await db.execute<{ finding: StoredFileFinding; files: number }>(
    sql`select finding, count(*)::int as files from stored_file_checks where finding is not null group by finding`,
  );
  for (const { finding, files } of rows) counts[finding] = files;
  return counts;
};

/** The one that is wrong and was not looked at since `before` for the longest time. */
export const findOldestFinding = async (db: Db, before: Date): Promise<StoredFileCheck | undefined> =>
  (
    await db
      .select()
      .from(storedFileChecks)
      .where(sql`${storedFileChecks.finding} is not null and ${storedFileChecks.checkedAt} <= ${before.toISOString()}::timestamptz`)
      .orderBy(storedFileChecks.checkedAt)
      .limit(1)
  )[0];

/** Forgets what was seen of bytes that nothing refers to any more; only the findings among them where `scope` says so. */
export const forgetFileChecks = async (tx: Db, scope: 'findings' | 'all'): Promise<void> => {
  await tx.execute(sql`
    delete from stored_file_checks as checks
    where ${scope === 'findings' ? sql`finding is not null` : sql`true`}
      and not exists (select from kept_files where kept_files.sha256 = checks.sha256)`);
};

/** First and only key of the lock under which findings come and go ("shf" in hexadecimal). */
const FINDINGS_LOCK = 0x73_68_66;

/** Holds the findings until the end of the transaction, so that the first and the last one are told once. */
export const lockFindings = async (tx: Db): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${FINDINGS_LOCK})`);
};

export interface StoredFileTotals {
  readonly files: number;
  readonly bytes: number;
  readonly unchecked: number;
  /** When the file was read whose last time is the longest ago; undefined while there is none. */
  readonly oldestCheckAt: Date | undefined;
}

/** How many originals there are, and how far they were looked at. Reads through the hashes of all of them: 1 s for a million. */
export const readStoredFileTotals = async (db: Db): Promise<StoredFileTotals> => {
  const { rows } = await db.execute<{ files: number; bytes: string; unchecked: number; oldest: Date | null }>(sql`
    select count(*)::int as files, coalesce(sum(size_bytes), 0) as bytes,
      (count(*) filter (where checked_at is null))::int as unchecked, min(checked_at) as oldest
    from (select sha256, max(size_bytes) as size_bytes from kept_files group by sha256) as files left join stored_file_checks using (sha256)`);
  const row = rows[0];
  if (row === undefined) throw new Error('an aggregate returned no row');
  const oldestCheckAt = row.oldest === null ? undefined : new Date(row.oldest);
  return { files: row.files, bytes: Number(row.bytes), unchecked: row.unchecked, oldestCheckAt };
};

/** An original with the documents that are its, also those in the trash. */
export interface FileOfDocuments extends ReferencedFile {
  readonly documentIds: readonly string[];
  /** What is known to be wrong with it. */
  readonly finding: StoredFileFinding | undefined;
}

/** The originals in the order of their hashes, `limit` at most, from behind `after`. */
export const listReferencedFiles = async (db: Db, after: string, limit: number): Promise<FileOfDocuments[]> => {
  const { rows } = await db.execute<{ sha256: string; size_bytes: string; ids: string[]; finding: StoredFileFinding | null }>(sql`
    select sha256, size_bytes, ids, finding
    from (
      select sha256, max(size_bytes) as size_bytes, array_agg(distinct document_id::text) as ids from kept_files
      where sha256 > ${after} group by sha256 order by sha256 limit ${limit}
    ) as files left join stored_file_checks using (sha256)
    order by sha256`);
  return rows.map((row) => ({
    sha256: row.sha256,
    sizeBytes: Number(row.size_bytes),
    documentIds: row.ids,
    finding: row.finding ?? undefined,
  }));
};

/** The documents that have these bytes, now or in an earlier version, also those in the trash. */
export const listDocumentsOfBytes = async (db: Db, sha256: string): Promise<string[]> =>
  (
    await db.execute<{ id: string }>(sql`select distinct document_id as id from kept_files where sha256 = ${sha256} order by document_id`)
  ).rows.map(({ id }) => id);

/** How many different originals there are. */
export const countReferencedFiles = async (db: Db): Promise<number> =>
  (await db.execute<{ files: number }>(sql`select count(distinct sha256)::int as files from kept_files`)).rows[0]?.files ?? 0;

/** How many different files are kept, and their bytes. */
export const measureReferencedFiles = async (db: Db): Promise<{ files: number; bytes: number }> => {
  const { rows } = await db.execute<{ files: number; bytes: string }>(
    sql`select count(*)::int as files, coalesce(sum(size_bytes), 0)::text as bytes
      from (select sha256, max(size_bytes) as size_bytes from kept_files group by sha256) as files`,
  );
  return { files: rows[0]?.files ?? 0, bytes: Number(rows[0]?.bytes ?? 0) };
};
