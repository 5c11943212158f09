import type { ExternalIdentity } from './external-identity.ts';
import type { BrowserToken } from './pending-sign-ins.ts';

/** Where to send the browser to sign in, and what it has to bring back in a cookie. */
export interface FederatedStart {
  readonly url: string;
  readonly cookie: BrowserToken;
}

export interface FederatedEnd {
  readonly identity: ExternalIdentity;
  /** A path of this service. */
  readonly returnTo: string;
}
