import { createEntry } from '@sheaf/filing';
import { ENTRY_KINDS, type EntryKind } from '../entry-kinds.ts';
import { findByName } from '../find-by-name.ts';
import { toName } from '../names.ts';
import { type ImportContext, readAll } from './context.ts';
import { type EntryFields, entryFields } from './records.ts';

const MODELS = { correspondents: 'documents.correspondent', documentTypes: 'documents.documenttype' } as const;

/** What entries of one kind became, by the ids that they had. */
export interface ImportedEntries {
  readonly ids: ReadonlyMap<string, string>;
  readonly given: ReadonlyMap<string, EntryFields>;
}

/** Takes over the correspondents or the document types. */
export const importEntries = async (context: ImportContext, which: keyof typeof MODELS): Promise<ImportedEntries> => {
  const { report, by, items } = context;
  const model = MODELS[which];
  const { filing, maxCharacters, counted, details }: EntryKind = ENTRY_KINDS[which];
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
      const same = await findByName(tx, filing.table, name, by.userId);
      const id = same ?? (await createEntry(tx, filing, { name, details }, by)).id;
      await items.add(tx, model, [{ foreignId: pk, localId: id, isJoined: same !== undefined }]);
      report.count(counted);
      ids.set(pk, id);
    }
  });
  return { ids, given };
};
