import { behindFeature } from '../http/feature.ts';
import type { Route } from '../http/route.ts';
import { revoke, shareDocument, shareSavedSearch } from './change-shares.ts';
import { givePassword } from './give-password.ts';
import { list } from './list-shares.ts';
import { publicShareRoutes } from './public-routes.ts';
import type { ShareServices } from './share-services.ts';

/** While share links are off, their pages answer as to links that do not exist. */
export const shareRoutes = (services: ShareServices): readonly Route[] => [
  ...behindFeature('FEATURE_SHARE_LINKS', services.config.shares.enabled, [
    shareDocument(services),
    shareSavedSearch(services),
    list(services),
    revoke(services),
  ]),
  ...publicShareRoutes(services),
  givePassword(services),
];
