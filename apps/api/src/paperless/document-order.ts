import type { Db } from '@sheaf/db';
import { findByNumbers, type OrderField, type OrderKey, readFieldKinds } from '@sheaf/paperless';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { refuseField } from './query.ts';

/** Our own orders, which have an index each. */
const OWN: Readonly<Record<string, DocumentSortField>> = {
  id: 'created_at',
  created: 'document_date',
  added: 'created_at',
  modified: 'updated_at',
  title: 'title',
  archive_serial_number: 'archive_number',
  correspondent__name: 'correspondent',
  document_type__name: 'document_type',
};

const OTHER: Readonly<Record<string, OrderField>> = {
  owner: 'owner',
  num_notes: 'num_notes',
  notes: 'num_notes',
  page_count: 'page_count',
};
/** What all documents have alike, as there are no storage paths. */
const ALIKE: ReadonlySet<string> = new Set(['storage_path__name', 'storage_path']);

const CUSTOM_FIELD = /^custom_field_(\d{1,10})$/;
const MAX_KEYS = 10;

/** How documents are to be sorted: by our own order, by any keys, or by rank. */
export type Ordering =
  | { readonly by: 'own'; readonly sort: DocumentSortField; readonly order: 'asc' | 'desc' }
  | { readonly by: 'keys'; readonly keys: readonly OrderKey[] }
  | { readonly by: 'rank'; readonly isWorstFirst: boolean };

const readKey = async (db: Db, name: string): Promise<OrderField> => {
  if (Object.hasOwn(OWN, name)) return name as OrderField;
  const other = Object.hasOwn(OTHER, name) ? OTHER[name] : undefined;
  if (other !== undefined) return other;
  const [, number] = CUSTOM_FIELD.exec(name) ?? [];
  const id = number === undefined ? undefined : (await findByNumbers(db, 'custom_field', [Number(number)])).get(Number(number));
  const kind = id === undefined ? undefined : (await readFieldKinds(db)).find((each) => each.id === id);
  if (kind === undefined) throw refuseField('ordering', `"${name}" is not supported.`);
  return { fieldId: kind.id, type: kind.type };
};

/** The order that `ordering` names; undefined where it names none. Throws VALIDATION_ERROR for one that does not exist. */
export const readOrdering = async (db: Db, ordering: string | undefined): Promise<Ordering | undefined> => {
  const names = (ordering ?? '')
    .split(',', MAX_KEYS + 1)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > MAX_KEYS) throw refuseField('ordering', `has more than ${MAX_KEYS} fields`);
  const signed = names.map((name) => ({ name: name.replace(/^-/, ''), isDescending: name.startsWith('-') }));
  const [first, ...others] = signed;
  if (first === undefined) return undefined;
  if (first.name === 'score' && others.length === 0) return { by: 'rank', isWorstFirst: !first.isDescending };
  const sort = Object.hasOwn(OWN, first.name) ? OWN[first.name] : undefined;
  if (sort !== undefined && others.length === 0) return { by: 'own', sort, order: first.isDescending ? 'desc' : 'asc' };
  const keys: OrderKey[] = [];
  for (const { name, isDescending } of signed) if (!ALIKE.has(name)) keys.push({ field: await readKey(db, name), isDescending });
  return { by: 'keys', keys: keys.length > 0 ? keys : [{ field: 'id', isDescending: first.isDescending }] };
};
