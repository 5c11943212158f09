// What the tests use of the api: files can move behind it.
export { daysOf, toDaySpan, toOcrAnalytics } from './analytics/routes.ts';
export { type AppParts, makeApp } from './app.ts';
export type { AuthServices } from './auth/answer-sign-in.ts';
export {
  type FederatedSignIn,
  type FederatedSignInService,
  makeOidcCheckRoute,
  makeOidcRoutes,
  makeSamlRoutes,
} from './auth/federation.ts';
export { mfaRoutes } from './auth/mfa-routes.ts';
export { type ComposeOptions, composeApi, identityDeps } from './compose.ts';
export { registerCountedMetrics } from './counted-metrics.ts';
export { removeBytes } from './documents/bulk-actions.ts';
export { ArchiveNames } from './documents/bulk-download.ts';
export { areUnchanged, editDocumentPages, planPages } from './documents/page-editing/edit-pages.ts';
export { PageArranger } from './documents/page-editing/page-arranger.ts';
export type { DocumentSignatures } from './documents/searchable-pdfs.ts';
export { contentDisposition, streamTo } from './documents/stored-file.ts';
export { comparePages } from './documents/versions/routes.ts';
export type { EventLimits } from './events/connection-register.ts';
export { Exporter, MetricsGatherer } from './exporter/open-exporter.ts';
export type { HealthSnapshot } from './health/health.ts';
export { probeRoutes, renderStatusText } from './health/probes.ts';
export { processesHealth, sortProcesses } from './health/process-rows.ts';
export { Authenticator, type AuthenticatorParts } from './http/authenticate.ts';
export { errorEnvelope, toAppError } from './http/errors.ts';
export { isLocalRequest, mountRoutes } from './http/mount.ts';
export { addressOf, routesOfVersion, SUNSET } from './http/offered-routes.ts';
export { parseInput, readOnlyFields } from './http/parse-input.ts';
export { RateLimit, RequestCounter } from './http/rate-limit.ts';
export { ReadDatabase } from './http/read-database.ts';
export { openRequestRecord, requestId } from './http/request-log.ts';
export { clientAddress } from './http/request-origin.ts';
export { jsonRoute, type Route, streamRoute } from './http/route.ts';
export { HttpServer } from './http/server.ts';
export { SharedCounts } from './http/shared-counts.ts';
export { makeStartImportProgram } from './imports/import-runner.ts';
export { errorCodesOf, makeOpenApiDocument } from './openapi/document.ts';
export { askRoute, passTo, toPaperlessError } from './paperless/requests.ts';
export { paperlessRoutes } from './paperless/routes.ts';
export { describePaperlessRoutes, describeRoutes } from './routes.ts';
export { trySource } from './sources/source-checks.ts';
export { docsSite } from './web/docs-site.ts';
export { type WebClientSettings, webClient } from './web/web-client.ts';
