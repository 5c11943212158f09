import { type Action, scopeOf } from '@sheaf/vocabulary/permissions';

export const VERBS = ['add', 'change', 'delete', 'view'] as const;
export type Verb = (typeof VERBS)[number];

/** A permission of Paperless-ngx, such as documents.view_document. */
export type PermissionName = `${string}.${Verb}_${string}`;

/** What may be done with a model there, by what may be done here. */
interface ModelPermissions {
  readonly app: string;
  readonly model: string;
  readonly verbs: Partial<Readonly<Record<Verb, Action>>>;
  /** Missing where it counts in the API and in exports. */
  readonly only?: 'api' | 'export';
}

const every = (action: Action): Readonly<Record<Verb, Action>> => ({ view: action, add: action, change: action, delete: action });

const LABELS = { view: 'labels.read', add: 'labels.create', change: 'labels.update', delete: 'labels.delete' } as const;
const PEOPLE = { view: 'users.read', add: 'users.create', change: 'users.update', delete: 'users.delete' } as const;
const PARTS = { ...every('documents.update'), view: 'documents.read' } as const;

/** All of them: what is missing, such as running OCR again, has no counterpart, and nobody may do it there. */
const MODELS: readonly ModelPermissions[] = [
  {
    app: 'documents',
    model: 'document',
    verbs: { view: 'documents.read', add: 'documents.create', change: 'documents.update', delete: 'documents.delete' },
  },
  { app: 'documents', model: 'note', verbs: PARTS },
  // apps do not ask for it
  { app: 'documents', model: 'customfieldinstance', verbs: PARTS, only: 'export' },
  { app: 'documents', model: 'tag', verbs: LABELS },
  { app: 'documents', model: 'correspondent', verbs: LABELS },
  { app: 'documents', model: 'documenttype', verbs: LABELS },
  { app: 'documents', model: 'customfield', verbs: { ...every('settings.update'), view: 'documents.read' } },
  { app: 'documents', model: 'savedview', verbs: every('search.query') },
  { app: 'documents', model: 'sharelink', verbs: every('documents.share') },
  { app: 'documents', model: 'paperlesstask', verbs: { view: 'documents.read' } },
  // the API changes no users
  { app: 'auth', model: 'user', verbs: { view: 'users.read' }, only: 'api' },
  { app: 'auth', model: 'user', verbs: PEOPLE, only: 'export' },
  { app: 'auth', model: 'group', verbs: PEOPLE, only: 'export' },
  { app: 'paperless', model: 'applicationconfiguration', verbs: { view: 'settings.read', change: 'settings.update' }, only: 'export' },
  // the history of a document, which here is a part of it
  { app: 'auditlog', model: 'logentry', verbs: { view: 'documents.read' }, only: 'api' },
  { app: 'auditlog', model: 'logentry', verbs: { view: 'audit.view' }, only: 'export' },
  { app: 'documents', model: 'uisettings', verbs: { view: 'documents.read', change: 'documents.read' }, only: 'api' },
];

/** Without which nobody can use the web client there. */
const EVERYBODY = ['documents.view_uisettings', 'documents.change_uisettings'] as const;

const permittedIn = (where: 'api' | 'export', permissions: readonly string[]): { app: string; codename: `${Verb}_${string}` }[] =>
  MODELS.filter(({ only = where }) => only === where).flatMap(({ app, model, verbs }) =>
    VERBS.flatMap((verb) => {
      const action = verbs[verb];
      return action === undefined || scopeOf(permissions, action) === 'none' ? [] : [{ app, codename: `${verb}_${model}` as const }];
    }),
  );

/** What a caller with these permissions may do through the API, such as view_document. */
export const codenamesOf = (permissions: readonly string[]): string[] => permittedIn('api', permissions).map(({ codename }) => codename);

/**
 * The permissions of a group that a role with these permissions becomes. They are as wide where the role is limited to the own rows: there, what
 * belongs to others is hidden in any case.
 */
export const counterpartsOf = (permissions: readonly string[]): PermissionName[] => [
  ...EVERYBODY,
  ...permittedIn('export', permissions).map(({ app, codename }): PermissionName => `${app}.${codename}`),
];

/** Whether somebody with these permissions there changes documents. */
export const changesDocuments = (codenames: ReadonlySet<string>): boolean =>
  VERBS.some((verb) => verb !== 'view' && codenames.has(`${verb}_document`));
