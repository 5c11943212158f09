import { dayOf, filter, type Holds, idOf, type MakeFilter, type Order, TEST_NAMES, TESTS } from './plain-reading.ts';
import {
  DAYS,
  MIME_TYPES,
  NOTE_WORDS,
  type PlainDocument,
  type PlainLibrary,
  type Random,
  SOURCE_NAMES,
  WORDS,
} from './random-documents.ts';

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
  (_, { labels }) => {
    const names = ['blue', 'red'];
    return filter(
      'label_ids',
      names.map((name) => idOf(labels, name)),
      (d) => names.every((name) => d.labels.includes(name)),
      { more: { label_match: 'all' } },
    );
  },
  (r, { sources }) => {
    const name = r.pick(SOURCE_NAMES);
    return filter('source_id', idOf(sources, name), (d) => d.origin === name);
  },
  (r) => {
    const from = `paperless:${r.below(6)}`;
    return filter('imported_from', from, (d) => d.importedFrom === from, { only: 'list' });
  },
  (r) => {
    const has = r.chance(0.5);
    return filter('has_similar', has, (d) => d.isSimilar === has);
  },
  (r) => {
    const size = r.pick([9, 10, 200, 201, 3_001]);
    return filter('min_size', size, (d) => d.size >= size, { only: 'search' });
  },
  (r) => {
    const size = r.pick([9, 10, 200, 201, 3_001]);
    return filter('max_size', size, (d) => d.size <= size, { only: 'search' });
  },
  (r) => {
    const confidence = r.pick([0, 0.25, 0.3, 1]);
    return filter('min_confidence', confidence, (d) => d.confidence !== null && d.confidence >= confidence, { only: 'search' });
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
export type MakeClause = (random: Random, library: PlainLibrary) => readonly [Clause, Holds];

const hasNote = ({ notes }: PlainDocument, word: string): boolean => notes.some((note) => note === word);

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
    const value = r.pick([...WORDS, 'gamma', ...NOTE_WORDS]);
    return [
      { field: 'any', value, type: 'exact' },
      (d) => d.words.some((word) => word === value) || d.title.includes(value) || hasNote(d, value),
    ];
  },
  (r) => {
    const value = r.pick(NOTE_WORDS);
    return [{ field: 'note', value, type: 'match' }, (d) => hasNote(d, value)];
  },
  () => [{ field: 'note', value: 'icni', type: 'contains' }, (d) => hasNote(d, 'picnic')],
  (r) => {
    const value = r.pick(['B.pdf', 'c.PDF', 'b']);
    return [{ field: 'filename', value, type: 'exact' }, (d) => d.filename === value.toLowerCase()];
  },
  (r) => {
    const value = r.pick(['b.', '.PDF', 'x']);
    return [{ field: 'filename', value, type: 'contains' }, (d) => d.filename.includes(value.toLowerCase())];
  },
  (r, { sources }) => {
    const name = r.pick(SOURCE_NAMES);
    return [{ field: 'source', value: r.chance(0.5) ? name.toLowerCase() : idOf(sources, name), type: 'exact' }, (d) => d.origin === name];
  },
  () => [{ field: 'source', value: 'upload', type: 'exact' }, (d) => d.origin === null],
  (r) => {
    const value = r.pick(['top shelf', 'Low Shelf', 'shelf']);
    return [{ field: 'metadata.shelf', value, type: 'exact' }, (d) => d.shelf === value.toLowerCase()];
  },
  (r) => {
    const value = r.pick(['shelf top', 'low', 'nothing']);
    const words = value.split(' ');
    return [{ field: 'metadata.shelf', value, type: 'match' }, (d) => words.every((word) => (d.shelf ?? '').split(' ').includes(word))];
  },
  (r) => {
    const value = r.pick(['P SH', 'ow', 'x']);
    return [{ field: 'metadata.shelf', value, type: 'contains' }, (d) => (d.shelf ?? '').includes(value.toLowerCase())];
  },
];

/** A part of the text of a query, and the documents that have it. */
export type MakeQuery = (random: Random) => readonly [text: string, holds: Holds];

const inYear = (year: string) => (day: string | null) => day?.startsWith(year) === true;

export const QUERIES: readonly MakeQuery[] = [
  (r) => {
    const word = r.pick(WORDS);
    return [word, (d) => d.words.includes(word)];
  },
  (r) => {
    const word = r.pick(WORDS);
    return [`-content:${word}`, (d) => !d.words.includes(word)];
  },
  (r) => {
    const [one, other] = [r.pick(WORDS), r.pick(NOTE_WORDS)];
    return [`${one} OR note:${other}`, (d) => d.words.includes(one) || hasNote(d, other)];
  },
  () => ['title:gam*', (d) => d.title.includes('gam')],
  () => ['title:*elt*', (d) => d.title.includes('delta')],
  (r) => {
    // "a" is a stop word, which finds every name with the other words
    const name = r.pick(['b.pdf', 'c.pdf']);
    return [`filename:${name}`, (d) => d.filename === name];
  },
  (r) => {
    const word = r.pick(NOTE_WORDS);
    return [`note:${word}`, (d) => hasNote(d, word)];
  },
  (r) => {
    const label = r.pick(['red', 'blue']);
    return [`label:${label}`, (d) => d.labels.includes(label)];
  },
  (r) => {
    const from = r.pick(['acme', 'zenith']);
    return [`-from:${from}`, (d) => d.from !== from];
  },
  () => ['from:none', (d) => d.from === null],
  (r) => {
    const type = r.pick(['bill', 'contract']);
    return [`type:${type}`, (d) => d.type === type];
  },
  (r) => {
    const year = r.pick(['2023', '2024']);
    return [`date:${year}`, (d) => inYear(year)(d.dated)];
  },
  (r) => {
    const day = r.pick(DAYS);
    return [`date:>${day}`, (d) => d.dated !== null && d.dated > day];
  },
  (r) => {
    const year = r.pick(['2023', '2024']);
    return [`created:${year}`, (d) => inYear(year)(d.dated ?? dayOf(d.created))];
  },
  (r) => {
    const day = r.pick(DAYS);
    return [`added:<=${day}`, (d) => dayOf(d.created) <= day];
  },
  (r) => {
    const day = r.pick(DAYS);
    return [`modified:${day}`, (d) => dayOf(d.modified) === day];
  },
  () => ['owner:bertha', (d) => d.owner === 'bertha'],
  (r) => {
    const from = 100 + r.below(40);
    return [`asn:${from}..${from + 10}`, (d) => d.asn !== null && d.asn >= from && d.asn <= from + 10];
  },
  () => ['asn:none', (d) => d.asn === null],
  (r) => {
    const at = r.below(5);
    return [`imported:paperless:${at}`, (d) => d.importedFrom === `paperless:${at}`];
  },
  () => ['imported:paperless', (d) => d.importedFrom !== null],
  (r) => {
    const amount = r.pick([1, 2.5]);
    return [`field.amount:>${amount}`, (d) => d.amount !== null && d.amount > amount];
  },
  () => ['field.place:*', (d) => d.place !== null],
  () => ['field.place:harbour', (d) => d.place === 'harbour'],
  () => ['field.amount:none', (d) => d.amount === null],
];
