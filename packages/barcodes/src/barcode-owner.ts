import { type Db, readRoles } from '@sheaf/db';
import { eq } from '@sheaf/db/drizzle';
import { type Document, sources, users } from '@sheaf/db/schema';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import { type BarcodeRules, withSettings } from './barcode-rules.ts';

/** Who a document is given labels for: its owner, with what he may do today. */
export const findOwner = async (db: Db, configured: ConfiguredRoles, ownerId: string): Promise<Principal | undefined> => {
  const [[user], roles] = await Promise.all([
    db.select({ username: users.username, role: users.role }).from(users).where(eq(users.id, ownerId)),
    readRoles(db, configured),
  ]);
  if (user === undefined) return undefined;
  const permissions = Object.hasOwn(roles, user.role) ? (roles[user.role] ?? []) : [];
  return { userId: ownerId, ...user, permissions, via: 'token' };
};

/** The rules for a document: those of the service, and what the source that it came from has otherwise. */
export const rulesFor = async (db: Db, rules: BarcodeRules, { sourceId }: Pick<Document, 'sourceId'>): Promise<BarcodeRules> => {
  if (sourceId === null) return rules;
  const [source] = await db.select({ settings: sources.settings }).from(sources).where(eq(sources.id, sourceId));
  return withSettings(rules, source?.settings.barcodes);
};
