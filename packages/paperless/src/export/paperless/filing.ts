import { createHash } from 'node:crypto';
import type { Db } from '@sheaf/db';
import { asc, inArray, sql } from '@sheaf/db/drizzle';
import {
  type CustomFieldRow,
  correspondents,
  customFields,
  documentFields,
  documentTypes,
  type FieldValueRow,
  labels,
} from '@sheaf/db/schema';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';
import { PAPERLESS_DATA_TYPES, PAPERLESS_VALUE_COLUMNS, type PaperlessDataType } from '../../archive/index.ts';
import { writeAmount } from '../../document-parts.ts';
import { type ManifestRecord, NAME_CHARACTERS, RowNumbers, sheafExtra, shortened, toTime } from './content-types.ts';

const DATA_TYPES: Readonly<Record<FieldType, PaperlessDataType>> = PAPERLESS_DATA_TYPES;

/** Characters that the columns of Paperless-ngx take. A field with a longer value becomes one of long texts. */
const COLUMN_CHARACTERS: Readonly<Partial<Record<FieldType, number>>> = { text: 128, url: 200 };

/** As Paperless-ngx makes them, but the same in every export. */
const optionId = (fieldId: string, choice: string): string =>
  createHash('sha256').update(`${fieldId}\n${choice}`).digest('hex').slice(0, 16);

/** Paperless-ngx keeps integers of 32 bits. A field with a larger value becomes one of floating-point numbers. */
const MAX_INTEGER = 2_147_483_647;

interface ExportedField {
  readonly pk: number;
  readonly id: string;
  readonly dataType: PaperlessDataType;
  /** What can be chosen, by the ids of the choices. */
  readonly choices: ReadonlyMap<string, string>;
}

/** The fields by their ids. */
export type ExportedFields = Map<string, ExportedField>;

const extraData = ({ id, type, choices, defaultCurrency }: CustomFieldRow): unknown => {
  if (type === 'choice') return { select_options: choices.map((label) => ({ id: optionId(id, label), label })) };
  return defaultCurrency === null ? null : { default_currency: defaultCurrency };
};

/** The type of a field whose longest text has so many characters, and whose largest number is `largest`. */
const dataTypeOf = (
  { type }: CustomFieldRow,
  { longest, largest }: { readonly longest: number; readonly largest: number },
): PaperlessDataType => {
  if (longest > (COLUMN_CHARACTERS[type] ?? longest)) return 'longtext';
  return type === 'integer' && largest > MAX_INTEGER ? 'float' : DATA_TYPES[type];
};

/** The definitions of the custom fields, of which there are at most some hundreds. */
export async function* customFieldRecords(db: Db, fields: ExportedFields): AsyncGenerator<ManifestRecord> {
  const longest = sql<number>`coalesce((select max(char_length(text_value)) from document_fields where field_id = ${customFields.id}), 0)::int`;
  const largest = sql<number>`coalesce((select max(abs(number_value)) from document_fields where field_id = ${customFields.id}), 0)::float8`;
  const rows = await db.select({ field: customFields, longest, largest }).from(customFields).orderBy(asc(customFields.id));
  for (const { field, ...values } of rows) {
    const pk = fields.size + 1;
    const dataType = dataTypeOf(field, values);
    fields.set(field.id, {
      pk,
      id: field.id,
      dataType,
      choices: new Map(field.type === 'choice' ? field.choices.map((choice) => [optionId(field.id, choice), choice]) : []),
    });
    yield {
      model: 'documents.customfield',
      pk,
      fields: { created: toTime(field.createdAt), name: field.name, data_type: dataType, extra_data: extraData(field) },
      ...sheafExtra({ id: field.id, type: field.type, document_type_id: field.documentTypeId ?? undefined }),
    };
  }
}

const NO_VALUE = Object.fromEntries(Object.values(PAPERLESS_VALUE_COLUMNS).map((column) => [column, null]));

/** What stands in the column of a value; nothing where the field is empty. `numberOf` knows the numbers of the documents of the export. */
const toValue = ({ id, dataType }: ExportedField, row: FieldValueRow, numberOf: (documentId: string) => number | undefined): unknown => {
  switch (dataType) {
    case 'float':
    case 'integer':
      return row.numberValue && Number(row.numberValue);
    case 'monetary':
      return row.numberValue && writeAmount({ amount: row.numberValue, currency: row.currency });
    case 'date':
      return row.dateValue;
    case 'boolean':
      return row.booleanValue;
    case 'select':
      return row.textValue && optionId(id, row.textValue);
    case 'documentlink': {
      if (row.documentValue === null) return null;
      const linked = numberOf(row.documentValue);
      return linked === undefined ? [] : [linked];
    }
    default:
      return row.textValue;
  }
};

/** The values of these documents, by their ids. */
export const readFieldRows = async (db: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly FieldValueRow[]>> => {
  const rows = await db
    .select()
    .from(documentFields)
    .where(inArray(documentFields.documentId, [...documentIds]))
    .orderBy(asc(documentFields.documentId), asc(documentFields.fieldId));
  return Map.groupBy(rows, (row) => row.documentId);
};

/** The fields of a record of a value; undefined where the field came after its definitions were written. */
export const valueFields = (
  fields: ExportedFields,
  row: FieldValueRow,
  { document, created, numberOf }: { document: number; created: string; numberOf: (documentId: string) => number | undefined },
): Readonly<Record<string, unknown>> | undefined => {
  const field = fields.get(row.fieldId);
  if (field === undefined) return undefined;
  const deleted = { deleted_at: null, restored_at: null, transaction_id: null };
  return {
    ...deleted,
    created,
    document,
    field: field.pk,
    ...NO_VALUE,
    [PAPERLESS_VALUE_COLUMNS[field.dataType]]: toValue(field, row, numberOf),
  };
};

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
