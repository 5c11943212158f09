import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { z } from 'zod';

const secretsFile = z.object({ jwt_secret: z.string().min(32), database_password: z.string().min(16) });

export interface GeneratedSecrets {
  readonly jwtSecret: Secret;
  /** Of the embedded database. */
  readonly databasePassword: Secret;
}

const make = (): z.infer<typeof secretsFile> => ({
  jwt_secret: randomBytes(48).toString('base64url'),
  database_password: randomBytes(24).toString('base64url'),
});

/**
 * The secrets in `<dataPath>/secrets.json`, made on the first call and the same ever after. Several processes may call
 * this at once: the file appears whole under its name by link(2), which fails for all but the first.
 */
export const loadGeneratedSecrets = (dataPath: string): GeneratedSecrets => {
  const path = join(dataPath, 'secrets.json');
  mkdirSync(dataPath, { recursive: true });
  const read = (): GeneratedSecrets => {
    const { jwt_secret, database_password } = secretsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    return { jwtSecret: new Secret(jwt_secret), databasePassword: new Secret(database_password) };
  };
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Error(`${path} cannot be read; restore it from a backup or remove it`, { cause: error });
  }
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(make(), null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return read();
};
