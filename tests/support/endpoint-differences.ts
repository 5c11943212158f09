import type { Route } from '@sheaf/api/testing';
import { ACTIONS, type Action, BUILT_IN_ROLES, ROLES, scopeOf } from '@sheaf/vocabulary/permissions';
import { nameOf } from './callers.ts';
import { ENDPOINT_ACCESS } from './endpoint-access.ts';

/** How the table of endpoints differs from the routes: routes that lack an entry, entries without a route, routes that are there twice. */
export const compareWithTable = (routes: readonly Route[]): Readonly<Record<'missing' | 'unknown' | 'twice', readonly string[]>> => {
  const names = routes.map(nameOf);
  return {
    missing: names.filter((name) => !Object.hasOwn(ENDPOINT_ACCESS, name)),
    unknown: Object.keys(ENDPOINT_ACCESS).filter((name) => !names.includes(name)),
    twice: names.filter((name, index) => names.indexOf(name) < index),
  };
};

export const NO_DIFFERENCES: ReturnType<typeof compareWithTable> = { missing: [], unknown: [], twice: [] };

const isAction = (access: Route['access']): access is Action => (ACTIONS as readonly string[]).includes(access);

/** Where the roles of a route in the table are not those whose permissions grant its access: a sentence for each role. */
export const wrongRoles = (route: Route): string[] => {
  const { access } = route;
  if (!isAction(access)) return [];
  return ROLES.flatMap((role) => {
    const isListed = ENDPOINT_ACCESS[nameOf(route)]?.includes(role) === true;
    const isGranted = scopeOf(BUILT_IN_ROLES[role], access) !== 'none';
    if (isListed === isGranted) return [];
    const [listed, granted] = [isListed ? 'lists' : 'does not list', isGranted ? 'grants' : 'does not grant'];
    return [`${nameOf(route)}: tests/support/endpoint-access.ts ${listed} ${role}, and BUILT_IN_ROLES ${granted} it ${access}`];
  });
};
