// What only the tests of this package import: production code uses the index.
export type { MfaAuditEntry } from './mfa-deps.ts';
export { MfaService } from './service.ts';
export { isAllowedOrigin, isFromOurPage, type MfaSettings, readClientData } from './webauthn.ts';
