import type { SourceSettings } from '@sheaf/contract/sources';
import type { Db } from '@sheaf/db';
import { and, eq, inArray, isNull } from '@sheaf/db/drizzle';
import { sources, users } from '@sheaf/db/schema';

/** Where a source is. */
export interface SourcePlace {
  readonly url: string | null;
  readonly settings: SourceSettings;
}

const originOf = ({ url, settings }: SourcePlace): string | undefined => {
  const address = url ?? settings.endpoint_url;
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
};

/** Whether somebody with one of `roles`, who looks after all sources, has a source at the same scheme, host and port. */
export const isPlaceOfAdministrators = async (db: Db, place: SourcePlace, roles: readonly string[]): Promise<boolean> => {
  const origin = originOf(place);
  if (origin === undefined || roles.length === 0) return false;
  const rows = await db
    .select({ url: sources.url, settings: sources.settings })
    .from(sources)
    .innerJoin(users, eq(users.id, sources.ownerId))
    .where(and(inArray(users.role, [...roles]), isNull(users.disabledAt)));
  return rows.some((row) => originOf(row) === origin);
};
