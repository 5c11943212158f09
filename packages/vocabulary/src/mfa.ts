/** Kinds of second factor that a person can set up. */
export const MFA_METHODS = ['totp', 'webauthn'] as const;
export type MfaMethod = (typeof MFA_METHODS)[number];
