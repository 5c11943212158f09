import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile, open, readFile, rename } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { errorCode, Secret } from '@sheaf/contract';
import { z } from 'zod';
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

/** Others than these two belong to the documents and users that are restored, and go where they go. */
const generatedSecrets = z.looseObject({ app_secret_key: z.string().min(32).optional(), database_password: z.string().optional() });

export type RestoredSecrets =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unchanged' }
  /** `keptPath`: where the ones are that were there before. */
  | { readonly kind: 'replaced'; readonly keptPath: string };

/**
 * Puts the secrets in `kept`, a file of generated secrets that a backup has, in the place of those in the file `path`, which has some
 * already. The password of the embedded database stays, as that knows no other one.
 */
export const restoreSecrets = async (kept: Uint8Array | undefined, path: string, now: Date): Promise<RestoredSecrets> => {
  if (kept === undefined) return { kind: 'absent' };
  const present = generatedSecrets.parse(JSON.parse(await readFile(path, 'utf8')));
  const restored = generatedSecrets.parse(JSON.parse(Buffer.from(kept).toString('utf8')));
  const merged = { ...present, ...restored, database_password: present.database_password };
  if (JSON.stringify(merged) === JSON.stringify(present)) return { kind: 'unchanged' };
  const keptPath = `${path}.before-restore-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  await copyFile(path, keptPath);
  await replaceFile(path, `${JSON.stringify(merged, null, 2)}\n`);
  return { kind: 'replaced', keptPath };
};

/** Whole or not at all, and safe from a power cut. */
const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  {
    await using handle = await open(draft, 'wx', 0o600);
    await handle.writeFile(text);
    await handle.sync();
  }
  await rename(draft, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
};

/** What the service needs and nobody has to think of, by its key in the file, with the bytes it is made from. */
const SECRETS = { jwt_secret: 48, database_password: 24, app_secret_key: 48, session_secret: 48 } as const;
type SecretName = keyof typeof SECRETS;

/** A file of an earlier version lacks the later ones. Others are kept as they are: a later version may have made them. */
const secretsFile = z.looseObject({
  jwt_secret: z.string().min(32),
  database_password: z.string().min(16),
  app_secret_key: z.string().min(32).optional(),
  session_secret: z.string().min(32).optional(),
});
type SecretsFile = z.infer<typeof secretsFile>;

export interface GeneratedSecrets {
  readonly jwtSecret: Secret;
  /** Of the embedded database. */
  readonly databasePassword: Secret;
  /** Encrypts what has to be read again, such as the secrets of second factors. */
  readonly appSecretKey: Secret;
  readonly sessionSecret: Secret;
}

const make = (name: SecretName): string => randomBytes(SECRETS[name]).toString('base64url');

const makeAll = (): SecretsFile => ({
  jwt_secret: make('jwt_secret'),
  database_password: make('database_password'),
  app_secret_key: make('app_secret_key'),
  session_secret: make('session_secret'),
});

/** The file as it is, or undefined where there is none. Throws where it cannot be read: making another would lose what it holds. */
const readSecrets = (path: string): SecretsFile | undefined => {
  try {
    return secretsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read; restore it from a backup`, { cause: error });
  }
};

const writeDraft = (path: string, secrets: SecretsFile): string => {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return draft;
};

/** Puts `secrets` under `path` whole, unless a file is there: link(2) fails for all but the first. */
const publishOnce = (path: string, secrets: SecretsFile): void => {
  const draft = writeDraft(path, secrets);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
};

/**
 * Adds what the file of an earlier version lacks. Processes that start at the same time must agree on it: what is new is
 * published in a file of its own first, which exists once, and each of them then writes the same whole.
 */
const complete = (path: string, secrets: SecretsFile): SecretsFile => {
  if (secrets.app_secret_key !== undefined && secrets.session_secret !== undefined) return secrets;
  const additions = `${path}.added`;
  publishOnce(additions, { ...makeAll(), ...secrets });
  const whole = { ...readSecrets(additions), ...secrets };
  renameSync(writeDraft(path, whole), path);
  // What a later start finds here is the same as what it would add; removing it could take it from one who is about to read it.
  return whole;
};

/**
 * The secrets in `<dataPath>/secrets.json`, made on the first call and the same ever after. Several processes may call
 * this at once.
 */
export const loadGeneratedSecrets = (dataPath: string): GeneratedSecrets => {
  const path = join(dataPath, 'secrets.json');
  makeFolderSync(dataPath);
  let secrets = readSecrets(path);
  if (secrets === undefined) {
    publishOnce(path, makeAll());
    secrets = readSecrets(path);
  }
  if (secrets === undefined) throw new Error(`${path} was removed while it was being read`);
  const { jwt_secret, database_password, app_secret_key, session_secret } = complete(path, secrets);
  if (app_secret_key === undefined || session_secret === undefined)
    throw new Error(`${path} does not contain the secrets that were just written`);
  return {
    jwtSecret: new Secret(jwt_secret),
    databasePassword: new Secret(database_password),
    appSecretKey: new Secret(app_secret_key),
    sessionSecret: new Secret(session_secret),
  };
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Makes a folder with all its parents before anything else of the process is there. Not by `recursive`: Node tries for ever where a
 * parent is there and the system says that it is not, as below /proc.
 */
export const makeFolderSync = (path: string): void => {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolderSync(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isFolder(path)) throw error; // unless another process was faster
  }
};
