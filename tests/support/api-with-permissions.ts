import { type Credentials, type FoundPrincipal, Identity, type IdentityDeps } from '@sheaf/accounts';
import type { EventLimits, Route } from '@sheaf/api/testing';
import type { Database } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { startComposedApi } from './composed-api.ts';

/** Permissions of some users by name; all others have those of their role. */
export type PermissionsByName = Readonly<Record<string, readonly string[]>>;

class GivenPermissions extends Identity {
  readonly #given: PermissionsByName;

  constructor(deps: IdentityDeps, given: PermissionsByName) {
    super(deps);
    this.#given = given;
  }

  override async authenticate(credentials: Credentials): Promise<Principal | undefined> {
    const principal = await super.authenticate(credentials);
    return principal && this.#withPermissions(principal);
  }

  override async look(credentials: Credentials): Promise<FoundPrincipal | undefined> {
    const found = await super.look(credentials);
    return found && { ...found, principal: this.#withPermissions(found.principal) };
  }

  #withPermissions(principal: Principal): Principal {
    return { ...principal, permissions: this.#given[principal.username] ?? principal.permissions };
  }
}

export interface ApiWithPermissions extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/**
 * The api in this process, on `database`, with permissions that no built-in role has, and with `further` routes. `limits` are of the
 * connections for events.
 */
export const startApiWithPermissions = async (
  database: Database,
  given: PermissionsByName,
  further: readonly Route[] = [],
  limits: Partial<EventLimits> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<ApiWithPermissions> => {
  const { port, stop } = await startComposedApi(database, environment, silentLogger(), {
    makeIdentity: (deps) => new GivenPermissions(deps, given),
    furtherRoutes: further,
    eventLimits: limits,
  });
  return { port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
};
