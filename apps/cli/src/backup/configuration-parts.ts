import { readFile } from 'node:fs/promises';
import type { ConfigurationParts } from '@sheaf/backup';
import { effectiveValues, type LoadedConfig } from '@sheaf/config';
import { errorCode } from '@sheaf/contract';

const MARGIN = 2;

const toBytes = (content: unknown): Uint8Array => Buffer.from(`${JSON.stringify(content, null, MARGIN)}\n`);

type Part = ConfigurationParts['files'][number];

const filePart = async (name: Part['name'], path: string): Promise<Part[]> => {
  try {
    return [{ name, bytes: await readFile(path) }];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
};

/** The configuration as a backup keeps it. Secrets, and the file that may hold some in clear, only where they are wanted. */
export const configurationParts = async ({ config, raw, file }: LoadedConfig, withSecrets: boolean): Promise<ConfigurationParts> => {
  const roles = raw.ROLES_FILE?.text;
  return {
    hasSecrets: withSecrets,
    files: [
      { name: 'effective.json', bytes: toBytes(effectiveValues(raw, { withSecrets })) },
      ...(roles === undefined ? [] : await filePart('roles.yml', roles)),
      ...(withSecrets && file !== undefined ? await filePart('service.yml', file) : []),
      ...(withSecrets ? await filePart('secrets.json', config.secretsFile) : []),
    ],
  };
};
