import type { Principal } from '@sheaf/vocabulary/permissions';

/** Who does something, and from where. */
export interface Actor {
  readonly principal: Pick<Principal, 'userId' | 'username' | 'permissions'>;
  readonly address: string | undefined;
}
