import type { Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { imports } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import type { ImportSummary } from './report.ts';

/** Lines of the report that are kept with an import; all of them are printed. */
const MAX_KEPT_LINES = 10_000;

export interface ImportIdentity {
  readonly kind: string;
  readonly source: string;
  readonly ownerId: string;
}

/** Writes down that an import begins; those of the same source that did not end were interrupted. Answers its id. */
export const beginImport = (db: Db, { kind, source, ownerId }: ImportIdentity): Promise<string> =>
  db.transaction(async (tx) => {
    const id = uuidv7();
    await tx
      .update(imports)
      .set({ state: 'failed', finishedAt: sql`now()` })
      .where(and(eq(imports.kind, kind), eq(imports.source, source), eq(imports.state, 'running')));
    await tx.insert(imports).values({ id, kind, source, ownerId, state: 'running' });
    return id;
  });

/** Writes down what came of it. */
export const endImport = async (db: Db, id: string, state: 'completed' | 'failed', summary: ImportSummary): Promise<void> => {
  const { not_imported: report, ...counts } = summary;
  await db
    .update(imports)
    .set({ state, counts: { ...counts, not_imported: report.length }, report: report.slice(0, MAX_KEPT_LINES), finishedAt: sql`now()` })
    .where(eq(imports.id, id));
};
