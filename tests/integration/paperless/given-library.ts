import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from '@sheaf/db/drizzle';
import { type Document, documents, type User } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { type ExportProblem, type ExportRequest, type ExportResult, type ExportTarget, exportLibrary } from '@sheaf/paperless/export';
import { indexDocument } from '@sheaf/search';
import { documentKey, LocalStorage, type Storage } from '@sheaf/storage';
import { givenDocument, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';

/** A library with a storage, to be exported. */
export interface GivenLibrary extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly storage: Storage;
  /** Everything is below this; exports too. */
  readonly folder: string;
  readonly owner: User;
  /** A processed document with these bytes and pages. */
  add(bytes: string, fields?: Partial<Document>, pages?: readonly string[]): Promise<Document>;
  remove(document: Document): Promise<void>;
  export(target: ExportTarget, request?: Partial<ExportRequest>, storage?: Storage): Promise<ExportResult & { reported: ExportProblem[] }>;
}

export const hashOf = (bytes: string | Buffer, algorithm = 'sha256'): string => createHash(algorithm).update(bytes).digest('hex');

export const openGivenLibrary = async (): Promise<GivenLibrary> => {
  const [database, folder] = await Promise.all([openTestDatabase(), mkdtemp(join(tmpdir(), 'sheaf-export-'))]);
  const { db } = database;
  const path = join(folder, 'uploads');
  const storage = new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
  const owner = await givenUser(db, { role: 'admin', username: 'olivia' });
  const settings = { roles: { permissions: BUILT_IN_ROLES, areFromFile: false }, version: '1.2.3', now: () => new Date('2026-01-02') };
  return {
    database,
    storage,
    folder,
    owner,
    add: async (bytes, fields = {}, pages = ['some text']) => {
      const sha256 = hashOf(bytes);
      const { path: filePath } = await storage.put(documentKey(sha256), Buffer.from(bytes));
      const row = { ownerId: owner.id, status: 'completed' as const, sha256, sizeBytes: Buffer.byteLength(bytes), filePath };
      const document = await givenDocument(db, { ...row, mimeType: 'text/plain', filename: 'scan.txt', ...fields });
      const page = { confidence: 1, origin: 'text' as const };
      await savePages(
        db,
        document.id,
        pages.map((content, at) => ({ page: at + 1, content, ...page })),
      );
      await db.transaction((tx) => indexDocument(tx, document.id));
      return document;
    },
    remove: async ({ id }) => {
      await db.delete(documents).where(eq(documents.id, id));
    },
    export: async (target, request = {}, from = storage) => {
      await using _closed = target;
      const reported: ExportProblem[] = [];
      const report = { begin: () => {}, advance: () => {}, problem: (problem: ExportProblem) => void reported.push(problem) };
      const whole = { query: undefined, format: undefined, nameFormat: '{document_date} {correspondent} {title}', ...request };
      return { ...(await exportLibrary({ db, storage: from, ...settings }, target, whole, report)), reported };
    },
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
