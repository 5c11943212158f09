import type { BarcodeSettings } from '@sheaf/contract/sources';
import type { Db } from '@sheaf/db';
import { eq } from '@sheaf/db/drizzle';
import { type Document, sources } from '@sheaf/db/schema';
import { isWatchedRoute } from '@sheaf/vocabulary/documents';
import { type BarcodeRules, withSettings } from './barcode-rules.ts';

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
