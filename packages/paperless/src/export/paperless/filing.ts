import type { Db } from '@sheaf/db';
import { asc } from '@sheaf/db/drizzle';
import { correspondents, documentTypes, labels } from '@sheaf/db/schema';
import { type ManifestRecord, NAME_CHARACTERS, RowNumbers, sheafExtra, shortened } from './content-types.ts';

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

/**
 * Names that Paperless-ngx takes: each once, and no longer than a column of it. Names of Sheaf are unique for who made them, or not at
 * all, so the second of a name gets a number.
 */
export class UniqueNames {
  readonly #taken = new Set<string>();

  add(name: string): string {
    for (let number = 1; ; number += 1) {
      const mark = number === 1 ? '' : ` (${number})`;
      const unique = `${shortened(name, NAME_CHARACTERS - mark.length)}${mark}`;
      if (this.#taken.has(unique.toLowerCase())) continue;
      this.#taken.add(unique.toLowerCase());
      return unique;
    }
  }
}

interface Node {
  readonly pk: number;
  readonly parent: number | null;
}

type TreeFields = Readonly<Record<`tn_${string}`, string | number | null>>;

/** The lists of thousands of tags beside each other would outgrow the documents; the count is enough. */
const MAX_LISTED = 500;

const listed = (pks: readonly number[]): string => (pks.length > MAX_LISTED ? '' : pks.join(','));

/** The tags above each, the highest first. Rings are cut where they close. */
const ancestorsIn = (parents: ReadonlyMap<number, number | null>, pk: number): number[] => {
  const found = new Set<number>();
  for (let above = parents.get(pk) ?? null; above !== null && above !== pk && !found.has(above); above = parents.get(above) ?? null)
    found.add(above);
  return [...found].toReversed();
};

/** What django-treenode keeps of the place of a tag in its tree, beside its parent, for each. */
export const tagTree = (nodes: readonly Node[]): ((pk: number) => TreeFields) => {
  const parents = new Map(nodes.map(({ pk, parent }) => [pk, parent]));
  const children = new Map([...Map.groupBy(nodes, ({ parent }) => parent)].map(([parent, below]) => [parent, below.map(({ pk }) => pk)]));
  const childrenOf = (pk: number | null): readonly number[] => children.get(pk) ?? [];
  const places = new Map([...children.values()].flatMap((siblings) => siblings.map((pk, index) => [pk, index])));
  const orders = new Map(nodes.map(({ pk }, index) => [pk, index]));
  const descendantsOf = (pk: number): number[] => {
    const found = new Set<number>();
    const visit = (upper: number): void => {
      for (const lower of childrenOf(upper)) {
        if (lower === pk || found.has(lower)) continue;
        found.add(lower);
        visit(lower);
      }
    };
    visit(pk);
    return [...found];
  };
  return (pk) => {
    const parent = parents.get(pk) ?? null;
    const ancestors = ancestorsIn(parents, pk);
    const descendants = descendantsOf(pk);
    const siblings = childrenOf(parent);
    const levels = descendants.map((lower) => ancestorsIn(parents, lower).length - ancestors.length);
    return {
      tn_ancestors_pks: listed(ancestors),
      tn_ancestors_count: ancestors.length,
      tn_children_pks: listed(childrenOf(pk)),
      tn_children_count: childrenOf(pk).length,
      tn_depth: levels.reduce((most, level) => Math.max(most, level), 0),
      tn_descendants_pks: listed(descendants),
      tn_descendants_count: descendants.length,
      tn_index: places.get(pk) ?? 0,
      tn_level: ancestors.length + 1,
      tn_priority: 0,
      tn_order: orders.get(pk) ?? 0,
      tn_siblings_pks: siblings.length > MAX_LISTED ? '' : listed(siblings.filter((other) => other !== pk)),
      tn_siblings_count: siblings.length - 1,
      tn_parent: parent,
    };
  };
};
