import { dayOf, filter, type Holds, idOf, type MakeFilter, type Order, TEST_NAMES, TESTS } from './plain-reading.ts';
import { DAYS, MIME_TYPES, type Random, WORDS } from './random-documents.ts';

/** The filters of our own lists and searches. `documents` is how many there are. */
export const nativeFilters = (documents: number): readonly MakeFilter[] => [
  (r) => {
    const status = r.pick(['completed', 'pending'] as const);
    return filter('status', status, (d) => d.status === status);
  },
  (r) => {
    const language = r.pick(['eng', 'deu']);
    return filter('language', language, (d) => d.language === language);
  },
  (r, { owners }) => {
    const owner = r.pick([...owners.keys()]);
    return filter('owner_id', idOf(owners, owner), (d) => d.owner === owner);
  },
  (r) => {
    const types = r.some(MIME_TYPES, 0.5);
    return types.length === 0
      ? filter('has_labels', true, (d) => d.labels.length > 0)
      : filter('mime_types', types, (d) => types.some((type) => type === d.mimeType));
  },
  (r, { labels }) => {
    const names = [r.pick(['blue', 'green']), 'red'];
    return filter(
      'label_ids',
      names.map((name) => idOf(labels, name)),
      (d) => names.some((name) => d.labels.includes(name)),
    );
  },
  (r) => {
    const has = r.chance(0.5);
    return filter('has_labels', has, (d) => d.labels.length > 0 === has);
  },
  (r) => {
    const day = r.pick(DAYS);
    return filter('date_from', day, (d) => dayOf(d.created) >= day);
  },
  (r) => {
    const day = r.pick(DAYS);
    return filter('date_to', day, (d) => dayOf(d.created) <= day);
  },
  (r) => {
    const day = r.pick(DAYS);
    return filter('document_date_from', day, (d) => d.dated !== null && d.dated >= day);
  },
  (r) => {
    const day = r.pick(DAYS);
    return filter('document_date_to', day, (d) => d.dated !== null && d.dated <= day);
  },
  (r) => {
    const asn = 100 + r.below(documents);
    return filter('archive_number', asn, (d) => d.asn === asn);
  },
  (r, { correspondents }) => {
    const name = r.pick(['acme', 'zenith']);
    return filter('correspondent_ids', idOf(correspondents, name), (d) => d.from === name);
  },
  (r) => {
    const has = r.chance(0.5);
    return filter('has_correspondent', has, (d) => (d.from !== null) === has);
  },
  (_, { types }) => filter('document_type_ids', [...types.values()], (d) => d.type !== null),
  (r) => {
    const has = r.chance(0.5);
    return filter('has_document_type', has, (d) => (d.type !== null) === has);
  },
  (r) => {
    const [amount, test] = [r.pick([1, 2.5, 50]), r.pick(TEST_NAMES)];
    return filter('fields', JSON.stringify({ Amount: { [test]: amount } }), (d) => d.amount !== null && TESTS[test](d.amount, amount));
  },
];

export const NATIVE_ORDERS: readonly Order[] = [
  ['created_at', (d) => Date.parse(d.created)],
  ['updated_at', (d) => Date.parse(d.modified)],
  ['title', (d) => d.title],
  ['filename', (d) => d.filename],
  ['size', (d) => d.size],
  ['mime_type', (d) => d.mimeType],
  ['ocr_confidence', (d) => d.confidence],
  ['document_date', (d) => d.dated],
  ['archive_number', (d) => d.asn],
  ['correspondent', (d) => d.from],
  ['document_type', (d) => d.type],
];
export const LIST_ORDERS: readonly Order[] = [...NATIVE_ORDERS, ['status', (d) => d.status]];

export interface Clause {
  readonly field: string;
  readonly value: string;
  readonly type: 'match' | 'contains' | 'exact';
}
export type MakeClause = (random: Random) => readonly [Clause, Holds];

export const CLAUSES: readonly MakeClause[] = [
  (r) => {
    const value = r.pick(['red', 'BLUE']);
    return [{ field: 'label', value, type: 'exact' }, (d) => d.labels.includes(value.toLowerCase())];
  },
  (r) => {
    const value = r.pick(['acme', 'zen']);
    return [{ field: 'correspondent', value, type: 'contains' }, (d) => (d.from ?? '').includes(value)];
  },
  (r) => {
    const value = r.pick(['bill', 'contract']);
    return [{ field: 'document_type', value, type: 'match' }, (d) => d.type === value];
  },
  (r) => {
    const value = r.pick(MIME_TYPES);
    return [{ field: 'mime_type', value, type: 'exact' }, (d) => d.mimeType === value];
  },
  () => [{ field: 'mime_type', value: 'image', type: 'contains' }, (d) => d.mimeType.includes('image')],
  (r) => {
    const value = r.pick(['completed', 'pending']);
    return [{ field: 'status', value, type: 'exact' }, (d) => d.status === value];
  },
  (r) => {
    const value = r.pick(DAYS);
    return [{ field: 'created_at', value, type: 'exact' }, (d) => dayOf(d.created) === value];
  },
  (r) => {
    const value = r.pick(['gamma', 'alpha']);
    return [{ field: 'title', value, type: 'exact' }, (d) => d.title === value];
  },
  () => [{ field: 'title', value: 'mma', type: 'contains' }, (d) => d.title.includes('mma')],
  () => [{ field: 'title', value: 'delta gamma', type: 'match' }, (d) => d.title === 'gamma delta'],
  (r) => {
    const value = r.pick(WORDS);
    return [{ field: 'content', value, type: 'match' }, (d) => d.words.includes(value)];
  },
  (r) => {
    const value = r.pick([...WORDS, 'gamma']);
    return [{ field: 'any', value, type: 'exact' }, (d) => d.words.some((word) => word === value) || d.title.includes(value)];
  },
];
