import { ERROR_REASONS } from '@sheaf/vocabulary/error-codes';
import { USER_IMPORT_STATES } from '@sheaf/vocabulary/imports';
import { MAX_IMPORTED_USERS, MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import { isKnownPermission, ROLE_NAME } from '@sheaf/vocabulary/permissions';
import { ROLE_SORT_FIELDS, USER_IMPORT_SORT_FIELDS, USER_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { proofFields } from '../identity/credentials.ts';
import { displayNameField, emailField, roleField, usernameField } from '../identity/user.ts';
import { rule, textLike } from '../issue.ts';
import { containedText, pageQuery, paginationBody, rowId } from '../page.ts';
import { ocrLanguage } from '../queue/queue.ts';

export const watchDirectoryBody = z
  .strictObject({
    user_id: z.uuid(),
    username: z.string(),
    watch_directory_path: z.string().nullable().describe('Path of the folder, existing or not; null if another file is in its place'),
    exists: z.boolean(),
    enabled: z.boolean().describe('Whether watch folders for users are enabled; always true in a response'),
  })
  .meta({ id: 'WatchDirectory' });

export const ensureWatchDirectoryRequest = z
  .strictObject({ ensure_created: z.boolean().default(true).describe('Create the folder if it is missing; false only checks') })
  .prefault({})
  .meta({ id: 'EnsureWatchDirectory' });

export const ensuredWatchDirectoryBody = z
  .strictObject({
    success: z.boolean().describe('Whether the folder exists'),
    message: z.string(),
    watch_directory_path: z.string(),
  })
  .meta({ id: 'EnsuredWatchDirectory' });

export const removedWatchDirectoryBody = z
  .strictObject({
    success: z.literal(true),
    message: z.string().describe('Number of files removed with the folder, and how many of them were never imported'),
    watch_directory_path: z.null(),
  })
  .meta({ id: 'RemovedWatchDirectory' });

const THEMES = ['auto', 'light', 'dark'] as const;

export const userSettingsBody = z
  .strictObject({
    theme: z.enum(THEMES),
    language: z.string().describe('Display language such as en or de-AT; auto: language of the browser'),
    notifications_enabled: z.boolean().describe('Security notifications are always sent'),
    ocr_default_language: z.string().describe('OCR language of documents without a language of their own, such as eng+deu'),
    items_per_page: z.int().min(1).max(MAX_PER_PAGE),
  })
  .meta({ id: 'UserSettings' });
export type UserSettingsBody = z.infer<typeof userSettingsBody>;

export const userSettingsRequest = z
  .strictObject({
    theme: z.enum(THEMES),
    language: textLike(/^(?:auto|[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)$/, 'not_language'),
    notifications_enabled: z.boolean(),
    ocr_default_language: ocrLanguage,
    items_per_page: z.int().min(1).max(MAX_PER_PAGE),
  })
  .partial()
  .meta({ id: 'UserSettingsRequest' });
export type UserSettingsRequest = z.infer<typeof userSettingsRequest>;

export const invitationBody = z
  .strictObject({
    username: z.string(),
    token: z.string().describe('Returned once; for POST /api/auth/invitation'),
    url: z.string().describe('Link to set the first password'),
    expires_at: z.iso.datetime(),
    is_sent: z.boolean().describe('The link was sent to the e-mail address of the user'),
  })
  .meta({ id: 'Invitation' });

/** No more than one page of a list. */
const MAX_ROLES = MAX_PER_PAGE;
const MAX_PERMISSIONS = 200;

const isBuiltInField = z.boolean().describe('The role is part of the service: it can be changed, but not removed');
const isChangedField = z.boolean().describe('The permissions of this built-in role differ from the original ones');
const userCountField = z.int().min(0).describe('Users with this role, as far as you may read them');

/** Choice: all roles on one page, as a change takes all of them. */
export const roleListQuery = pageQuery.extend({
  per_page: pageQuery.shape.per_page.unwrap().default(MAX_PER_PAGE),
  sort: z.enum(ROLE_SORT_FIELDS).optional().describe('Default: built-in roles first'),
  order: z.enum(['asc', 'desc']).default('asc'),
});
export type RoleListQuery = z.infer<typeof roleListQuery>;

const roleBody = z
  .strictObject({
    name: z.string(),
    is_built_in: isBuiltInField,
    is_changed: isChangedField,
    permissions: z.array(z.string()),
    user_count: userCountField,
  })
  .meta({ id: 'Role' });
export type RoleBody = z.infer<typeof roleBody>;

export const rolesBody = z
  .strictObject({
    roles: z.array(roleBody),
    permissions: z.array(z.string()).describe('All permissions that a role can have'),
    is_editable: z.boolean().describe('False if ROLES_FILE defines the roles'),
    pagination: paginationBody,
  })
  .meta({ id: 'Roles' });
export type RolesBody = z.infer<typeof rolesBody>;

const permissionField = z
  .string()
  .max(100)
  .superRefine((permission, context) => {
    if (!isKnownPermission(permission)) context.addIssue({ code: 'custom', ...issueOf(permission) });
  });

const issueOf = (permission: string) => {
  const { error, params } = rule('no_such_permission', { permission });
  return { message: error, params };
};

const roleRequest = z
  .strictObject({
    name: textLike(ROLE_NAME, 'not_role_name'),
    permissions: z.array(permissionField).max(MAX_PERMISSIONS),
    is_built_in: isBuiltInField.optional(),
    is_changed: isChangedField.optional(),
    user_count: userCountField.optional(),
  })
  .meta({ id: 'RoleRequest' });
export type RoleRequest = z.infer<typeof roleRequest>;

export const rolesRequest = z
  .strictObject({ roles: z.array(roleRequest).max(MAX_ROLES).describe('All roles; a role that is not listed is removed') })
  .meta({ id: 'RolesRequest' });

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
