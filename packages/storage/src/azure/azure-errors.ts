import { isRestError, type RestError } from '@azure/storage-blob';
import { serviceUnavailable } from '@sheaf/contract';
import { fileDamaged, fileMissing } from '../errors.ts';
import { connectionFailure, isCertificateCode } from '../remote/connection-failure.ts';
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
export const isAbsent = (error: unknown): boolean => azureCode(error) === 'BlobNotFound';

/** The object was there although it should not be. */
export const isConflict = (error: unknown): boolean => ['BlobAlreadyExists', 'ConditionNotMet'].includes(azureCode(error));

/** Any error of the service as one that may leave the storage: FILE_MISSING, FILE_DAMAGED, SERVICE_UNAVAILABLE in words. Others stay. */
export const toAzureError = (error: unknown, asked: Asked): Error => {
  const place = `The storage azure://${asked.container}`;
  if (error instanceof NoAnswer)
    return serviceUnavailable(`${place} is not reachable at ${asked.host}: ${error.message}. Check the network and the service.`);
  // What the library says of an answer without a length or a tag.
  if (error instanceof RangeError)
    return serviceUnavailable(`${place} returned no blob storage response. Check proxies in front of it.`, error);
  if (!isRestError(error)) return error instanceof Error ? error : new Error(String(error));
  if (asked.key !== undefined && isAbsent(error)) return fileMissing(asked.key, causeOf(error));
  if (asked.key !== undefined && error.statusCode === 416) return fileDamaged(asked.key, causeOf(error)); // it ends before the range
  return serviceUnavailable(`${place} ${inWords(error, asked)}`, causeOf(error));
};

const inWords = (error: RestError, asked: Asked): string => {
  const code = codeOf(error);
  if (error.statusCode === undefined) return connectionFailure(code, asked.host, STRING);
  if (code === 'ContainerNotFound') return 'does not exist. Create the container or correct AZURE_STORAGE_CONTAINER.';
  if (error.statusCode === 401 || error.statusCode === 403) return refusal(code, asked);
  if (error.statusCode >= 300 && error.statusCode < 400)
    return `returned a redirect, which is not followed. Correct the endpoint in ${STRING}.`;
  if (TRANSIENT_STATUS.has(error.statusCode))
    return `is not available (${error.statusCode} ${code}). Try again, and check the status of the service.`;
  return `failed to ${asked.action} an object (${error.statusCode} ${code}). Check the settings of the storage account.`;
};

const PERMISSION =
  /^(AuthorizationPermission|AuthorizationResourceType|AuthorizationService|InsufficientAccountPermissions|UnauthorizedBlob)/;

const refusal = (code: string, { action }: Asked): string => {
  if (PERMISSION.test(code))
    return `does not allow to ${action} objects (${code}). The SAS token in ${STRING} requires create, write, read, list and delete permissions.`;
  if (code === 'AccountIsDisabled') return 'belongs to a disabled account. Enable it in the Azure portal.';
  if (code.startsWith('Authorization'))
    return `denied to ${action} objects (${code}). Allow this machine in the firewall of the storage account and check the permissions in ${STRING}.`;
  return `rejected the credentials (${code === '' ? 'no reason given' : code}). Correct ${STRING} and check the clock of this machine.`;
};

/** The error itself carries the request with its signature; a log must not. */
const causeOf = (error: RestError): Error => {
  const firstLine = error.message.split('\n', 1)[0] ?? '';
  return new Error([error.statusCode, codeOf(error), firstLine].filter((part) => part !== undefined && part !== '').join(' '));
};
