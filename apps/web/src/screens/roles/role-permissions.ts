import { ACTIONS, type Action, type Scope, scopeOf } from '@sheaf/vocabulary/permissions';

/** What a role may do, action by action; none stands for what is missing. */
export type Reach = Readonly<Partial<Record<Action, Exclude<Scope, 'none'>>>>;

export interface ActionGroup {
  readonly resource: string;
  readonly actions: readonly Action[];
}

const resourceOf = (action: Action): string => action.slice(0, action.indexOf('.'));

/** All actions by what they are done to. */
export const ACTION_GROUPS: readonly ActionGroup[] = [...new Set(ACTIONS.map(resourceOf))].map((resource) => ({
  resource,
  actions: ACTIONS.filter((action) => resourceOf(action) === resource),
}));

export const toReach = (permissions: readonly string[]): Reach =>
  Object.fromEntries(
    ACTIONS.flatMap((action) => {
      const scope = scopeOf(permissions, action);
      return scope === 'none' ? [] : [[action, scope]];
    }),
  );

/** The permissions for `reach`. A `resource.*` that a role had `before` stays as long as all of the resource does: it grants what is added later, too. */
export const toPermissions = (reach: Reach, before: readonly string[]): string[] =>
  ACTION_GROUPS.flatMap(({ resource, actions }) => {
    const isWhole = before.includes(`${resource}.*`) && actions.every((action) => reach[action] === 'all');
    if (isWhole) return [`${resource}.*`];
    return actions.flatMap((action) => {
      const scope = reach[action];
      return scope === undefined ? [] : [scope === 'own' ? `${action}.own` : action];
    });
  });
