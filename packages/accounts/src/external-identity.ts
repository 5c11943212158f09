/** How a user signs in. */
export const AUTH_METHODS = ['local', 'oidc', 'ldap', 'saml2'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Who somebody is, as a directory or an identity provider says. What he may do here is decided here. */
export interface ExternalIdentity {
  readonly method: Exclude<AuthMethod, 'local'>;
  /** What stays when names and addresses change: issuer and subject, distinguished name, or issuer and name id. */
  readonly externalId: string;
  readonly username: string | undefined;
  readonly email: string | undefined;
  /** Only then the address may link to an account that is here already. */
  readonly emailVerified: boolean;
  readonly displayName: string | undefined;
  readonly groups: readonly string[];
}

/** Checks names and passwords elsewhere. */
export interface PasswordDriver {
  /** Undefined for an unknown name and a wrong password alike. Throws SERVICE_UNAVAILABLE when the directory cannot be asked. */
  check(username: string, password: string, signal?: AbortSignal): Promise<ExternalIdentity | undefined>;
}
