import type { MfaMethod } from '@sheaf/vocabulary/mfa';

export const ATTESTATION_WISHES = ['none', 'indirect', 'direct', 'enterprise'] as const;

export interface WebauthnSettings {
  /** The host name that passkeys belong to. */
  readonly rpId: string;
  readonly rpName: string;
  /** Pages that may use them; where there is none, https://<rpId>, and any http://localhost:<port> for localhost. */
  readonly origins: readonly string[];
  readonly attestation: (typeof ATTESTATION_WISHES)[number];
}

export interface MfaSettings {
  /** Off: nobody is asked for a second factor and nobody can set one up. */
  readonly enabled: boolean;
  /** What may be set up. What was set up before keeps working. */
  readonly methods: readonly MfaMethod[];
  /** The name of the service in authenticator apps. */
  readonly issuer: string;
  /** Undefined: no passkeys. */
  readonly webauthn: WebauthnSettings | undefined;
}
