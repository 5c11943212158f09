import { randomUUID } from 'node:crypto';
import type { SearchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { addLabels } from '@sheaf/documents/labels';
import { savePages } from '@sheaf/documents/pages';
import { indexDocument, search } from '@sheaf/search';
import { givenDocument, givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import type { Principal } from '@sheaf/vocabulary/permissions';
import anyTest, { type TestFn } from 'ava';

/** Tests of one file with a database for each of them: scores come from all documents in it. */
export const testWithDatabases = (): TestFn<Awaited<ReturnType<typeof openTestDatabase>>> => {
  const test = anyTest as TestFn<Awaited<ReturnType<typeof openTestDatabase>>>;
  test.beforeEach(async (t) => {
    t.context = await openTestDatabase();
  });
  test.afterEach.always((t) => t.context[Symbol.asyncDispose]());
  return test;
};

interface Paper {
  readonly title?: string;
  readonly filename?: string;
  readonly pages?: readonly string[];
  readonly language?: string;
  readonly mimeType?: string;
  readonly ownerId?: string;
  readonly labels?: readonly string[];
  readonly sizeBytes?: number;
}

/** An empty library with one owner: papers go in, questions are answered. */
export const openLibrary = async (db: Db) => {
  const owner = await givenUser(db, { role: 'admin' });
  const put = async ({
    title = 'untitled',
    filename = 'file.pdf',
    pages = [],
    language = 'eng',
    labels = [],
    ...rest
  }: Paper): Promise<string> => {
    const document = await givenDocument(db, { ownerId: owner.id, title, filename, ocrLanguage: language, ...rest });
    await savePages(
      db,
      document.id,
      pages.map((content, i) => ({ page: i + 1, content, confidence: 1, origin: 'text' as const })),
    );
    await addLabels(db, document.id, labels);
    await indexDocument(db, document.id);
    return document.id;
  };
  const ask = (
    q: string,
    options: { filters?: SearchFilters; as?: Principal; page?: number; perPage?: number; highlight?: boolean; fuzzy?: boolean } = {},
  ) => {
    const { as = principalOf(owner), filters = {}, page = 1, perPage = 20, highlight = true, fuzzy = false } = options;
    return search(db, as, { q, filters, page, perPage, highlight, fuzzy });
  };
  const titles = async (q: string, options: Parameters<typeof ask>[1] = {}): Promise<string[]> =>
    (await ask(q, options)).results.map((hit) => hit.title);
  return { owner, put, ask, titles };
};

export const givenLabel = async (db: Db, name: string): Promise<string> => {
  const id = randomUUID();
  await db.execute(`insert into labels (id, name, color) values ('${id}', '${name}', '#112233')`);
  return id;
};
