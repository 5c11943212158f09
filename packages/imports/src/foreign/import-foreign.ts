import { type IngestDeps, makeImportedIngest, makeImportedPreview } from '@sheaf/ingest';
import { inBatches } from '@sheaf/process';
import { indexDocuments } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type AtOnce, eachAtOnce } from '../each-at-once.ts';
import { ImportItems } from '../import-items.ts';
import type { FileLimits, ImportProgress } from '../import-order.ts';
import type { ImportSummary } from '../report.ts';
import type { HeldImport } from '../runs/import-runs.ts';
import { withImportRun } from '../runs/with-import-run.ts';
import { withTakingBack } from '../taking-back.ts';
import type { ForeignContext } from './foreign-context.ts';
import type { ForeignDocument, ForeignItem } from './foreign-document.ts';
import { NameTables } from './name-tables.ts';
import { type ForeignFile, type ForeignTaker, fileDocument, MODEL, takeForeign, writeAlongside } from './take-foreign.ts';

/** A document with what it was found to be here. */
interface FiledDocument {
  readonly document: ForeignDocument;
  readonly file: Omit<ForeignFile, 'body'>;
  readonly leave: (kind: string, name: string, reason: string) => void;
}

/** Documents that are looked up together among those of earlier runs. */
const BATCH = 100;
/** Files that are read and stored at the same time, and what their text may weigh together. */
const AT_ONCE: AtOnce<FiledDocument> = {
  records: 16,
  weigh: ({ document: { pages = [] } }) => pages.reduce((sum, { length }) => sum + length, 0),
  maxWeight: 16_000_000,
  keyOf: ({ document }) => document.sha256,
};

export interface ForeignImport {
  /** Of which system: what is known of earlier runs is known by it. */
  readonly kind: 'folder' | 'mbox' | 'docspell' | 'papra' | 'readur';
  /** What there is, in any order. */
  readonly items: AsyncIterable<ForeignItem>;
  /** Its storage and database get the documents. */
  readonly ingest: IngestDeps;
  /** Who requested the import: everything is made in this user's name, and within these permissions. */
  readonly by: Principal;
  /** Who gets the documents. */
  readonly ownerId: string;
  /** What the other system is called here: its ids are told apart by it. */
  readonly source: string;
  readonly limits: FileLimits;
  readonly isDryRun: boolean;
  readonly progress?: ImportProgress | undefined;
  /** The import that was asked for in the interface; undefined for one of the command line. */
  readonly held?: HeldImport | undefined;
  /** Called where it was cancelled meanwhile. */
  readonly onLost?: (() => void) | undefined;
}

/** Documents that were not taken over before, filed one after the other. */
async function* filedDocuments(taker: ForeignTaker, given: AsyncIterable<ForeignItem>, onDone: () => void): AsyncGenerator<FiledDocument> {
  const { context } = taker;
  const { report, items, db, source } = context;
  for await (const batch of inBatches(given, BATCH)) {
    const ids = batch.flatMap((item) => ('document' in item ? [item.document.id] : []));
    const known = await items.find(db, MODEL, ids);
    for (const item of batch) {
      const id = 'document' in item ? item.document.id : item.rest.documentId;
      const leave: FiledDocument['leave'] = (kind, name, reason) =>
        report.leave(kind, name, reason, id === undefined ? null : `${source}:${id}`);
      if ('rest' in item) {
        leave(item.rest.kind, item.rest.name, item.rest.reason);
        continue;
      }
      const { document } = item;
      const earlier = known.get(document.id);
      if (earlier === undefined) yield { document, file: await fileDocument(taker, document, leave), leave };
      else {
        report.documents.skipped += 1;
        report.alreadyImported += 1;
        if (earlier.isJoined) leave('duplicate', document.title ?? document.filename, 'Its owner had this file already');
        onDone();
      }
    }
  }
}

const importAll = (context: ForeignContext, order: ForeignImport, progress: ImportProgress | undefined): Promise<void> =>
  withTakingBack(context.db, order.isDryRun, async (tx) => {
    // of a dry run only what the files are is looked at, and the names are given back at its end
    const inside = { ...context, db: tx };
    const ingest = order.isDryRun
      ? makeImportedPreview(order.ingest)
      : makeImportedIngest<ForeignFile>(order.ingest, { alongside: writeAlongside(context), index: indexDocuments });
    const taker: ForeignTaker = { context: inside, tables: new NameTables(inside), limits: order.limits, ingest };
    let done = 0;
    const onDone = (): void => progress?.reach((done += 1));
    await eachAtOnce(filedDocuments(taker, order.items, onDone), AT_ONCE, async ({ document, file, leave }) => {
      await takeForeign(taker, document, file, leave);
      onDone();
    });
  });

/**
 * Takes over what another system has, and answers what became of it. What an earlier import of this source took over is left as it is,
 * so an interrupted import goes on where it was. Throws what the database or the storage throws where it does not work.
 */
export const importForeign = (order: ForeignImport): Promise<ImportSummary> => {
  const { kind, ingest, by, ownerId, source } = order;
  return withImportRun({ ...order, db: ingest.db, held: order.held }, (report, progress) =>
    importAll({ db: ingest.db, items: new ImportItems(kind, source), report, by, ownerId, source }, order, progress),
  );
};
