import type { Db } from '@sheaf/db';
import { eq } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { FactFinder } from '@sheaf/filing/facts';
import { makeSignature } from '@sheaf/filing/near-duplicates';
import { complete } from '@sheaf/ocr-worker/testing';
import { claimJob, queueReading } from '@sheaf/queue';
import { enqueueJob, givenDocument } from '@sheaf/testkit';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { TOLD_HERE } from './notification-policies.ts';

const SETTINGS = { retryDelayMs: 1, confidenceThreshold: 0.5, notifications: TOLD_HERE };

const finish = async (db: Db, document: Document, pages: readonly string[]): Promise<Document> => {
  const job = await claimJob(db, 'worker', 60_000);
  if (job?.documentId !== document.id) throw new Error('another job was in the queue');
  await savePages(
    db,
    document.id,
    pages.map((content, at) => ({ page: at + 1, content, confidence: 1, origin: 'text', language: 'eng' })),
  );
  const finder = new FactFinder({ db, roles: { permissions: BUILT_IN_ROLES, areFromFile: false } });
  await complete(db, job, document, SETTINGS, [], {
    facts: await finder.find(document),
    signature: await makeSignature(db, document.id),
  });
  return rowOf(db, document.id);
};

const rowOf = async (db: Db, id: string): Promise<Document> => {
  const [row] = await db.select().from(documents).where(eq(documents.id, id));
  if (row === undefined) throw new Error('the document is gone');
  return row;
};

/** A document with these pages as the ocr-worker leaves it. No other job may be in the queue. */
export const givenProcessedDocument = async (db: Db, ownerId: string, ...pages: readonly string[]): Promise<Document> => {
  const document = await givenDocument(db, { ownerId });
  await enqueueJob(db, { documentId: document.id, maxAttempts: 3 });
  return finish(db, document, pages);
};

/** The same document processed again, with other pages. */
export const processAgain = async (db: Db, id: string, ...pages: readonly string[]): Promise<Document> => {
  await queueReading(db, [id], { maxAttempts: 3 });
  return finish(db, await rowOf(db, id), pages);
};

/** A document that waits, as the ocr-worker leaves it. No other job may be in the queue. */
export const processWaiting = async (db: Db, id: string, ...pages: readonly string[]): Promise<Document> =>
  finish(db, await rowOf(db, id), pages);
