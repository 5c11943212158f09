import type { Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { type Import, imports } from '@sheaf/db/schema';
import { recordEvent } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import type { SheafEvent } from '@sheaf/vocabulary/events';
import type { ImportPhase } from '@sheaf/vocabulary/imports';
import type { ImportSummary } from '../report.ts';
import { ImportSourceError } from '../source-error.ts';

/** Lines of the report that are kept with an import; the command line prints all of them. */
const MAX_KEPT_LINES = 100_000;
/** A process that imports says so more often than this; after it, another one continues. */
const LEASE_SECONDS = 30;
/** An import that was begun so often without a further document is one that ends its process. */
const MAX_ATTEMPTS = 5;

/** The command line names neither. */
const IS_REQUESTED = sql`(path is not null or filename is not null)`;

const leaseEnd = sql`now() + ${LEASE_SECONDS} * interval '1 second'`;

/** An import as the process knows it that keeps it. */
export type HeldImport = Pick<Import, 'id' | 'fence'> & {
  /** Throws an AppError where its requester may not import any more; undefined for the command line, whose user may. */
  readonly requireAllowed?: (() => Promise<void>) | undefined;
  /** Where an uploaded file lies on the server: what is stored for people to read has names inside of it only. */
  readonly uploadPath?: string | undefined;
};

export interface ImportIdentity {
  readonly kind: string;
  readonly source: string;
  readonly ownerId: string;
}

/**
 * Writes down that an import of the command line begins; those of the same source that did not end were interrupted. Throws an
 * ImportSourceError while one of them runs that was asked for in the interface.
 */
export const beginImport = (db: Db, { kind, source, ownerId }: ImportIdentity): Promise<HeldImport> =>
  db.transaction(async (tx) => {
    const open = await tx
      .select({ id: imports.id, isAlive: sql<boolean>`coalesce(lease_until > now(), false) and ${IS_REQUESTED}` })
      .from(imports)
      .where(and(eq(imports.kind, kind), eq(imports.source, source), eq(imports.state, 'running'), sql`not is_dry_run`))
      .for('update');
    if (open.some(({ isAlive }) => isAlive)) throw new ImportSourceError(`An import called ${source} is running. Wait until it ends.`);
    for (const { id } of open)
      await tx
        .update(imports)
        .set({ state: 'failed', phase: null, leaseUntil: null, finishedAt: sql`now()`, fence: sql`fence + 1` })
        .where(eq(imports.id, id));
    const held = { id: uuidv7(), fence: 1 };
    await tx.insert(imports).values({ ...held, kind, source, ownerId, state: 'running', leaseUntil: leaseEnd });
    return held;
  });

const endOf = (error: string | null) => ({ phase: null, leaseUntil: null, finishedAt: sql`now()`, error });

/** What was asked for in the interface and waits for a process, or has lost its process; nothing while something runs. */
const WAITING = sql`${IS_REQUESTED}
  and (state = 'queued' or (state = 'running' and lease_until < now()))
  and not exists (select from imports as running where running.state = 'running' and running.lease_until >= now())`;

/**
 * Takes the import that waits longest, of those whose files are here, for as long as it is renewed. One that was begun too often fails.
 * Undefined where none waits or one runs.
 */
export const claimImport = async (db: Db, isHere: (waiting: Import) => Promise<boolean>): Promise<Import | undefined> => {
  for (const waiting of await db.select().from(imports).where(WAITING).orderBy(imports.createdAt, imports.id)) {
    if (!(await isHere(waiting))) continue;
    const isOver = waiting.attempts >= MAX_ATTEMPTS;
    const claimed = await db.transaction(async (tx) => {
      const [row] = await tx
        .update(imports)
        .set(
          isOver
            ? { state: 'failed', fence: sql`fence + 1`, ...endOf(waiting.error ?? `Its process ended ${MAX_ATTEMPTS} times`) }
            : {
                state: 'running',
                phase: 'preparing',
                startedAt: waiting.state === 'queued' ? sql`now()` : waiting.startedAt,
                leaseUntil: leaseEnd,
                fence: sql`fence + 1`,
                attempts: sql`attempts + 1`,
              },
        )
        .where(and(eq(imports.id, waiting.id), eq(imports.fence, waiting.fence), WAITING))
        .returning();
      if (row !== undefined) await recordEvent(tx, importEvent(row), null);
      return row;
    });
    if (claimed !== undefined && !isOver) return claimed;
  }
  return undefined;
};

const isHeld = ({ id, fence }: HeldImport) => and(eq(imports.id, id), eq(imports.fence, fence), eq(imports.state, 'running'));

/** How far an import is. */
export interface ImportPosition {
  readonly phase: ImportPhase;
  readonly done: number;
  readonly total: number | null;
}

/** Keeps an import, and writes how far it is. False where it was lost: it was cancelled, or another process has it. */
export const renewImport = (db: Db, held: HeldImport, { phase, done, total }: ImportPosition, isNews: boolean): Promise<boolean> =>
  db.transaction(async (tx) => {
    const [row] = await tx
      .update(imports)
      .set({
        phase,
        documentsDone: done,
        documentsTotal: total,
        leaseUntil: leaseEnd,
        attempts: sql`case when ${done} > documents_done then 0 else attempts end`,
      })
      .where(isHeld(held))
      .returning();
    if (row !== undefined && isNews) await recordEvent(tx, importEvent(row), null);
    return row !== undefined;
  });

/** Gives an import back whose process has ended before the import: another one continues at once. */
export const releaseImport = async (db: Db, held: HeldImport, problem: string | null): Promise<void> => {
  const error = problem === null ? null : shownBy(held)(problem);
  await db.update(imports).set({ leaseUntil: sql`now() - interval '1 second'`, error }).where(isHeld(held));
};

/** Texts without the place of the uploaded file. */
const shownBy = ({ uploadPath }: HeldImport): ((text: string) => string) => {
  if (uploadPath === undefined) return (text) => text;
  return (text) => text.replaceAll(`${uploadPath}/`, '').replaceAll(uploadPath, 'The archive');
};

/** Writes down what came of an import that is held. */
export const endImport = (
  db: Db,
  held: HeldImport,
  end: { readonly state: 'completed' | 'failed'; readonly error: string | null; readonly errorCode?: Import['errorCode'] | undefined },
  summary: ImportSummary,
): Promise<void> =>
  db.transaction(async (tx) => {
    const { not_imported: left, ...counts } = summary;
    const shown = shownBy(held);
    const report = left.map((line) => ({ ...line, name: shown(line.name), reason: shown(line.reason) }));
    const { imported, skipped, failed } = counts.documents;
    const [row] = await tx
      .update(imports)
      .set({
        state: end.state,
        ...endOf(end.error === null ? null : shown(end.error)),
        errorCode: end.errorCode ?? null,
        documentsDone: imported + skipped + failed,
        counts: { ...counts, not_imported: report.length },
        report: report.slice(0, MAX_KEPT_LINES),
      })
      .where(isHeld(held))
      .returning();
    if (row !== undefined) await recordEvent(tx, importEvent(row), null);
  });

/** What those hear who may start imports. */
export const importEvent = (row: Pick<Import, 'id' | 'state' | 'phase' | 'documentsDone' | 'documentsTotal'>): SheafEvent => ({
  type: 'import_progress',
  import_id: row.id,
  state: row.state,
  phase: row.phase,
  done: row.documentsDone,
  total: row.documentsTotal,
});
