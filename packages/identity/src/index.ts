export { type Client, Identity, type IdentityDeps, type IdentitySettings } from './identity.ts';
export { hashPassword, verifyPassword } from './password.ts';
