import { type Action, scopeOf } from './permissions.ts';

/** Systems whose archives can be imported. */
export const IMPORT_KINDS = ['paperless', 'folder', 'mbox', 'docspell', 'papra', 'readur'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** Those that can be imported from the interface. Readur is not: its database has an address with a password. */
export const REQUESTED_IMPORT_KINDS = ['paperless', 'folder', 'mbox', 'docspell', 'papra'] as const satisfies readonly ImportKind[];
export type RequestedImportKind = (typeof REQUESTED_IMPORT_KINDS)[number];

export const IMPORT_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Of an import of users; it ends by itself. */
export const USER_IMPORT_STATES = ['queued', 'running', 'completed', 'failed'] as const satisfies readonly ImportState[];

/**
 * What whoever requests an import must be allowed, for everybody's rows: it writes documents, labels, custom fields and what documents are
 * filed by, reports what is there already, and manages accounts. What accounts it makes is judged by itself.
 */
const IMPORT_PERMISSIONS = [
  'users.update',
  'documents.read',
  'documents.create',
  'documents.update',
  'labels.read',
  'labels.create',
  'labels.update',
  'settings.update',
] as const satisfies readonly Action[];

/** The first of them that `permissions` do not give for everybody's rows. */
export const missingForImport = (permissions: readonly string[]): Action | undefined =>
  IMPORT_PERMISSIONS.find((action) => scopeOf(permissions, action) !== 'all');

/** What an import does: it looks at what there is, imports the documents, then what belongs to them. */
export const IMPORT_PHASES = ['preparing', 'documents', 'finishing'] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** What another system is called here, as in `paperless:123`. */
export const IMPORT_NAME = /^[a-z0-9][a-z0-9_-]{0,49}$/;

/** So many lines about what was not imported are answered with an import; all of them are in its report. */
export const MAX_SHOWN_IMPORT_LINES = 500;
