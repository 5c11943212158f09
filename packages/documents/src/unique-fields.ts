import { codedError } from '@sheaf/contract';
import { type Db, documentsFor, type ScopedPrincipal, violates } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { UniqueField } from '@sheaf/vocabulary/document-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';

/** What no two documents of one owner have both, beside their bytes. */
export interface UniqueFields {
  readonly archiveNumber?: number | null | undefined;
}

/** The errors of routes that give documents such values. */
export const UNIQUE_FIELD_ERRORS = { ARCHIVE_NUMBER_TAKEN: 'DUPLICATE_RESOURCE' } as const;

const NUMBER_KEY = 'documents_archive_number_key';
/** What nobody has twice. */
const TWIN_KEYS = ['documents_owner_sha256_key', NUMBER_KEY] as const;

/** Whether a statement was refused because the owner has got the same file, or the same value, meanwhile. */
export const isTakenMeanwhile = (error: unknown): boolean => TWIN_KEYS.some((name) => violates(error, name));

const fieldTaken = ({ archiveNumber }: UniqueFields) =>
  codedError('DUPLICATE_RESOURCE', 'ARCHIVE_NUMBER_TAKEN', { archive_number: archiveNumber });

/** The error to throw where a change was refused because another document of the owner has the value; undefined for any other one. */
export const fieldTakenBy = (error: unknown, fields: UniqueFields) => (violates(error, NUMBER_KEY) ? fieldTaken(fields) : undefined);

/** The advisory lock under which a number is given to a document ("asn" in hexadecimal). */
const ARCHIVE_NUMBER_LOCK = 0x61_73_6e;

/** Nobody gives the numbers meanwhile, until the end of the transaction. In order, or two could wait for each other. */
const holdNumbers = async (tx: Db, numbers: readonly number[]): Promise<void> => {
  await tx.execute(sql`
    select pg_advisory_xact_lock(${ARCHIVE_NUMBER_LOCK}, number)
    from (select distinct number from unnest(${sql.param([...numbers])}::int[]) as number order by number) as ordered`);
};

const isNumberTaken = async (db: Db, reader: ScopedPrincipal, archiveNumber: number, except: string | undefined): Promise<boolean> => {
  const isOther = except === undefined ? sql`true` : sql`id <> ${except}`;
  const { rows } = await db.execute(sql`
    select from documents where archive_number = ${archiveNumber} and ${isOther} and ${documentsFor(reader, 'documents.read')} limit 1`);
  return rows.length > 0;
};

/** Throws ARCHIVE_NUMBER_TAKEN where a document that `reader` may read has the number by now. */
export const requireFreeNow = async (db: Db, reader: ScopedPrincipal, fields: UniqueFields, except?: string): Promise<void> => {
  const { archiveNumber } = fields;
  if (archiveNumber != null && (await isNumberTaken(db, reader, archiveNumber, except))) throw fieldTaken(fields);
};

/** The same for a document that is given the values in this transaction, until whose end nobody else gives them. */
export const requireFreeFields = async (tx: Db, reader: ScopedPrincipal, fields: UniqueFields, id: string): Promise<void> => {
  if (fields.archiveNumber == null) return;
  await holdNumbers(tx, [fields.archiveNumber]);
  await requireFreeNow(tx, reader, fields, id);
};

/** By field, the number after the highest one of the documents that `reader` may read. */
export const nextNumbers = async (db: Db, reader: Principal): Promise<Readonly<Record<UniqueField['key'], number>>> => {
  const [row] = await db
    .select({ next: sql<number>`coalesce(max(${documents.archiveNumber}), 0) + 1` })
    .from(documents)
    .where(documentsFor(reader, 'documents.read'));
  return { archive_number: row?.next ?? 1 };
};

/** SQL for whether any document has one of the values, whoever owns it. */
export const areTaken = ({ archiveNumber }: UniqueFields): SQL<boolean> =>
  sql`exists (select from documents where archive_number = ${archiveNumber ?? null}::int)`;

/** Whether a document that was to be made with `wanted` came to be without one of its values. */
export const lacksFields = (wanted: UniqueFields, made: UniqueFields | undefined): boolean =>
  wanted.archiveNumber !== (made?.archiveNumber ?? undefined);

/** A document that is to be made. */
interface NewRow extends UniqueFields {
  readonly ownerId: string;
  readonly sha256: string;
}

/**
 * The rows without the values that another document has, whoever owns it, or an earlier one of the rows gets. Until the end of the
 * transaction nobody else gives them: statements that insert at the same time do not see each other's.
 */
export const withFreeFields = async <R extends NewRow>(tx: Db, rows: readonly R[]): Promise<readonly R[]> => {
  const wanted = rows.flatMap(({ ownerId, sha256, archiveNumber }, place) =>
    archiveNumber == null ? [] : [{ place, owner_id: ownerId, sha256, number: archiveNumber }],
  );
  if (wanted.length === 0) return rows;
  await holdNumbers(
    tx,
    wanted.map(({ number }) => number),
  );
  // one that is not inserted, as its owner has these bytes, takes the number from no other one
  const { rows: free } = await tx.execute<{ place: number }>(sql`
    select distinct on (number) place
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as g (place int, owner_id uuid, sha256 text, number int)
    where not exists (select from documents as other where other.archive_number = g.number)
      and not exists (select from documents as twin where twin.owner_id = g.owner_id and twin.sha256 = g.sha256)
    order by number, place`);
  const places = new Set(free.map(({ place }) => place));
  return rows.map((row, place) => (places.has(place) ? row : { ...row, archiveNumber: null }));
};

/** By column, SQL for the value of a row in the trash, or null where another document of its owner has it by now. */
export const freeOfTrashed = (trashed: SQL): Readonly<Record<string, SQL>> => ({
  archive_number: sql`case when not exists (
      select from documents as other where other.owner_id = ${trashed}.owner_id and other.archive_number = ${trashed}.archive_number
    ) then archive_number end`,
});

/**
 * Takes from a document that is coming back, and whose row is in the trash still, the number that one has which `reader` may read, as
 * nobody gives such a number. Answers the number that it had and comes back without.
 */
export const leaveTakenFields = async (tx: Db, id: string, reader: ScopedPrincipal | undefined): Promise<number | undefined> => {
  const { rows } = await tx.execute<{ had: number | null; has: number | null }>(sql`
    select trashed.archive_number as had, documents.archive_number as has
    from trashed_documents as trashed join documents using (id) where id = ${id}`);
  const { had, has } = rows[0] ?? { had: null, has: null };
  if (had === null) return undefined;
  if (has === null) return had;
  if (reader === undefined) return undefined;
  await holdNumbers(tx, [has]);
  if (!(await isNumberTaken(tx, reader, has, id))) return undefined;
  await tx.execute(sql`update documents set archive_number = null where id = ${id}`);
  return had;
};
