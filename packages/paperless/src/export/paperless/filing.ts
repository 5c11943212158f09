import type { Db } from '@sheaf/db';
import { asc } from '@sheaf/db/drizzle';
import { correspondents, documentTypes, labels } from '@sheaf/db/schema';
import { type ManifestRecord, RowNumbers, sheafExtra } from './records.ts';
import { tagTree } from './tag-tree.ts';
import { UniqueNames } from './unique-names.ts';

/** The numbers and names of what documents are filed under, by ids. */
export interface Filed {
  readonly numbers: RowNumbers;
  readonly names: Map<string, string>;
}

export interface Filing {
  readonly labels: Filed;
  readonly correspondents: Filed;
  readonly documentTypes: Filed;
}

const nothingFiled = (): Filed => ({ numbers: new RowNumbers(), names: new Map() });
export const noFiling = (): Filing => ({ labels: nothingFiled(), correspondents: nothingFiled(), documentTypes: nothingFiled() });

/** Nobody's, so that everybody sees it, and without matching: rules are no part of the format. */
const matchingFields = (name: string) => ({ owner: null, name, match: '', matching_algorithm: 0, is_insensitive: true });

/** The name as it is, where Paperless-ngx cannot have it so. */
const fullName = (name: string, unique: string): string | undefined => (name === unique ? undefined : name);

const filed = (model: string, { numbers, names }: Filed, unique: UniqueNames, id: string, name: string) => {
  const given = unique.add(name);
  names.set(id, name);
  return { record: { model, pk: numbers.add(id), fields: matchingFields(given) }, name: fullName(name, given) };
};

async function* correspondentRecords(db: Db, filing: Filed): AsyncGenerator<ManifestRecord> {
  const unique = new UniqueNames();
  for (const row of await db.select().from(correspondents).orderBy(asc(correspondents.id))) {
    const { record, name } = filed('documents.correspondent', filing, unique, row.id, row.name);
    const listOf = (values: readonly string[]): readonly string[] | undefined => (values.length === 0 ? undefined : values);
    yield {
      ...record,
      ...sheafExtra({
        id: row.id,
        name,
        aliases: listOf(row.aliases),
        ibans: listOf(row.ibans),
        vat_ids: listOf(row.vatIds),
        domains: listOf(row.domains),
      }),
    };
  }
}

async function* documentTypeRecords(db: Db, filing: Filed): AsyncGenerator<ManifestRecord> {
  const unique = new UniqueNames();
  for (const row of await db.select().from(documentTypes).orderBy(asc(documentTypes.id))) {
    const { record, name } = filed('documents.documenttype', filing, unique, row.id, row.name);
    yield { ...record, ...sheafExtra({ id: row.id, name }) };
  }
}

async function* labelRecords(db: Db, filing: Filed): AsyncGenerator<ManifestRecord> {
  const unique = new UniqueNames();
  const rows = await db.select().from(labels).orderBy(asc(labels.id));
  for (const row of rows) filing.numbers.add(row.id);
  const treeFieldsOf = tagTree(rows.map(({ id, parentId }) => ({ pk: filing.numbers.of(id) ?? 0, parent: filing.numbers.of(parentId) })));
  for (const row of rows) {
    const pk = filing.numbers.of(row.id) ?? 0;
    const name = unique.add(row.name);
    filing.names.set(row.id, row.name);
    yield {
      model: 'documents.tag',
      pk,
      fields: { ...treeFieldsOf(pk), ...matchingFields(name), color: row.color, is_inbox_tag: false },
      ...sheafExtra({ id: row.id, name: fullName(row.name, name), description: row.description === '' ? undefined : row.description }),
    };
  }
}

/** Correspondents, labels and document types. There are few, as there are few of them that people know. */
export async function* filingRecords(db: Db, filing: Filing): AsyncGenerator<ManifestRecord> {
  yield* correspondentRecords(db, filing.correspondents);
  yield* labelRecords(db, filing.labels);
  yield* documentTypeRecords(db, filing.documentTypes);
}
