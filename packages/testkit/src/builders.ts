import { randomBytes } from 'node:crypto';
import type { Db } from '@sheaf/db';
import type { Document, User } from '@sheaf/db/schema';
import { createDocument, type NewDocument } from '@sheaf/documents';
import { createUser } from '@sheaf/users';
import { BUILT_IN_ROLES, type Principal, type Role } from '@sheaf/vocabulary/permissions';

const unique = (): string => randomBytes(6).toString('hex');

/** A user with a name of his own; `role` is viewer unless said. */
export const givenUser = (
  db: Db,
  { role = 'viewer', username = `user-${unique()}` }: { role?: Role; username?: string } = {},
): Promise<User> => createUser(db, { username, email: `${username}@example.org`, role, passwordHash: null });

/** The user as he stands behind a request, with the permissions of his role or with `permissions`. */
export const principalOf = (user: User, permissions: readonly string[] = BUILT_IN_ROLES[user.role as Role]): Principal => ({
  userId: user.id,
  username: user.username,
  role: user.role,
  permissions,
  via: 'token',
});

/** A document row without bytes behind it, for tests that look at rows alone. */
export const givenDocument = async (db: Db, fields: Pick<NewDocument, 'ownerId'> & Partial<NewDocument>): Promise<Document> => {
  const sha256 = randomBytes(32).toString('hex');
  const document = await createDocument(db, {
    title: `Document ${unique()}`,
    filename: 'document.pdf',
    mimeType: 'application/pdf',
    sizeBytes: 1_000,
    sha256,
    filePath: `/nowhere/${sha256}`,
    ocrEnabled: true,
    defaultLanguage: 'eng',
    source: 'upload',
    ...fields,
  });
  if (document === undefined) throw new Error('this owner already has a document with these bytes');
  return document;
};
