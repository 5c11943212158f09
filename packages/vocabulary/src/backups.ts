/** What is asked for in the interface. */
export const BACKUP_RUN_KINDS = ['backup', 'verification'] as const;
export type BackupRunKind = (typeof BACKUP_RUN_KINDS)[number];

export const BACKUP_RUN_STATES = ['queued', 'running', 'completed', 'failed'] as const;
export type BackupRunState = (typeof BACKUP_RUN_STATES)[number];

/** Why a run failed: its process ended, a backup or restore of the command line was running, or its message says it. */
export const BACKUP_PROBLEMS = ['interrupted', 'busy', 'failed'] as const;
export type BackupProblem = (typeof BACKUP_PROBLEMS)[number];

/** What lies in BACKUP_PATH: `failed` was begun and not completed; the next backup continues it. */
export const BACKUP_STATES = ['complete', 'running', 'failed', 'damaged'] as const;
export type BackupState = (typeof BACKUP_STATES)[number];

/** What a verification found. */
export const BACKUP_FINDINGS = ['ok', 'damaged'] as const;
export type BackupFinding = (typeof BACKUP_FINDINGS)[number];

/** Names of backups: `sheaf-20261121T093200Z-1a2b3c`, with `.tar` for an archive. They sort by time. */
export const BACKUP_NAME = /^sheaf-\d{8}T\d{6}Z-[0-9a-f]{6}(?:\.tar)?$/;
