import { type Db, isLostRace } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { compareTexts, prepareText } from './compare-texts.ts';
import { readBeginnings } from './page-texts.ts';
import { estimate, SIGNATURE_BYTES } from './signature.ts';
import { tokensOf } from './text-tokens.ts';

/** Two that are compared at once could each miss the other: one is done after the other, in all processes. */
const LOCK = 0x73_69_6d;
/** Candidates whose signatures are looked at, and those whose texts are. */
const MAX_CANDIDATES = 5_000;
const MAX_COMPARED = 12;
/** Estimates that even bad scans of one text reach. */
const MIN_WORDS = 0.12;

interface SignatureRow extends Record<string, unknown> {
  readonly document_id: string;
  readonly signature: Uint8Array;
}

/** Documents that have a band in common with this one: found by the index of bands, never by looking at all. The most likely first. */
const findCandidates = async (tx: Db, { document_id: id, signature }: SignatureRow): Promise<string[]> => {
  const { rows } = await tx.execute<SignatureRow>(sql`
    select document_id, signature from minhash_signatures
    where signature_bands(signature) && signature_bands(${signature}::bytea) and document_id <> ${id}
      and octet_length(signature) = ${SIGNATURE_BYTES}::int limit ${MAX_CANDIDATES}`);
  return rows
    .map((row) => ({ id: row.document_id, ...estimate(signature, row.signature) }))
    .filter(({ words }) => words >= MIN_WORDS)
    .toSorted((one, other) => other.words + 2 * other.numbers - one.words - 2 * one.numbers)
    .slice(0, MAX_COMPARED)
    .map((candidate) => candidate.id);
};

interface Pair {
  readonly id: string;
  readonly similarity: number;
}

const findPairs = async (tx: Db, row: SignatureRow): Promise<Pair[]> => {
  const candidates = await findCandidates(tx, row);
  if (candidates.length === 0) return [];
  const texts = await readBeginnings(tx, [row.document_id, ...candidates]);
  const own = prepareText(tokensOf(texts.get(row.document_id) ?? ''));
  return candidates.flatMap((id) => {
    const text = texts.get(id);
    if (text === undefined) return [];
    const { isNearDuplicate, similarity } = compareTexts(own, prepareText(tokensOf(text)));
    return isNearDuplicate ? [{ id, similarity }] : [];
  });
};

/** Those of the documents that are still there. They stay to the end of the transaction: locked before what goes with them, in the order of ids. */
const holdDocuments = async (tx: Db, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const { rows } = await tx.execute<{ id: string }>(
    sql`select id from documents where id = any(${sql.param([...ids])}::uuid[]) order by id for key share`,
  );
  return new Set(rows.map(({ id }) => id));
};

/** Replaces the pairs of a document; those that somebody dismissed stay dismissed. */
const storePairs = async (tx: Db, documentId: string, pairs: readonly Pair[]): Promise<void> => {
  await tx.execute(sql`delete from near_duplicates where (document_id = ${documentId} or other_id = ${documentId}) and not is_dismissed`);
  if (pairs.length === 0) return;
  const [ids, similarities] = [pairs.map(({ id }) => id), pairs.map(({ similarity }) => similarity)];
  await tx.execute(sql`
    insert into near_duplicates (document_id, other_id, similarity)
    select least(id, ${documentId}::uuid), greatest(id, ${documentId}::uuid), similarity
    from unnest(${sql.param(ids)}::uuid[], ${sql.param(similarities)}::real[]) as pair (id, similarity)
    on conflict (document_id, other_id) do update set similarity = excluded.similarity`);
};

/** Compares one document that waits for it with those that are there. Returns false where none waits. */
const compareNext = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
    const { rows } = await tx.execute<SignatureRow | { readonly document_id: string; readonly signature: null }>(
      sql`select document_id, signature from minhash_signatures where not is_compared order by document_id limit 1`,
    );
    const [row] = rows;
    if (row === undefined) return false;
    const { document_id: id, signature } = row;
    const pairs = signature === null ? [] : await findPairs(tx, row);
    const held = await holdDocuments(tx, [id, ...pairs.map((pair) => pair.id)]);
    if (!held.has(id)) return true;
    await storePairs(
      tx,
      id,
      pairs.filter((pair) => held.has(pair.id)),
    );
    // one that was replaced meanwhile waits again
    await tx.execute(sql`
      update minhash_signatures set is_compared = true where document_id = ${id} and signature is not distinct from ${signature}::bytea`);
    return true;
  });

/** Compares up to `limit` documents that wait for it. Returns whether there may be more. One that loses a race goes on waiting. */
export const compareWaiting = async (db: Db, limit: number, signal?: AbortSignal): Promise<boolean> => {
  for (let count = 0; count < limit; count += 1) {
    try {
      if (signal?.aborted === true || !(await compareNext(db))) return false;
    } catch (error) {
      if (!isLostRace(error)) throw error;
      return false;
    }
  }
  return true;
};
