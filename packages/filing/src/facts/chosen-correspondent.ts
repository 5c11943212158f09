import { permissionNeeded } from '@sheaf/contract';
import { correspondentsFor, type Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { DocumentFact } from '@sheaf/db/schema';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { CORRESPONDENTS, createEntry, lockName } from '../index.ts';

export interface NamedCorrespondent {
  readonly id: string;
  readonly name: string;
}

const findById = async (tx: Db, id: string): Promise<NamedCorrespondent | undefined> =>
  (await tx.execute<{ id: string; name: string }>(sql`select id, name from correspondents where id = ${id} for key share`)).rows[0];

/** One that `principal` may see, by its name or by another that it has: his own, or the oldest. */
const findByName = async (tx: Db, principal: Principal, name: string): Promise<NamedCorrespondent | undefined> => {
  const { rows } = await tx.execute<{ id: string; name: string }>(sql`
    select id, name from correspondents
    where ${correspondentsFor(principal, 'labels.read')}
      and (lower(name) = lower(${name}) or exists (select from unnest(aliases) as alias where lower(alias) = lower(${name})))
    order by lower(name) = lower(${name}) desc, coalesce(created_by = ${principal.userId}::uuid, false) desc, id
    limit 1 for key share`);
  return rows[0];
};

const NOTHING_KNOWN = { aliases: [], ibans: [], vatIds: [], domains: [] };

/** As names are kept: what a page has of control characters and wide gaps is none of a name. */
const toName = (value: string): string =>
  value
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

/**
 * Whom a sender stands for: the correspondent that it was found to be, one of its name, or a new one. Throws FORBIDDEN where `principal`
 * may not make it.
 */
export const takeCorrespondent = async (tx: Db, principal: Principal, sender: DocumentFact): Promise<NamedCorrespondent> => {
  const known = sender.correspondentId === null ? undefined : await findById(tx, sender.correspondentId);
  if (known !== undefined) return known;
  const name = toName(sender.value);
  await lockName(tx, CORRESPONDENTS, name);
  const named = await findByName(tx, principal, name);
  if (named !== undefined) return named;
  if (scopeOf(principal.permissions, 'labels.create') === 'none') throw permissionNeeded('labels.create');
  return createEntry(tx, CORRESPONDENTS, { name, details: NOTHING_KNOWN }, principal);
};
