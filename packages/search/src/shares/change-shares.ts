import { createHash, randomBytes } from 'node:crypto';
import { hashPassword } from '@sheaf/accounts/passwords';
import { recordAudit } from '@sheaf/accounts/users';
import { permissionNeeded, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, eq, isNull, sql } from '@sheaf/db/drizzle';
import { shares } from '@sheaf/db/schema';
import { getDocument } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { MAX_SHARES } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { getSavedSearch } from '../saved-searches/index.ts';
import { sharingPrincipal } from './sharer.ts';
import { shareNotFound, sharesFor } from './shares.ts';

/** Who changes something, and from where. */
export interface Actor {
  readonly principal: Principal;
  readonly address: string | undefined;
}

export type ShareSubject = { readonly documentId: string } | { readonly savedSearchId: string };

/** What the maker of a link decides. */
export interface ShareFields {
  readonly expiresAt: Date;
  readonly password: string | undefined;
  readonly allowDownload: boolean;
}

/** What is stored of a token: who reads the table cannot open the link. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

interface Named {
  readonly documentId: string | null;
  readonly savedSearchId: string | null;
  readonly name: string;
}

/** What is to be shared, if the principal may. Throws DOCUMENT_NOT_FOUND, SAVED_SEARCH_NOT_FOUND and FORBIDDEN. */
const findSubject = async (db: Db, principal: Principal, subject: ShareSubject): Promise<Named> => {
  if ('documentId' in subject) {
    const { documentId } = subject;
    const { title, ownerId } = await getDocument(db, principal, documentId);
    const isWithin = scopeOf(principal.permissions, 'documents.share') === 'all' || ownerId === principal.userId;
    if (!isWithin) throw permissionNeeded('documents.share');
    return { documentId, savedSearchId: null, name: title };
  }
  // the link shows what its maker may see, which may be more than his key may
  if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
  const { name } = await getSavedSearch(db, sharingPrincipal(principal), subject.savedSearchId);
  return { documentId: null, savedSearchId: subject.savedSearchId, name };
};

/** Links that still open are counted, and nobody else makes one for the user until the end of the transaction. */
const requireRoom = async (tx: Db, userId: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x73_68_6c}, hashtext(${userId}))`);
  const { rows } = await tx.execute<{ total: number }>(
    sql`select count(*)::int as total from shares where created_by = ${userId}::uuid and revoked_at is null and expires_at > now()`,
  );
  if ((rows[0]?.total ?? 0) >= MAX_SHARES) throw reasonedError('VALIDATION_ERROR', 'too_many_shares', { limit: MAX_SHARES });
};

/**
 * Makes a link and answers its id and token, which is not stored and never told again. Throws DOCUMENT_NOT_FOUND, SAVED_SEARCH_NOT_FOUND,
 * FORBIDDEN and `too_many_shares`.
 */
export const createShare = async (
  db: Db,
  { principal, address }: Actor,
  subject: ShareSubject,
  { expiresAt, password, allowDownload }: ShareFields,
): Promise<{ id: string; token: string }> => {
  await findSubject(db, principal, subject); // before the work of a hash
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const token = randomBytes(32).toString('base64url');
  return db.transaction(async (tx) => {
    await requireRoom(tx, principal.userId);
    const { name, documentId, savedSearchId } = await findSubject(tx, principal, subject);
    const id = uuidv7();
    const row = { id, tokenHash: hashToken(token), createdBy: principal.userId, documentId, savedSearchId, passwordHash };
    await tx.insert(shares).values({ ...row, allowDownload, expiresAt });
    const event = { type: 'share_created', share_id: id, document_id: documentId, saved_search_id: savedSearchId } as const;
    await recordEvent(tx, event, principal.userId);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: 'share.created',
      outcome: 'success',
      subject: { type: 'share', id },
      details: {
        name,
        document_id: documentId,
        saved_search_id: savedSearchId,
        expires_at: expiresAt.toISOString(),
        has_password: passwordHash !== null,
        allow_download: allowDownload,
      },
    });
    return { id, token };
  });
};

/** Revokes a link at once. Throws SHARE_NOT_FOUND, also for one that is revoked. */
export const revokeShare = (db: Db, { principal, address }: Actor, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const [row] = await tx
      .update(shares)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(shares.id, id), isNull(shares.revokedAt), sharesFor(principal)))
      .returning({ createdBy: shares.createdBy, documentId: shares.documentId, savedSearchId: shares.savedSearchId });
    if (row === undefined) throw shareNotFound(id);
    const { createdBy, documentId, savedSearchId } = row;
    const subject = { document_id: documentId, saved_search_id: savedSearchId };
    await recordEvent(tx, { type: 'share_revoked', share_id: id, ...subject }, createdBy);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: 'share.revoked',
      outcome: 'success',
      subject: { type: 'share', id },
      details: subject,
    });
  });
