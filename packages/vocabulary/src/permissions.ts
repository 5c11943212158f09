/** Every action that exists, as `resource.action`. A role or key that names another one is refused at start. */
export const ACTIONS = [
  'documents.read',
  'documents.create',
  'documents.update',
  'documents.delete',
  'documents.purge',
  'documents.share',
  'search.query',
  'labels.read',
  'labels.create',
  'labels.update',
  'labels.delete',
  'ocr.read',
  'ocr.update',
  'sources.read',
  'sources.create',
  'sources.update',
  'sources.delete',
  'sources.sync',
  'users.read',
  'users.create',
  'users.update',
  'users.delete',
  'keys.read',
  'keys.create',
  'keys.delete',
  'settings.read',
  'settings.update',
  'system.read',
  'analytics.read',
  'audit.view',
  'reports.generate',
] as const;
export type Action = (typeof ACTIONS)[number];

const resourceOf = (action: Action): string => action.slice(0, action.indexOf('.'));

/** Every permission string that grants something. */
export const KNOWN_PERMISSIONS: readonly string[] = [
  '*',
  ...new Set(ACTIONS.map((action) => `${resourceOf(action)}.*`)),
  ...ACTIONS.flatMap((action) => [action, `${action}.own`]),
];

export const ROLES = ['admin', 'editor', 'viewer', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

export const isBuiltInRole = (name: string): name is Role => (ROLES as readonly string[]).includes(name);

/** Permission strings by role: `resource.action`, `resource.action.own`, `resource.*` or `*`. */
export type RolePermissions = Readonly<Record<string, readonly string[]>>;

/** The roles that the configuration gives. Where they are those of ROLES_FILE, the database changes none of them. */
export interface ConfiguredRoles {
  readonly permissions: RolePermissions;
  readonly areFromFile: boolean;
}

/** What who has `role` may do. Nothing, where the role does not exist any more. */
export const permissionsOf = (roles: RolePermissions, role: string): readonly string[] =>
  Object.hasOwn(roles, role) ? (roles[role] ?? []) : [];

/** What the name of a role looks like. */
export const ROLE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export const BUILT_IN_ROLES: Readonly<Record<Role, readonly string[]>> = {
  admin: ['*'],
  editor: [
    'documents.read',
    'documents.create',
    'documents.update',
    'documents.delete.own',
    'documents.purge.own',
    'documents.share',
    'search.*',
    'labels.*',
    'ocr.*',
    'sources.read.own',
    'sources.create',
    'sources.update.own',
    'sources.delete.own',
    'sources.sync.own',
    'analytics.read',
  ],
  viewer: ['documents.read', 'search.*', 'labels.read', 'ocr.read'],
  auditor: ['audit.view', 'reports.generate', 'analytics.read', 'documents.read', 'search.*'],
};

/** How far a permission reaches: every row, the caller's own rows, or none. */
export type Scope = 'all' | 'own' | 'none';

/** By what somebody is known: a bearer token, a session cookie, an API key, or because the service asks nobody (AUTH_ENABLED=false). */
export type Credential = 'token' | 'cookie' | 'key' | 'disabled-auth';

/** Who asks: a user session, a bearer token or an API key, with what it may do today. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  /** The user's own, also for a key that may do less: decide by `permissions`. */
  readonly role: string;
  readonly permissions: readonly string[];
  readonly via: Credential;
  /** Of a token or a cookie. */
  readonly sessionId?: string;
  /** Of an API key. */
  readonly keyId?: string;
  /** They may do nothing but set up a second factor, which is demanded of them. */
  readonly mfaSetupRequired?: true;
}

const grants = (permission: string, action: Action): Scope => {
  if (permission === '*' || permission === action || permission === `${resourceOf(action)}.*`) return 'all';
  return permission === `${action}.own` ? 'own' : 'none';
};

/** The widest reach that any of `permissions` gives for `action`. The one place where permission strings are read. */
export const scopeOf = (permissions: readonly string[], action: Action): Scope => {
  const scopes = permissions.map((permission) => grants(permission, action));
  if (scopes.includes('all')) return 'all';
  return scopes.includes('own') ? 'own' : 'none';
};

const WEIGHT: Readonly<Record<Scope, number>> = { none: 0, own: 1, all: 2 };

/** Whether `permissions` allow nothing that `limit` does not. */
export const areWithin = (permissions: readonly string[], limit: readonly string[]): boolean =>
  (!permissions.includes('*') || limit.includes('*')) &&
  ACTIONS.every((action) => WEIGHT[scopeOf(permissions, action)] <= WEIGHT[scopeOf(limit, action)]);

/** Whose share links a principal sees and revokes: who looks after the whole system those of all, others their own. */
export const shareScope = ({ permissions }: Pick<Principal, 'permissions'>): Scope => {
  if (scopeOf(permissions, 'documents.share') === 'none') return 'none';
  return scopeOf(permissions, 'system.read') === 'all' ? 'all' : 'own';
};

/** The further one. */
export const wider = (one: Scope, other: Scope): Scope => {
  if (one === 'all' || other === 'all') return 'all';
  return one === 'own' || other === 'own' ? 'own' : 'none';
};

/** How far both reach. */
export const narrower = (one: Scope, other: Scope): Scope => {
  if (one === 'none' || other === 'none') return 'none';
  return one === 'own' || other === 'own' ? 'own' : 'all';
};

/** The roles that may do `action` to everybody's rows. */
export const rolesForAll = (roles: RolePermissions, action: Action): string[] =>
  Object.entries(roles).flatMap(([role, permissions]) => (scopeOf(permissions, action) === 'all' ? [role] : []));

/** The roles that may do `action` at all, at least to what is their users' own. */
export const rolesForAny = (roles: RolePermissions, action: Action): string[] =>
  Object.entries(roles).flatMap(([role, permissions]) => (scopeOf(permissions, action) === 'none' ? [] : [role]));

/** Whether `permission` is a string that can grant anything. */
export const isKnownPermission = (permission: string): boolean => ACTIONS.some((action) => grants(permission, action) !== 'none');

/** The permission that grants `action` as far as `scope`; empty where that is nowhere. */
export const permissionOf = (action: Action, scope: Scope): readonly string[] => {
  if (scope === 'none') return [];
  return [scope === 'own' ? `${action}.own` : action];
};

/** The permission that both lists grant for `action`, no further than the narrower of the two; empty where one grants none. */
const intersectAction = (some: readonly string[], others: readonly string[], action: Action): readonly string[] => {
  return permissionOf(action, narrower(scopeOf(some, action), scopeOf(others, action)));
};

/**
 * What a key may do only where its scope names the action or its resource: with a bare `*`, whoever finds the key could make themselves
 * access that outlasts it.
 */
const NAMED_BY_KEYS: ReadonlySet<Action> = new Set(['users.create', 'users.update', 'documents.share']);

/** What a key of this scope may do whose owner may do `ownerPermissions`. Whatever the scope says, no key makes keys. */
export const permissionsOfKey = (scope: readonly string[], ownerPermissions: readonly string[]): readonly string[] => {
  const named = scope.filter((permission) => permission !== '*');
  // a key that makes users can leave more behind than a share link, and could not give them roles that share otherwise
  const mayLeaveUsers = scopeOf(named, 'users.create') === 'all';
  const mustBeNamed = (action: Action): boolean => NAMED_BY_KEYS.has(action) && !(action === 'documents.share' && mayLeaveUsers);
  return ACTIONS.filter((action) => action !== 'keys.create').flatMap((action) =>
    intersectAction(mustBeNamed(action) ? named : scope, ownerPermissions, action),
  );
};
