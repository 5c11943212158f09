import type { ImportSummary, NotImported } from '@sheaf/imports';
import type { TestDatabase } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { type ImportedRow, readImported, readTrashed, readVersions } from './imported-library.ts';

const expectedDocument = z.object({
  pk: z.number(),
  title: z.string(),
  date: z.string(),
  added: z.string(),
  original_filename: z.string(),
  asn: z.number().nullable(),
  tags: z.array(z.string()),
  correspondent: z.string().nullable(),
  type: z.string().nullable(),
  storage_path: z.string().nullable(),
  owner: z.string().nullable(),
  fields: z.record(z.string(), z.object({ type: z.string(), value: z.unknown() })),
  notes: z.array(z.object({ text: z.string(), user: z.string().nullable(), created: z.string() })),
  sha256: z.string(),
  content: z.string(),
  file_state: z.string(),
  in_trash: z.boolean(),
  version_of: z.number().nullable(),
  version_index: z.number().nullable(),
  duplicate_of: z.number().nullable(),
});
export type Expected = z.infer<typeof expectedDocument>;

/** What the generator of exports says that is in one. */
export const expectations = z.object({
  documents: z.array(expectedDocument),
  tags: z.array(z.object({ name: z.string(), parent: z.string().nullable(), colour: z.string() })),
  correspondents: z.array(z.unknown()),
  document_types: z.array(z.unknown()),
  custom_fields: z.array(z.unknown()),
  saved_views: z.array(z.unknown()),
  counts: z.record(z.string(), z.number()),
  cannot_be_taken_over: z.array(z.object({ kind: z.string(), what: z.unknown(), why: z.string() })),
});
export type Expectations = z.infer<typeof expectations>;

const ACCOUNTS: Readonly<Record<string, string>> = { 'bob.o-neil@example.org': 'bob-o-neil' };
const accountOf = (user: string | null, administrator: string): string => (user === null ? administrator : (ACCOUNTS[user] ?? user));

const reasonsFor = (left: readonly NotImported[], pk: number, kind: string): readonly NotImported[] =>
  left.filter((one) => one.document === `paperless:${pk}` && one.kind === kind);

/** The names of the tags with those above them. */
const withAncestors = (names: readonly string[], { tags }: Expectations): string[] => {
  const all = new Set<string>();
  for (const start of names)
    for (let name: string | null = start; name !== null; name = tags.find((tag) => tag.name === name)?.parent ?? null) all.add(name);
  return [...all];
};

/** The files of a document, the oldest first. */
const filesOf = (expected: Expected, all: readonly Expected[]): readonly Expected[] => [
  expected,
  ...all.filter(({ version_of: root }) => root === expected.pk).toSorted((a, b) => (a.version_index ?? 0) - (b.version_index ?? 0)),
];

const fileOf = (expected: Expected, all: readonly Expected[]): Expected => filesOf(expected, all).at(-1) ?? expected;

const compareVersions = (
  t: ExecutionContext,
  expected: Expected,
  all: readonly Expected[],
  found: readonly { readonly sha256: string; readonly content: string }[],
): void => {
  const earlier = filesOf(expected, all).slice(0, -1);
  t.deepEqual(
    found.map(({ sha256 }) => sha256),
    earlier.map(({ sha256 }) => sha256),
    `versions of ${expected.pk}`,
  );
  for (const [at, { content }] of earlier.entries()) t.true(found[at]?.content.startsWith(content), `version ${at + 1} of ${expected.pk}`);
};

const compareFields = (t: ExecutionContext, expected: Expected, row: ImportedRow, left: readonly NotImported[]): void => {
  const fields = row.fields ?? {};
  for (const [name, { type, value }] of Object.entries(expected.fields)) {
    if (value === null) continue;
    const found = fields[name];
    if (type === 'documentlink') {
      const links = [found, fields[`${name} 2`]].filter((link) => link !== undefined && link !== null);
      t.deepEqual(
        links,
        (value as number[]).map((pk) => `paperless:${pk}`),
        `${expected.pk} ${name}`,
      );
    } else if (found === undefined)
      t.true(
        reasonsFor(left, expected.pk, 'field value').some((one) => one.name === name),
        `${expected.pk} ${name}`,
      );
    else if (type === 'monetary') {
      const [, currency = 'EUR', amount] = /^([A-Z]{3})?(.*)$/.exec(value as string) ?? [];
      t.deepEqual(
        (found as string).split(' ').map((part, at) => (at === 0 ? part : Number(part))),
        [currency, Number(amount)],
      );
    } else t.deepEqual(found, typeof value === 'string' ? value.trim() : value, `${expected.pk} ${name}`);
  }
  t.is(fields['Storage path'] ?? null, expected.storage_path);
};

interface Comparison {
  readonly all: Expectations;
  readonly left: readonly NotImported[];
  /** Whose the documents of nobody become. */
  readonly administrator: string;
}

const compareDocument = (t: ExecutionContext, expected: Expected, row: ImportedRow, { all, left, administrator }: Comparison): void => {
  const file = fileOf(expected, all.documents);
  const message = `document ${expected.pk}`;
  const joined = all.documents.filter(
    ({ pk, version_of: root }) =>
      root === expected.pk || (row.sha256 === all.documents.find((one) => one.pk === pk)?.sha256 && pk !== expected.pk),
  );
  t.is(row.title, expected.title.normalize('NFC').trim(), message);
  t.is(row.document_date, expected.date, message);
  t.is(row.added, expected.added, message);
  t.is(row.owner, accountOf(expected.owner, administrator), message);
  t.is(row.correspondent, expected.correspondent, message);
  t.is(row.type, expected.type, message);
  t.is(row.source, 'import', message);
  t.is(row.sha256, file.sha256, message);
  t.is(row.archive_number, expected.asn === null || expected.asn === 0 || expected.asn > 2_147_483_647 ? null : expected.asn, message);
  const ofDuplicates = joined.filter(({ version_of: root }) => root === null).flatMap(({ tags }) => tags);
  const labels = withAncestors(expected.tags, all);
  t.true(
    labels.every((label) => row.labels.includes(label)),
    message,
  );
  t.true(
    row.labels.every((label) => labels.includes(label) || withAncestors(ofDuplicates, all).includes(label)),
    message,
  );
  const hasText = file.content !== '';
  t.is(row.status, hasText ? 'completed' : 'pending', message);
  t.deepEqual([row.origins, row.jobs, row.is_indexed], hasText ? [['import'], 0, true] : [[], 1, false], message);
  if (hasText) t.true((row.content ?? '').startsWith(file.content), message);
  const notes = (row.notes ?? []).map(({ text, author, created }) => `${text} ${author ?? ''} ${created}`);
  for (const { text, user, created } of expected.notes)
    t.true(notes.includes(`${text} ${user === null ? '' : accountOf(user, administrator)} ${created}`), `${message} ${text}`);
  compareFields(t, expected, row, left);
};

/** Every document of an export as it is imported: with all that it has there, or with a reason. */
export const compareImported = async (
  t: ExecutionContext,
  database: TestDatabase,
  all: Expectations,
  { not_imported: left }: ImportSummary,
  administrator = 'first',
): Promise<void> => {
  const rows = await readImported(database);
  const trashed = await readTrashed(database);
  const versions = await readVersions(database);
  for (const expected of all.documents) {
    const row = rows.get(`paperless:${expected.pk}`);
    const kinds = new Set(left.filter(({ document }) => document === `paperless:${expected.pk}`).map(({ kind }) => kind));
    if (expected.file_state === 'missing') t.true(row === undefined && kinds.has('document'), `document ${expected.pk}`);
    else if (expected.in_trash)
      t.deepEqual([row, trashed.has(`paperless:${expected.pk}`)], [undefined, true], `document ${expected.pk} is in the trash`);
    else if (expected.version_of !== null) t.is(row, undefined);
    else if (row === undefined) t.true(kinds.has('duplicate'), `document ${expected.pk} is missing`);
    else {
      compareDocument(t, expected, row, { all, left, administrator });
      compareVersions(t, expected, all.documents, versions.get(row.imported_from) ?? []);
    }
    if (expected.file_state === 'wrong checksum') t.true(kinds.has('document checksum'));
    if (expected.asn === 0 || expected.asn === 4_294_967_295) t.true(kinds.has('archive number'));
  }
};
