import { z } from 'zod';
import { ROLES } from './permissions.ts';

/** Also a directory name (per-user watch folders), so nothing that a path could trip over. */
export const usernameField = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or dashes');

export const roleField = z.enum(ROLES);

export const registerRequest = z
  .strictObject({
    username: usernameField,
    email: z.email().max(254),
    password: z.string().min(1).max(1_024),
    role: roleField.optional(),
    display_name: z.string().max(200).optional(),
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

export const loginRequest = z
  .strictObject({ username: z.string().min(1).max(254), password: z.string().min(1).max(1_024) })
  .meta({ id: 'LoginRequest' });

export const loginBody = z
  .strictObject({
    token: z.string(),
    user: z.strictObject({ id: z.uuid(), username: z.string(), email: z.string(), role: z.string() }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Login' });
export type LoginBody = z.infer<typeof loginBody>;

export const meBody = userBody.extend({ permissions: z.array(z.string()) }).meta({ id: 'Me' });
