import type { FixedConfig } from '@sheaf/config';
import { reasonedError } from '@sheaf/contract';
import { isSetupCode } from '@sheaf/identity';
import { isFromForeignPage } from '../http/own-origin.ts';
import type { RequestContext } from '../http/route.ts';

/**
 * Throws FORBIDDEN unless the request may create the first administrator: it comes from this machine, or brings along the setup
 * code, and no page of another origin made a browser send it.
 */
export const requireFirstAdministrator = (
  code: string | undefined,
  { connection: { isLocal }, headers }: Pick<RequestContext, 'connection' | 'headers'>,
  { publicUrl, signIn }: Pick<FixedConfig, 'publicUrl' | 'signIn'>,
): void => {
  if (isFromForeignPage(headers, publicUrl)) throw reasonedError('FORBIDDEN', 'foreign_page');
  if (code === undefined && isLocal) return;
  if (code === undefined || code.trim() === '') throw reasonedError('FORBIDDEN', 'setup_code_required');
  if (!isSetupCode(code, signIn.appSecretKey)) throw reasonedError('FORBIDDEN', 'setup_code_wrong');
};
