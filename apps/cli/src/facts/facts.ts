import type { Config } from '@sheaf/config';
import { documentNotFound } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockDocumentAndJob } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import {
  countForFacts,
  FactFinder,
  type FactsState,
  type FiledChanges,
  findCompleted,
  holdSenders,
  listForFacts,
  previewFacts,
  storeFacts,
} from '@sheaf/filing/facts';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { reasonOf } from '../failure.ts';
import { connectTool } from '../open-database.ts';
import { openProgress, type Progress } from '../progress/progress.ts';
import type { FactsOptions } from './arguments.ts';

/** What came of one document: what changed of it, or that it was processed or deleted meanwhile. */
type FactsOutcome = { readonly changes: FiledChanges; readonly facts: number } | 'skipped';

/** Finds the facts of a completed document in its text and stores them; only says what would change where `isDryRun`. */
const findFactsAgain = async (db: Db, finder: FactFinder, document: Document, isDryRun: boolean): Promise<FactsOutcome> => {
  const found = await finder.find(document);
  const facts = found.candidates.length;
  return db.transaction(async (tx) => {
    await holdSenders(tx, document.id, found);
    const now = await lockDocumentAndJob(tx, document.id);
    // its worker has found those of the new text, or will
    if (now?.status !== 'completed' || now.completedAt?.getTime() !== document.completedAt?.getTime()) return 'skipped';
    if (isDryRun) return { facts, changes: await previewFacts(tx, document.id, found) };
    const changes = await storeFacts(tx, document.id, found);
    if (Object.keys(changes).length > 0)
      await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes: { ...changes } }, document.ownerId);
    return { facts, changes };
  });
};

const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface Counts {
  documents: number;
  changed: number;
  skipped: number;
  failed: number;
  facts: number;
}

/** The documents of one state, batch by batch: one that fails is not met again. */
async function* documentsOf(db: Db, state: FactsState, before: Date): AsyncGenerator<Document> {
  for (let after = BEFORE_ALL; ; ) {
    const batch = await listForFacts(db, state, { after, before, limit: BATCH });
    yield* batch;
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

const TITLES: Readonly<Record<FactsState, string>> = {
  missing: 'documents without facts',
  outdated: 'documents with facts of an earlier version',
  found: 'documents with facts',
};

async function* chosenDocuments(db: Db, { isAll, documentId }: FactsOptions, report: Progress): AsyncGenerator<Document> {
  if (documentId !== undefined) {
    const document = await findCompleted(db, documentId);
    if (document === undefined) throw documentNotFound(documentId);
    yield document;
    return;
  }
  const before = new Date();
  for (const state of isAll ? (['missing', 'outdated', 'found'] as const) : (['missing', 'outdated'] as const)) {
    report.begin(TITLES[state], {
      files: await countForFacts(db, state, before),
      bytes: 0,
      unit: 'documents',
    });
    let done = 0;
    for await (const document of documentsOf(db, state, before)) {
      yield document;
      done += 1;
      report.reach(done);
    }
  }
}

const describe = ({ document_date: date, correspondent }: FiledChanges): string =>
  [
    ...(date === undefined ? [] : [`document_date ${date ?? 'none'}`]),
    ...(correspondent === undefined ? [] : [`correspondent ${correspondent === null ? 'none' : JSON.stringify(correspondent.name)}`]),
  ].join(', ');

const findAll = async (db: Db, options: FactsOptions, { signIn: { roles }, ocr: { dateOrder } }: Config): Promise<Counts> => {
  const counts: Counts = { documents: 0, changed: 0, skipped: 0, failed: 0, facts: 0 };
  const finder = new FactFinder({ db, roles, dateOrder });
  const progress = openProgress();
  const line = (text: string): void => {
    progress.report.erase();
    if (options.isJson) process.stderr.write(`${text}\n`);
    else process.stdout.write(`${text}\n`);
  };
  try {
    for await (const document of chosenDocuments(db, options, progress.report)) {
      counts.documents += 1;
      try {
        const outcome = await findFactsAgain(db, finder, document, options.isDryRun);
        if (outcome === 'skipped') {
          counts.skipped += 1;
          continue;
        }
        counts.facts += outcome.facts;
        const change = describe(outcome.changes);
        if (change === '') continue;
        counts.changed += 1;
        if (!options.isJson) line(`document ${document.id}: ${change}`);
      } catch (error) {
        counts.failed += 1;
        line(`document ${document.id}: failed: ${reasonOf(error)}`);
      }
    }
  } finally {
    progress.close();
  }
  return counts;
};

const summaryOf = (counts: Counts, { isDryRun, isJson }: FactsOptions): string => {
  if (isJson) return JSON.stringify({ ...counts, dry_run: isDryRun });
  const { documents, changed, skipped, failed, facts } = counts;
  const end = isDryRun ? ' (dry run, nothing was written)' : '';
  return `facts: ${facts} found in ${documents} documents, ${changed} changed, ${skipped} skipped, ${failed} failed${end}`;
};

/** Finds the facts of documents that are there, prints what changed, and answers the exit code. */
export const facts = async (options: FactsOptions, config: Config): Promise<number> => {
  await using scope = new AsyncDisposableStack();
  const { db } = await connectTool(config, scope, { applicationName: 'sheaf facts', maxConnections: 2 });
  const counts = await findAll(db, options, config);
  process.stdout.write(`${summaryOf(counts, options)}\n`);
  return counts.failed === 0 ? EXIT.done : EXIT.failed;
};
