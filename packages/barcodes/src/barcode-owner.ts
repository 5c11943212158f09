import type { BarcodeSettings } from '@sheaf/contract/sources';
import { type Db, readRoles } from '@sheaf/db';
import { eq } from '@sheaf/db/drizzle';
import { type Document, sources, users } from '@sheaf/db/schema';
import { isWatchedRoute } from '@sheaf/vocabulary/documents';
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

/** What the codes of documents mean, by the way that they came. */
export interface ConfiguredRules {
  readonly rules: BarcodeRules;
  /** What is otherwise for files of watch folders. */
  readonly watched?: BarcodeSettings;
}

/** The rules for a document: those of the service, and what the source or the watch folder that it came from has otherwise. */
export const rulesFor = async (
  db: Db,
  { rules, watched }: ConfiguredRules,
  { source: route, sourceId }: Pick<Document, 'source' | 'sourceId'>,
): Promise<BarcodeRules> => {
  if (isWatchedRoute(route)) return withSettings(rules, watched);
  if (sourceId === null) return rules;
  const [source] = await db.select({ settings: sources.settings }).from(sources).where(eq(sources.id, sourceId));
  return withSettings(rules, source?.settings.barcodes);
};
