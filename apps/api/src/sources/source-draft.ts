import { type Issue, invalidInput, makeIssue } from '@sheaf/contract';
import { SETTINGS_BY_TYPE, type SourceSettings, type UpdateSourceRequest } from '@sheaf/contract/sources';
import type { Source, SourceFields } from '@sheaf/db/schema';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';
import { requireFilePatterns } from './file-patterns.ts';
import { changedPlainFields } from './source-fields.ts';

/** What becomes of the secret that is kept. */
export type SecretChange = 'kept' | 'dropped' | { readonly given: string };

/** A source as a request would have it. */
export interface SourceDraft {
  readonly fields: Omit<SourceFields, 'sealedSecret'>;
  readonly secret: SecretChange;
  /** Whether its files are to come from another place than before. */
  readonly isElsewhere: boolean;
  /** Whether other files than before may stand at the paths that are known. */
  readonly hasOtherFiles: boolean;
}

type Kept = SourceFields & Pick<Source, 'type'>;

const hrefOf = (address: string | null | undefined): string | null => (address == null ? null : new URL(address).href);

/** Where files come from: the secret is for there and nowhere else. */
const placeOf = ({ url, settings }: { readonly url: string | null; readonly settings: SourceSettings }): string =>
  JSON.stringify([hrefOf(url), hrefOf(settings.endpoint_url), settings.bucket ?? null, settings.path ?? null]);

const settingsOf = ({ type, settings }: Kept, { settings: given }: UpdateSourceRequest): SourceSettings =>
  given === undefined ? settings : parseInput(z.object({ settings: SETTINGS_BY_TYPE[type] }), { settings: given }, 'body').settings;

const secretChange = ({ username, password }: UpdateSourceRequest): SecretChange => {
  if (typeof password === 'string') return { given: password };
  return password === null || username === null ? 'dropped' : 'kept';
};

/** Fields that are nothing to a source of this type. */
const strayIssues = ({ type }: Kept, request: UpdateSourceRequest): Issue[] => {
  const strangers = { webdav: [], s3: ['url'], local_folder: ['url', 'username', 'password'] } as const;
  return strangers[type].flatMap((path) => (request[path] == null ? [] : [makeIssue(path, 'not_for_type', { type })]));
};

const usernameIssues = ({ type }: Kept, username: string | null, secret: SecretChange): Issue[] => {
  if (username === null)
    return type === 's3' || (type === 'webdav' && typeof secret === 'object')
      ? [type === 's3' ? makeIssue('username', 'access_key_needed') : makeIssue('username', 'needed_with_password')]
      : [];
  return type === 'webdav' && username.includes(':') ? [makeIssue('username', 'colon')] : [];
};

const secretIssues = ({ type, sealedSecret }: Kept, secret: SecretChange, isElsewhere: boolean): Issue[] => {
  if (type === 's3' && secret === 'dropped') return [makeIssue('password', 'secret_key_needed')];
  return secret === 'kept' && sealedSecret !== null && isElsewhere ? [makeIssue('password', 'secret_needed_again')] : [];
};

const requireNone = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw invalidInput('body', issues);
};

/**
 * `kept` with the changes of a request. Throws VALIDATION_ERROR for what makes no source of its type, and where the place changes
 * and the secret is not given again: who may change a source could send its secret to himself otherwise.
 */
export const draftSource = (kept: Kept, request: UpdateSourceRequest): SourceDraft => {
  const settings = settingsOf(kept, request);
  const url = request.url ?? kept.url;
  const username = request.username === undefined ? kept.username : request.username;
  const secret = secretChange(request);
  const isElsewhere = placeOf({ url, settings }) !== placeOf(kept);
  if (request.file_patterns !== undefined) requireFilePatterns(request.file_patterns);
  requireNone([...strayIssues(kept, request), ...usernameIssues(kept, username, secret), ...secretIssues(kept, secret, isElsewhere)]);
  const fields = { ...changedPlainFields(kept, request), url, username, settings };
  const hasOtherFiles = isElsewhere || settings.prefix !== kept.settings.prefix;
  return { fields, secret, isElsewhere, hasOtherFiles };
};
