import type { Principal } from '@sheaf/vocabulary/permissions';

/** Who changes something, and from where. */
export interface Actor {
  readonly principal: Principal;
  readonly address: string | undefined;
}
