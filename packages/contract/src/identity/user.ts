import { SESSION_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { serviceProblem } from '../errors.ts';
import { rule, textLike } from '../issue.ts';
import { pageQuery, sortQuery } from '../page.ts';

/** Also a directory name (per-user watch folders), so nothing that a path could trip over. */
export const usernameField = textLike(/^[A-Za-z0-9_-]{1,64}$/, 'not_username');

/** Which roles exist is known at run time: administrators and ROLES_FILE may add some. */
export const roleField = z.string().min(1).max(64).describe('admin, editor, viewer, auditor, or another role of GET /api/roles');

export const emailField = z.email().max(254);
export const displayNameField = z
  .string()
  .max(200)
  .refine((text) => !/\p{Cc}/u.test(text), rule('control_characters'));

export const registerRequest = z
  .strictObject({
    username: usernameField,
    email: emailField,
    password: z.string().min(1).max(1_024),
    role: roleField.optional(),
    display_name: displayNameField.optional(),
    setup_code: z
      .string()
      .max(100)
      .optional()
      .describe('Required for the first administrator unless the request comes from the host of the service; it is in the log'),
  })
  .meta({ id: 'RegisterRequest' });
export type RegisterRequest = z.infer<typeof registerRequest>;

export const userBody = z
  .strictObject({
    id: z.uuid(),
    username: z.string(),
    email: z.string(),
    role: z.string(),
    display_name: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'User' });
export type UserBody = z.infer<typeof userBody>;

const authMethodField = z
  .enum(['local', 'oidc', 'ldap', 'saml2'])
  .describe('Where the user is managed: this service or the external identity provider');

/** What those see beside it who manage users. */
export const managedUserBody = userBody
  .extend({
    disabled: z.boolean(),
    email_verified: z.boolean().describe('The e-mail address was verified by the user or set by an administrator'),
    auth_method: authMethodField,
    last_sign_in_at: z.iso.datetime().nullable().describe('Last sign-in in the audit log; null if there is none'),
    is_invited: z.boolean().describe('The user has not set a first password yet'),
    has_mfa: z.boolean().describe('The user has a second factor'),
  })
  .meta({ id: 'ManagedUser' });
export type ManagedUserBody = z.infer<typeof managedUserBody>;

export const loginRequest = z
  .strictObject({
    username: z.string().min(1).max(254).describe('User name or e-mail address'),
    password: z.string().min(1).max(1_024),
    cookie: z.boolean().optional().describe('Starts a browser session; the response sets its cookie'),
    remember_me: z.boolean().optional().describe('With `cookie`: the session persists after the browser is closed'),
  })
  .meta({ id: 'LoginRequest' });
export type LoginRequest = z.infer<typeof loginRequest>;

export const refreshRequest = z.strictObject({ refresh_token: z.string().min(1).max(4_096) }).meta({ id: 'RefreshRequest' });

export const loginBody = z
  .strictObject({
    token: z.string().optional().describe('Send it as `Authorization: Bearer`; absent if JWT_ENABLED=false'),
    user: z.strictObject({ id: z.uuid(), username: z.string(), email: z.string(), role: z.string() }),
    expires_at: z.iso.datetime().describe('Expiry of the token, or of the browser session without a token'),
    refresh_token: z.string().optional().describe('For POST /api/auth/refresh; single use. Absent for browser sessions'),
    refresh_expires_at: z.iso.datetime().optional(),
    csrf_token: z.string().optional().describe('With `cookie`: value of `X-CSRF-Token` for every change with the cookie'),
    mfa_setup_required: z.literal(true).optional().describe('Only the setup of a second factor is allowed'),
  })
  .meta({ id: 'Login' });
export type LoginBody = z.infer<typeof loginBody>;

/** In place of a login: a second factor is due. */
export const mfaRequiredBody = z
  .strictObject({
    mfa_required: z.literal(true),
    mfa_token: z.string().describe('For POST /api/auth/mfa/verify, within five minutes'),
    methods: z.array(z.string()).describe('Methods available to the user: totp, webauthn, recovery'),
  })
  .meta({ id: 'MfaRequired' });
export const loginAnswer = z.union([loginBody, mfaRequiredBody]);
export type LoginAnswer = z.infer<typeof loginAnswer>;

/** How one can sign in here; open to all. */
export const authConfigBody = z
  .strictObject({
    method: z.string(),
    registration_enabled: z.boolean(),
    oidc_enabled: z.boolean(),
    saml_enabled: z.boolean(),
    ldap_enabled: z.boolean(),
    mfa_methods: z.array(z.string()),
    setup_required: z.boolean().describe('No user exists yet; the first registration creates the administrator'),
    setup_code_required: z.boolean().describe('The first registration requires the `setup_code` from the log of the service'),
    user_watch_enabled: z.boolean().describe('Users can have their own watch folder'),
    share_links_enabled: z.boolean().describe('Documents and saved searches can be shared by link'),
    password_rules: z
      .strictObject({ min_length: z.int(), require_numbers: z.boolean(), require_special: z.boolean() })
      .describe('Rules for passwords of this service'),
    csrf_cookie: z.string().describe('Name of the cookie whose value is sent as `X-CSRF-Token` with every change'),
  })
  .meta({ id: 'AuthConfig' });

export const sessionListQuery = pageQuery.extend(sortQuery(SESSION_SORT_FIELDS, { sort: 'created_at', order: 'desc' }));

export const sessionBody = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['token', 'cookie']),
    method: z.string().describe('Sign-in method: local, oidc, ldap, saml2'),
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().describe('Accurate to the minute'),
    expires_at: z.iso.datetime(),
    is_current: z.boolean(),
  })
  .meta({ id: 'Session' });
export type SessionBody = z.infer<typeof sessionBody>;

export const meBody = userBody
  .extend({
    auth_method: authMethodField,
    permissions: z.array(z.string()),
    mfa_setup_required: z.literal(true).optional().describe('Only the setup of a second factor is allowed'),
  })
  .meta({ id: 'Me' });

export const authTestRequest = z
  .strictObject({
    method: z.enum(['local', 'ldap', 'oidc', 'saml2']),
    username: z.string().min(1).max(254),
    password: z.string().min(1).max(1_024),
  })
  .meta({ id: 'AuthTestRequest' });

export const authTestBody = z
  .strictObject({
    success: z.boolean(),
    method: z.string(),
    ...serviceProblem.shape,
    user: z
      .strictObject({
        username: z.string(),
        email: z.string().nullable(),
        name: z.string().nullable(),
        groups: z.array(z.string()),
        role: z.string().describe('Role of the user after sign-in'),
      })
      .optional(),
    duration_ms: z.number(),
  })
  .meta({ id: 'AuthTest' });
