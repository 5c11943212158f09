import { realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isKnownExtension } from './file-types.ts';
import type { ConfigIssue, Values } from './parse.ts';

/** `path` with all links followed, also where its last parts do not exist yet. */
const canonical = (path: string): string => {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(canonical(parent), absolute.slice(parent.length));
  }
};

const isInside = (inner: string, outer: string): boolean => `${canonical(inner)}${sep}`.startsWith(`${canonical(outer)}${sep}`);

const checkDatabaseUrl = ({ DATABASE_URL }: Partial<Values>): string | undefined => {
  if (DATABASE_URL === undefined) return undefined;
  const url = URL.canParse(DATABASE_URL.reveal()) ? new URL(DATABASE_URL.reveal()) : undefined;
  const isPostgres = url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
  return isPostgres ? undefined : 'must look like postgresql://user:password@host:port/database';
};

const checkAddress = ({ SERVER_ADDRESS }: Partial<Values>): string | undefined =>
  SERVER_ADDRESS === undefined || /^(\[[0-9a-fA-F:]+\]|[^:[\]]+):\d{1,5}$/.test(SERVER_ADDRESS)
    ? undefined
    : 'must be host:port, such as 0.0.0.0:8080';

const checkFolders = ({ UPLOAD_PATH, WATCH_FOLDER }: Partial<Values>): string | undefined => {
  if (UPLOAD_PATH === undefined || WATCH_FOLDER === undefined) return undefined;
  if (canonical(UPLOAD_PATH) === canonical(WATCH_FOLDER)) return 'must not be the same folder as UPLOAD_PATH; choose another one';
  if (isInside(WATCH_FOLDER, UPLOAD_PATH)) return 'must not lie inside UPLOAD_PATH, or stored files would be mixed with dropped ones';
  return isInside(UPLOAD_PATH, WATCH_FOLDER) ? 'must not contain UPLOAD_PATH, or every stored file would be taken in again' : undefined;
};

const checkJwtSecret = ({ JWT_SECRET }: Partial<Values>): string | undefined =>
  JWT_SECRET === undefined || JWT_SECRET.reveal().length >= 32
    ? undefined
    : 'must have at least 32 characters; `openssl rand -base64 48` makes one';

const checkFileTypes = ({ ALLOWED_FILE_TYPES }: Partial<Values>): string | undefined => {
  const unknown = (ALLOWED_FILE_TYPES ?? []).filter((extension) => !isKnownExtension(extension));
  return unknown.length === 0 ? undefined : `names file types this service does not read: ${unknown.join(', ')}`;
};

const checkLanguage = ({ OCR_LANGUAGE }: Partial<Values>): string | undefined =>
  OCR_LANGUAGE === undefined || /^[A-Za-z_]{3,20}(\+[A-Za-z_]{3,20})*$/.test(OCR_LANGUAGE)
    ? undefined
    : 'must be language codes joined by +, such as eng+deu';

const CHECKS: Readonly<Record<string, (values: Partial<Values>) => string | undefined>> = {
  DATABASE_URL: checkDatabaseUrl,
  SERVER_ADDRESS: checkAddress,
  WATCH_FOLDER: checkFolders,
  JWT_SECRET: checkJwtSecret,
  ALLOWED_FILE_TYPES: checkFileTypes,
  OCR_LANGUAGE: checkLanguage,
};

/** The rules that a schema of one variable cannot say. Each runs whatever else is wrong. */
export const crossCheck = (values: Partial<Values>): ConfigIssue[] =>
  Object.entries(CHECKS).flatMap(([variable, check]) => {
    const message = check(values);
    return message === undefined ? [] : [{ variable, message }];
  });
