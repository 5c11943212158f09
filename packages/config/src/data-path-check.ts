import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode } from '@sheaf/contract';
import type { Values } from './parse.ts';

const secretsOf = (dataPath: string): string => join(resolve(dataPath), 'secrets.json');

type SecretsState = 'good' | 'broken' | 'closed' | 'absent';

const STATES: Readonly<Record<string, SecretsState>> = { ENOENT: 'absent', ENOTDIR: 'absent', EACCES: 'closed', EPERM: 'closed' };

/** Whether the generated secrets are in the folder `dataPath`, and can be read by this user. */
export const secretsState = (dataPath: string): SecretsState => {
  try {
    JSON.parse(readFileSync(secretsOf(dataPath), 'utf8'));
    return 'good';
  } catch (error) {
    return STATES[errorCode(error) ?? ''] ?? 'broken';
  }
};

/** Whether the generated secrets can be read, where there are any. No remedy takes them away: they decrypt what is stored. */
export const checkDataPath = ({ DATA_PATH }: Partial<Values>): string | undefined => {
  const state = DATA_PATH === undefined ? 'absent' : secretsState(DATA_PATH);
  if (DATA_PATH === undefined || state === 'good' || state === 'absent') return undefined;
  const path = secretsOf(DATA_PATH);
  return state === 'closed'
    ? `has secrets that this user cannot read: ${path} and its folder must belong to ${userInfo().username}; run: chown ${userInfo().username} ${path}; chmod 600 ${path}`
    : `has secrets that cannot be read: restore ${path} from a backup`;
};
