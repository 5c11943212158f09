import { ACTIONS, type Action, scopeOf } from '@sheaf/vocabulary/permissions';
import type { PermissionName, Verb } from './content-types.ts';

const of = (verbs: readonly Verb[], app: string, models: readonly string[]): PermissionName[] =>
  models.flatMap((model) => verbs.map((verb): PermissionName => `${app}.${verb}_${model}`));

const FILING = ['tag', 'correspondent', 'documenttype'];
const PEOPLE = ['user', 'group'];

/** What an action is there. What has no counterpart there, such as running OCR again, is missing. */
const COUNTERPARTS: Readonly<Partial<Record<Action, readonly PermissionName[]>>> = {
  'documents.read': of(['view'], 'documents', ['document', 'note', 'customfield', 'customfieldinstance']),
  'documents.create': of(['add'], 'documents', ['document']),
  'documents.update': [
    ...of(['change'], 'documents', ['document']),
    ...of(['add', 'change', 'delete'], 'documents', ['note', 'customfieldinstance']),
  ],
  'documents.delete': of(['delete'], 'documents', ['document']),
  'search.query': of(['add', 'change', 'delete', 'view'], 'documents', ['savedview']),
  'labels.read': of(['view'], 'documents', FILING),
  'labels.create': of(['add'], 'documents', FILING),
  'labels.update': of(['change'], 'documents', FILING),
  'labels.delete': of(['delete'], 'documents', FILING),
  'users.read': of(['view'], 'auth', PEOPLE),
  'users.create': of(['add'], 'auth', PEOPLE),
  'users.update': of(['change'], 'auth', PEOPLE),
  'users.delete': of(['delete'], 'auth', PEOPLE),
  'settings.read': of(['view'], 'paperless', ['applicationconfiguration']),
  'settings.update': of(['change'], 'paperless', ['applicationconfiguration']),
  'audit.view': of(['view'], 'auditlog', ['logentry']),
};

/** Without which nobody can use the web client there. */
const EVERYBODY = of(['view', 'change'], 'documents', ['uisettings']);

/**
 * The permissions there of a role with these permissions. They are as wide where the role is limited to the own rows: there, what
 * belongs to others is hidden in any case.
 */
export const counterpartsOf = (permissions: readonly string[]): PermissionName[] => [
  ...EVERYBODY,
  ...ACTIONS.filter((action) => scopeOf(permissions, action) !== 'none').flatMap((action) => COUNTERPARTS[action] ?? []),
];

/** Whether a role may do everything, as a superuser there. */
export const isSuperuser = (permissions: readonly string[]): boolean => permissions.includes('*');
