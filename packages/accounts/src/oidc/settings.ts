import type { Secret } from '@sheaf/contract';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  readonly redirectUri: string;
  readonly scopes: string;
  readonly userClaim: string | undefined;
  readonly groupsClaim: string;
  readonly audience: string | undefined;
  /** In lower case. */
  readonly hostedDomain: string | undefined;
  /** Undefined: what the provider takes. */
  readonly tokenEndpointAuthMethod: 'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt' | 'none' | undefined;
  /** Undefined: the discovered ones. */
  readonly endpoints: {
    readonly authorization: string | undefined;
    readonly token: string | undefined;
    readonly userInfo: string | undefined;
  };
  readonly debug: boolean;
}
