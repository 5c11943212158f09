import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ImportSummary } from '@sheaf/imports';
import { givenUser, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { runSheafHere } from './command-in-process.ts';
import { compareImported, type Expectations, expectations } from './expected-import.ts';
import { type ImportedRow, readImported } from './imported-library.ts';
import { listOf, PaperlessClient, swiftDocument, swiftEntry, swiftField, swiftSettings, swiftTag } from './paperless.ts';
import { makePaperlessExport } from './paperless-export.ts';
import { startApi } from './running-api.ts';

/** Seconds that each step took. */
type Durations = Readonly<Record<'import' | 'client' | 'export' | 'importAgain', number>>;

interface Environment {
  readonly database: TestDatabase;
  /** Data and uploads are below it. */
  readonly folder: string;
}

const run = async ({ database, folder }: Environment, ...args: readonly string[]) => {
  const env = {
    PATH: process.env['PATH'],
    DATA_PATH: join(folder, 'data'),
    UPLOAD_PATH: join(folder, 'uploads'),
    DATABASE_URL: database.url.reveal(),
  };
  return runSheafHere(args, env, folder);
};

const importFrom = async (to: Environment, path: string): Promise<ImportSummary> => {
  const { stdout, stderr } = await run(to, 'import', 'paperless', path, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as ImportSummary;
};

const wholeDocument = swiftDocument.extend({ content: z.string() });
type Listed = z.infer<typeof wholeDocument>;

const anyPage = listOf(z.unknown());

/** All pages of a list, as an app loads them. */
const readAll = async <T>(client: PaperlessClient, path: string, item: z.ZodType<T>): Promise<T[]> => {
  const found: T[] = [];
  for (let next: string | null = path; next !== null; ) {
    const page: z.infer<typeof anyPage> = await client.read(next, anyPage);
    found.push(...page.results.map((each) => item.parse(each)));
    next = page.next === null ? null : page.next.slice(client.url.length);
  }
  return found;
};

const namesOf = async <T extends { readonly id: number; readonly name: string }>(
  client: PaperlessClient,
  list: string,
  item: z.ZodType<T>,
) => new Map((await readAll(client, `${list}/?page_size=200`, item)).map(({ id, name }) => [id, name]));

/** What an app shows of the imported library, against the rows. */
const useByApp = async (t: ExecutionContext, client: PaperlessClient, rows: ReadonlyMap<string, ImportedRow>): Promise<void> => {
  await client.read('ui_settings/', swiftSettings);
  const [tags, correspondents, types, fields] = [
    await namesOf(client, 'tags', swiftTag),
    await namesOf(client, 'correspondents', swiftEntry),
    await namesOf(client, 'document_types', swiftEntry),
    await namesOf(client, 'custom_fields', swiftField),
  ];
  const listed = await readAll(client, 'documents/?ordering=-added&full_perms=true', wholeDocument);
  t.is(new Set(listed.map(({ id }) => id)).size, rows.size);
  const told = (row: ImportedRow) => [
    row.title,
    row.filename,
    row.added,
    row.archive_number,
    row.correspondent,
    row.type,
    row.labels.toSorted(),
  ];
  const shown = (document: Listed) => [
    document.title,
    document.original_file_name,
    document.added,
    document.archive_serial_number,
    document.correspondent === null ? null : correspondents.get(document.correspondent ?? 0),
    document.document_type === null ? null : types.get(document.document_type ?? 0),
    document.tags.map((id) => tags.get(id) ?? '').toSorted(),
  ];
  const sorted = (all: readonly (readonly unknown[])[]): string[] => all.map((each) => JSON.stringify(each)).toSorted();
  t.deepEqual(sorted(listed.map(shown)), sorted([...rows.values()].map(told)));
  const texts = (all: readonly string[]) => all.toSorted();
  t.deepEqual(texts(listed.map(({ content }) => content)), texts([...rows.values()].map(({ content }) => content ?? '')));
  t.is(
    listed.flatMap(({ custom_fields: values }) => values ?? []).filter(({ field }) => fields.has(field)).length,
    [...rows.values()].flatMap(({ fields: values }) => Object.keys(values ?? {})).length,
  );
  t.is(
    listed.flatMap(({ notes }): readonly unknown[] => notes ?? []).length,
    [...rows.values()].flatMap(({ notes }) => notes ?? []).length,
  );
  const hashes = new Set([...rows.values()].map(({ sha256 }) => sha256));
  for (const { id } of listed.filter((_, at) => at % 40 === 0)) {
    const bytes = Buffer.from(await (await client.request(`documents/${id}/download/`)).arrayBuffer());
    t.true(hashes.has(createHash('sha256').update(bytes).digest('hex')), `file of ${id}`);
    t.is((await client.get(`documents/${id}/metadata/`)).status, 200);
  }
};

/** What a person changes in an app, which the export has to bear as well. */
const changeByApp = async (t: ExecutionContext, client: PaperlessClient): Promise<void> => {
  const [first] = await readAll(client, 'documents/?page_size=1000&ordering=title', swiftDocument);
  if (first === undefined) throw new Error('there are no documents');
  const tag = await client.create('tags', { name: 'Set by an app' });
  t.is((await client.send('PATCH', `documents/${first.id}/`, { title: 'Changed by an app', tags: [...first.tags, tag] })).status, 200);
  t.is((await client.post(`documents/${first.id}/notes/`, { note: 'Noted by an app' })).status, 200);
};

/**
 * What is known of a document but for the ids that it had in other systems, which an export does not keep, and what its processing is to make: one
 * that waits for its text is found by its new note already.
 */
const factsOf = (rows: ReadonlyMap<string, ImportedRow>): string[] => {
  const hashes = new Map([...rows].map(([id, { sha256 }]) => [id, sha256]));
  return [...rows.values()]
    .map(
      ({
        imported_from: _id,
        fields,
        jobs: _jobs,
        source: _source,
        confirmed: _confirmed,
        is_indexed: _isIndexed,
        owner_email: _email,
        ...facts
      }) => {
        const values = Object.entries(fields ?? {}).map(([name, value]) => [name, hashes.get(String(value)) ?? value]);
        return JSON.stringify({
          ...facts,
          labels: facts.labels.toSorted(),
          fields: values.toSorted((one, other) => String(one[0]).localeCompare(String(other[0]))),
        });
      },
    )
    .toSorted();
};

interface Walk {
  readonly durations: Durations;
  readonly documents: number;
  /** What could not be imported at first, and from the own export. */
  readonly left: readonly [number, number];
  /** Facts of documents that differ between both libraries. */
  readonly differences: readonly string[];
}

/**
 * A library on its way: an export of Paperless-ngx is imported, compared, used and changed by an app, exported, and imported into an empty Sheaf. The
 * test fails where what arrives differs from what was expected.
 */
export const walk = async (t: ExecutionContext, documents: number): Promise<Walk> => {
  await using folder = await makeServiceFolder();
  const { path, expected } = await makePaperlessExport(join(folder.path, 'made'), ['--documents', String(documents)]);
  const all: Expectations = expectations.parse(expected);
  const api = await startApi({ FEATURE_PAPERLESS_API: 'true' });
  try {
    const durations = { import: 0, client: 0, export: 0, importAgain: 0 };
    const timed = async <T>(step: keyof Durations, work: () => Promise<T>): Promise<T> => {
      const from = performance.now();
      const result = await work();
      durations[step] = Math.round(performance.now() - from) / 1_000;
      return result;
    };
    const summary = await timed('import', () => importFrom(api, path));
    await compareImported(t, api.database, all, summary, 'admin');
    const client = await PaperlessClient.signIn(api.anyone, 'admin');
    const rows = await readImported(api.database);
    await timed('client', async () => {
      await useByApp(t, client, rows);
      await changeByApp(t, client);
    });
    const target = join(folder.path, 'exported');
    const exported = await timed('export', () => run(api, 'export', 'paperless', target));
    t.is(exported.status, 0, exported.stderr);
    await using database = await openTestDatabase();
    await givenUser(database.db, { role: 'admin', username: 'admin' });
    await using second = await makeServiceFolder();
    const again = await timed('importAgain', () => importFrom({ database, folder: second.path }, target));
    const [before, after] = [factsOf(await readImported(api.database)), factsOf(await readImported(database))];
    const [there, arrived] = [new Set(before), new Set(after)];
    const differences = [...before.filter((facts) => !arrived.has(facts)), ...after.filter((facts) => !there.has(facts))];
    return { durations, documents: rows.size, left: [summary.not_imported.length, again.not_imported.length], differences };
  } finally {
    await api.stop();
  }
};
