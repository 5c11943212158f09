import { z } from 'zod';
import { rule, textLike } from './issue.ts';

/** Also a directory name (per-user watch folders), so nothing that a path could trip over. */
export const usernameField = textLike(/^[A-Za-z0-9_-]{1,64}$/, 'not_username', 'must be 1 to 64 letters, digits, underscores or dashes');

/** Which roles exist is known at run time: ROLES_FILE may add some. */
export const roleField = z.string().min(1).max(64).describe('admin, editor, viewer, auditor, or a role of ROLES_FILE');

export const emailField = z.email().max(254);
export const displayNameField = z
  .string()
  .max(200)
  .refine((text) => !/\p{Cc}/u.test(text), rule('control_characters', 'must not have control characters'));

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
      .describe('For the first administrator, unless the request comes from the machine of the service: the log has it'),
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

const authMethodField = z.enum(['local', 'oidc', 'ldap', 'saml2']).describe('Who knows him: this service, or what he signs in through');

/** What those see beside it who manage users. */
export const managedUserBody = userBody
  .extend({
    disabled: z.boolean(),
    email_verified: z.boolean().describe('It is proven that the e-mail address is his, or an administrator said so'),
    auth_method: authMethodField,
  })
  .meta({ id: 'ManagedUser' });
export type ManagedUserBody = z.infer<typeof managedUserBody>;

export const loginRequest = z
  .strictObject({
    username: z.string().min(1).max(254).describe('The name or the e-mail address'),
    password: z.string().min(1).max(1_024),
    cookie: z.boolean().optional().describe('Open a browser session: the answer sets its cookie'),
    remember_me: z.boolean().optional().describe('With `cookie`: the session outlives the browser window'),
  })
  .meta({ id: 'LoginRequest' });
export type LoginRequest = z.infer<typeof loginRequest>;

export const refreshRequest = z.strictObject({ refresh_token: z.string().min(1).max(4_096) }).meta({ id: 'RefreshRequest' });

export const loginBody = z
  .strictObject({
    token: z.string().optional().describe('Send it as `Authorization: Bearer`; absent where JWT_ENABLED=false'),
    user: z.strictObject({ id: z.uuid(), username: z.string(), email: z.string(), role: z.string() }),
    expires_at: z.iso.datetime().describe('Of the token; of the browser session where there is no token'),
    refresh_token: z.string().optional().describe('For POST /api/auth/refresh; works once. A browser session has none: its cookie lasts'),
    refresh_expires_at: z.iso.datetime().optional(),
    csrf_token: z.string().optional().describe('With `cookie`: what every change by cookie sends as `X-CSRF-Token`'),
    mfa_setup_required: z.literal(true).optional().describe('Nothing but setting up a second factor is allowed'),
  })
  .meta({ id: 'Login' });
export type LoginBody = z.infer<typeof loginBody>;

/** In place of a login: a second factor is due. */
export const mfaRequiredBody = z
  .strictObject({
    mfa_required: z.literal(true),
    mfa_token: z.string().describe('For POST /api/auth/mfa/verify, within five minutes'),
    methods: z.array(z.string()).describe('What the user can prove himself with: totp, webauthn, recovery'),
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
    setup_required: z.boolean().describe('No user exists yet: the first registration makes the administrator'),
    setup_code_required: z.boolean().describe('That registration needs the `setup_code` that the log of the service has'),
    user_watch_enabled: z.boolean().describe('Users may have a watch folder of their own'),
    csrf_cookie: z.string().describe('The cookie of a browser session whose value a page sends as `X-CSRF-Token` with every change'),
  })
  .meta({ id: 'AuthConfig' });

export const sessionBody = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['token', 'cookie']),
    method: z.string().describe('How it was opened: local, oidc, ldap, saml2'),
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().describe('To the minute'),
    expires_at: z.iso.datetime(),
    is_current: z.boolean(),
  })
  .meta({ id: 'Session' });
export type SessionBody = z.infer<typeof sessionBody>;

export const meBody = userBody
  .extend({
    auth_method: authMethodField,
    permissions: z.array(z.string()),
    mfa_setup_required: z.literal(true).optional().describe('Nothing but setting up a second factor is allowed'),
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
    message: z.string().describe('What is wrong, for who sets the way in up'),
    user: z
      .strictObject({
        username: z.string(),
        email: z.string().nullable(),
        name: z.string().nullable(),
        groups: z.array(z.string()),
        role: z.string().describe('The one he would have after signing in'),
      })
      .optional(),
    duration_ms: z.number(),
  })
  .meta({ id: 'AuthTest' });
