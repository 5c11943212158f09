import type { Db } from '@sheaf/db';
import { asc, desc, eq, sql } from '@sheaf/db/drizzle';
import { CORRESPONDENTS, createEntry, DOCUMENT_TYPES, type FilingKind } from '@sheaf/filing';
import { MAX_CORRESPONDENT_CHARACTERS, MAX_DOCUMENT_TYPE_CHARACTERS } from '@sheaf/vocabulary/limits';
import { toName } from '../names.ts';
import { type ImportContext, readAll } from './context.ts';
import { type EntryFields, entryFields } from './records.ts';

/** The administrator's own entry of this name, or the oldest. */
const findEntry = async (db: Db, { table }: FilingKind, name: string, userId: string): Promise<string | undefined> =>
  (
    await db
      .select({ id: table.id })
      .from(table)
      .where(sql`lower(${table.name}) = lower(${name})`)
      .orderBy(desc(eq(table.createdBy, userId)), asc(table.createdAt), asc(table.id))
      .limit(1)
  )[0]?.id;

interface Kind {
  readonly model: 'documents.correspondent' | 'documents.documenttype';
  readonly filing: FilingKind;
  readonly maxCharacters: number;
  readonly counted: 'correspondents' | 'document_types';
  readonly details: Readonly<Record<string, readonly string[]>>;
}

const KINDS = {
  correspondents: {
    model: 'documents.correspondent',
    filing: CORRESPONDENTS,
    maxCharacters: MAX_CORRESPONDENT_CHARACTERS,
    counted: 'correspondents',
    details: { aliases: [], ibans: [], vatIds: [], domains: [] },
  },
  documentTypes: {
    model: 'documents.documenttype',
    filing: DOCUMENT_TYPES,
    maxCharacters: MAX_DOCUMENT_TYPE_CHARACTERS,
    counted: 'document_types',
    details: {},
  },
} as const satisfies Record<string, Kind>;

/** What entries of one kind became, by the ids that they had. */
export interface ImportedEntries {
  readonly ids: ReadonlyMap<string, string>;
  readonly given: ReadonlyMap<string, EntryFields>;
}

/** Takes over the correspondents or the document types. */
export const importEntries = async (context: ImportContext, which: keyof typeof KINDS): Promise<ImportedEntries> => {
  const { report, by, items } = context;
  const { model, filing, maxCharacters, counted, details }: Kind = KINDS[which];
  const given = readAll(context, model, entryFields);
  const ids = new Map<string, string>();
  await context.db.transaction(async (tx) => {
    const known = await items.findRows(tx, model, filing.table);
    for (const [pk, entry] of given) {
      const knownId = known.get(pk);
      if (knownId !== undefined) {
        if (knownId !== null) ids.set(pk, knownId);
        continue;
      }
      const name = toName(entry.name, maxCharacters);
      if (name === undefined) {
        report.leave(filing.field, pk, 'It has no name');
        continue;
      }
      if (name !== entry.name) report.leave(`${filing.field} name`, entry.name, `It is called ${name}`);
      const same = await findEntry(tx, filing, name, by.userId);
      const id = same ?? (await createEntry(tx, filing, { name, details }, by)).id;
      await items.add(tx, model, [{ foreignId: pk, localId: id, isJoined: same !== undefined }]);
      report.count(counted);
      ids.set(pk, id);
    }
  });
  return { ids, given };
};
