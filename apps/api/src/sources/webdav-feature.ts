import { featureDisabled, type SourceType } from '@sheaf/contract';
import type { ApiDeps } from '../deps.ts';

/** Throws FEATURE_DISABLED for a source of the type webdav while such ones are switched off. */
export const requireWebdavIfMeant = (type: SourceType, { config }: Pick<ApiDeps, 'config'>): void => {
  if (type === 'webdav' && !config.sources.webdavEnabled) throw featureDisabled('FEATURE_WEBDAV');
};
