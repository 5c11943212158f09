import { type Db, isLostRace, isNotTrashed, readingReach, within } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { minhashSignatures } from '@sheaf/db/schema';
import type { Logger } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { compareTexts, prepareText, tokensOf } from './compare-texts.ts';
import { estimate, SIGNATURE_BYTES, SignatureBuilder } from './signature.ts';

/** More near-duplicates of one document are not listed. */
const LIMIT = 50;

/** A near-duplicate of a document, and the share of their words and numbers that both have, 0 to 1. */
export interface SimilarDocument {
  readonly documentId: string;
  readonly similarity: number;
}

/** The near-duplicates of a document that `principal` may read, but for those that were dismissed, the most similar first. */
export const listSimilar = async (db: Db, principal: Principal, documentId: string): Promise<SimilarDocument[]> => {
  const { rows } = await db.execute<{ id: string; similarity: number }>(sql`
    select documents.id, pair.similarity from (
      select other_id as id, similarity from near_duplicates where document_id = ${documentId} and not is_dismissed
      union all select document_id, similarity from near_duplicates where other_id = ${documentId} and not is_dismissed
    ) as pair join documents on documents.id = pair.id
    where ${within(readingReach(principal), sql<string>`documents.owner_id`)}
    order by pair.similarity desc, documents.id limit ${LIMIT}`);
  return rows.map(({ id, similarity }) => ({ documentId: id, similarity }));
};

/** Remembers that two documents are no duplicates, in whatever order they are named. Pass the transaction that holds both. */
export const dismissSimilar = async (tx: Db, one: string, other: string): Promise<void> => {
  await tx.execute(sql`
    insert into near_duplicates (document_id, other_id, similarity, is_dismissed)
    values (least(${one}::uuid, ${other}::uuid), greatest(${one}::uuid, ${other}::uuid), 0, true)
    on conflict (document_id, other_id) do update set is_dismissed = true`);
};

const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Between two looks at all documents for such that have no signature. */
const SWEEP_INTERVAL_MS = 5 * 60_000;

/**
 * Gives a signature to processed documents that have none, because they were there before signatures were, or came back from the trash, or
 * their file was replaced; and compares documents that wait for it. Several processes may do so at once.
 */
export class SignatureBacklog {
  readonly #db: Db;
  readonly #log: Logger;
  #after = BEFORE_ALL;
  #nextSweepMs = 0;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** One round. Returns whether there may be more to do at once. */
  async run(signal: AbortSignal): Promise<boolean> {
    const hasMore = await this.compare(BATCH, signal);
    return (await this.#addSignatures(signal)) || hasMore;
  }

  /** Compares up to `limit` of the documents that wait for it. Returns whether there may be more. */
  compare(limit: number, signal?: AbortSignal): Promise<boolean> {
    return compareWaiting(this.#db, limit, signal);
  }

  async #addSignatures(signal: AbortSignal): Promise<boolean> {
    if (this.#after === BEFORE_ALL && performance.now() < this.#nextSweepMs) return false;
    const ids = await listWithoutSignature(this.#db, this.#after, BATCH);
    for (const id of ids) {
      if (signal.aborted) return false;
      try {
        await addMissingSignature(this.#db, id);
      } catch (error) {
        this.#log.warn({ err: error, document_id: id }, 'signature for near-duplicates could not be made');
      }
      this.#after = id;
    }
    if (ids.length > 0) return true;
    this.#after = BEFORE_ALL;
    this.#nextSweepMs = performance.now() + SWEEP_INTERVAL_MS;
    return false;
  }
}

/** The signature of a document whose pages are stored; null where its text is too short to be compared. */
export type DocumentSignature = Uint8Array | null;

/** Makes the signature of a document from its pages, in bounded memory. */
export const makeSignature = async (db: Db, documentId: string): Promise<DocumentSignature> => {
  const builder = new SignatureBuilder();
  for await (const text of readPageTexts(db, documentId)) builder.add(tokensOf(text));
  return builder.build() ?? null;
};

/** Keeps the signature of a document in place of the one that it had, to be compared with others by `compareWaiting`. */
export const storeSignature = async (tx: Db, documentId: string, signature: DocumentSignature): Promise<void> => {
  await tx
    .insert(minhashSignatures)
    .values({ documentId, signature })
    .onConflictDoUpdate({ target: minhashSignatures.documentId, set: { signature, isCompared: false } });
};

/** Signatures that this version made. */
const isCurrent = sql`coalesce(octet_length(${minhashSignatures.signature}), ${SIGNATURE_BYTES}::int) = ${SIGNATURE_BYTES}::int`;

/** The ids of up to `limit` processed documents behind `after` that have no signature, or one of another version, in their order. */
const listWithoutSignature = async (db: Db, after: string, limit: number): Promise<string[]> => {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from documents where id > ${after} and status = 'completed'
      and not exists (select from ${minhashSignatures} where ${minhashSignatures.documentId} = documents.id and ${isCurrent})
    order by id limit ${limit}`);
  return rows.map(({ id }) => id);
};

/** Makes the signature of a document that has none. One that is processed again meanwhile gets that of its new text from its worker. */
const addMissingSignature = async (db: Db, documentId: string): Promise<void> => {
  const { rows } = await db.execute<{ completed: string }>(
    sql`select completed_at::text as completed from documents where id = ${documentId} and status = 'completed'`,
  );
  const [found] = rows;
  if (found === undefined) return;
  const signature = await makeSignature(db, documentId);
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.execute(sql`
      select from documents where id = ${documentId} and status = 'completed' and completed_at::text is not distinct from ${found.completed} for key share`);
    if (rowCount !== 1) return;
    await tx
      .insert(minhashSignatures)
      .values({ documentId, signature })
      .onConflictDoUpdate({
        target: minhashSignatures.documentId,
        set: { signature, isCompared: false },
        setWhere: sql`not (${isCurrent})`,
      });
  });
};

/** Those of the trash are compared when they are restored. */
const IS_HERE = isNotTrashed(minhashSignatures.documentId);

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
    where signature_bands(signature) && signature_bands(${signature}::bytea) and document_id <> ${id} and ${IS_HERE}
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
      sql`select document_id, signature from minhash_signatures where not is_compared and ${IS_HERE} order by document_id limit ${limit}`,
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
const compareWaiting = async (db: Db, limit: number, signal?: AbortSignal): Promise<boolean> => {
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

/** Pages that are in memory at once, and how much of each is looked at. */
const PAGES = 16;
const CHARACTERS = 60_000;
/** Of longer documents the beginning is looked at. */
const MAX_PAGES = 500;

/** The text of the pages of a document in their order, some pages at a time. Other work of the process goes on in between. */
async function* readPageTexts(db: Db, documentId: string): AsyncGenerator<string> {
  for (let after = 0; after < MAX_PAGES; ) {
    const { rows } = await db.execute<{ page: number; content: string; last: number }>(sql`
      select page, left(content, ${CHARACTERS}::int) as content,
        (select max(page) from document_pages where document_id = ${documentId} and not is_stale) as last
      from document_pages where document_id = ${documentId} and not is_stale and page > ${after}::int and page <= ${after + PAGES}::int order by page`);
    if (rows.length === 0) return;
    for (const { content } of rows) {
      yield content;
      await new Promise((resolve) => setImmediate(resolve));
    }
    after += PAGES;
    if ((rows[0]?.last ?? 0) <= after) return;
  }
}

/** The beginning of each of the documents, which is what is compared in full. */
const readBeginnings = async (db: Db, documentIds: readonly string[]): Promise<Map<string, string>> => {
  const { rows } = await db.execute<{ document_id: string; content: string }>(sql`
    select document_id, string_agg(left(content, 6000), ' ' order by page) as content from document_pages
    where document_id = any(${sql.param([...documentIds])}::uuid[]) and not is_stale and page <= 3 group by document_id`);
  return new Map(rows.map(({ document_id: id, content }) => [id, content]));
};
