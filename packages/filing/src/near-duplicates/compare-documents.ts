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
/** Documents that are compared in one transaction: many come at once, and each statement around them costs as much as for one. */
const AT_ONCE = 20;
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

/** What is known of a document that waited: the pairs that take the place of those that it had. */
interface Compared {
  readonly row: WaitingRow;
  readonly pairs: readonly Pair[];
}

interface WaitingRow extends Record<string, unknown> {
  readonly document_id: string;
  readonly signature: Uint8Array | null;
}

/** Replaces the pairs of documents; those that somebody dismissed stay dismissed. */
const storePairs = async (tx: Db, compared: readonly Compared[]): Promise<void> => {
  const ids = sql`any(${sql.param(compared.map(({ row }) => row.document_id))}::uuid[])`;
  await tx.execute(sql`delete from near_duplicates where (document_id = ${ids} or other_id = ${ids}) and not is_dismissed`);
  const places = new Map(compared.map(({ row }, place) => [row.document_id, place]));
  // of two that were both compared now, the later one says whether they are a pair
  const pairs = compared.flatMap(({ row, pairs: found }, place) =>
    found.filter(({ id }) => (places.get(id) ?? -1) < place).map(({ id, similarity }) => ({ one: row.document_id, other: id, similarity })),
  );
  if (pairs.length === 0) return;
  const column = (values: readonly unknown[]) => sql.param([...values]);
  await tx.execute(sql`
    insert into near_duplicates (document_id, other_id, similarity)
    select least(one, other), greatest(one, other), similarity
    from unnest(${column(pairs.map(({ one }) => one))}::uuid[], ${column(pairs.map(({ other }) => other))}::uuid[],
      ${column(pairs.map(({ similarity }) => similarity))}::real[]) as pair (one, other, similarity)
    on conflict (document_id, other_id) do update set similarity = excluded.similarity`);
};

const listWaiting = async (tx: Db, limit: number): Promise<WaitingRow[]> =>
  (
    await tx.execute<WaitingRow>(
      sql`select document_id, signature from minhash_signatures where not is_compared order by document_id limit ${limit}`,
    )
  ).rows;

/** Those that were replaced meanwhile wait again. */
const markCompared = async (tx: Db, rows: readonly WaitingRow[]): Promise<void> => {
  await tx.execute(sql`
    update minhash_signatures set is_compared = true
    from unnest(${sql.param(rows.map((row) => row.document_id))}::uuid[], ${sql.param(rows.map((row) => row.signature))}::bytea[]) as done (id, made_of)
    where document_id = done.id and signature is not distinct from done.made_of`);
};

/** Compares up to `limit` of the documents that wait with those that are there, all in one transaction. Returns how many waited. */
const compareSome = (db: Db, limit: number, signal: AbortSignal | undefined): Promise<number> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
    const waiting = await listWaiting(tx, limit);
    const found: Compared[] = [];
    for (const row of waiting) {
      if (signal?.aborted === true) break;
      const { document_id, signature } = row;
      found.push({ row, pairs: signature === null ? [] : await findPairs(tx, { document_id, signature }) });
    }
    if (found.length === 0) return 0;
    const held = await holdDocuments(
      tx,
      found.flatMap(({ row, pairs }) => [row.document_id, ...pairs.map(({ id }) => id)]),
    );
    const there = found.filter(({ row }) => held.has(row.document_id));
    if (there.length === 0) return waiting.length;
    await storePairs(
      tx,
      there.map(({ row, pairs }) => ({ row, pairs: pairs.filter(({ id }) => held.has(id)) })),
    );
    await markCompared(
      tx,
      there.map(({ row }) => row),
    );
    return waiting.length;
  });

/** Compares up to `limit` documents that wait for it. Returns whether there may be more. One that loses a race goes on waiting. */
export const compareWaiting = async (db: Db, limit: number, signal?: AbortSignal): Promise<boolean> => {
  for (let left = limit; left > 0; ) {
    const some = Math.min(left, AT_ONCE);
    try {
      if (signal?.aborted === true || (await compareSome(db, some, signal)) < some) return false;
    } catch (error) {
      if (!isLostRace(error)) throw error;
      return false;
    }
    left -= some;
  }
  return true;
};
