import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '@sheaf/config/testing';
import { parseProcfile } from '@sheaf/supervisor/testing';

/** The entries of the Procfile. */
export const procfileEntries = () => parseProcfile(readFileSync(join(import.meta.dirname, '../../Procfile'), 'utf8'));

/** One process may take so long to stop, with the defaults. */
export const graceSeconds = (): number => Number(VARIABLES.SHUTDOWN_GRACE_SECONDS.default);

/** All of them, one after the other as the supervisor does it, and the embedded database after them (apps/supervisor/src/compose.ts). */
export const overallStopSeconds = (): number => (procfileEntries().length + 2) * (graceSeconds() + 1) + 45;
