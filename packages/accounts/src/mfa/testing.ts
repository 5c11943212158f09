// What only the tests of this package import: production code uses the index.
export type { MfaAuditEntry } from './mfa-deps.ts';
export { MfaService } from './service.ts';
export type { MfaSettings } from './settings.ts';
export { isAllowedOrigin, isFromOurPage, readClientData } from './webauthn-client-data.ts';
