import { AppError } from '@sheaf/contract';
import { type ImportedUser, type ImportUsersBody, importedUser, importUsersBody, importUsersRequest } from '@sheaf/contract/users';
import { readRoles } from '@sheaf/db';
import { type Accounts, hashPassword, requireGoodPassword, requireKnownRole } from '@sheaf/identity';
import type { Principal, RolePermissions } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { UserServices } from './user-services.ts';

type Invitation = ImportUsersBody['invitations'][number];

/** Hashing takes some 20 ms of a core; more at a time would keep other sign-ins waiting. */
const AT_ONCE = 2;

interface Ready {
  readonly user: Omit<ImportedUser, 'password'>;
  readonly passwordHash: string | null;
}

/** The user as he can be brought in, or what is wrong with him. */
const prepare = async ({ passwordPolicy }: Accounts, roles: RolePermissions, given: unknown): Promise<Ready | AppError> => {
  try {
    const { password, ...user } = parseInput(importedUser, given, 'body');
    if (user.role !== undefined) requireKnownRole(roles, user.role);
    if (password === undefined) return { user, passwordHash: null };
    requireGoodPassword(password, passwordPolicy.current(), user);
    return { user, passwordHash: await hashPassword(password) };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

interface Importer {
  readonly principal: Principal;
  readonly address: string | undefined;
}

/** Brings him in, in a transaction of his own. Throws where he exists already, or has a role that is not the importer's to give. */
const bringIn = (
  { accounts, database }: UserServices,
  { principal, address }: Importer,
  { user, passwordHash }: Ready,
): Promise<Invitation | undefined> =>
  database.db.transaction(async (tx) => {
    const made = await accounts.registration.create(tx, { ...user, passwordHash }, principal, address, 'user.imported');
    if (passwordHash !== null) return undefined;
    const { token, expiresAt } = await accounts.invitations.invite(tx, made.id);
    return { username: made.username, token, expires_at: expiresAt.toISOString() };
  });

const nameIn = (given: unknown): string | null => z.object({ username: z.string() }).safeParse(given).data?.username.slice(0, 254) ?? null;

export const importUsers = (services: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/users/import',
    access: 'users.create',
    summary: 'Import users',
    description:
      'The list is the body, or a JSON file in the field `file` of a form. Users are processed independently; invalid or existing users are listed in `errors`. A user without a password gets an invitation, returned once, to set it (POST /api/auth/invitation).',
    body: importUsersRequest,
    takesBodyFile: true,
    mayTakeLong: true,
    status: 200,
    response: importUsersBody,
    handle: async ({ body, principal, context }) => {
      const answer: ImportUsersBody = { imported: 0, skipped: 0, errors: [], invitations: [] };
      const roles = await readRoles(services.database.db, services.accounts.roles);
      const importer = { principal, address: context.address };
      for (let start = 0; start < body.length && !context.signal.aborted; start += AT_ONCE) {
        const some = body.slice(start, start + AT_ONCE);
        const prepared = await Promise.all(some.map((given) => prepare(services.accounts, roles, given)));
        // one after the other, so that of two with the same name the first one counts
        for (const [offset, ready] of prepared.entries()) {
          try {
            if (ready instanceof AppError) throw ready;
            const invitation = await bringIn(services, importer, ready);
            answer.imported += 1;
            if (invitation !== undefined) answer.invitations.push(invitation);
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            answer.skipped += 1;
            const { message, code, details } = error;
            answer.errors.push({ index: start + offset, username: nameIn(some[offset]), error: message, code, details });
          }
        }
      }
      return answer;
    },
  });
