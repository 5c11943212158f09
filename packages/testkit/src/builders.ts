import { randomBytes } from 'node:crypto';
import { createUser } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { type Document, documents, type User } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { enqueueJobs } from '@sheaf/queue';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import { BUILT_IN_ROLES, type Principal, type Role } from '@sheaf/vocabulary/permissions';

const unique = (): string => randomBytes(6).toString('hex');

/** A user with a name of their own; `role` is viewer unless said. */
export const givenUser = (
  db: Db,
  { role = 'viewer', username = `user-${unique()}` }: { role?: Role; username?: string } = {},
): Promise<User> => createUser(db, { username, email: `${username}@example.org`, role, passwordHash: null });

/** The user as they stand behind a request, with the permissions of their role or with `permissions`. */
export const principalOf = (user: User, permissions: readonly string[] = BUILT_IN_ROLES[user.role as Role]): Principal => ({
  userId: user.id,
  username: user.username,
  role: user.role,
  permissions,
  via: 'token',
});

type DocumentRow = typeof documents.$inferInsert;

/** A document row without bytes behind it, for tests that look at rows alone. */
export const givenDocument = async (db: Db, fields: Pick<DocumentRow, 'ownerId'> & Partial<DocumentRow>): Promise<Document> => {
  const sha256 = randomBytes(32).toString('hex');
  const [document] = await db
    .insert(documents)
    .values({
      id: uuidv7(),
      title: `Document ${unique()}`,
      filename: 'document.pdf',
      mimeType: 'application/pdf',
      sizeBytes: 1_000,
      sha256,
      filePath: `/nowhere/${sha256}`,
      ocrEnabled: true,
      ocrLanguage: 'eng',
      source: 'upload',
      ...fields,
    })
    .returning();
  if (document === undefined) throw new Error('no row was inserted');
  return document;
};

interface NewJob {
  readonly documentId: string;
  readonly maxAttempts: number;
  readonly priority?: JobPriority;
}

/** Queues one document, as an upload would. */
export const enqueueJob = (tx: Db, { documentId, maxAttempts, priority = 'normal' }: NewJob): Promise<void> =>
  enqueueJobs(tx, [documentId], { maxAttempts, priority });
