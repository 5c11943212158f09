import type { Db } from '@sheaf/db';
import { and, asc, count, eq, gt, gte, isNull, lt, type SQL, sql } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';
import { FACTS_VERSION } from '@sheaf/vocabulary/facts';

/** Documents whose facts were never looked for, were by an earlier version of the fact finder, or by this one. */
export type FactsState = 'missing' | 'outdated' | 'found';

const isMeant = (state: FactsState, before: Date): SQL | undefined => {
  const { status, factsFoundAt, factsVersion } = documents;
  const wasFound = sql`${factsFoundAt} < ${before.toISOString()}`;
  const version = sql`coalesce(${factsVersion}, 0)`;
  return and(
    eq(status, 'completed'),
    {
      missing: isNull(factsFoundAt),
      outdated: and(wasFound, lt(version, FACTS_VERSION)),
      found: and(wasFound, gte(version, FACTS_VERSION)),
    }[state],
  );
};

/** The next completed documents in the order of their ids; of those with facts only such whose facts were looked for before `before`. */
export const listForFacts = (
  db: Db,
  state: FactsState,
  { after, before, limit }: { readonly after: string; readonly before: Date; readonly limit: number },
): Promise<Document[]> =>
  db
    .select()
    .from(documents)
    .where(and(isMeant(state, before), gt(documents.id, after)))
    .orderBy(asc(documents.id))
    .limit(limit);

/** How many there are. */
export const countForFacts = async (db: Db, state: FactsState, before: Date): Promise<number> => {
  const [row] = await db.select({ total: count() }).from(documents).where(isMeant(state, before));
  return row?.total ?? 0;
};

/** The document, if it is completed. */
export const findCompleted = async (db: Db, id: string): Promise<Document | undefined> =>
  (
    await db
      .select()
      .from(documents)
      .where(and(eq(documents.id, id), eq(documents.status, 'completed')))
  )[0];
