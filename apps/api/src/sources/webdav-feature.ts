import { featureDisabled } from '@sheaf/contract';
import type { SourceType } from '@sheaf/vocabulary/sources';
import type { SourceServices } from './source-services.ts';

/** Throws FEATURE_DISABLED for a source of the type webdav while such ones are switched off. */
export const requireWebdavIfMeant = (type: SourceType, { config }: Pick<SourceServices, 'config'>): void => {
  if (type === 'webdav' && !config.sources.webdavEnabled) throw featureDisabled('FEATURE_WEBDAV');
};
