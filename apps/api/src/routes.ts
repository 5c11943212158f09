import type { FixedConfig } from '@sheaf/config';
import { permissionNeeded, reasonedError } from '@sheaf/contract';
import { type HostBody as Host, hostBody, hostListQuery } from '@sheaf/contract/operations';
import { roleListQuery, rolesBody, rolesRequest } from '@sheaf/contract/users';
import type { Database } from '@sheaf/db';
import type { ProcessRow } from '@sheaf/db/schema';
import type { Clock, Logger } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { countJobsOfHosts, listDrainedHosts } from '@sheaf/queue';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type AnalyticsServices, analyticsRoutes } from './analytics/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import type { AuthServices } from './auth/answer-sign-in.ts';
import { type Federation, federationRoutes } from './auth/federation.ts';
import { mfaRoutes } from './auth/mfa-routes.ts';
import { authRoutes, authTestRoutes } from './auth/routes.ts';
import { backupRoutes } from './backups/routes.ts';
import type { DocumentFileServices, DocumentServices } from './documents/document-services.ts';
import type { EinvoiceServices } from './documents/einvoice.ts';
import { documentRoutes } from './documents/routes.ts';
import { fieldRoutes } from './fields/routes.ts';
import { filingRoutes } from './filing/routes.ts';
import type { HealthServices } from './health/probes.ts';
import { type KnownProcess, processLabel, SILENCE_MS, toKnownProcess } from './health/process-rows.ts';
import { healthRoutes } from './health/routes.ts';
import { type Cursors, shortListRoute } from './http/list-route.ts';
import { routesOfVersion, withVersion2 } from './http/offered-routes.ts';
import { withChanges } from './http/parse-input.ts';
import { jsonRoute, type Route } from './http/route.ts';
import { importRoutes } from './imports/routes.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import { deliveryRoutes, notificationRoutes } from './notifications/routes.ts';
import { openApiRoutes } from './openapi/routes.ts';
import type { PaperlessServices } from './paperless/requests.ts';
import { paperlessRoutes } from './paperless/routes.ts';
import { queueRoutes } from './queue/routes.ts';
import { changeRoles, type RoleServices, readRolesBody } from './roles/change-roles.ts';
import { ruleRoutes } from './rules/routes.ts';
import { savedSearchRoutes } from './saved-searches/routes.ts';
import { type SearchServices, searchRoutes } from './search/routes.ts';
import { type SettingsServices, settingsRoutes } from './settings/routes.ts';
import { shareRoutes } from './shares/routes.ts';
import { sourceRoutes } from './sources/routes.ts';
import type { SourceServices } from './sources/source-checks.ts';
import { type TrashServices, trashRoutes } from './trash/routes.ts';
import { userRoutes } from './users/routes.ts';
import type { UserImportServices, UserServices } from './users/user-imports.ts';

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

interface HostServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly cursors: Cursors;
}

/** A host that has been silent for so long is not expected back. */
const ROW_AGE_MS = 3_600_000;

const list = ({ database: { db }, clock, cursors }: HostServices): Route =>
  shortListRoute({
    cursors,
    path: '/api/hosts',
    access: 'system.read',
    summary: 'List the hosts that run processes of the service',
    query: hostListQuery,
    name: 'data',
    item: hostBody,
    key: 'host',
    rows: async () => {
      const now = clock.now();
      const [rows, drained, jobs] = await Promise.all([
        listProcesses(db, new Date(now.getTime() - ROW_AGE_MS)),
        listDrainedHosts(db),
        countJobsOfHosts(db),
      ]);
      return { rows: hostsOf({ rows, drained, jobs, now }) };
    },
  });

const hostRoutes = (services: HostServices): readonly Route[] => [list(services)];

interface HostFacts {
  /** The newest first. */
  readonly rows: readonly ProcessRow[];
  readonly drained: ReadonlySet<string>;
  readonly jobs: ReadonlyMap<string, number>;
  readonly now: Date;
}

const stateOf = (isSilent: boolean, isDrained: boolean, activeJobs: number): Host['state'] => {
  if (isSilent) return 'silent';
  if (!isDrained) return 'running';
  return activeJobs > 0 ? 'draining' : 'drained';
};

/** Processes of which one works in the whole installation, and others stand by. */
const SOLE: ReadonlySet<string> = new Set(['watcher', 'sync']);

/** Names of those that run and work, or run and do not. */
const soleOf = (running: readonly KnownProcess[], isActive: boolean): string[] =>
  [...new Set(running.filter(({ name, holdsLock }) => SOLE.has(name) && holdsLock === isActive).map(({ name }) => name))].toSorted();

const toHost = (host: string, known: readonly KnownProcess[], { drained, jobs, now }: HostFacts): Host => {
  const since = new Date(now.getTime() - SILENCE_MS);
  const running = known.filter(({ seenAt }) => seenAt > since);
  // of a host that is silent, what was heard of last
  const shown = running.length === 0 ? known : running;
  const activeJobs = jobs.get(host) ?? 0;
  const cores = shown.flatMap((row) => row.cores ?? []);
  return {
    host,
    processes: [...new Set(shown.map(processLabel))].toSorted(),
    active: soleOf(running, true),
    standby: soleOf(running, false),
    version: shown[0]?.version ?? '',
    cores: cores.length === 0 ? null : Math.max(...cores),
    languages: [...new Set(shown.flatMap(({ languages }) => languages))].toSorted(),
    state: stateOf(running.length === 0, drained.has(host), activeJobs),
    last_seen_at: new Date(Math.max(...shown.map(({ seenAt }) => seenAt.getTime()))).toISOString(),
    active_jobs: activeJobs,
  };
};

/** The hosts by name: what runs there, and whether it takes jobs. */
const hostsOf = (facts: HostFacts): Host[] =>
  [...Map.groupBy(facts.rows.map(toKnownProcess), ({ host }) => host)]
    .map(([host, known]) => toHost(host, known, facts))
    .toSorted((a, b) => (a.host < b.host ? -1 : 1));

/** Who changes roles gives permissions to whom they like, themselves among them; a key that leaked must not. */
const requireAdministrator = ({ via, permissions }: Principal): void => {
  if (via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
  if (!permissions.includes('*')) throw permissionNeeded('*');
};

const read = (services: RoleServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/roles',
    access: 'users.read',
    summary: 'List roles with their permissions',
    query: roleListQuery,
    response: rolesBody,
    handle: ({ query, principal }) => readRolesBody(services.database.db, services, principal, query),
  });

const change = (services: RoleServices): Route =>
  jsonRoute({
    method: 'put',
    path: '/api/roles',
    access: 'users.update',
    summary: 'Change, add and remove roles',
    description: [
      'Administrators only, and not with an API key. The body is the whole set: a role that is not listed is removed. Built-in roles cannot be removed, nor roles that users have (409, `role_in_use`). `admin` keeps `*`, which no other role can have.',
      'Changes apply to the next request of every user and to open event connections, and are in the audit log. If ROLES_FILE is set, it defines the roles, and the answer is 409 with the reason `roles_from_file`.',
    ].join('\n\n'),
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: rolesRequest,
    response: rolesBody,
    present: ({ principal }, db) => {
      requireAdministrator(principal);
      return readRolesBody(db, services, principal);
    },
    handle: async ({ body, principal, context }) => {
      const { database, configured, identity } = services;
      requireAdministrator(principal);
      if (configured.areFromFile) throw reasonedError('DUPLICATE_RESOURCE', 'roles_from_file', { variable: 'ROLES_FILE' });
      await database.db.transaction((tx) =>
        changeRoles(tx, configured, body.roles, { principal, address: context.address, requireMatch: context.requireMatch }),
      );
      identity.forgetAll();
      return readRolesBody(database.db, services, principal);
    },
  });

const roleRoutes = (services: RoleServices): readonly Route[] => [read(services), change(services)];
