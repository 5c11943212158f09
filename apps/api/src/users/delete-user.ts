import { requireMayChange } from '@sheaf/accounts';
import { deleteUser, lockUser, recordAudit, requireNoDocuments, requireOtherAdministrator, transferDocuments } from '@sheaf/accounts/users';
import { makeIssue, reasonedError, rowId, validationError } from '@sheaf/contract';
import { type Db, readRoles } from '@sheaf/db';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { claimDirectory, settleDirectory } from '@sheaf/watch';
import { z } from 'zod';
import { emptyRoute, type Route } from '../http/route.ts';
import { userParams } from './user-params.ts';
import type { UserServices } from './user-services.ts';

interface Deletion {
  readonly principal: Principal;
  readonly address: string | undefined;
  readonly id: string;
  readonly transferTo: string | undefined;
}

/** Answers the id of his watch directory, which has to be set aside now. */
const removeUser = async (
  tx: Db,
  { accounts, watchDirectories }: UserServices,
  { principal, address, id, transferTo }: Deletion,
): Promise<string | undefined> => {
  const { user, isAllowed } = await lockUser(tx, principal, 'users.delete', id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  requireMayChange(await readRoles(tx, accounts.roles), principal, user);
  await requireOtherAdministrator(tx, user, accounts.adminRoles);
  const moved = transferTo === undefined ? 0 : await transferDocuments(tx, id, transferTo);
  // also after the transfer: an upload of his may have come in between
  await requireNoDocuments(tx, id);
  await accounts.sessions.endAll(tx, id);
  const directoryId = watchDirectories && (await claimDirectory(tx, watchDirectories, user));
  await deleteUser(tx, id);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'user.deleted',
    outcome: 'success',
    subject: { type: 'user', id },
    details: { username: user.username, ...(transferTo === undefined ? {} : { transfer_to: transferTo, documents: moved }) },
  });
  return directoryId;
};

export const remove = (services: UserServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/users/{user_id}',
    access: 'users.delete',
    summary: 'Delete a user',
    description:
      'Returns 409 with the number of documents while the user owns documents, unless `transfer_to` is the user who receives them. Sources are transferred too, or deleted. The watch folder is quarantined with its files. The last active administrator cannot be deleted.',
    done: 'The user was deleted',
    errors: {
      USER_NOT_FOUND: 'NOT_FOUND',
      LAST_ADMINISTRATOR: 'DUPLICATE_RESOURCE',
      USER_OWNS_DOCUMENTS: 'DUPLICATE_RESOURCE',
      ARCHIVE_NUMBER_TAKEN: 'DUPLICATE_RESOURCE',
      DOCUMENTS_ARE_DUPLICATES: 'DUPLICATE_RESOURCE',
    },
    params: userParams,
    query: z.strictObject({ transfer_to: rowId.optional().describe('ID of the user who receives the documents') }),
    handle: async ({ params, query, principal, context }) => {
      const { accounts, database, watchDirectories } = services;
      const { transfer_to: transferTo } = query;
      if (transferTo === params.user_id) {
        throw validationError('transfer_to must be a different user.', {
          issues: [makeIssue('transfer_to', 'same_user')],
        });
      }
      const deletion = { principal, address: context.address, id: params.user_id, transferTo };
      const directoryId = await database.db.transaction((tx) => removeUser(tx, services, deletion));
      accounts.sessions.forget(params.user_id);
      if (watchDirectories !== undefined && directoryId !== undefined)
        await settleDirectory(watchDirectories, directoryId, { actor: principal, address: context.address });
    },
  });
