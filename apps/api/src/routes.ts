import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Clock, Logger } from '@sheaf/process';
import type { AnalyticsServices } from './analytics/analytics-services.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import type { AuthServices } from './auth/auth-services.ts';
import { type Federation, federationRoutes } from './auth/federation.ts';
import { mfaRoutes } from './auth/mfa-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { authTestRoutes } from './auth/test-route.ts';
import { backupRoutes } from './backups/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import type { DocumentFileServices, DocumentServices } from './documents/document-services.ts';
import type { EinvoiceServices } from './documents/einvoice-source.ts';
import { documentRoutes } from './documents/routes.ts';
import { fieldRoutes } from './fields/routes.ts';
import { filingRoutes } from './filing/routes.ts';
import type { HealthServices } from './health/health-services.ts';
import { healthRoutes } from './health/routes.ts';
import { hostRoutes } from './hosts/routes.ts';
import type { Cursors } from './http/cursor.ts';
import { withChanges } from './http/precondition.ts';
import type { Route } from './http/route.ts';
import { routesOfVersion, withVersion2 } from './http/versions.ts';
import { importRoutes } from './imports/routes.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { openApiRoutes } from './openapi/routes.ts';
import type { PaperlessServices } from './paperless/paperless-services.ts';
import { paperlessRoutes } from './paperless/routes.ts';
import { queueRoutes } from './queue/routes.ts';
import { roleRoutes } from './roles/routes.ts';
import { ruleRoutes } from './rules/routes.ts';
import { savedSearchRoutes } from './saved-searches/routes.ts';
import { searchRoutes } from './search/routes.ts';
import type { SearchServices } from './search/search-services.ts';
import { settingsRoutes } from './settings/routes.ts';
import type { SettingsServices } from './settings/settings-services.ts';
import { shareRoutes } from './shares/routes.ts';
import { sourceRoutes } from './sources/routes.ts';
import type { SourceServices } from './sources/source-services.ts';
import { trashRoutes } from './trash/routes.ts';
import type { TrashServices } from './trash/trash-services.ts';
import { userRoutes } from './users/routes.ts';
import type { UserImportServices, UserServices } from './users/user-services.ts';

/** What the routes are made from, by what it is about. */
export interface ApiServices {
  readonly config: FixedConfig;
  readonly base: {
    readonly database: Database;
    readonly cursors: Cursors;
    readonly clock: Clock;
    readonly log: Logger;
  };
  readonly accounts: Pick<UserServices, 'accounts' | 'audit' | 'watchDirectories'> &
    Pick<UserImportServices, 'userImports'> &
    Pick<AuthServices, 'identity' | 'registrationEnabled'> & { readonly federation: Federation };
  readonly documents: Pick<DocumentServices, 'storage' | 'ingest' | 'languages'> &
    DocumentFileServices &
    Pick<EinvoiceServices, 'einvoices'> & { readonly trashRetentionMs: TrashServices['retentionMs'] };
  readonly search: Pick<SearchServices, 'searchMetrics'>;
  /** Requests to elsewhere. */
  readonly outbound: Pick<SourceServices, 'fetch' | 'publicFetch'>;
  readonly monitoring: Omit<HealthServices, 'config' | 'database'> & Pick<AnalyticsServices, 'cache' | 'systemMeter'>;
  readonly settings: Pick<SettingsServices, 'feed' | 'defaultLanguage'>;
}

/** Everything the api answers to. */
export const allRoutes = (services: ApiServices): readonly Route[] => {
  const { config, base, accounts, documents, search, outbound, monitoring, settings } = services;
  const { languages } = documents;
  const { identity, registrationEnabled } = accounts;
  const auth = { config, ...base, identity, registrationEnabled, passwordPolicy: accounts.accounts.passwordPolicy };
  const routes: readonly Route[] = [
    ...authRoutes(auth),
    ...authTestRoutes(auth),
    ...mfaRoutes(auth),
    ...federationRoutes(config, accounts.federation),
    ...keyRoutes(auth),
    ...userRoutes({ config, ...base, ...accounts }),
    ...roleRoutes({ ...base, identity, configured: config.signIn.roles }),
    ...auditRoutes(base),
    ...documentRoutes({ ...base, ...documents }),
    ...trashRoutes({ ...base, ...documents, retentionMs: documents.trashRetentionMs }),
    ...labelRoutes({ config, ...base }),
    ...filingRoutes(base),
    ...fieldRoutes(base),
    ...ruleRoutes({ config, ...base }),
    ...queueRoutes({ ...base, languages }),
    ...sourceRoutes({ config, ...base, ...outbound }),
    ...ingestRoutes(base),
    ...importRoutes({ config, ...base }),
    ...notificationRoutes({ config, ...base }),
    ...deliveryRoutes({ config, ...base }),
    ...settingsRoutes({ ...base, ...settings, languages }),
    ...searchRoutes({ config, ...base, ...search }),
    ...savedSearchRoutes(base),
    ...shareRoutes({ config, ...base, ...documents }),
    ...analyticsRoutes({ config, ...base, ...monitoring }),
    ...healthRoutes({ config, ...base, ...monitoring }),
    ...hostRoutes(base),
    ...backupRoutes({ config, ...base }),
    ...openApiRoutes((version) => routesOfVersion(served, version)),
  ];
  const tagged = withChanges(routes);
  const served = config.features.apiV2 ? withVersion2(tagged) : tagged;
  return served;
};

/** What the routes of the Paperless-compatible API are made from. */
export const forPaperless = ({ config, base, accounts, documents }: ApiServices): PaperlessServices => ({
  config,
  ...base,
  ...documents,
  ...accounts,
  retentionMs: documents.trashRetentionMs,
});

/** Stands in for a service where routes are made to be described: it has everything, and throws when it is called. */
const STAND_IN: never = new Proxy(() => {}, {
  get: () => STAND_IN,
  apply: () => {
    throw new Error('This route was made to be described, not to be called');
  },
}) as never;

const describedServices = (config: FixedConfig): ApiServices => ({
  config,
  base: { database: STAND_IN, cursors: STAND_IN, clock: STAND_IN, log: STAND_IN },
  accounts: {
    accounts: STAND_IN,
    audit: STAND_IN,
    userImports: STAND_IN,
    watchDirectories: undefined,
    identity: STAND_IN,
    registrationEnabled: STAND_IN,
    federation: STAND_IN,
  },
  documents: {
    storage: STAND_IN,
    ingest: STAND_IN,
    thumbnails: STAND_IN,
    searchablePdfs: STAND_IN,
    documentSignatures: STAND_IN,
    pageArranger: STAND_IN,
    einvoices: STAND_IN,
    languages: STAND_IN,
    trashRetentionMs: STAND_IN,
  },
  search: { searchMetrics: STAND_IN },
  outbound: { fetch: STAND_IN, publicFetch: STAND_IN },
  monitoring: {
    takeHealthSnapshot: STAND_IN,
    statusReport: STAND_IN,
    isStopping: STAND_IN,
    registry: STAND_IN,
    cache: STAND_IN,
    systemMeter: STAND_IN,
    diskWarningShare: STAND_IN,
  },
  settings: { feed: STAND_IN, defaultLanguage: STAND_IN },
});

/** Every route that the api has by this configuration, for what is written about them. None can be called. */
export const describeRoutes = (config: FixedConfig): readonly Route[] => allRoutes(describedServices(config));

/** The same of the Paperless-compatible API. */
export const describePaperlessRoutes = (config: FixedConfig): readonly Route[] => paperlessRoutes(forPaperless(describedServices(config)));
