import { isRestError, type RestError } from '@azure/storage-blob';
import { reasonedError } from '@sheaf/contract';
import { fileDamaged, fileMissing } from '../errors.ts';
import { connectionReason, isCertificateCode } from '../remote/connection-failure.ts';
import { NoAnswer } from '../remote/patience.ts';

/** What was asked for, as the message of an error names it. */
export interface Asked {
  /** Undefined where it is the container that is asked. */
  readonly key?: string | undefined;
  readonly action: 'create' | 'read' | 'list' | 'delete';
  readonly container: string;
  readonly host: string;
}

const STRING = 'AZURE_STORAGE_CONNECTION_STRING';
const TRANSIENT_STATUS = new Set([408, 429, 500, 502, 503, 504]);

/** The service's own name of the error, also of an answer without a body. */
const azureCode = (error: unknown): string => (isRestError(error) ? codeOf(error) : '');

const codeOf = (error: RestError): string => error.response?.headers.get('x-ms-error-code') ?? error.code ?? '';

/** Whether the next try may go better: overload, a lost connection, half an answer, bytes that were spoiled on their way. */
export const isTransient = (error: unknown): boolean => {
  if (!isRestError(error)) return false;
  if (error.code === 'PARSE_ERROR' || codeOf(error) === 'Md5Mismatch') return true;
  return error.statusCode === undefined ? !isCertificateCode(error.code ?? '') : TRANSIENT_STATUS.has(error.statusCode);
};

/** The object was not there, and the container was: the service says so by name, and whoever else answers 404 does not. */
export const isAbsent = (error: unknown): error is RestError => azureCode(error) === 'BlobNotFound';

/** The object was there although it should not be. */
export const isConflict = (error: unknown): boolean => ['BlobAlreadyExists', 'ConditionNotMet'].includes(azureCode(error));

/** Any error of the service as one that may leave the storage: FILE_MISSING, FILE_DAMAGED, SERVICE_UNAVAILABLE with its reason. Others stay. */
export const toAzureError = (error: unknown, asked: Asked): Error => {
  if (asked.key !== undefined && isAbsent(error)) return fileMissing(asked.key, causeOf(error));
  // it ends before the range
  if (asked.key !== undefined && isRestError(error) && error.statusCode === 416) return fileDamaged(asked.key, causeOf(error));
  const failure = failureOf(error);
  if (failure === undefined) return error instanceof Error ? error : new Error(String(error));
  const details = {
    storage: `azure://${asked.container}`,
    host: asked.host,
    action: asked.action,
    error: failure.text,
    setting: STRING,
    location_setting: 'AZURE_STORAGE_CONTAINER',
    credentials_setting: STRING,
  };
  return reasonedError('SERVICE_UNAVAILABLE', failure.reason, details, isRestError(error) ? causeOf(error) : error);
};

/** Why the service did not do what it was asked for, with what it called that; undefined for a mistake of our own. */
const failureOf = (error: unknown) => {
  if (error instanceof NoAnswer) return { reason: 'storage_unreachable', text: error.message } as const;
  // what the library says of an answer without a length or a tag
  if (error instanceof RangeError) return { reason: 'storage_invalid_response', text: '' } as const;
  if (!isRestError(error)) return undefined;
  const code = codeOf(error);
  const { statusCode: status } = error;
  if (status === undefined) return { reason: connectionReason(code), text: code } as const;
  return { reason: answerReason(code, status), text: `${status} ${code}`.trimEnd() } as const;
};

const answerReason = (code: string, status: number) => {
  if (code === 'ContainerNotFound') return 'storage_not_found';
  if (status === 401 || status === 403) return refusalReason(code);
  if (status >= 300 && status < 400) return 'storage_redirected';
  return TRANSIENT_STATUS.has(status) ? 'storage_server_error' : 'storage_request_failed';
};

const PERMISSION =
  /^(AuthorizationPermission|AuthorizationResourceType|AuthorizationService|InsufficientAccountPermissions|UnauthorizedBlob)/;

const refusalReason = (code: string) => {
  if (PERMISSION.test(code)) return 'storage_access_denied';
  if (code === 'AccountIsDisabled') return 'storage_account_disabled';
  return code.startsWith('Authorization') ? 'storage_firewall' : 'storage_credentials_rejected';
};

/** The error itself carries the request with its signature; a log must not. */
const causeOf = (error: RestError): Error => {
  const firstLine = error.message.split('\n', 1)[0] ?? '';
  return new Error([error.statusCode, codeOf(error), firstLine].filter((part) => part !== undefined && part !== '').join(' '));
};
