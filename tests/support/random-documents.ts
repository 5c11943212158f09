import { randomUUID } from 'node:crypto';
import { savePages } from '@sheaf/documents/pages';
import { numbersOf, type PaperlessKind } from '@sheaf/paperless';
import { indexDocument } from '@sheaf/search';
import { givenDocument } from '@sheaf/testkit';
import type { RunningApi } from './running-api.ts';

/** Numbers that look random and are the same for each seed (mulberry32). */
export const makeRandom = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(list: readonly T[]): T => {
    const found = list[below(list.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  };
  const some = <T>(list: readonly T[], share = 0.5): T[] => list.filter(() => next() < share);
  const maybe = <T>(make: () => T, share = 0.6): T | null => (next() < share ? make() : null);
  return { below, pick, some, maybe, chance: (share: number): boolean => next() < share };
};
export type Random = ReturnType<typeof makeRandom>;

/** A document as a test reads it. */
export interface PlainDocument {
  readonly id: string;
  readonly title: string;
  readonly filename: string;
  readonly words: readonly string[];
  readonly mimeType: string;
  readonly size: number;
  readonly status: 'completed' | 'pending';
  readonly language: string | null;
  readonly confidence: number | null;
  readonly pages: number | null;
  readonly created: string;
  readonly modified: string;
  readonly dated: string | null;
  readonly asn: number | null;
  readonly from: string | null;
  readonly type: string | null;
  readonly owner: string;
  readonly labels: readonly string[];
  readonly place: string | null;
  readonly amount: number | null;
  readonly notes: readonly string[];
  /** The name of the source that it came from; null: it was uploaded. */
  readonly origin: string | null;
  readonly importedFrom: string | null;
  readonly shelf: string | null;
  /** Whether another one is nearly the same. */
  readonly isSimilar: boolean;
}

export interface PlainLibrary {
  readonly documents: readonly PlainDocument[];
  /** Ids by name. */
  readonly labels: ReadonlyMap<string, string>;
  readonly correspondents: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  readonly owners: ReadonlyMap<string, string>;
  readonly sources: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<'Place' | 'Amount', string>;
  readonly numberOf: (kind: PaperlessKind, id: string) => number;
}

export const WORDS = ['harbour', 'garden', 'window', 'letter', 'engine'] as const;
export const NOTE_WORDS = ['picnic', 'ledger'] as const;
export const SOURCE_NAMES = ['Cloud', 'Office'] as const;
export const DAYS = ['2023-12-31', '2024-01-01', '2024-01-15', '2024-02-29', '2025-07-15'] as const;
const TITLES = ['alpha', 'beta', 'gamma', 'gamma delta'] as const;
const PLACES = ['harbour', 'hill', 'vale'] as const;
export const MIME_TYPES = ['application/pdf', 'text/plain', 'image/png'] as const;

const nameRows = async (
  { database: { db } }: RunningApi,
  table: string,
  names: readonly string[],
  more = '',
): Promise<Map<string, string>> => {
  const rows = names.map((name): [string, string] => [name, randomUUID()]);
  for (const [name, id] of rows)
    await db.execute(`insert into ${table} (id, name${more === '' ? '' : ', color'}) values ('${id}', '${name}'${more})`);
  return new Map(rows);
};

type Facts = Omit<PlainDocument, 'id' | 'isSimilar'>;

const makeFacts = (random: Random, at: number, owners: readonly string[]): Facts => ({
  title: random.pick(TITLES),
  filename: `${random.pick(['a', 'b', 'c'])}.pdf`,
  words: random.some(WORDS),
  mimeType: random.pick(MIME_TYPES),
  size: random.pick([10, 200, 3_000]),
  status: random.chance(0.8) ? 'completed' : 'pending',
  language: random.maybe(() => random.pick(['eng', 'deu'])),
  confidence: random.maybe(() => random.pick([0.25, 0.5, 1])),
  pages: random.maybe(() => random.pick([1, 2, 3])),
  created: `${random.pick(DAYS)}T${random.pick(['00:00:00', '12:00:00', '23:59:59'])}Z`,
  modified: `${random.pick(DAYS)}T${random.pick(['00:00:00', '12:30:00', '23:59:59'])}Z`,
  dated: random.maybe(() => random.pick(DAYS)),
  asn: random.maybe(() => 100 + at),
  from: random.maybe(() => random.pick(['acme', 'zenith'])),
  type: random.maybe(() => random.pick(['bill', 'contract'])),
  owner: random.pick(owners),
  labels: random.some(['blue', 'green', 'red'], 0.4),
  place: random.maybe(() => random.pick(PLACES)),
  amount: random.maybe(() => random.pick([1, 2.5, 100])),
  notes: Array.from({ length: random.pick([0, 0, 1, 2]) }, () => random.pick(NOTE_WORDS)),
  origin: random.maybe(() => random.pick(SOURCE_NAMES)),
  importedFrom: random.maybe(() => `paperless:${at % 5}`),
  shelf: random.maybe(() => random.pick(['top shelf', 'low shelf'])),
});

/** Puts the facts into the database, as plainly as they are read. */
const store = async (
  { database: { db } }: RunningApi,
  facts: Facts,
  library: Omit<PlainLibrary, 'documents' | 'numberOf'>,
): Promise<Facts & { readonly id: string }> => {
  const idOf = (ids: ReadonlyMap<string, string>, name: string | null): string | null => (name === null ? null : (ids.get(name) ?? null));
  const { id } = await givenDocument(db, {
    ownerId: library.owners.get(facts.owner) ?? '',
    title: facts.title,
    filename: facts.filename,
    mimeType: facts.mimeType,
    sizeBytes: facts.size,
    status: facts.status,
    language: facts.language,
    ocrConfidence: facts.confidence,
    pageCount: facts.pages,
    createdAt: new Date(facts.created),
    documentDate: facts.dated,
    archiveNumber: facts.asn,
    correspondentId: idOf(library.correspondents, facts.from),
    documentTypeId: idOf(library.types, facts.type),
    notesCount: facts.notes.length,
    source: facts.origin === null ? 'upload' : 'webdav',
    sourceId: idOf(library.sources, facts.origin),
    importedFrom: facts.importedFrom,
    metadata: facts.shelf === null ? {} : { shelf: facts.shelf },
  });
  for (const note of facts.notes)
    await db.execute(`insert into document_notes (id, document_id, text) values ('${randomUUID()}', '${id}', '${note}')`);
  await savePages(db, id, [{ page: 1, content: facts.words.join(' '), confidence: 1, origin: 'text' }]);
  for (const name of facts.labels)
    await db.execute(`insert into document_labels (document_id, label_id) values ('${id}', '${library.labels.get(name)}')`);
  if (facts.place !== null)
    await db.execute(
      `insert into document_fields (document_id, field_id, text_value) values ('${id}', '${library.fields.get('Place')}', '${facts.place}')`,
    );
  if (facts.amount !== null)
    await db.execute(
      `insert into document_fields (document_id, field_id, number_value) values ('${id}', '${library.fields.get('Amount')}', ${facts.amount})`,
    );
  await indexDocument(db, id);
  await db.execute(`update documents set updated_at = '${facts.modified}' where id = '${id}'`);
  return { id, ...facts };
};

const addSources = async ({ admin }: RunningApi): Promise<Map<string, string>> => {
  const made = new Map<string, string>();
  for (const name of SOURCE_NAMES) {
    const { body } = await admin.post('/api/sources', { name, type: 'webdav', url: `https://${name}.example.org/`, enabled: false });
    made.set(name, String(body['id']));
  }
  return made;
};

/** Pairs of documents that are nearly the same; who is in one that was not dismissed, with one that is not `trashed`. */
const addSimilar = async (
  { database: { db } }: RunningApi,
  random: Random,
  ids: readonly string[],
  trashed: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  const similar = new Set<string>();
  for (let at = 0; at + 1 < ids.length; at += 3) {
    const [one = '', other = ''] = ids.slice(at, at + 2).toSorted();
    const isDismissed = random.chance(0.3);
    await db.execute(
      `insert into near_duplicates (document_id, other_id, similarity, is_dismissed) values ('${one}', '${other}', 0.9, ${isDismissed})`,
    );
    if (!isDismissed && !trashed.has(one) && !trashed.has(other)) similar.add(one).add(other);
  }
  return similar;
};

/** How many of the documents go to the trash, where no list, filter or search finds them. */
const TRASHED = 0.2;

/** Documents of which facts are alike, missing and the same as those of others, by `random`. Those in the trash are not among them. */
export const givenRandomDocuments = async (api: RunningApi, random: Random, count: number): Promise<PlainLibrary> => {
  const { db } = api.database;
  await api.admin.register('bertha', 'editor');
  const { rows: users } = await db.execute<{ id: string; username: string }>('select id, username from users');
  const library = {
    labels: await nameRows(api, 'labels', ['blue', 'green', 'red'], ", '#112233'"),
    correspondents: await nameRows(api, 'correspondents', ['acme', 'zenith']),
    types: await nameRows(api, 'document_types', ['bill', 'contract']),
    sources: await addSources(api),
    owners: new Map(users.map(({ id, username }) => [username, id])),
    fields: new Map([
      ['Place', randomUUID()],
      ['Amount', randomUUID()],
    ] as const),
  };
  await db.execute(`insert into custom_fields (id, name, type) values ('${library.fields.get('Place')}', 'Place', 'text'),
    ('${library.fields.get('Amount')}', 'Amount', 'number')`);
  const stored: (Facts & { readonly id: string })[] = [];
  for (let at = 0; at < count; at += 1) stored.push(await store(api, makeFacts(random, at, [...library.owners.keys()]), library));
  const trashed = new Set(random.some(stored, TRASHED).map(({ id }) => id));
  const similar = await addSimilar(
    api,
    random,
    stored.map(({ id }) => id),
    trashed,
  );
  for (const id of trashed) await api.admin.delete(`/api/documents/${id}`);
  const documents = stored
    .filter(({ id }) => !trashed.has(id))
    .map((document): PlainDocument => ({ ...document, isSimilar: similar.has(document.id) }));
  const ids = (kind: PaperlessKind, of: Iterable<string>) => [...of].map((id) => ({ kind, id }));
  const numberOf = await numbersOf(db, [
    ...ids(
      'document',
      documents.map(({ id }) => id),
    ),
    ...ids('tag', library.labels.values()),
    ...ids('correspondent', library.correspondents.values()),
    ...ids('document_type', library.types.values()),
    ...ids('user', library.owners.values()),
    ...ids('custom_field', library.fields.values()),
  ]);
  return { ...library, documents, numberOf };
};
