import { ERROR_REASONS } from '@sheaf/vocabulary/error-codes';
import { USER_IMPORT_STATES } from '@sheaf/vocabulary/imports';
import { MAX_IMPORTED_USERS } from '@sheaf/vocabulary/limits';
import { USER_IMPORT_SORT_FIELDS, USER_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { proofFields } from '../identity/mfa.ts';
import { displayNameField, emailField, roleField, usernameField } from '../identity/user.ts';
import { containedText, pageQuery } from '../page.ts';
import { rowId } from '../row-id.ts';

const MAX_QUERY_CHARACTERS = 254;

/** Longer ones are refused by the policy, with everything else that is wrong; this only bounds what is looked at. */
const passwordField = z.string().min(1).max(4_096);

export const createUserRequest = z
  .strictObject({
    username: usernameField,
    email: emailField,
    role: roleField.optional(),
    password: passwordField,
    display_name: displayNameField.optional(),
  })
  .meta({ id: 'CreateUser' });

/** Only what is given changes. */
export const updateUserRequest = z
  .strictObject({
    username: usernameField.optional().describe('For local users only; the watch folder is renamed with the user'),
    email: emailField.optional(),
    role: roleField.optional(),
    display_name: displayNameField.nullable().optional(),
    disabled: z.boolean().optional().describe('A disabled user cannot sign in, and existing sessions end'),
  })
  .meta({ id: 'UpdateUser' });
export type UpdateUserRequest = z.infer<typeof updateUserRequest>;

export const userListQuery = pageQuery.extend({
  sort: z.enum(USER_SORT_FIELDS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('asc'),
  q: containedText(MAX_QUERY_CHARACTERS)
    .optional()
    .describe('Users whose name, e-mail address or display name contains this text, case-insensitive'),
  role: roleField.optional(),
});

/** One user of an import; each is looked at by itself. */
export const importedUser = z
  .strictObject({
    username: usernameField,
    email: emailField,
    role: roleField.optional(),
    display_name: displayNameField.optional(),
    password: passwordField.optional().describe('If omitted, the response contains an invitation to set it'),
  })
  .meta({ id: 'ImportedUser' });
export type ImportedUser = z.infer<typeof importedUser>;

const importedUsers = z.array(z.unknown()).max(MAX_IMPORTED_USERS);
export const importUsersRequest = z
  .union([importedUsers, z.strictObject({ users: importedUsers })])
  .transform((body): readonly unknown[] => (Array.isArray(body) ? body : body.users))
  .meta({ id: 'ImportUsers' });

const entryError = z.strictObject({
  index: z.int(),
  username: z.string().nullable(),
  error: z.string().describe('Error message'),
  code: z.string().describe('As in an error response'),
  details: z.record(z.string(), z.unknown()).describe('As in an error response'),
});
export type UserImportError = z.infer<typeof entryError>;

const invitationsField = z.array(z.strictObject({ username: z.string(), token: z.string(), expires_at: z.iso.datetime() }));

export const listedUserImportBody = z
  .strictObject({
    id: rowId,
    state: z.enum(USER_IMPORT_STATES),
    total: z.int().describe('Users in the list'),
    done: z.int().describe('Users that were imported or skipped so far'),
    imported: z.int(),
    skipped: z.int().describe('Users that were not imported'),
    error: z.string().nullable().describe('Why the import failed before its end'),
    error_code: z
      .enum(ERROR_REASONS)
      .nullable()
      .describe('Reason of `error` for programs, such as `requester_permission_lost`; null where it has none'),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ListedUserImport' });
export type ListedUserImportBody = z.infer<typeof listedUserImportBody>;

export const userImportListQuery = pageQuery.extend({
  sort: z.enum(USER_IMPORT_SORT_FIELDS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
});

export const userImportBody = listedUserImportBody
  .extend({ errors: z.array(entryError).describe('What was skipped, and why') })
  .meta({ id: 'UserImport' });

export const importUsersBody = userImportBody
  .extend({ invitations: invitationsField.describe('Of the imported users without a password; empty while the import runs') })
  .meta({ id: 'ImportedUsers' });

export const userImportInvitationsBody = z
  .strictObject({
    invitations: invitationsField,
    errors: z.array(entryError).describe('Users without a password whom the caller may not invite'),
  })
  .meta({ id: 'UserImportInvitations' });
export type UserImportInvitationsBody = z.infer<typeof userImportInvitationsBody>;

export const userGroupsBody = z
  .strictObject({ email: z.string(), groups: z.array(z.string()), role: z.string() })
  .meta({ id: 'UserGroups' });

export const updateProfileRequest = z
  .strictObject({ email: emailField.optional(), display_name: displayNameField.nullable().optional(), ...proofFields })
  .meta({ id: 'UpdateProfile' });

export const changePasswordRequest = z
  .strictObject({
    current_password: passwordField,
    new_password: passwordField,
    revoke_keys: z.boolean().default(false).describe('Also revoke your API keys and app tokens'),
  })
  .meta({ id: 'ChangePassword' });

export const givePasswordRequest = z
  .strictObject({
    new_password: passwordField,
    revoke_keys: z.boolean().default(true).describe('Also revoke the API keys and app tokens of the user'),
  })
  .meta({ id: 'GivePassword' });

export const passwordChangedBody = z
  .strictObject({
    success: z.literal(true),
    revoked_keys: z.int().nonnegative().describe('API keys and app tokens that were revoked'),
  })
  .meta({ id: 'PasswordChanged' });

const tokenField = z.string().min(1).max(200);

export const acceptInvitationRequest = z.strictObject({ token: tokenField, password: passwordField }).meta({ id: 'AcceptInvitation' });

export const verifyEmailQuery = z.strictObject({ token: tokenField });
export const verifyEmailRequest = verifyEmailQuery.meta({ id: 'VerifyEmail' });
export const resendVerificationRequest = z.strictObject({ email: emailField }).meta({ id: 'ResendVerification' });
