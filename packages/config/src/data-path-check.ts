import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorCode } from '@sheaf/contract';
import { nearestExisting } from './folder-checks.ts';
import type { Values } from './parse.ts';

const stateOf = (path: string): 'good' | 'broken' | 'absent' => {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
    return 'good';
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'absent' : 'broken';
  }
};

/** Whether the generated secrets are there, or can be made. Makes nothing itself. */
export const checkDataPath = ({ DATA_PATH }: Partial<Values>): string | undefined => {
  if (DATA_PATH === undefined) return undefined;
  const path = resolve(DATA_PATH);
  const secrets = join(path, 'secrets.json');
  try {
    const found = nearestExisting(path);
    if (!statSync(found).isDirectory()) return `cannot be a folder: ${found} is a file; choose another one`;
    const state = stateOf(secrets);
    if (state === 'broken') return `has secrets that cannot be read: restore ${secrets} from a backup, or remove it`;
    if (state === 'absent') accessSync(found, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `is not accessible for this user: ${error instanceof Error ? error.message : String(error)}; choose another folder, or change its owner`;
  }
};
