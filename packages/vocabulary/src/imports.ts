/** Systems whose archives can be imported. */
export const IMPORT_KINDS = ['paperless', 'folder', 'mbox', 'docspell', 'papra', 'readur'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** Those that can be imported from the interface. Readur is not: its database has an address with a password. */
export const REQUESTED_IMPORT_KINDS = ['paperless', 'folder', 'mbox', 'docspell', 'papra'] as const satisfies readonly ImportKind[];
export type RequestedImportKind = (typeof REQUESTED_IMPORT_KINDS)[number];

export const IMPORT_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** What an import does: it looks at what there is, imports the documents, then what belongs to them. */
export const IMPORT_PHASES = ['preparing', 'documents', 'finishing'] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** What another system is called here, as in `paperless:123`. */
export const IMPORT_NAME = /^[a-z0-9][a-z0-9_-]{0,49}$/;

/** So many lines about what was not imported are answered with an import; all of them are in its report. */
export const MAX_SHOWN_IMPORT_LINES = 500;
