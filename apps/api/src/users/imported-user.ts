import { type Accounts, hashPassword, requireGoodPassword, requireKnownRole } from '@sheaf/accounts';
import type { GivenEntry, UserImportRefusal } from '@sheaf/accounts/users';
import { AppError } from '@sheaf/contract';
import { type ImportedUser, importedUser } from '@sheaf/contract/users';
import type { RolePermissions } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';

interface PreparedUser {
  readonly user: Omit<ImportedUser, 'password'>;
  readonly passwordHash: string | null;
}

const nameIn = (given: unknown): string | null => z.object({ username: z.string() }).safeParse(given).data?.username.slice(0, 254) ?? null;

export const toRefusal = (given: unknown, { message, code, details }: AppError): UserImportRefusal => ({
  username: nameIn(given),
  error: message,
  code,
  details,
});

/** An entry of a list, or what is wrong with its fields. */
export const toEntry = (given: unknown): GivenEntry => {
  try {
    parseInput(importedUser, given, 'body');
    return { given };
  } catch (error) {
    if (error instanceof AppError) return { refusal: toRefusal(given, error) };
    throw error;
  }
};

/** The user as it can be created, or what is wrong with the entry. */
export const prepareUser = async (
  { passwordPolicy }: Accounts,
  roles: RolePermissions,
  given: unknown,
): Promise<PreparedUser | AppError> => {
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
